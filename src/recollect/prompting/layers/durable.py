"""Long-term facts about the one who speaks: all of them in a lasting order when they fit, else the most relevant.

An order that does not change with the question keeps the prompt's beginning the same from turn to turn.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from recollect.core.ports import Scene, Tx
from recollect.core.ports.layer import Block, Line
from recollect.core.types import Kind, Memo, Place, Status, Subject
from recollect.policy import rendering
from recollect.policy.budget import Budget, size

MOST = 24
"""Memos that are ranked for one prompt where no number is set."""
SHORTEST_LINE = 45
"""Characters of the shortest line that a memo can become: more memos than fit so are not even read."""
LISTED = 400
"""Newest memos that are looked at where the question does not matter."""
Style = Callable[[Memo, Place | None], str]
STYLES: dict[str, Style] = {"B": rendering.cited, "layered": rendering.categorised}


class DurableSettings(Protocol):
    @property
    def enabled(self) -> bool: ...
    @property
    def inject_max_chars(self) -> int | None: ...
    @property
    def inject_max_tokens(self) -> int | None: ...
    @property
    def inject_max_items(self) -> int | None: ...
    @property
    def user_items(self) -> int: ...
    @property
    def ranker(self) -> str: ...
    @property
    def overflow(self) -> str: ...


class Uses(Protocol):
    @property
    def layout(self) -> str: ...
    @property
    def durable(self) -> DurableSettings: ...


@dataclass(frozen=True, slots=True)
class _Known:
    """What is shown whatever is asked, oldest first, and how many there are."""

    memos: Sequence[Memo]
    total: int
    complete: bool
    """These are all there are."""


class DurableLayer:
    def __init__(self, settings: Uses) -> None:
        self._durable = settings.durable
        self._layout = settings.layout
        self._line: Style = STYLES.get(settings.layout, rendering.documented)
        durable = settings.durable
        self._budget = Budget(durable.inject_max_chars, durable.inject_max_tokens, durable.inject_max_items)
        self._limit = MOST if durable.inject_max_items is None else durable.inject_max_items

    async def offer(self, scene: Scene) -> Sequence[Block]:
        if not self._durable.enabled or self._limit == 0:
            return []
        if self._layout == "unified":
            return await self._stable_first(scene)
        if self._durable.ranker == "recency":
            return [await self._newest(scene)]
        if self._durable.user_items:
            return await self._mine_then_relevant(scene)
        found = await scene.search(scene.text, subject="mine", ranker=self._durable.ranker, limit=self._limit)
        return [self._block("durable", [self._ranked(one, scene) for one in found])]

    async def _stable_first(self, scene: Scene) -> list[Block]:
        """Everything when it fits; otherwise what always counts, and after it what fits the question."""
        known = await scene.store.read(lambda tx: self._known(tx, scene))
        why = "all that is known fits" if known.complete else "always shown: pinned, or a constraint"
        told = [self._line(memo, scene.place) for memo in known.memos]
        always = self._block(
            "durable", [Line(line, why, memo.expires) for line, memo in zip(told, known.memos, strict=True)]
        )
        if known.complete:
            return [always]
        found = await scene.search(scene.text, subject="mine", ranker=self._durable.ranker, limit=self._limit)
        shown = {memo.id for memo in known.memos}
        rest = [self._ranked(one, scene) for one in found if one.what.id not in shown]
        relevant = self._block("relevant", rest, told)
        return [always, replace(relevant, more=max(0, known.total - len(known.memos) - len(rest)))]

    def _known(self, tx: Tx, scene: Scene) -> _Known:
        subject = Subject(scene.user)
        count = tx.lanes.size([subject.scope])
        if not self._budget.allows(count * SHORTEST_LINE, count):
            standing = [memo for memo in tx.memos.standing(subject) if scene.audible(memo)]
            return _Known(self._always(standing, scene), count, complete=False)
        memos = [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if scene.audible(memo)]
        memos.sort(key=lambda memo: (memo.created, memo.key))
        if self._all_fit(memos, scene):
            return _Known(memos, len(memos), complete=True)
        return _Known(self._always(memos, scene), len(memos), complete=False)

    def _all_fit(self, memos: Sequence[Memo], scene: Scene) -> bool:
        bare = sum(len(memo.text) for memo in memos)  # quick to know, and often enough to say no
        return self._budget.allows(bare, len(memos)) and self._budget.allows(
            size([self._line(memo, scene.place) for memo in memos]), len(memos)
        )

    def _always(self, memos: Sequence[Memo], scene: Scene) -> list[Memo]:
        """Pinned memos and constraints, newest chosen first, in half of the room at the most."""
        half = Budget(*(None if limit is None else limit // 2 for limit in self._limits))
        chosen: list[Memo] = []
        for memo in sorted(memos, key=lambda memo: (not memo.pinned, -memo.key)):
            if memo.pinned or memo.kind is Kind.CONSTRAINT:
                taken = [*chosen, memo]
                if half.allows(size([self._line(one, scene.place) for one in taken]), len(taken)):
                    chosen = taken
        return sorted(chosen, key=lambda memo: (memo.created, memo.key))

    async def _newest(self, scene: Scene) -> Block:
        def work(tx: Tx) -> list[Memo]:
            listed = tx.memos.list(Subject(scene.user), [Status.ACTIVE], LISTED)
            return [memo for memo in listed if scene.audible(memo)]

        found = await scene.store.read(work)
        told = [Line(self._line(memo, scene.place), "newest first", memo.expires) for memo in found]
        return self._block("durable", told)

    async def _mine_then_relevant(self, scene: Scene) -> list[Block]:
        """Facts of the speaker, then whatever fits, lore included; nothing twice."""
        ranker, count = self._durable.ranker, self._durable.user_items
        mine = await scene.search(scene.text, subject="mine", ranker=ranker, limit=count)
        fitting = await scene.search(scene.text, subject="both", ranker=ranker, limit=self._limit)
        shown = {one.what.key for one in mine}
        block = self._block("durable", [self._ranked(one, scene) for one in mine])
        rest = [self._ranked(one, scene) for one in fitting if one.what.key not in shown]
        return [block, self._block("relevant", rest)]

    @property
    def _limits(self) -> tuple[int | None, int | None, int | None]:
        return self._budget.chars, self._budget.tokens, self._budget.items

    def _block(self, name: str, found: list[Line], before: Sequence[str] = ()) -> Block:
        """A section under the limits, less what was shown `before`."""
        used = size(before) + 1 if before else 0
        taken = (used, -(-used // 4), len(before))
        left = [
            None if limit is None else max(0, limit - less) for limit, less in zip(self._limits, taken, strict=True)
        ]
        return Block(name, tuple(found), *left, overflow=self._durable.overflow)

    def _ranked(self, one: "Ranked", scene: Scene) -> Line:
        told = ", ".join(f"{name} {part:.2f}" for name, part in one.parts.items() if part)
        why = f"score {one.score:.2f} ({told})" if told else f"score {one.score:.2f}"
        return Line(self._line(one.what, scene.place), why, one.what.expires)


class Ranked(Protocol):
    """A search's result, as far as it is shown."""

    @property
    def what(self) -> Memo: ...
    @property
    def score(self) -> float: ...
    @property
    def parts(self) -> dict[str, float]: ...


def create(spec: str, settings: Uses) -> DurableLayer:  # noqa: ARG001 - every layer is made from its name
    return DurableLayer(settings)
