"""A chat in which people order their memory about, as a face would pass it on."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from recollect.core.types import Place
from recollect.faces.commands.dispatcher import Answer, ChatCommands
from tests.scenes import DEV, Stage, opened

PROFILES = ("unified", "discoclaw", "dnam")


class Talk:
    """Says orders; time moves on by a minute with each."""

    def __init__(self, stage: Stage, limit: int = 2000, escape: Callable[[str], str] = str) -> None:
        self.stage = stage
        self.memory = stage.memory
        self.commands = ChatCommands(stage.memory, limit, escape=escape, clock=stage.clock)

    async def answer(self, text: str, user: str = "ann", place: Place = DEV, message: str | None = None) -> Answer:
        answer = await self.commands.answer(text, user=user, place=place, message_id=message)
        self.stage.clock.advance(minutes=1)
        assert answer is not None, f"{text!r} was not taken for an order"
        return answer

    async def __call__(self, text: str, user: str = "ann", place: Place = DEV, message: str | None = None) -> str:
        return "\n".join((await self.answer(text, user, place, message)).pages)


@asynccontextmanager
async def talking(
    profile: str = "unified",
    store: str | None = None,
    limit: int = 2000,
    escape: Callable[[str], str] = str,
    **settings: object,
) -> AsyncIterator[Talk]:
    async with opened(profile, store, **{"model": "null", **settings}) as stage:
        yield Talk(stage, limit, escape)
