"""The `memory` tool for agents: each answer is text for a model and data for a program.

User and place are fixed when the tool is created; no argument of a call can change them.
"""

import json
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.core.errors import BadInput, RecollectError, UnknownMemo, VersionConflict
from recollect.core.outcomes import Ambiguous, Explanation, Forgotten, Refused, Restored
from recollect.core.ports import Filters
from recollect.core.types import Kind, Memo, Origin, Place, Status
from recollect.faces import outcome_text
from recollect.faces.tool import render
from recollect.faces.tool.actions import (
    MAX_RESULTS,
    RESERVED,
    Call,
    Delete,
    Index,
    List,
    ListMemories,
    Restore,
    Save,
    SaveMemory,
    Search,
    Update,
    Why,
)
from recollect.faces.tool.parse import parse_call
from recollect.faces.tool.schema import FORMATS, Format, schema, skill
from recollect.memory import AsyncMemory
from recollect.policy.kinds import CATEGORIES, from_category, to_category
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.redaction.span import MARKER
from recollect.recall.query import Hit
from recollect.view import View

__all__ = ["FORMATS", "Answer", "Format", "MemoryTool", "schema", "skill"]

log = logging.getLogger("recollect")

MAX_METADATA_CHARS = 4_000
"""Limit of the metadata of one memory, as JSON."""
MAX_NEAREST = 5
"""Memories that are offered when nothing matches closely."""
_OFF_TEXT = "Memory is switched off; RECOLLECT_ENABLED=true switches it on."
_MEMOS_OFF_TEXT = "Durable memory is switched off; RECOLLECT_MEMOS_ENABLED=true switches it on."


@dataclass(frozen=True, slots=True)
class Answer:
    """The tool's answer. An error is an answer too: its text tells the model what to do instead."""

    text: str
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    ok: bool = True

    def __str__(self) -> str:
        return self.text


