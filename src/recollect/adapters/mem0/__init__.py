"""mem0's calls on recollect: `from recollect.adapters.mem0 import Memory` instead of `from mem0 import Memory`.

Ids, arguments and results are those of mem0's open-source `Memory` and `AsyncMemory`; mem0 itself is not needed.

- `user_id` is the user of recollect. `agent_id` and `run_id` are kept with each memory as the place where it was said;
  without a user, the memory belongs to the agent (`agent:<id>`), or else to the run (`run:<id>`).
- As in mem0, each id is a filter: what a user told an agent is found under the user, the agent, or both. Who may ask
  for an agent or a run is for the program to decide, as these calls are made in its name.
- A memory's id contains its owner, because mem0's `get`, `update` and `delete` don't name one.
- `delete` and `delete_all` forget, and can be undone with recollect's `restore`; `reset` erases everyone for good.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import Any, Self

from recollect import sync
from recollect.adapters.mem0.arguments import (
    UNSET,
    Scope,
    Unset,
    count_of,
    expiry_of,
    messages_of,
    metadata_of,
    refuse,
    refuse_instructions,
    scope_of,
    threshold_of,
)
from recollect.adapters.mem0.configuration import settings_of
from recollect.adapters.mem0.records import (
    ACTOR,
    EVENTS,
    ROLE,
    Ids,
    added_record,
    history_record,
    ids_of,
    parse_id,
    result_of,
    with_scopes,
    written_ids,
)
from recollect.admin import Admin
from recollect.core.background_loop import blocking
from recollect.core.clock import now
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.outcomes import Forgotten, Remembered
from recollect.core.serialization import memo_from_json
from recollect.core.types import LOCAL, Memo, Place, Status, Subject, split_person
from recollect.inputs import plain_text
from recollect.memory import AsyncMemory as RecollectMemory
from recollect.policy.viewer import Viewer
from recollect.privacy.target import ErasureTarget
from recollect.recall.query import MemoSet

log = logging.getLogger("recollect")

LEARN_TIMEOUT_SECONDS = 60.0
EXISTING = (Status.ACTIVE, Status.EXPIRED)
"""In mem0 a memory that is past its date is hidden, and still there."""


class AsyncMemory:
    """mem0's `AsyncMemory`. `config` is what `from_config` takes; `memory` is one of recollect that is open already."""

    def __init__(
        self, config: Mapping[str, Any] | None = None, *, memory: RecollectMemory | None = None, **settings: Any
    ) -> None:
        self.memory = memory or RecollectMemory(**settings_of(config or {}, **settings))
        """The memory of recollect that does the work: everything that mem0 has no call for."""
        self.admin = Admin(self.memory, now)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """From mem0's configuration: its model and embedder are used, its vector store is not needed. The key
        `recollect` holds settings of recollect, such as `{"store": "memory.db"}`.
        """
        return cls(config_dict)

    async def add(
        self,
        messages: str | Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        metadata: Mapping[str, Any] | None = None,
        infer: bool = True,
        expiration_date: str | date | None = None,
        timestamp: object = None,
        memory_type: str | None = None,
        prompt: str | None = None,
    ) -> dict[str, list[dict[str, Any]]]:
        """Learn from messages, or with `infer=False` keep each as it is. Returns what was added and updated."""
        refuse(timestamp=timestamp)
        refuse_instructions(memory_type, prompt if infer else None)
        scope = Scope.of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, 'add(…, user_id="alice")')
        turns = messages_of(messages)
        details, expires = metadata_of(metadata), expiry_of(expiration_date)
        if not turns:
            return {"results": []}
        if not infer:
            return {
                "results": [result for item in turns if (result := await self._keep(item, scope, details, expires))]
            }
        spoken = [{ROLE: message[ROLE], "content": message["content"]} for message in turns]
        added = await self.memory.add(spoken, user=scope.owner, place=scope.place, wait=LEARN_TIMEOUT_SECONDS)
        results: list[dict[str, Any]] = []
        for learned in added.learned:
            event = "ADD" if learned.version == 1 else "UPDATE"
            results.append(added_record(await self._detailed(learned, event, scope, details, expires), event))
        return {"results": results}

    async def _keep(
        self, message: Mapping[str, Any], scope: Scope, details: Mapping[str, Any], expires: datetime | None
    ) -> dict[str, Any] | None:
        """Keep a message as it is; None if it may not be kept."""
        said_by = {name: message[name] for name in (ROLE, ACTOR) if name in message}
        outcome = await self.memory.remember(
            str(message["content"]),
            user=scope.owner,
            place=scope.place,
            metadata={**details, **said_by},
            expires=expires,
        )
        if not isinstance(outcome, Remembered):
            log.warning("not kept: %s", outcome.reason.value)
            return None
        event = {"added": "ADD", "revised": "UPDATE"}.get(outcome.verdict, "NONE")
        memo = await self._detailed(outcome.memo, event, scope, {}, None)
        return added_record(memo, event) | {ACTOR: None, **said_by}

    async def _detailed(
        self, memo: Memo, event: str, scope: Scope, details: Mapping[str, Any], expires: datetime | None
    ) -> Memo:
        """A memo with what the caller says about it; who said the same before will find it, too."""
        metadata = {**memo.source.metadata, **details}
        if event != "ADD":
            known = ids_of(memo)
            everyone = [scope.ids, *await self._earlier_ids(memo, scope)]
            if missing := [ids for ids in everyone if ids not in known]:
                metadata = with_scopes(metadata, missing)
        if metadata == memo.source.metadata and expires is None:
            return memo
        return await self.memory.update(memo, user=scope.owner, place=scope.place, metadata=metadata, expires=expires)

    async def _earlier_ids(self, memo: Memo, scope: Scope) -> list[Ids]:
        """The ids under which a memo was added, as long as it has been in use; newest first."""
        ids: list[Ids] = []
        for event in await self.memory.history(memo, user=scope.owner, place=scope.place):
            if (before := event.data.get("before")) is None:
                continue
            if not (earlier := memo_from_json(before)).active:
                break
            ids += ids_of(replace(memo, source=earlier.source))
        return ids

    async def search(
        self,
        query: str,
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        top_k: int = 20,
        limit: int | None = None,
        filters: Mapping[str, Any] | None = None,
        threshold: float | None = 0.1,
        rerank: bool = False,  # noqa: ARG002 - what recollect finds is ranked
        explain: bool = False,
        show_expired: bool = False,
        reference_date: object = None,
    ) -> dict[str, list[dict[str, Any]]]:
        """The best matches, best first. From a `score` of 0.5 on they fit the query; below, they are the nearest."""
        refuse(reference_date=reference_date)
        if not plain_text(query, "query=").strip():
            raise BadInput("query= is empty")
        min_score = threshold_of(threshold)
        scope, conditions = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters, "search")
        count = count_of(top_k if limit is None else limit)
        people = await self._people(scope)
        accepts = self._acceptance(scope, conditions, show_expired=show_expired)
        is_whole = not conditions and scope.ids.keys() == {"user_id"}
        keys = None if is_whole else {memo.key for memo in await self._memos(scope, conditions, show_expired=False)}
        among = MemoSet([person.scope for person in people], accepts, keys)
        search = partial(self.admin.search_memos, query, among, limit=count, min_score=min_score)
        hits = await search()
        if show_expired:
            hits = sorted([*hits, *await search(status=Status.EXPIRED)], key=lambda hit: -hit.score)
        pairs = [(hit, scope.find(hit.memo, conditions)) for hit in hits if hit.memo is not None]
        results = [
            result | {"score": hit.score} | ({"score_details": hit.parts} if explain else {})
            for hit, result in pairs
            if result is not None
        ]
        return {"results": results[:count]}

    async def get(self, memory_id: str) -> dict[str, Any] | None:
        """One memory, an expired one too; None when there is none of this id."""
        match = await self._find(memory_id)
        is_there = match is not None and match[0].status in EXISTING
        return result_of(match[0]) | {"score": None} if match is not None and is_there else None

    async def get_all(
        self,
        *,
        user_id: str | int | None = None,
        agent_id: str | int | None = None,
        run_id: str | int | None = None,
        filters: Mapping[str, Any] | None = None,
        top_k: int = 20,
        limit: int | None = None,
        show_expired: bool = False,
    ) -> dict[str, list[dict[str, Any]]]:
        """The memories of a user, an agent or a run, newest first."""
        scope, conditions = scope_of({"user_id": user_id, "agent_id": agent_id, "run_id": run_id}, filters, "get_all")
        count = count_of(top_k if limit is None else limit)
        memos = await self._memos(scope, conditions, show_expired=show_expired)
        results = (scope.find(memo, conditions) for memo in memos)
        return {"results": [result for result in results if result is not None][:count]}

    async def update(
        self,
        memory_id: str,
        text: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        expiration_date: str | date | Unset | None = UNSET,
        data: str | None = None,
    ) -> dict[str, str]:
        """Change a memory; `data` is an older name of `text`. An `expiration_date` of None clears it."""
        text = data if text is None else text
        if text is None and metadata is None and expiration_date is UNSET:
            raise BadInput("at least one of text=, metadata= and expiration_date= is needed")
        memo, user, place = await self._existing(memory_id)
        if not memo.active:
            await self.memory.restore(memo, user=user, place=place)
        user, place = _source_place(memo)  # it stays the agent's
        merged = None if metadata is None else {**memo.source.metadata, **metadata_of(metadata)}
        expires = None if isinstance(expiration_date, Unset) else expiry_of(expiration_date) or "never"
        await self.memory.update(memo, text, user=user, place=place, metadata=merged, expires=expires)
        return {"message": "Memory updated successfully!"}

    async def delete(self, memory_id: str) -> dict[str, str]:
        """Forget a memory; raises ValueError when there is none of this id."""
        memo, user, place = await self._existing(memory_id)
        if not isinstance(await self.memory.forget(memo, user=user, place=place), Forgotten):
            raise BadInput(f"Memory with id {memory_id} not found")
        return {"message": "Memory deleted successfully!"}

    async def delete_all(
        self, user_id: str | int | None = None, agent_id: str | int | None = None, run_id: str | int | None = None
    ) -> dict[str, str]:
        """Forget the memories of a user, an agent or a run; `reset()` erases everything."""
        scope = Scope.of(
            {"user_id": user_id, "agent_id": agent_id, "run_id": run_id},
            'delete_all(user_id="alice"); reset() deletes everything',
        )
        memos = await self._memos(scope, {}, show_expired=True)
        for owner in dict.fromkeys(memo.subject for memo in memos):
            view = self.memory.view(*_home(owner))
            await view.forget_all([memo for memo in memos if memo.subject == owner])
        return {"message": "Memories deleted successfully!"}

    async def history(self, memory_id: str) -> list[dict[str, Any]]:
        """What a memory said, oldest first; empty when there is none of this id."""
        match = await self._find(memory_id)
        if match is None:
            return []
        memo, user, place = match
        events = await self.memory.history(memo, user=user, place=place)
        records = [history_record(memo, event) for event in reversed(events) if event.kind in EVENTS]
        return [record for record in records if record["old_memory"] != record["new_memory"]]

    async def reset(self) -> None:
        """Erase everyone who has memories, for good: what they said and what was learned."""
        await self.memory.open()
        while owners := (await self.admin.owner_page()).owners:  # the first page, as those on it are gone then
            for owner in owners:
                await self.admin.erase(ErasureTarget(owner.subject.id), confirmed=owner.subject.id)

    async def close(self) -> None:
        await self.memory.close()

    async def __aenter__(self) -> Self:
        await self.memory.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _people(self, scope: Scope) -> Sequence[Subject]:
        """Those who may have memories of a scope."""
        await self.memory.open()
        if scope.user_id is not None:
            return [Subject(scope.user_id)]
        agent, run = scope.agent_id, None if scope.agent_id else scope.run_id
        first = {"agent_id": agent} if agent else {"run_id": run} if run else {}
        noted = written_ids(first) if first else None
        return await self.admin.people_in(agent, run, noted)

    async def _memos(self, scope: Scope, conditions: Mapping[str, Any], *, show_expired: bool) -> list[Memo]:
        """Newest first."""
        people = await self._people(scope)
        accepts = self._acceptance(scope, conditions, show_expired=show_expired)
        memos = await self.admin.memos_of(people, EXISTING if show_expired else (Status.ACTIVE,))
        return [memo for memo in memos if accepts(memo)]

    def _acceptance(self, scope: Scope, conditions: Mapping[str, Any], *, show_expired: bool) -> Callable[[Memo], bool]:
        """Whether a memo is visible to its owner, and what was asked for."""
        viewers: dict[Subject, Viewer] = {}

        def accepts(memo: Memo) -> bool:
            if memo.subject not in viewers:
                viewers[memo.subject] = self.memory.engine.viewer(*_home(memo.subject), show_expired)
            return viewers[memo.subject](memo) and scope.find(memo, conditions) is not None

        return accepts

    async def _find(self, memory_id: str) -> tuple[Memo, str, Place] | None:
        memo_id, owner = parse_id(str(memory_id))
        if not owner:
            return None
        user, place = _home(Subject(owner))
        try:
            return await self.memory.get(memo_id, user=user, place=place), user, place
        except UnknownMemo:
            return None

    async def _existing(self, memory_id: str) -> tuple[Memo, str, Place]:
        match = await self._find(memory_id)
        if match is None or match[0].status not in EXISTING:
            raise BadInput(f"Memory with id {memory_id} not found")
        return match


