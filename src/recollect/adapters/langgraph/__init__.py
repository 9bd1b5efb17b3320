"""Long-term memory as a LangGraph store: `graph.compile(store=RecollectStore(memory))`.

The namespace ("memories", <user>, …) is that user's memory, heard in the place that is given when the store is made.
"""

import asyncio
import secrets
from collections.abc import Callable, Coroutine, Iterable, Sequence
from datetime import timedelta
from typing import Any

from recollect.adapters.langgraph import item_store, items
from recollect.adapters.langgraph.item_store import ItemStore
from recollect.adapters.langgraph.namespaces import (
    USER,
    Condition,
    Namespace,
    Namespaces,
    fits_all,
    may_lead_to,
    passes,
)
from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, MissingExtra
from recollect.core.ports import Tx
from recollect.core.types import Memo, Place
from recollect.learning.apply import ChangeContext
from recollect.memory import AsyncMemory
from recollect.policy.visibility import VisibilityPolicy
from recollect.settings import wiring

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
    """A user's memos as items: made on the event loop on which the memory was opened, used from there or any thread.

    `place` is where they are heard, or a function of the user that tells; by default the user's DM.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: AsyncMemory,
        *,
        namespace: Namespace = ("memories", USER),
        place: Place | Callable[[str], Place] | None = None,
        ttl: TTLConfig | None = None,
        clock: Clock = now,
    ) -> None:
        self.ttl_config = ttl
        self._memory = memory
        self._names = Namespaces(namespace)
        self._place = place
        self._clock = clock
        self._loop = asyncio.get_running_loop()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """For threads; on the memory's own event loop, which it would block for ever, it raises."""
        if _running_loop() is self._loop:
            raise asyncio.InvalidStateError(
                "a synchronous call on the event loop of the memory would block it for ever; "
                "await the asynchronous one, such as `await store.aget(…)` for `store.get(…)`"
            )
        return self._from_outside(self._done(list(ops))).result()

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """What is read does not see what the same batch writes; all that it writes is written, or nothing."""
        work = self._done(list(ops))
        return await (work if _running_loop() is self._loop else asyncio.wrap_future(self._from_outside(work)))

    def _from_outside(self, work: Coroutine[Any, Any, list[Result]]) -> Any:
        if not self._loop.is_running():
            work.close()
            raise asyncio.InvalidStateError("the event loop on which the memory was opened is no longer running")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _done(self, ops: Sequence[Op]) -> list[Result]:
        results = [await self._read(op) for op in ops]
        puts = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
        if puts:
            await self._write(list(puts.values()))
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
        memo = await self._memory.store.read(lambda tx: self._shelf(user).get(tx, path, op.key))
        return None if memo is None else Item(**self._shown(memo, op.key, op.namespace))

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        owner = self._names.owner(op.namespace_prefix)
        if owner is None:
            if self._names.leads_to(op.namespace_prefix) and len(op.namespace_prefix) < len(self._names.template):
                raise InvalidNamespaceError(f"a search is in one user's memory: name it, as in {self._names}")
            return []
        user, path = owner
        here, end = self._shelf(user), op.offset + op.limit
        ranked = await self._ranked(op, user) if op.query else {}
        meant = [memo for memo, _ in ranked.values() if _is_meant(memo, path, op)]
        if len(meant) < end or not all(map(here.settles, meant)):  # the ranker did not look at enough
            meant = [memo for memo in await self._in_order(here, list(ranked)) if _is_meant(memo, path, op)]
        scores = {name: score for name, (_, score) in ranked.items()}
        return [self._hit(memo, user, scores.get(memo.id)) for memo in meant[op.offset : end]]

    async def _ranked(self, op: SearchOp, user: str) -> dict[str, tuple[Memo, float]]:
        """What fits the query best, by id, as far as a search looks."""
        most = self._memory.settings.search.max_limit
        place = self._heard_in(user)
        found = await self._memory.search(op.query or "", user=user, place=place, subject="mine", limit=most)
        return {one.item.id: (one.item, one.score) for one in found if isinstance(one.item, Memo)}

    async def _in_order(self, here: ItemStore, ranked: Sequence[str]) -> list[Memo]:
        """Everything that is heard: first what was ranked, then the rest, newest first."""
        places = {name: place for place, name in enumerate(ranked)}
        memos = await self._memory.store.read(here.all)
        return sorted(memos, key=lambda memo: places.get(memo.id, len(places)))

    def _hit(self, memo: Memo, user: str, score: float | None) -> SearchItem:
        path, key = items.address(memo)
        return SearchItem(**self._shown(memo, key, self._names.name(user, path)), score=score)

    async def _list(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions: list[Condition] = [(each.match_type, each.path) for each in op.match_conditions or ()]

        def work(tx: Tx) -> set[Namespace]:
            users = [subject.id for subject in tx.memos.subjects() if not subject.is_lore]
            here = (user for user in users if self._where(user).dm in (None, user))
            asked = [user for user in here if may_lead_to(self._names.name(user), conditions)]
            paths = ((user, items.address(memo)[0]) for user in asked for memo in self._shelf(user).all(tx))
            return {self._names.name(user, path) for user, path in paths}

        found = [name for name in await self._memory.store.read(work) if fits_all(name, conditions)]
        names = sorted({name[: op.max_depth] for name in found})
        return names[op.offset : op.offset + op.limit]

    async def _write(self, ops: Sequence[PutOp]) -> None:
        if not self._memory.settings.enabled:
            raise BadInput("memory is switched off; switch it on with RECOLLECT_ENABLED=true")
        if any(op.value is not None for op in ops):  # to delete is always possible
            wiring.require_durable(self._memory.settings)
        steps = [await self._step(op, secrets.token_hex(8)) for op in ops]
        await self._memory.store.write(lambda tx: [step(tx) for step in steps])
        self._memory.vectors.wake()
        self._memory.worker.wake()

    async def _step(self, op: PutOp, batch: str) -> Callable[[Tx], object]:
        """What an operation will do, with all that takes time done before the store is locked."""
        owner = self._names.owner(op.namespace)
        if owner is None:
            raise InvalidNamespaceError(f"{op.namespace} is nobody's memory; this store keeps {self._names}")
        user, path = owner
        here = self._shelf(user)
        cause = ChangeContext(user, here.at, batch)
        if op.value is None:
            return lambda tx: here.take(tx, path, op.key, cause)
        kept = items.keep(path, op.key, op.value, _chosen(op))
        expires = None if op.ttl is None else here.at + timedelta(minutes=op.ttl)
        vector = await self._memory.vectors.embed_text(kept.text)
        item = item_store.Item(path, op.key, kept, expires, vector)
        return lambda tx: here.put(tx, item, cause)

    def _shelf(self, user: str) -> ItemStore:
        return ItemStore(user, self._heard_in(user), VisibilityPolicy(self._memory.settings.visibility), self._clock())

    def _heard_in(self, user: str) -> Place:
        place = self._where(user)
        if place.dm not in (None, user):
            raise InvalidNamespaceError(f"this store is heard in the DM of {place.dm!r}, where {user!r} can't be")
        return place

    def _where(self, user: str) -> Place:
        place = self._place(user) if callable(self._place) else self._place
        return place or Place(dm=user)

    def _shown(self, memo: Memo, key: str, namespace: Namespace) -> dict[str, Any]:
        times = {"created_at": memo.created, "updated_at": memo.updated}
        return {"value": items.value(memo), "key": key, "namespace": namespace, **times}


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _chosen(op: PutOp) -> str | None:
    """The text of the fields that an item shall be searched by, if some are named."""
    paths = [tokenize_path(path) for path in op.index or ()]
    return "; ".join(text for path in paths for text in get_text_at_path(op.value, path)) or None


def _is_meant(memo: Memo, path: Namespace, op: SearchOp) -> bool:
    """Whether a memo lies below these labels and passes the filter."""
    return items.address(memo)[0][: len(path)] == path and passes(items.value(memo), op.filter)
