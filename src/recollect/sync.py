"""`Memory`: the same object as `AsyncMemory`, without `await`; for scripts, notebooks, threads and web frameworks.

There is one implementation: calls run on an event loop in a background thread, which all memories of a process share.
`Memory.view` gives the same verbs with user and place filled in.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread
import os
import threading
import time
import weakref
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

from recollect.arguments import no_attribute
from recollect.core.background_loop import LOOP, blocking
from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.lifecycle import OPENED_BEFORE_FORK
from recollect.memory import AsyncMemory

if TYPE_CHECKING:
    from collections.abc import Container, Coroutine
    from pathlib import Path

    from recollect.core.ports import Model
    from recollect.core.types import Place
    from recollect.inputs import UserId
    from recollect.sync_view import BlockingView

R = TypeVar("R")

FIRST_USE_SECONDS = 1.0
"""How long the end of a process waits for a thread that may be about to use a memory for the first time."""
CLOSE_TIMEOUT_SECONDS = 10.0
"""How long the end of a process waits for a memory to close."""


_open: set[AsyncMemory] = set()
"""Memories to close when the process ends."""
_users: weakref.WeakSet[threading.Thread] = weakref.WeakSet()
"""Threads that used a memory."""
_closing: set[Future[None]] = set()
"""Memories without a reference that are not closed yet."""


class Memory:
    """Long-term memory: `memory = Memory("memory.db")`, with `with` or without. Every method may be called from any
    thread. It closes at the end of the process, if not before.
    """

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
        """See `AsyncMemory`: it takes the same arguments."""
        self.asynchronous = AsyncMemory(
            store, config=config, clock=clock, run_worker=run_worker, model=model, **settings
        )
        """The memory that does the work, on the loop of this module."""
        self._process = os.getpid()
        self.run(self.asynchronous.open())
        _open.add(self.asynchronous)
        # It holds `asynchronous`, not self, which could otherwise never be collected.
        self._finalizer = weakref.finalize(self, _abandon, self.asynchronous)
        self._finalizer.atexit = False  # `_close_all` waits

    def __enter__(self) -> Self:
        self.run(self.asynchronous.open())  # raises for one that is closed
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    if not TYPE_CHECKING:

        async def __aenter__(self) -> None:
            raise TypeError("a Memory is opened with `with`; for `async with` and `await`, use AsyncMemory")

        async def __aexit__(self, *_: object) -> None: ...

        def __getattr__(self, name: str) -> Any:
            raise no_attribute(self, name)

    def close(self) -> None:
        """Stop background work and close the store; what was acknowledged is on disk already."""
        if self._finalizer.detach() is not None:
            _open.discard(self.asynchronous)
            self.run(self.asynchronous.close())

    def run(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R:
        """Wait for a coroutine of `asynchronous`."""
        if self._process != os.getpid():
            # Otherwise Python warns of a coroutine that was never awaited.
            work.close()
            raise RecollectError(OPENED_BEFORE_FORK)
        _users.add(threading.current_thread())
        try:
            return LOOP.run(work, timeout)
        except BadInput as error:
            raise error.with_traceback(None) from None  # the mistake is in the call: leave out the frames of the loop

    def view(self, user: UserId, place: Place | None = None, *, lore: bool = False) -> BlockingView:
        """Every verb for one user in one place, by default their DM; with `lore`, about the memos of its guild."""
        from recollect.sync_view import BlockingView

        return BlockingView(self.asynchronous.view(user, place, lore=lore), self.run)

    add = blocking(AsyncMemory.add)
    remember = blocking(AsyncMemory.remember)
    search = blocking(AsyncMemory.search)
    context = blocking(AsyncMemory.context)
    show = blocking(AsyncMemory.show)
    list = blocking(AsyncMemory.list)
    get = blocking(AsyncMemory.get)
    update = blocking(AsyncMemory.update)
    forget = blocking(AsyncMemory.forget)
    forgotten = blocking(AsyncMemory.forgotten)
    restore = blocking(AsyncMemory.restore)
    undo = blocking(AsyncMemory.undo)
    undoable = blocking(AsyncMemory.undoable)
    redo = blocking(AsyncMemory.redo)
    history = blocking(AsyncMemory.history)
    why = blocking(AsyncMemory.why)
    pin = blocking(AsyncMemory.pin)
    share = blocking(AsyncMemory.share)
    erase = blocking(AsyncMemory.erase)
    export = blocking(AsyncMemory.export)
    consolidate = blocking(AsyncMemory.consolidate)
    relearn = blocking(AsyncMemory.relearn)
    relearned = blocking(AsyncMemory.relearned)
    message_edited = blocking(AsyncMemory.message_edited)
    message_deleted = blocking(AsyncMemory.message_deleted)
    wait_learned = blocking(AsyncMemory.wait_learned)
    flush = blocking(AsyncMemory.flush)
    reset = blocking(AsyncMemory.reset)
    log = blocking(AsyncMemory.log)
    backup = blocking(AsyncMemory.backup)
    reindex = blocking(AsyncMemory.reindex)


def _abandon(memory: AsyncMemory) -> None:
    """Close a memory that nothing refers to any more. Not after a fork: it is the parent's."""
    if memory in _open:
        _open.discard(memory)
        closing = LOOP.start(memory.close())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


def _close_all() -> None:
    _join_users()
    while _open:
        with suppress(Exception):  # nobody can handle an error when the process ends; what was acknowledged is on disk
            LOOP.run(_open.pop().close(), CLOSE_TIMEOUT_SECONDS)
    wait(_closing, CLOSE_TIMEOUT_SECONDS)


def _join_users() -> None:
    """Wait for the program's own threads that use a memory, or begin to; those of pools are ended by Python later."""
    pooled: Container[threading.Thread] = getattr(concurrent.futures.thread, "_threads_queues", ())
    deadline = time.monotonic() + FIRST_USE_SECONDS

    def is_waited_for(thread: threading.Thread) -> bool:
        is_own = not thread.daemon and thread is not threading.current_thread() and thread not in pooled
        return is_own and (thread in _users or time.monotonic() < deadline)

    while threads := [thread for thread in threading.enumerate() if is_waited_for(thread)]:
        # In short turns: a thread may start to use a memory, or end, in the meantime.
        threads[0].join(0.05)


# Before threads are refused, such as those that load an embedder; that is before `atexit`. What is registered first is
# called last, so the pools of `concurrent.futures`, which are imported above for that reason, still work.
getattr(threading, "_register_atexit", atexit.register)(_close_all)


def _after_fork() -> None:
    """In the child of a fork there is no memory to close: they are the parent's."""
    _open.clear()
    _closing.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
