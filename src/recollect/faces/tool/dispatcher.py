"""The `memory` tool for agents: one dispatcher, whose every answer is text for a model and data for a program.

Whose memory it is, and who listens, is settled when the tool is made; no argument of a call can change it.
"""

import json
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.core.changes import Add, Retire, Skip
from recollect.core.errors import BadInput, RecollectError, UnknownMemo
from recollect.core.outcomes import Forgotten
from recollect.core.ports import Filters
from recollect.core.types import Kind, Memo, Origin, Place
from recollect.faces import outcome_text
from recollect.faces.tool import render
from recollect.faces.tool.actions import MOST, RESERVED, Call, Delete, Index, List, Save, Search, Update, Why
from recollect.faces.tool.parse import read
from recollect.faces.tool.schema import FORMATS, Format, schema, skill
from recollect.memory import AsyncMemory
from recollect.policy.kinds import CATEGORIES, from_category, to_category
from recollect.policy.redaction.json_values import redact_value
from recollect.policy.visibility import is_owner_dm, is_source_visible
from recollect.recall.listing import source_message
from recollect.recall.query import Hit

__all__ = ["FORMATS", "Answer", "Format", "MemoryTool", "schema", "skill"]

log = logging.getLogger("recollect")

MOST_METADATA = 4_000
"""Characters of JSON that the metadata of one memory may have."""
_NEAREST = 5
"""Memories that are offered where nothing fits."""
_OFF = "Memory is switched off; RECOLLECT_ENABLED=true switches it on."
_DURABLE_OFF = "Durable memory is switched off; RECOLLECT_MEMOS_ENABLED=true switches it on."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the tool answers. An error is an answer too: its text tells the model what to do instead."""

    text: str
    data: dict[str, Any] = field(default_factory=dict[str, Any])
    ok: bool = True

    def __str__(self) -> str:
        return self.text


class MemoryTool:
    """`await tool(action="search", query="…")`, or `await tool.call(arguments)` with what a model wrote.

    What an agent saves is heard where it was saved, like everything that is learned: only its owner shares it further.
    """

    def __init__(self, memory: AsyncMemory, *, user: str, place: Place | None = None) -> None:
        self._memory = memory
        self._user = user
        self._place = place or Place(dm=user)
        self._acts: dict[type[Call], Callable[[Any], Coroutine[Any, Any, Answer]]] = {
            Save: self._save,
            Search: self._search,
            List: self._list,
            Index: self._index,
            Delete: self._delete,
            Update: self._update,
            Why: self._why,
        }

    async def __call__(self, /, **arguments: object) -> Answer:
        return await self.call(arguments)

    async def call(self, arguments: object) -> Answer:
        """Do what is asked, by an object or its JSON text. Never raises for what a model may get wrong."""
        try:
            action, call = read(arguments)
            done = await self._acts[type(call)](call)
        except BadInput as error:
            return _failure(str(error))
        except RecollectError as error:
            log.warning("the memory tool failed: %s", error)
            return _failure(f"memory can't do that now: {error}")
        return Answer(done.text, {"ok": True, "action": action, **done.data})

    async def _save(self, call: Save) -> Answer:
        done = await self._memory.remember(
            call.content,
            user=self._user,
            place=self._place,
            kind=from_category(call.category)[0],
            tags=redact_value(call.keywords),
            metadata=_metadata(call.metadata),
            audience=self._place.audience,
            origin=Origin.TOOL,
        )
        first = next(iter(done.changes), None)
        outcome = "added" if isinstance(first, Add) else "known" if isinstance(first, Skip) else "revised"
        text = f"{outcome_text.remembered(done)} (id {done.memo.id}, {outcome})"
        replaced = [render.data(change.before) for change in done.changes if isinstance(change, Retire)]
        text += "".join(f'\nIt takes the place of: "{each["content"]}"' for each in replaced)
        text += self._hearing(done.memo)
        audience = str(done.memo.audience)
        saved = {"outcome": outcome, "memory": render.data(done.memo), "audience": audience, "replaced": replaced}
        return Answer(text, saved)

    async def _search(self, call: Search) -> Answer:
        if not self._is_on:
            return Answer(self._state(), {"enabled": False, "close": False, "results": []})
        found = await self._found(call, call.limit, strict=True)
        if found:
            return _results("", found, close=True)
        nearest = await self._found(call, min(call.limit or _NEAREST, _NEAREST), strict=False)
        if nearest:
            return _results("Nothing fits closely. The nearest:\n", nearest, close=False)
        return _results("Nothing found. Try other words, or list a category.", [], close=False)

    async def _found(self, call: Search, limit: int | None, *, strict: bool) -> list[Hit]:
        kinds = [kind.value for kind in Kind if call.category in (None, to_category(kind))]
        return await self._memory.search(
            call.query,
            user=self._user,
            place=self._place,
            filters=Filters(kinds=kinds) if call.category else None,
            limit=limit,
            strict=strict,
        )

    async def _list(self, call: List) -> Answer:
        if call.category is None:
            return await self._overview()
        memos = await self._active(call.category)
        limit = min(call.limit or self._memory.settings.search.max_results, MOST)
        page = memos[call.offset : call.offset + limit]
        first, last = call.offset + 1, call.offset + len(page)
        shown = f"{first} to {last} of {len(memos)}" if page else f"none of {len(memos)}"
        following = last if page and last < len(memos) else None
        lines = [f"{self._state()} {call.category}: {shown}", *map(render.line, page)]
        lines += [f"More with offset={following}"] if following else []
        listed: dict[str, Any] = {
            "enabled": self._is_on,
            "total": len(memos),
            "offset": call.offset,
            "next_offset": following,
            "memories": [render.data(memo) for memo in page],
        }
        return Answer("\n".join(lines), listed)

    async def _overview(self) -> Answer:
        """What there is, for want of a category: whether memory is on, and how much it holds."""
        counts = {name: len(await self._active(name)) for name in CATEGORIES}
        each = ", ".join(f"{name} {count}" for name, count in counts.items())
        text = f"{self._state()} Memories: {each}.\nTo list them, name a category: {', '.join(CATEGORIES)}."
        return Answer(text, {"enabled": self._is_on, "counts": counts})

    async def _index(self, _: Index) -> Answer:
        rows = await self._memory.reindex()
        return Answer(f"The search index is rebuilt: {outcome_text.counted(rows, 'row')}.", {"rows": rows})

    async def _delete(self, call: Delete) -> Answer:
        memo = await self._mine(call.id)
        done = await self._memory.forget(memo.id, user=self._user, place=self._place)
        if not isinstance(done, Forgotten):
            raise UnknownMemo(f"there is no memo {call.id!r} any more")
        return Answer(f'Forgotten: "{memo.text}". Its owner can undo that.', {"memory": render.data(memo)})

    async def _update(self, call: Update) -> Answer:
        if call.content is None and call.keywords is None:
            raise BadInput("update needs content or keywords")
        await self._mine(call.id)
        memo = await self._memory.update(
            call.id,
            call.content,
            user=self._user,
            place=self._place,
            tags=None if call.keywords is None else redact_value(call.keywords),
            origin=Origin.TOOL,
        )
        text = f'Updated: "{memo.text}" (id {memo.id}){self._hearing(memo)}'
        return Answer(text, {"memory": render.data(memo), "audience": str(memo.audience)})

    async def _why(self, call: Why) -> Answer:
        story = await self.explain(call.id)
        why = render.reasons_data(story)
        return Answer(render.reasons(story), {"memory": render.data(story.memo, why=why)})

    async def explain(self, memo_id: str) -> render.Story:
        """A memory of the user's, or of the guild's lore, and what happened to it; raises UnknownMemo.

        Where and in which words it was said is told only to those who could hear it there.
        """
        lore = False
        try:
            memo = await self._memory.get(memo_id, user=self._user, place=self._place)
        except UnknownMemo:
            if self._place.guild is None:
                raise
            lore = True
            memo = await self._memory.get(memo_id, user=self._user, place=self._place, lore=True)
        events = await self._memory.history(memo_id, user=self._user, place=self._place, lore=lore)
        message = await self._memory.store.read(lambda tx: source_message(tx, memo))
        told = is_source_visible(memo, self._place, message)
        return render.Story(memo, events, told, is_owner_dm(memo, self._place))

    async def _mine(self, memo_id: str) -> Memo:
        """The user's own memory that is in use; ids only, so that nothing is changed by a chance match."""
        memo = await self._memory.get(memo_id, user=self._user, place=self._place)
        if not memo.active:
            raise UnknownMemo(f"memo {memo_id!r} is no longer in use")
        return memo

    async def _active(self, category: str) -> list[Memo]:
        """The user's memories of a category that may be heard here, newest first."""
        shown = await self._memory.show(user=self._user, place=self._place)
        return [memo for memo in shown.memos if to_category(memo.kind) == category]

    @property
    def _is_on(self) -> bool:
        return self._memory.settings.enabled and self._memory.settings.memos.enabled

    def _hearing(self, memo: Memo) -> str:
        """Who will hear it, in a line of its own, for the model to pass on: only the owner can change that."""
        heard = render.hearing(memo, self._memory.settings.visibility)
        return f"\n{heard}" if heard else ""

    def _state(self) -> str:
        if self._is_on:
            return "Memory is on."
        return _DURABLE_OFF if self._memory.settings.enabled else _OFF


def _failure(problem: str) -> Answer:
    return Answer(f"error: {problem}", {"ok": False, "error": problem}, ok=False)


def _results(heading: str, found: Sequence[Hit], *, close: bool) -> Answer:
    memos = [(one.item, round(one.score, 4)) for one in found if isinstance(one.item, Memo)]
    text = heading + "\n".join(render.line(memo) for memo, _ in memos)
    return Answer(text, {"enabled": True, "close": close, "results": [render.data(m, score=s) for m, s in memos]})


def _metadata(given: Mapping[str, Any]) -> dict[str, Any]:
    if RESERVED in given:
        raise BadInput(f"metadata: the name {RESERVED!r} is taken; use another")
    try:
        size = len(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        raise BadInput("metadata: it can't be written as JSON") from None
    if size > MOST_METADATA:
        raise BadInput(f"metadata: it has {size} characters; at most {MOST_METADATA} are kept")
    return redact_value(given)
