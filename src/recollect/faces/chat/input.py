"""Lines of a chat from a pipe; `terminal` is for people."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from threading import Thread
from typing import BinaryIO, Protocol, runtime_checkable


class Source(Protocol):
    """A source of lines."""

    async def line(self, label: str) -> str | None:
        """The next line, after a prompt with this label; None at the end."""
        ...


@runtime_checkable
class StopsByKey(Protocol):
    """A source with keys that interrupt the handling of the last line."""

    def stop_keys(self, stop: Callable[[], object]) -> AbstractContextManager[None]: ...


class PipedInput:
    """Lines of standard input, without a prompt."""

    def __init__(self, stream: BinaryIO | None) -> None:
        self._stream = stream
        self._next: str | None = None

    def has_more(self) -> bool:
        """Whether another non-empty line follows; waits for it."""
        while self._next is None and self._stream is not None and (raw := self._stream.readline()):
            self._next = raw.decode("utf-8", "replace").strip() or None
        return self._next is not None

    async def line(self, label: str) -> str | None:
        del label
        if self._next is None:
            await _run_in_thread(self.has_more)
        line, self._next = self._next, None
        return line


def standard_input() -> PipedInput:
    """Standard input as a pipe; empty when it is closed."""
    stream = getattr(sys.stdin, "buffer", None)
    return PipedInput(stream)


async def _run_in_thread(read: Callable[[], bool]) -> bool:
    """In a daemon thread, as a blocking read can't be canceled when the program ends."""
    loop = asyncio.get_running_loop()
    result: asyncio.Future[bool] = loop.create_future()

    def set_result(value: bool) -> None:
        if not result.done():
            result.set_result(value)

    def work() -> None:
        value = read()
        with suppress(RuntimeError):  # the loop is closed, so no one waits anymore
            loop.call_soon_threadsafe(set_result, value)

    Thread(target=work, daemon=True).start()
    return await result
