"""A channel that is closed to one person or one role is no public channel: told through Discord, over real sockets."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from recollect.testing.model_server import ModelServer
from tests.doubles.discord.things import Channel, User
from tests.faces.discord.scene import echo, speaker_of
from tests.faces.discord.wire import WAIT, Lab, Wired, wired

CAKE = "I am baking the surprise cake for Saturday"
Closing = Callable[[Lab, User, Channel], None]


def _to_a_member(lab: Lab, bob: User, channel: Channel) -> None:
    lab.world.overwrite(channel, bob, deny="view_channel")


def _to_a_role(lab: Lab, bob: User, channel: Channel) -> None:
    guests = lab.world.role(lab.lab, "guests", bob)
    lab.world.overwrite(channel, guests, deny="view_channel")


def _to_a_role_without_history(lab: Lab, bob: User, channel: Channel) -> None:
    guests = lab.world.role(lab.lab, "guests", bob)
    lab.world.overwrite(channel, guests, deny="read_message_history")


class Party:
    """Ada plans in a channel that Bob can't see; both talk in #general, and so does the bot."""

    def __init__(self, wire: Wired, models: ModelServer) -> None:
        self.wire, self.lab, self._models = wire, wire.lab, models
        self.bob = self.lab.world.user("bob")
        self.lab.world.join(self.lab.lab, self.bob)

    async def tells_the_cake(self, channel: Channel) -> bool:
        """Whether Bob's prompt in #general has what Ada said in this channel."""
        assert await self._ask(self.lab.ada, channel, CAKE)
        await self.wire.learned(1)
        assert "surprise cake" in await self._ask(self.lab.ada, channel, "what am I doing for Saturday?")
        await self._ask(self.lab.ada, self.lab.general, "good morning")
        return "surprise cake" in await self._ask(self.bob, self.lab.general, "what is Ada up to on Saturday?")

    async def _ask(self, who: User, channel: Channel, text: str) -> str:
        """Ask the bot, and have the request that the model was sent for it."""
        self.wire.clock.advance(seconds=60)
        await self.lab.say(who, channel, f"{self.lab.bot.mention} {text}")
        await self.lab.next_message(channel, WAIT)
        return str(self._models.requests[-1].body)


@asynccontextmanager
async def party(**settings: Any) -> AsyncIterator[Party]:
    async with ModelServer(echo) as models, wired(**settings) as wire:
        told = Party(wire, models)
        async with wire.online(speaker_of(models)):
            yield told


async def test_what_is_said_where_everyone_reads_is_known_to_everyone() -> None:
    """So that the tests below fail for the right reason."""
    async with party() as scene:
        assert await scene.tells_the_cake(scene.lab.dev)


@pytest.mark.parametrize("close", [_to_a_member, _to_a_role, _to_a_role_without_history])
async def test_what_is_said_where_somebody_is_shut_out_is_not_told_to_them(close: Closing) -> None:
    async with party() as scene:
        surprise = scene.lab.world.text(scene.lab.lab, "bobs-surprise-party")
        close(scene.lab, scene.bob, surprise)
        assert not await scene.tells_the_cake(surprise)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["text", "forum"])
async def test_a_thread_and_a_forums_post_are_as_closed_as_the_channel_they_are_in(kind: str) -> None:
    async with party() as scene:
        parent = getattr(scene.lab.world, kind)(scene.lab.lab, "ideas")
        _to_a_member(scene.lab, scene.bob, parent)
        thread = scene.lab.world.thread(parent, "cake", scene.lab.ada, scene.lab.bot)
        assert not await scene.tells_the_cake(thread)


async def test_the_chat_of_a_voice_channel_is_closed_to_those_who_may_not_join() -> None:
    async with party() as scene:
        voice = scene.lab.world.voice(scene.lab.lab, "lounge")
        scene.lab.world.overwrite(voice, scene.bob, deny="connect")
        assert not await scene.tells_the_cake(voice)


async def test_a_channel_that_only_another_bot_can_not_see_is_public() -> None:
    async with party(discord={"members": True}) as scene:
        robot = scene.lab.world.user("robot", bot=True)
        scene.lab.world.join(scene.lab.lab, robot)
        scene.lab.world.overwrite(scene.lab.dev, robot, deny="view_channel")
        assert await scene.tells_the_cake(scene.lab.dev)


@pytest.mark.slow
async def test_a_channel_is_closed_to_those_whom_its_category_shuts_out() -> None:
    async with party() as scene:
        world = scene.lab.world
        plans = world.category(scene.lab.lab, "plans")
        follows = world.text(scene.lab.lab, "bobs-surprise-party", plans)
        _to_a_member(scene.lab, scene.bob, plans)
        assert not await scene.tells_the_cake(follows)


@pytest.mark.slow
async def test_who_is_not_known_by_name_is_shut_out_all_the_same() -> None:
    """Without the intent for members the bot knows the ids of those who are denied, and nothing else of them."""
    async with party(discord={"members": False}) as scene:
        surprise = scene.lab.world.text(scene.lab.lab, "bobs-surprise-party")
        _to_a_member(scene.lab, scene.bob, surprise)
        assert not await scene.tells_the_cake(surprise)