class MemoryTool:
    """`await tool(action="search", query="…")`, or `await tool.call(arguments)` with what a model wrote.

    What an agent saves is visible where it was saved, like everything learned: only its owner shares it further.
    """

    def __init__(self, memory: AsyncMemory, *, user: str, place: Place | None = None) -> None:
        self._memory = memory
        self._user = user
        self._place = place
        self._handlers: dict[type[Call], Callable[[Any], Coroutine[Any, Any, Answer]]] = {
            Save: self._save,
            SaveMemory: self._save,
            ListMemories: self._list_all,
            Search: self._search,
            List: self._list,
            Index: self._index,
            Delete: self._delete,
            Restore: self._restore,
            Update: self._update,
            Why: self._why,
        }

    async def __call__(self, /, **arguments: object) -> Answer:
        return await self.call(arguments)

    async def call(self, arguments: object) -> Answer:
        """Run a call, given as an object or its JSON text. Never raises for what a model may get wrong."""

        async def run() -> Answer:
            action, call = parse_call(arguments)
            answer = await self.run(call)
            return replace(answer, data={"ok": True, "action": action, **answer.data})

        return await answer_or_error(run)

    async def run(self, call: Call) -> Answer:
        """Run a validated call. Raises RecollectError."""
        outcome = await self._handlers[type(call)](call)
        return replace(outcome, text=await self._owner_note(call) + outcome.text)

    async def view(self, *, changes: bool = False) -> View:
        """What the user may see and do; a bare id may be that of one person elsewhere, for reading. Raises BadInput."""
        return await self._memory.view_of(self._user, self._place, changes=changes)

    async def _owner_note(self, call: Call) -> str:
        """A note if the memory is that of someone on another platform."""
        person = self._user if isinstance(call, Index) else (await self.view()).user
        is_elsewhere = self._place is None and ":" in person and ":" not in self._user
        return f"(Nobody local is called {self._user}: this is about {person}.)\n" if is_elsewhere else ""

    async def _save(self, call: Save | SaveMemory) -> Answer:
        view = await self.view(changes=True)
        outcome = await view.remember(
            call.content,
            kind=None if call.category is None else from_category(call.category)[0],
            tags=redact_value(call.keywords),
            metadata=_metadata(call.metadata),
            audience=view.place.audience,
            origin=Origin.TOOL,
        )
        if isinstance(outcome, Refused):
            raise BadInput(outcome_text.render_refused(outcome))
        text = f"{outcome_text.render_remembered(outcome)} (id {outcome.memo.id}, {outcome.verdict})"
        text += "".join(f"\n{outcome_text.render_replaced(memo)}" for memo in outcome.replaced)
        text += self._audience_line(outcome.memo) + _secret_line(call.content, outcome.memo)
        saved = {
            "outcome": outcome.verdict,
            "memory": render.data(outcome.memo),
            "audience": str(outcome.memo.audience),
            "replaced": [render.data(memo) for memo in outcome.replaced],
        }
        return Answer(text, saved)

    async def _search(self, call: Search) -> Answer:
        if not self._is_enabled:
            return Answer(self._status(), {"enabled": False, "close": False, "results": []})
        kinds = [kind.value for kind in Kind if call.category in (None, to_category(kind))]
        hits = await (await self.view()).search(
            call.query, filters=Filters(kinds=kinds) if call.category else None, limit=call.limit
        )
        if any(hit.relevant for hit in hits):  # then memories that share a word with the question may help, too
            return _results("", [hit for hit in hits if hit.relevant or hit.parts.get("words")], close=True)
        if hits:
            return _results("Nothing fits closely. The nearest:\n", hits[:MAX_NEAREST], close=False)
        return _results("Nothing found. Try other words, or list a category.", [], close=False)

    async def _list(self, call: List) -> Answer:
        if call.category is None:
            return await self._overview()
        memos = await self._active(call.category)
        limit = self._page_size(call.limit)
        return self._page(call.category, memos[call.offset : call.offset + limit], call.offset, len(memos))

    async def _list_all(self, call: ListMemories) -> Answer:
        if call.category is not None:
            return await self._list(List(category=call.category, limit=call.limit, offset=call.offset))
        listing = await (await self.view()).show(self._page_size(call.limit), call.offset)
        return self._page("memories", listing.memos, call.offset, listing.total)

    def _page_size(self, limit: int | None) -> int:
        return min(limit or self._memory.settings.search.default_limit, MAX_RESULTS)

    def _page(self, title: str, memos: Sequence[Memo], offset: int, total: int) -> Answer:
        first, last = offset + 1, offset + len(memos)
        rows = f"{first} to {last} of {total}" if memos else f"none of {total}"
        next_offset = last if memos and last < total else None
        lines = [f"{self._status()} {title}: {rows}", *map(render.line, memos)]
        lines += [f"More with offset={next_offset}"] if next_offset else []
        listed: dict[str, Any] = {
            "enabled": self._is_enabled,
            "total": total,
            "offset": offset,
            "next_offset": next_offset,
            "memories": [render.data(memo) for memo in memos],
        }
        return Answer("\n".join(lines), listed)

    async def _overview(self) -> Answer:
        """The answer without a category: whether memory is on, and the number of memories per category."""
        counts = {name: len(await self._active(name)) for name in CATEGORIES}
        per_category = ", ".join(f"{name} {count}" for name, count in counts.items())
        text = f"{self._status()} Memories: {per_category}.\nTo list them, name a category: {', '.join(CATEGORIES)}."
        return Answer(text, {"enabled": self._is_enabled, "counts": counts})

    async def _index(self, _: Index) -> Answer:
        rows = await self._memory.reindex()
        return Answer(f"The search index is rebuilt: {outcome_text.count_noun(rows, 'row')}.", {"rows": rows})

    async def _delete(self, call: Delete) -> Answer:
        view = await self.view(changes=True)
        memo = await _own_memo(view, call.id)
        outcome = await view.forget(memo.id, version=call.version)
        if not isinstance(outcome, Forgotten):
            raise UnknownMemo(f"there is no memory {call.id!r} any more")
        hidden = outcome_text.render_hidden(outcome)
        return Answer(f'Forgotten: "{memo.text}"{hidden}. Its owner can undo that.', {"memory": render.data(memo)})

    async def _restore(self, call: Restore) -> Answer:
        """By id only, so that nothing is changed by a chance match."""
        view = await self.view(changes=True)
        await view.get(call.id)
        outcome = await view.restore(call.id)
        if isinstance(outcome, Ambiguous):
            raise UnknownMemo(f"there is no memory {call.id!r}")
        if not isinstance(outcome, Restored):
            raise BadInput(outcome_text.render_restored(outcome))
        replaced = [render.data(memo) for memo in outcome.replaced]
        restored = {"memory": render.data(outcome.memo), "replaced": replaced}
        return Answer(outcome_text.render_restored(outcome), restored)

    async def _update(self, call: Update) -> Answer:
        if call.content is None and call.keywords is None:
            raise BadInput("update needs content or keywords")
        view = await self.view(changes=True)
        await _own_memo(view, call.id)
        memo = await view.update(
            call.id,
            call.content,
            tags=None if call.keywords is None else redact_value(call.keywords),
            origin=Origin.TOOL,
            version=call.version,
        )
        text = f'Updated: "{memo.text}" (id {memo.id}){self._audience_line(memo)}'
        return Answer(text, {"memory": render.data(memo), "audience": str(memo.audience)})

    async def _why(self, call: Why) -> Answer:
        explanation = await self.explain(call.id)
        why = render.reasons_data(explanation)
        return Answer(render.reasons(explanation), {"memory": render.data(explanation.memo, why=why)})

    async def explain(self, memo_id: str) -> Explanation:
        """A memory of the user's, or of the server's lore, with its history; raises UnknownMemo.

        Forgotten memories are not explained: a model would repeat them.
        """
        view = await self.view()
        try:
            explanation = await view.why(memo_id)
        except UnknownMemo:
            if view.place.guild is None:
                raise
            explanation = await replace(view, lore=True).why(memo_id)
        if explanation.memo.status in (Status.DEPRECATED, Status.DELETED):
            raise UnknownMemo(f"memory {memo_id} was forgotten; restore brings it back")
        return explanation

    async def _active(self, category: str) -> list[Memo]:
        """The user's memories of a category that are visible here, newest first."""
        listing = await (await self.view()).show()
        return [memo for memo in listing.memos if to_category(memo.kind) == category]

    @property
    def _is_enabled(self) -> bool:
        return self._memory.settings.enabled and self._memory.settings.memos.enabled

    def _audience_line(self, memo: Memo) -> str:
        """A line that says where it may be recalled, for the model to pass on: only the owner can change that."""
        audience = render.audience_text(memo, self._memory.settings.visibility)
        return f"\n{audience}" if audience else ""

    def _status(self) -> str:
        if self._is_enabled:
            return "Memory is on."
        return _MEMOS_OFF_TEXT if self._memory.settings.enabled else _OFF_TEXT


