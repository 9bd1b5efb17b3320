"""Long-term facts about the speaker: all of them in a stable order when they fit, else the most relevant.

An order that does not change with the question keeps the prompt's beginning the same from turn to turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from recollect.core.ports import PromptRequest, Tx
from recollect.core.ports.layer import Block, Line, Overflow
from recollect.core.text import collapse_spaces
from recollect.core.types import Kind, Memo, Status, Subject
from recollect.language import past
from recollect.language.past import TimeQuestion
from recollect.policy import rendering
from recollect.policy.budget import Budget, size
from recollect.policy.kinds import to_kind

MAX_RANKED_MEMOS = 24
"""Memos that are ranked per prompt where no limit is set."""
MIN_LINE_CHARS = 45
"""The shortest line of a memo: if so many lines don't fit, the memos are not even read."""
MAX_DATED_MEMOS = 6
"""Memos that are shown with their dates for a question about time."""
MAX_LISTED_MEMOS = 400
"""Newest memos that are read where nothing is ranked by the query."""


class MemoSettings(Protocol):
    @property
    def enabled(self) -> bool: ...
    @property
    def inject_max_chars(self) -> int | None: ...
    @property
    def inject_max_tokens(self) -> int | None: ...
    @property
    def inject_max_items(self) -> int | None: ...
    @property
    def inject_own_items(self) -> int: ...
    @property
    def ranker(self) -> str: ...
    @property
    def overflow(self) -> Overflow: ...


class SearchSettings(Protocol):
    @property
    def max_results(self) -> int | None: ...


class LayerSettings(Protocol):
    @property
    def memos(self) -> MemoSettings: ...
    @property
    def search(self) -> SearchSettings: ...


@dataclass(frozen=True, slots=True)
class _AlwaysShown:
    """The memos shown whatever the query is, oldest first, and the number of all memos."""

    memos: Sequence[Memo]
    total: int
    complete: bool
    """Whether these are all memos."""


