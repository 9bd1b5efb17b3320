"""What the adapters share: one user's conversation in one place, with a `Memory` or an `AsyncMemory`.

A failure of memory is logged and never reaches the agent's reply.
"""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput, RecollectError
from recollect.core.types import Message, Place
from recollect.faces.assistant.request import QUOTED
from recollect.inputs import ASSISTANT, UserId, clip_value, place_of, user_id
from recollect.memory import AsyncMemory
from recollect.policy.viewer import require_in_own_dm
from recollect.sync import Memory

log = logging.getLogger("recollect")
R = TypeVar("R")


AnyMemory = AsyncMemory | Memory


def asynchronous(memory: AnyMemory) -> AsyncMemory:
    """The memory that does the work; raises BadInput."""
    if not isinstance(memory, AsyncMemory | Memory):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise BadInput(f"memory= is a Memory or an AsyncMemory of recollect, not {clip_value(memory)}")
    return memory.asynchronous if isinstance(memory, Memory) else memory


async def run_on(memory: AnyMemory, work: Coroutine[Any, Any, R]) -> R:
    """Await a coroutine of a memory on the memory's own event loop."""
    return await (asyncio.to_thread(memory.run, work) if isinstance(memory, Memory) else work)


class Turns:
    """The user and the place are the program's to say, never the model's; without a place it is the user's DM."""

    def __init__(self, memory: AnyMemory, user: UserId, place: Place | None = None, *, clock: Clock = now) -> None:
        self.memory = asynchronous(memory)
        place = place_of(place)
        self.user = user_id(user)
        self.place = place or Place(dm=self.user)
        require_in_own_dm(self.user, self.place)
        self._blocking = memory if isinstance(memory, Memory) else None
        self._clock = clock

    async def run(self, work: Coroutine[Any, Any, R]) -> R:
        """Await a coroutine of `memory` on its own event loop."""
        return await run_on(self._blocking or self.memory, work)

    def wait(self, work: Coroutine[Any, Any, R]) -> R:
        """The same for code without an event loop; raises BadInput for an `AsyncMemory`."""
        if self._blocking is None:
            work.close()
            raise BadInput("an AsyncMemory needs the asynchronous calls of the framework; for the others pass a Memory")
        return self._blocking.run(work)

    async def instructions(self, text: str) -> str:
        """What is remembered and fits a message, for an agent's instructions; empty when there is nothing."""
        if not text.strip():
            return ""
        try:
            prompt = await self.memory.context(text, user=self.user, place=self.place)
        except RecollectError as error:
            log.warning("answering without memory: %s", error)
            return ""
        return f"{QUOTED}\n\n{prompt.system}" if prompt.system else ""

    async def add(self, said: Sequence[tuple[str, str, bool]]) -> None:
        """Add what was said, each with its id, text, and whether the agent said it; what is known is left alone."""
        messages: list[Message] = []
        asked: str | None = None
        for message_id, text, is_reply in said:
            if not text.strip():
                continue
            author = ASSISTANT if is_reply else self.user
            reply_to, asked = (asked, asked) if is_reply else (None, message_id)
            messages.append(
                Message(message_id, author, self.place, text, self._clock(), author, bot=is_reply, reply_to=reply_to)
            )
        try:
            if messages:
                await self.memory.add(messages)
        except RecollectError as error:
            log.warning("what was said could not be kept: %s", error)
