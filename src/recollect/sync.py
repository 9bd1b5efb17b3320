"""`Memory`: the same object as `AsyncMemory`, without `await`; for scripts, notebooks, threads and web frameworks.

There is one implementation: calls run on an event loop in a background thread, which all memories of a process share.
"""

from __future__ import annotations

import atexit
import concurrent.futures.thread  # noqa: F401 # pyright: ignore[reportUnusedImport] # see `_close_all`
import os
import threading
import weakref
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from recollect.core.background_loop import LOOP
from recollect.core.clock import Clock, now
from recollect.core.errors import RecollectError
from recollect.memory import AsyncMemory

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from recollect.core.ports import Model

P = ParamSpec("P")
R = TypeVar("R")

CLOSE_TIMEOUT_SECONDS = 10.0
"""How long the end of a process waits for a memory to close."""


_open: set[AsyncMemory] = set()
"""What has to be closed when the process ends."""


def _blocking(
    method: Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Memory, P], R]:
    @wraps(method)
    def call(self: Memory, *args: P.args, **options: P.kwargs) -> R:
        return self.run(method(self.asynchronous, *args, **options))

    return call


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
        self._finalizer = weakref.finalize(self, _abandon, self.asynchronous)
        self._finalizer.atexit = False  # `_close_all` waits

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop background work and close the store; what was acknowledged is on disk already."""
        if self._finalizer.detach() is not None:
            _open.discard(self.asynchronous)
            self.run(self.asynchronous.close())

    def run(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R:
        """Wait for a coroutine of `asynchronous`."""
        if self._process != os.getpid():
            work.close()
            raise RecollectError("this memory was opened before a fork: open one in each process")
        return LOOP.run(work, timeout)

    add = _blocking(AsyncMemory.add)
    remember = _blocking(AsyncMemory.remember)
    search = _blocking(AsyncMemory.search)
    context = _blocking(AsyncMemory.context)
    show = _blocking(AsyncMemory.show)
    list = _blocking(AsyncMemory.list)
    get = _blocking(AsyncMemory.get)
    update = _blocking(AsyncMemory.update)
    forget = _blocking(AsyncMemory.forget)
    forgotten = _blocking(AsyncMemory.forgotten)
    restore = _blocking(AsyncMemory.restore)
    undo = _blocking(AsyncMemory.undo)
    undoable = _blocking(AsyncMemory.undoable)
    redo = _blocking(AsyncMemory.redo)
    history = _blocking(AsyncMemory.history)
    why = _blocking(AsyncMemory.why)
    pin = _blocking(AsyncMemory.pin)
    share = _blocking(AsyncMemory.share)
    erase = _blocking(AsyncMemory.erase)
    export = _blocking(AsyncMemory.export)
    consolidate = _blocking(AsyncMemory.consolidate)
    relearn = _blocking(AsyncMemory.relearn)
    relearned = _blocking(AsyncMemory.relearned)
    message_edited = _blocking(AsyncMemory.message_edited)
    message_deleted = _blocking(AsyncMemory.message_deleted)
    wait_learned = _blocking(AsyncMemory.wait_learned)
    flush = _blocking(AsyncMemory.flush)
    reset = _blocking(AsyncMemory.reset)
    log = _blocking(AsyncMemory.log)
    backup = _blocking(AsyncMemory.backup)
    reindex = _blocking(AsyncMemory.reindex)


def _abandon(memory: AsyncMemory) -> None:
    """Nobody has it any more: it closes in its own time. Not after a fork, where it is the parent's."""
    if memory in _open:
        _open.discard(memory)
        LOOP.start(memory.close())


def _close_all() -> None:
    while _open:
        with suppress(Exception):  # a process that ends has nobody to tell; what was acknowledged is on disk
            LOOP.run(_open.pop().close(), CLOSE_TIMEOUT_SECONDS)


# Before threads are refused, such as those that load an embedder; that is before `atexit`. What is registered first is
# called last, so the pools of `concurrent.futures`, which are imported above for that reason, still work.
getattr(threading, "_register_atexit", atexit.register)(_close_all)


def _after_fork() -> None:
    """In the child of a fork there is no memory to close: they are the parent's."""
    _open.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
