"""A client that fails is followed by another, ever later; what no other can mend ends it."""

import asyncio
from itertools import pairwise

import discord
import pytest

from recollect.core.errors import ConfigError
from recollect.faces.discord.run import TOKEN_REFUSED_TEXT, run_with_retries
from tests.doubles.discord.server import DiscordServer, point_discord_at


class Enough(Exception):
    pass


class Pauses(list[float]):
    """Notes how long it was asked to wait, and has enough after so many times."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)
        if len(self) == self._most:
            raise Enough


def make(intents: discord.Intents) -> discord.Client:
    return discord.AutoShardedClient(intents=intents)


async def test_while_discord_cannot_be_reached_the_next_attempt_comes_ever_later() -> None:
    server = DiscordServer()
    async with server:
        pass
    pauses = Pauses(5)
    with point_discord_at(server), pytest.raises(Enough):
        await run_with_retries(make, server.token, discord.Intents.default(), pauses)
    assert all(later > earlier for earlier, later in pairwise(pauses))
    assert pauses[0] < 2
    assert pauses[-1] > 10


async def test_a_refused_token_is_not_tried_again() -> None:
    async with DiscordServer() as server:
        with point_discord_at(server), pytest.raises(ConfigError, match="Reset Token"):
            await run_with_retries(make, "not." + "the." + "token", discord.Intents.default(), Pauses(1))
    assert "DISCORD_TOKEN" in TOKEN_REFUSED_TEXT


async def test_without_the_privileged_intents_another_client_does_without() -> None:
    asked: list[bool] = []

    def noting(intents: discord.Intents) -> discord.Client:
        asked.append(intents.message_content)
        return make(intents)

    wanted = discord.Intents.default()
    wanted.message_content = True
    async with DiscordServer(privileged="") as server:
        with point_discord_at(server):
            task = asyncio.create_task(run_with_retries(noting, server.token, wanted))
            await server.until(lambda: len(asked) == 2 and server.journal.of("identify") != [], 30)
            await server.connected(30)
            task.cancel()
            await asyncio.wait([task])
    assert asked == [True, False]