class DurableLayer:
    def __init__(self, settings: LayerSettings) -> None:
        options = self._options = settings.memos
        limits = options.inject_max_items, settings.search.max_results
        items = min((limit for limit in limits if limit is not None), default=None)
        self._budget = Budget(options.inject_max_chars, options.inject_max_tokens, items)
        self._limit = MAX_RANKED_MEMOS if items is None else items

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        if not self._options.enabled or self._limit == 0:
            return []
        if request.layout.stable_first:
            return await self._stable_first(request)
        if self._options.ranker == "recency":
            return [await self._newest(request)]
        if self._options.inject_own_items:
            return await self._own_then_relevant(request)
        hits = await request.search(request.query, subject="mine", ranker=self._options.ranker, limit=self._limit)
        return [self._block("durable", [self._ranked_line(hit, request) for hit in hits])]

    async def _stable_first(self, request: PromptRequest) -> list[Block]:
        """Everything when it fits; otherwise what is always shown, followed by what matches the query."""
        always_shown = await request.store.read(lambda tx: self._read_always_shown(tx, request))
        asked = past.parse(request.text, request.now.date())
        why = "all that is known fits" if always_shown.complete else "always shown: pinned, or a constraint"
        lines = [_line(memo, request) for memo in always_shown.memos]
        block = self._block(
            "durable", [Line(line, why, memo.expires) for line, memo in zip(lines, always_shown.memos, strict=True)]
        )
        if always_shown.complete and asked is None:
            return [block]
        hits = await request.search(request.query, subject="mine", ranker=self._options.ranker, limit=self._limit)
        dated = _dated(hits, asked) if asked else []
        lines_in_time = [self._dated_line(hit, request) for hit in dated]
        if always_shown.complete:
            return [block, self._block("relevant", lines_in_time, lines)] if dated else [block]
        shown = {memo.id for memo in always_shown.memos} | {hit.item.id for hit in dated}
        remaining = [self._ranked_line(hit, request) for hit in hits if hit.item.id not in shown]
        relevant = self._block("relevant", lines_in_time + remaining, lines)
        return [block, replace(relevant, omitted=max(0, always_shown.total - len(always_shown.memos) - len(remaining)))]

    def _read_always_shown(self, tx: Tx, request: PromptRequest) -> _AlwaysShown:
        subject = Subject(request.user)
        count = tx.index.size([subject.scope])
        if not self._budget.allows(count * MIN_LINE_CHARS, count):
            candidates = [memo for memo in tx.memos.always_relevant(subject) if request.is_visible(memo)]
            return _AlwaysShown(self._always(candidates, request), count, complete=False)
        memos = [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if request.is_visible(memo)]
        memos.sort(key=lambda memo: (memo.created, memo.key))
        if self._all_fit(memos, request):
            return _AlwaysShown(memos, len(memos), complete=True)
        return _AlwaysShown(self._always(memos, request), len(memos), complete=False)

    def _all_fit(self, memos: Sequence[Memo], request: PromptRequest) -> bool:
        bare = sum(len(memo.text) for memo in memos)  # a cheap lower bound
        return self._budget.allows(bare, len(memos)) and self._budget.allows(
            size([_line(memo, request) for memo in memos]), len(memos)
        )

    def _always(self, memos: Sequence[Memo], request: PromptRequest) -> list[Memo]:
        """Pinned memos and constraints, newest chosen first, within half of the budget."""
        half = Budget(*(None if limit is None else limit // 2 for limit in self._limits))
        chosen: list[Memo] = []
        for memo in sorted(memos, key=lambda memo: (not memo.pinned, -memo.key)):
            if memo.pinned or memo.kind is Kind.CONSTRAINT:
                extended = [*chosen, memo]
                if half.allows(size([_line(memo, request) for memo in extended]), len(extended)):
                    chosen = extended
        return sorted(chosen, key=lambda memo: (memo.created, memo.key))

    async def _newest(self, request: PromptRequest) -> Block:
        def work(tx: Tx) -> list[Memo]:
            listed = tx.memos.list(Subject(request.user), [Status.ACTIVE], MAX_LISTED_MEMOS)
            return [memo for memo in listed if request.is_visible(memo)]

        memos = await request.store.read(work)
        return self._block("durable", [Line(_line(memo, request), "newest first", memo.expires) for memo in memos])

    async def _own_then_relevant(self, request: PromptRequest) -> list[Block]:
        """The speaker's memos, then what matches the query, lore included; nothing twice."""
        ranker, count = self._options.ranker, min(self._options.inject_own_items, self._limit)
        own_hits = await request.search(request.query, subject="mine", ranker=ranker, limit=count)
        hits = await request.search(request.query, subject="both", ranker=ranker, limit=self._limit)
        shown = {hit.item.key for hit in own_hits}
        block = self._block("durable", [self._ranked_line(hit, request) for hit in own_hits])
        remaining = [self._ranked_line(hit, request) for hit in hits if hit.item.key not in shown]
        return [block, self._block("relevant", remaining)]

    @property
    def _limits(self) -> tuple[int | None, int | None, int | None]:
        return self._budget.chars, self._budget.tokens, self._budget.items

    def _block(self, name: str, lines: list[Line], before: Sequence[str] = ()) -> Block:
        """A block within the budget, less what the lines `before` use."""
        used = size(before) + 1 if before else 0
        spent = (used, -(-used // 4), len(before))
        remaining = [
            None if limit is None else max(0, limit - less) for limit, less in zip(self._limits, spent, strict=True)
        ]
        return Block(name, tuple(lines), *remaining, overflow=self._options.overflow)

    def _dated_line(self, hit: "RankedMemo", request: PromptRequest) -> Line:
        memo = hit.item
        text = f"- [{to_kind(memo.kind)}] {collapse_spaces(memo.text)} ({_when(hit, request.now)})"
        return Line(text, f"asked about another time, score {hit.score:.2f}", memo.expires)

    def _ranked_line(self, hit: "RankedMemo", request: PromptRequest) -> Line:
        parts = ", ".join(f"{name} {part:.2f}" for name, part in hit.parts.items() if part)
        why = f"score {hit.score:.2f} ({parts})" if parts else f"score {hit.score:.2f}"
        return Line(_line(hit.item, request), why, hit.item.expires)


def _dated(hits: Sequence["RankedMemo"], asked: TimeQuestion) -> list["RankedMemo"]:
    """The memos that answer a question about time, in order of time."""
    relevant = [hit for hit in hits if hit.relevant and (hit.since or asked.asks_time)][:MAX_DATED_MEMOS]
    return sorted(relevant, key=_start)


def _start(hit: "RankedMemo") -> datetime:
    return hit.since or hit.item.happened or hit.item.created


def _when(hit: "RankedMemo", now: datetime) -> str:
    """When a memo was valid, happened or was said, and how long ago that is."""
    start = _start(hit).date()
    if hit.until is not None:
        return f"from {start} until {hit.until.date()}, no longer so"
    verb = "on" if hit.item.happened else "said on"
    days = (now.date() - start).days
    return f"{verb} {start}, {days} days ago" if days >= 0 else f"{verb} {start}, in {-days} days"


def _line(memo: Memo, request: PromptRequest) -> str:
    return (request.layout.render_memo or rendering.render_plain)(memo, request.place)


class RankedMemo(Protocol):
    """The part of a hit that is shown."""

    @property
    def item(self) -> Memo: ...
    @property
    def score(self) -> float: ...
    @property
    def parts(self) -> dict[str, float]: ...
    @property
    def relevant(self) -> bool: ...
    @property
    def since(self) -> datetime | None: ...
    @property
    def until(self) -> datetime | None: ...


def create(spec: str, settings: LayerSettings) -> DurableLayer:  # noqa: ARG001 - every layer is made from its name
    return DurableLayer(settings)
