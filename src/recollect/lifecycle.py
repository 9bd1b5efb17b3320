"""What opens and closes an `AsyncMemory`, and finds out whom a call is about.

Settings, flows and views are imported when a memory is made: a program that only imports `recollect` need not wait.
"""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Self

from recollect.arguments import check_options, no_attribute
from recollect.core.clock import Clock, now
from recollect.core.errors import RecollectError
from recollect.core.types import Place, Subject, person_key, with_bare_id
from recollect.inputs import UserId, place_of, user_id
from recollect.policy.redaction import redact_place

if TYPE_CHECKING:
    from pathlib import Path

    from recollect.core.ports import Model, Store, Tx
    from recollect.engine import Engine
    from recollect.jobs.worker import Worker
    from recollect.privacy.erase import PrivacyService
    from recollect.recall.display_names import Names
    from recollect.recall.timeline import Timeline
    from recollect.recall.vectors.index import VectorIndexer
    from recollect.settings import Loaded, Settings
    from recollect.transfer.mirror.follower import MirrorWriter
    from recollect.view import View

log = logging.getLogger("recollect")

OPENED_BEFORE_FORK = "this memory was opened before a fork: open one in each process"
MAX_KNOWN = 10_000
"""Size of the cache of local people who are known to exist."""


class OpenedMemory:
    """A memory that is open from its first call, or from the start of a `with`, to `close`."""

    engine: Engine
    store: Store
    vectors: VectorIndexer
    settings: Settings
    worker: Worker
    mirror: MirrorWriter
    names: Names
    timeline: Timeline

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        config: str | Path | None = None,
        clock: Clock = now,
        run_worker: bool = True,
        model: str | Model | None = None,
        **settings: Any,
    ) -> None:
        """Without arguments everything comes from the environment, `recollect.yaml` and the profile.

        Keyword arguments override single settings: `AsyncMemory(embedder="null", summary={"enabled": False})`. `model`
        is a name or a `Model` of your own. Without `run_worker`, learning is left to other processes.
        """
        from pathlib import Path

        from recollect.settings import load

        check_options(store, config, clock, model, settings)
        name, instance = (model, None) if isinstance(model, str) else (None, model)
        file = None if config is None else Path(config)
        self._configure(load(file=file, store=store, model=name, **settings), clock, run_worker, instance)

    @classmethod
    def from_settings(
        cls, loaded: Loaded, clock: Clock = now, *, run_worker: bool = True, model: Model | None = None
    ) -> Self:
        """A memory with settings that are already loaded."""
        memory = cls.__new__(cls)
        memory._configure(loaded, clock, run_worker, model)
        return memory

    def _configure(self, loaded: Loaded, clock: Clock, run_worker: bool, model: Model | None) -> None:
        self._clock = clock
        self.loaded = loaded
        """The settings, and where each comes from."""
        self._parts = loaded, clock, run_worker, model
        self._closing = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._was_closed = False
        self._process = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._known: set[str] = set()

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Open the store and start learning; `async with` and the first call do it by themselves."""
        if self._is_open:
            self._check_loop()
            return
        if "engine" in self.__dict__ and self._is_of_parent:
            raise RecollectError(OPENED_BEFORE_FORK)
        if self._was_closed:
            raise RecollectError("this memory is closed: make a new one")
        from recollect.app import open_parts
        from recollect.engine import Engine

        async with AsyncExitStack() as closing:
            self.use(Engine(await closing.enter_async_context(open_parts(*self._parts)), self._clock))
            closing.push_async_callback(self.engine.stop)
            self.engine.start()
            # Noted when all is open: queues and locks inside belong to this loop.
            self._loop = asyncio.get_running_loop()
            self._closing = closing.pop_all()

    async def close(self) -> None:
        """Stop background work and close the store; what was acknowledged is on disk already."""
        # First, so that no call opens it again while it closes.
        self._was_closed = True
        if not self._is_of_parent:
            await self._closing.aclose()

    @property
    def _is_open(self) -> bool:
        return "engine" in self.__dict__ and not self._was_closed and not self._is_of_parent

    @property
    def _is_of_parent(self) -> bool:
        """Whether it was opened before a fork: its threads and tasks are not in this process."""
        return self._process != os.getpid()

    def _check_loop(self) -> None:
        if self._loop is not None and self._loop.is_closed():
            raise RecollectError(
                "the event loop of this memory has ended: make one for each, or use Memory, which needs none"
            )

    async def _ensure_open(self) -> None:
        if self._is_open:
            self._check_loop()
            return
        async with self._opening:
            await self.open()

    def use(self, engine: Engine) -> None:
        """Use an engine that is opened and closed elsewhere."""
        self.engine, self.settings, self.names = engine, engine.settings, engine.names
        self.store, self.vectors, self.worker = engine.store, engine.vectors, engine.worker
        self.mirror, self.timeline = engine.mirror, engine.timeline
        self._process = os.getpid()

    @property
    def privacy(self) -> PrivacyService:
        return self.engine.privacy

    if not TYPE_CHECKING:

        def __enter__(self) -> None:
            raise TypeError("an AsyncMemory is opened with `async with`; without `await`, use Memory")

        def __exit__(self, *_: object) -> None: ...

        def __getattr__(self, name: str) -> Any:
            if name in OpenedMemory.__annotations__:
                raise RecollectError(
                    "this memory is not open: use `async with AsyncMemory(…) as memory`, or `open()` it"
                )
            raise no_attribute(self, name)

    def view(self, user: UserId, place: Place | None = None, *, lore: bool = False) -> View:
        """Every verb for one user in one place, by default their DM; with `lore`, about the memos of its guild."""
        from recollect.view import View

        user, place = user_id(user), place_of(place)
        place = with_bare_id(Place(dm=user) if place is None else redact_place(place))
        return View(self.engine, person_key(place.platform, user), place, lore)

    async def _reader(self, name: UserId, place: Place | None = None, lore: bool = False) -> View:
        """A view that only reads; a bare id that no local person has may mean the only other person with it."""
        return self.view(await self._resolve(name, place, changes=False), place, lore=lore)

    async def _changer(self, name: UserId, place: Place | None = None, lore: bool = False) -> View:
        return self.view(await self._resolve(name, place, changes=True), place, lore=lore)

    async def view_of(self, user: UserId, place: Place | None = None, *, changes: bool) -> View:
        """Like `view`, but a bare id that no local person has means the only other person with it. Where something
        `changes`, the platform has to be named: raises BadInput.
        """
        return await (self._changer(user, place) if changes else self._reader(user, place))

    async def _resolve(self, user: UserId, place: Place | None, *, changes: bool) -> str:
        """Who is meant; with a place, someone of its platform. Raises BadInput, see `people.resolve`."""
        await self._ensure_open()
        name = user_id(user)
        if place is not None:
            from recollect.policy.viewer import require_in_own_dm

            require_in_own_dm(name, place)
        if place is not None or name in self._known:
            return name
        from recollect.recall import people

        def work(tx: Tx) -> tuple[str, bool]:
            return people.resolve(tx, name, changes=changes), bool(tx.memos.count(Subject(name)))

        person, is_known = await self.store.read(work)
        if ":" in person and ":" not in name:
            log.warning("nobody local is called %s: this is about %s", name, person)
        # Only of people with memories: a name without any may still turn out to be somebody else's.
        elif is_known and len(self._known) < MAX_KNOWN:
            self._known.add(name)
        return person
