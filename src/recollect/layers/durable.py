"""Long-term facts about the one who speaks: all of them in a lasting order when they fit, else the most relevant.

An order that does not change with the question keeps the prompt's beginning the same from turn to turn.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from recollect import lines
from recollect.budget import Budget, size
from recollect.ports import Scene, Tx
from recollect.types import Block, Line, Memo, Status, Subject

MOST = 100
"""Memos that are ranked for one prompt."""
STYLES: dict[str, Callable[[Memo], str]] = {"B": lines.cited, "layered": lines.categorised}


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
    def ranker(self) -> str: ...
    @property
    def overflow(self) -> str: ...


class Uses(Protocol):
    @property
    def layout(self) -> str: ...
    @property
    def durable(self) -> DurableSettings: ...


class DurableLayer:
    def __init__(self, settings: Uses) -> None:
        self._durable = settings.durable
        self._layout = settings.layout
        self._line = STYLES.get(settings.layout, lines.documented)

    async def offer(self, scene: Scene) -> Sequence[Block]:
        if not self._durable.enabled:
            return []
        if self._layout == "unified":
            known = await scene.store.read(lambda tx: self._all(tx, scene))
            if known is not None:
                return [self._block("durable", [Line(self._line(memo), "all that is known fits") for memo in known])]
        found = await scene.search(scene.text, subject="mine", ranker=self._durable.ranker, limit=MOST)
        name = "relevant" if self._layout == "unified" else "durable"
        return [self._block(name, [Line(self._line(one.what), _why(one.score, one.parts)) for one in found])]

    def _all(self, tx: Tx, scene: Scene) -> list[Memo] | None:
        """Every memo that may be heard, oldest first; None when they don't all fit."""
        subject = Subject(scene.user)
        if tx.lanes.size([subject.scope]) > MOST:
            return None
        memos = [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if scene.audible(memo)]
        budget = Budget(self._durable.inject_max_chars, self._durable.inject_max_tokens, self._durable.inject_max_items)
        fits = budget.allows(size([self._line(memo) for memo in memos]), len(memos))
        return sorted(memos, key=lambda memo: (memo.created, memo.key)) if fits else None

    def _block(self, name: str, found: list[Line]) -> Block:
        durable = self._durable
        return Block(
            name, tuple(found), durable.inject_max_chars, durable.inject_max_tokens, durable.inject_max_items,
            durable.overflow,
        )  # fmt: skip


def _why(score: float, parts: dict[str, float]) -> str:
    told = ", ".join(f"{name} {part:.2f}" for name, part in parts.items() if part)
    return f"score {score:.2f} ({told})"


def create(spec: str, settings: Uses) -> DurableLayer:  # noqa: ARG001 - every layer is made from its name
    return DurableLayer(settings)
