"""What comes into a chat through a pipe, line by line; `chat_terminal` is for people."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import BinaryIO, Protocol


class Source(Protocol):
    """Where lines come from."""

    async def line(self, label: str) -> str | None:
        """The next thing that is said, after a prompt with this label; None when there is no more."""
        ...


class PipedInput:
    """Lines of standard input; there is nobody to see a prompt."""

    def __init__(self, stream: BinaryIO | None) -> None:
        self._stream = stream
        self._next: str | None = None

    def has_more(self) -> bool:
        """Whether a line comes that says something; waits for it."""
        while self._next is None and self._stream is not None and (raw := self._stream.readline()):
            self._next = raw.decode("utf-8", "replace").strip() or None
        return self._next is not None

    async def line(self, label: str) -> str | None:
        del label
        if self._next is None:
            await _waited_for(self.has_more)
        found, self._next = self._next, None
        return found


def standard_input() -> PipedInput:
    """Standard input as a pipe; one that was closed has nothing."""
    stream = getattr(sys.stdin, "buffer", None)
    return PipedInput(stream)


async def _waited_for(read: Callable[[], bool]) -> bool:
    """In a thread that is left behind when the program ends: a read can't be called off."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bool] = loop.create_future()

    def settle(found: bool) -> None:
        if not done.done():
            done.set_result(found)

    def work() -> None:
        found = read()
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found)

    Thread(target=work, daemon=True).start()
    return await done