def _home(owner: Subject) -> tuple[str, Place]:
    """Someone's id on their platform, and their DM."""
    platform, user = split_person(owner.id)
    return user, Place(platform=platform, dm=user)


def _source_place(memo: Memo) -> tuple[str, Place]:
    """Its owner's id, and the part of their DM that a memo comes from."""
    source, (user, place) = memo.source, _home(memo.subject)
    if source.platform == LOCAL:
        user, place = memo.subject.id, Place(dm=memo.subject.id)
    return user, place if source.guild else replace(place, channel=source.channel, thread=source.thread)


class Memory:
    """mem0's `Memory`, on a blocking memory of recollect; `memory` is one that is open already."""

    def __init__(
        self, config: Mapping[str, Any] | None = None, *, memory: sync.Memory | None = None, **settings: Any
    ) -> None:
        self.memory = memory or sync.Memory(**settings_of(config or {}, **settings))
        self.asynchronous = AsyncMemory(memory=self.memory.asynchronous)
        self.run = self.memory.run

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """See `AsyncMemory.from_config`."""
        return cls(config_dict)

    add = blocking(AsyncMemory.add)
    search = blocking(AsyncMemory.search)
    get = blocking(AsyncMemory.get)
    get_all = blocking(AsyncMemory.get_all)
    update = blocking(AsyncMemory.update)
    delete = blocking(AsyncMemory.delete)
    delete_all = blocking(AsyncMemory.delete_all)
    history = blocking(AsyncMemory.history)
    reset = blocking(AsyncMemory.reset)

    def close(self) -> None:
        self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
