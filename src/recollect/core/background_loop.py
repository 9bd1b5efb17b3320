"""An event loop in a thread of its own, on which blocking objects run the coroutines behind their methods."""

from __future__ import annotations

import asyncio
import os
import threading
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

from recollect.core.errors import RecollectError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from concurrent.futures import Future

A = TypeVar("A", covariant=True)
P = ParamSpec("P")
R = TypeVar("R")


PAUSE_TIMEOUT_SECONDS = 5.0
"""How long a fork waits for the loop to pause."""


class BackgroundLoop:
    """It starts with the first call, and again in the child of a fork, where the thread is gone.

    A fork waits until the loop is between two steps: a child that inherits the lock of a half-done import would wait
    for it forever.
    """

    def __init__(self) -> None:
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._pause, after_in_parent=self._resume, after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._forked = threading.Event()

    def _pause(self) -> None:
        # A fork from the loop's own thread can't wait for it.
        if self._loop is None or threading.current_thread() is self._thread:
            return
        paused, self._forked = threading.Event(), threading.Event()
        forked = self._forked

        def pause() -> None:
            paused.set()
            forked.wait()

        self._loop.call_soon_threadsafe(pause)
        # At rest between two callbacks, no lock of the loop is held when the process is copied.
        paused.wait(PAUSE_TIMEOUT_SECONDS)

    def _resume(self) -> None:
        self._forked.set()

    def run(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R:
        """Run to the end in the other thread; Ctrl-C here cancels it there."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RecollectError(
                "this would wait for itself: inside its own event loop, use AsyncMemory, or the client that is awaited"
            )
        future = self.start(work)
        try:
            return future.result(timeout)
        except BaseException:
            # Ctrl-C reaches this thread only; without this the work would go on unseen.
            future.cancel()
            raise

    def start(self, work: Coroutine[Any, Any, R]) -> Future[R]:
        """Start it in the other thread without waiting."""
        return asyncio.run_coroutine_threadsafe(work, self.loop())

    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop, which runs in the other thread."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="recollect", daemon=True)
                self._thread.start()
            return self._loop


LOOP = BackgroundLoop()
"""That of this process."""


class Blocking(Protocol[A]):
    """A wrapper of an asynchronous object that waits for its coroutines."""

    @property
    def asynchronous(self) -> A: ...
    def run(self, work: Coroutine[Any, Any, R], timeout: float | None = None) -> R: ...


def blocking(
    method: Callable[Concatenate[A, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[Blocking[A], P], R]:
    """The same method without `await`."""

    @wraps(method)
    def call(self: Blocking[A], *args: P.args, **options: P.kwargs) -> R:
        return self.run(method(self.asynchronous, *args, **options))

    return call
