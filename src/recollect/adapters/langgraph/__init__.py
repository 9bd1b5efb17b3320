"""Long-term memory as a LangGraph store: `graph.compile(store=RecollectStore(memory))`.

The namespace ("memories", <user>, …) is that user's memory, as visible in the store's place.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import timedelta
from typing import Any

from recollect.adapters.langgraph.namespaces import (
    USER,
    Condition,
    Namespace,
    Namespaces,
    fits_all,
    matches_filter,
    may_match_below,
)
from recollect.adapters.turns import AnyMemory, asynchronous
from recollect.core.background_loop import LOOP
from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, MissingExtra
from recollect.core.types import Memo, Place, person_key
from recollect.items import Items, Put, values
from recollect.sync import Memory

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        get_text_at_path,
        tokenize_path,
    )
except ImportError as missing:
    raise MissingExtra("memory for LangGraph", "langgraph") from missing


class RecollectStore(BaseStore):
    """A user's memos as items. With an `AsyncMemory`, create it on its event loop; use it from there or any thread.

    `place` decides what is visible; it may be a function of the user, and is the user's DM by default.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AnyMemory,
        *,
        namespace: Namespace = ("memories", USER),
        place: Place | Callable[[str], Place] | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock = now,
    ) -> None:
        self.ttl_config = ttl
        self._memory = asynchronous(memory)
        self._items = Items(self._memory, clock)
        self._names = Namespaces(namespace)
        self._place = place
        self._clock = clock
        loop = LOOP.loop() if isinstance(memory, Memory) else _running_loop()
        if loop is None:
            raise BadInput(
                "memory= is an AsyncMemory, whose event loop does not run here: make the store there, or pass a Memory"
            )
        self._loop = loop

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """For threads; raises on the memory's own event loop, which it would block forever."""
        if _running_loop() is self._loop:
            raise asyncio.InvalidStateError(
                "a synchronous call on the event loop of the memory would block it forever; "
                "await the asynchronous one, such as `await store.aget(…)` for `store.get(…)`"
            )
        return self._submit(self._execute(list(ops))).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Reads don't see the writes of the same batch, which are one transaction."""
        operations = self._execute(list(ops))
        return await (operations if _running_loop() is self._loop else asyncio.wrap_future(self._submit(operations)))

    def _submit(self, operations: Coroutine[Any, Any, list[Result]]) -> Any:
        if not self._loop.is_running():
            operations.close()
            raise asyncio.InvalidStateError("the event loop on which the memory was opened is no longer running")
        return asyncio.run_coroutine_threadsafe(operations, self._loop)

    async def _execute(self, ops: Sequence[Op]) -> list[Result]:
        results = [await self._read(op) for op in ops]
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        if puts:
            await self._items.write([self._put(op) for op in puts.values()])
        return results

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return await self._get(op)
            case SearchOp():
                return await self._search(op)
            case ListNamespacesOp():
                return await self._list(op)
            case PutOp():
                return None

    async def _get(self, op: GetOp) -> Item | None:
        owner = self._names.owner(op.namespace)
        if owner is None:
            return None
        user, path = owner
        memo = await self._items.get(user, self._place_of(user), path, op.key)
        return None if memo is None else Item(**self._item_fields(memo, op.key, op.namespace))

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        owner = self._names.owner(op.namespace_prefix)
        if owner is None:
            if self._names.matches_start(op.namespace_prefix) and len(op.namespace_prefix) < len(self._names.template):
                raise InvalidNamespaceError(f"a search is in one user's memory: name it, as in {self._names}")
            return []
        user, path = owner
        user_items, stop = self._items.of(user, self._place_of(user)), op.offset + op.limit
        ranked = await self._ranked(op, user) if op.query else {}
        matches = [memo for memo, _ in ranked.values() if _is_match(memo, path, op)]
        if len(matches) < stop or not all(map(user_items.is_final, matches)):
            # the ranker did not consider enough candidates
            matches = [memo for memo in await self._read_ordered(user, list(ranked)) if _is_match(memo, path, op)]
        scores = {memo_id: score for memo_id, (_, score) in ranked.items()}
        return [self._search_item(memo, user, scores.get(memo.id)) for memo in matches[op.offset : stop]]

    async def _ranked(self, op: SearchOp, user: str) -> dict[str, tuple[Memo, float]]:
        """The best matches of the query, by id, up to the limit of a search."""
        limit = self._memory.settings.search.max_limit
        place = self._place_of(user)
        hits = await self._memory.search(op.query or "", user=user, place=place, subject="mine", limit=limit)
        return {hit.item.id: (hit.item, hit.score) for hit in hits if isinstance(hit.item, Memo)}

    async def _read_ordered(self, user: str, ranked: Sequence[str]) -> list[Memo]:
        """Everything visible: first what was ranked, then the others, newest first."""
        positions = {memo_id: position for position, memo_id in enumerate(ranked)}
        memos = await self._items.all(user, self._place_of(user))
        return sorted(memos, key=lambda memo: positions.get(memo.id, len(positions)))

    def _search_item(self, memo: Memo, user: str, score: float | None) -> SearchItem:
        path, key = values.address(memo)
        return SearchItem(**self._item_fields(memo, key, self._names.name(user, path)), score=score)

    async def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions: list[Condition] = [
            (condition.match_type, condition.path) for condition in op.match_conditions or ()
        ]

        def place_of(user: str) -> Place | None:
            place = self._configured_place(user)
            is_visible = _can_read(user, place) and may_match_below(self._names.name(user), conditions)
            return place if is_visible else None

        namespaces = {self._names.name(user, path) for user, path in await self._items.paths(place_of)}
        names = sorted({name[: op.max_depth] for name in namespaces if fits_all(name, conditions)})
        return names[op.offset : op.offset + op.limit]

    def _put(self, op: PutOp) -> Put:
        owner = self._names.owner(op.namespace)
        if owner is None:
            raise InvalidNamespaceError(f"{op.namespace} is not a user's memory; this store holds {self._names}")
        user, path = owner
        expires = None if op.ttl is None else self._clock() + timedelta(minutes=op.ttl)
        return Put(user, self._place_of(user), path, op.key, op.value, _indexed_text(op), expires)

    def _place_of(self, user: str) -> Place:
        place = self._configured_place(user)
        if not _can_read(user, place):
            raise InvalidNamespaceError(f"this store belongs to the DM of {place.dm!r}, which {user!r} can't read")
        return place

    def _configured_place(self, user: str) -> Place:
        place = self._place(user) if callable(self._place) else self._place
        return place or Place(dm=user)

    def _item_fields(self, memo: Memo, key: str, namespace: Namespace) -> dict[str, Any]:
        times = {"created_at": memo.created, "updated_at": memo.updated}
        return {"value": values.value(memo), "key": key, "namespace": namespace, **times}


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _indexed_text(op: PutOp) -> str | None:
    """The text of the fields by which an item is searched, if some are named."""
    paths = [tokenize_path(path) for path in op.index or ()]
    return "; ".join(text for path in paths for text in get_text_at_path(op.value or {}, path)) or None


def _can_read(user: str, place: Place) -> bool:
    return place.person in (None, person_key(place.platform, user))


def _is_match(memo: Memo, path: Namespace, op: SearchOp) -> bool:
    """Whether a memo is below these labels and passes the filter."""
    return values.address(memo)[0][: len(path)] == path and matches_filter(values.value(memo), op.filter)