async def answer_or_error(run: Callable[[], Awaitable[Answer]]) -> Answer:
    """The answer, or what went wrong in words that a model can act on."""
    try:
        return await run()
    except BadInput as error:
        return _failure(str(error))
    except VersionConflict as error:
        return _failure(f'{error}. It says now: "{error.text}"')
    except RecollectError as error:
        log.warning("the memory tool failed: %s", error)
        return _failure(f"memory can't do that now: {error}")


def _secret_line(content: str, memo: Memo) -> str:
    """A note to pass on to the user when a part of the statement was not stored."""
    if not MARKER.search(memo.text) or MARKER.search(content):
        return ""
    return "\nA secret in it was left out, as memory keeps none: tell the user to keep it in a password manager."


async def _own_memo(view: View, memo_id: str) -> Memo:
    """The user's own active memory; by id only, so that nothing is changed by a chance match."""
    memo = await view.get(memo_id)
    if not memo.active:
        raise UnknownMemo(f"memory {memo_id!r} is no longer in use")
    return memo


def _failure(problem: str) -> Answer:
    return Answer(f"error: {problem}", {"ok": False, "error": problem}, ok=False)


def _results(heading: str, hits: Sequence[Hit], *, close: bool) -> Answer:
    memos = [(hit.item, round(hit.score, 4)) for hit in hits if isinstance(hit.item, Memo)]
    text = heading + "\n".join(render.line(memo) for memo, _ in memos)
    return Answer(text, {"enabled": True, "close": close, "results": [render.data(m, score=s) for m, s in memos]})


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    if RESERVED in metadata:
        raise BadInput(f"metadata: the name {RESERVED!r} is taken; use another")
    try:
        size = len(json.dumps(metadata, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise BadInput("metadata: it can't be written as JSON") from None
    if size > MAX_METADATA_CHARS:
        raise BadInput(f"metadata: it has {size} characters; at most {MAX_METADATA_CHARS} are kept")
    return redact_value(metadata)
