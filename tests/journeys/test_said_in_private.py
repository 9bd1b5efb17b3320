"""What people have remembered in private stays there: told through Discord over real sockets, with the model's
requests as the proof. A second server, where Eve is, shares nobody but Ada and the bot with the first.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from recollect.testing.model_server import ModelServer
from tests.doubles.discord.things import Channel, User
from tests.faces.discord.scene import echo, speaker_of
from tests.faces.discord.wire import WAIT, Wired, wired

SECRET = "I am HIV positive"
ABOUT = "HIV"


class Town:
    def __init__(self, wire: Wired, models: ModelServer) -> None:
        self.wire, self.lab, self._models = wire, wire.lab, models
        world = self.lab.world
        self.ada, self.bob, self.eve = self.lab.ada, world.user("bob"), world.user("eve")
        world.join(self.lab.lab, self.bob)
        self.club = world.guild("Club", self.ada, self.eve)
        self.lobby = world.text(self.club, "lobby")
        self.dm = world.dm(self.ada)
        self.staff = world.text(self.lab.lab, "staff")
        world.only_for(self.staff, self.ada)

    async def order(self, text: str, channel: Channel) -> str:
        await self.lab.say(self.ada, channel, text)
        return (await self.lab.next_message(channel, WAIT)).content

    async def asked(self, who: User, channel: Channel, text: str = "what do you know about Ada?") -> str:
        """Ask the bot, and have the request that the model was sent for it."""
        self.wire.clock.advance(seconds=60)
        await self.lab.say(who, channel, f"{self.lab.bot.mention} {text}")
        await self.lab.next_message(channel, WAIT)
        return str(self._models.requests[-1].body)

    async def told_to(self) -> set[str]:
        """In whose prompts it stands, after Ada has talked in all public places."""
        for channel in (self.lab.general, self.lobby):
            await self.asked(self.ada, channel, "good morning")
        places = {
            "ada here": (self.ada, self.lab.general),
            "bob here": (self.bob, self.lab.general),
            "ada there": (self.ada, self.lobby),
            "eve there": (self.eve, self.lobby),
            "ada alone": (self.ada, self.dm),
        }
        return {name for name, (who, where) in places.items() if ABOUT in await self.asked(who, where)}


@asynccontextmanager
async def town(**settings: Any) -> AsyncIterator[Town]:
    """Nothing is learned by itself here: only what somebody has remembered is known."""
    async with ModelServer(echo) as models, wired(extraction={"enabled": False}, **settings) as wire:
        scene = Town(wire, models)
        async with wire.online(speaker_of(models)):
            yield scene


@pytest.mark.slow
async def test_what_is_remembered_in_a_dm_is_told_nowhere_else_and_the_answer_says_so() -> None:
    async with town() as scene:
        answer = await scene.order(f"!memory remember {SECRET}", scene.dm)
        assert answer.startswith(f'Remembered: "{SECRET}"\n')
        assert "in your direct messages only" in answer
        assert "!memory share" in answer
        assert await scene.told_to() == {"ada alone"}


async def test_what_is_remembered_in_a_closed_channel_stays_there_and_in_the_dm() -> None:
    async with town() as scene:
        answer = await scene.order(f"!memory remember {SECRET}", scene.staff)
        assert "in the channel where it was said" in answer
        assert await scene.told_to() == {"ada alone"}
        assert ABOUT in await scene.asked(scene.ada, scene.staff)


@pytest.mark.slow
async def test_what_is_remembered_in_public_is_known_on_that_server() -> None:
    async with town() as scene:
        answer = await scene.order(f"!memory remember {SECRET}", scene.lab.dev)
        assert "on the server where it was said" in answer
        assert await scene.told_to() == {"ada alone", "ada here", "bob here"}


async def test_what_is_shared_is_told_wherever_its_owner_speaks_until_it_is_private_again() -> None:
    async with town() as scene:
        await scene.order(f"!memory remember {SECRET}", scene.dm)
        await scene.order("!memory share HIV", scene.dm)
        assert await scene.told_to() == {"ada alone", "ada here", "bob here", "ada there", "eve there"}
        await scene.order("!memory private HIV", scene.dm)
        assert await scene.told_to() == {"ada alone"}


@pytest.mark.parametrize("name", ["Remember this", "memory remember"])
async def test_the_menu_and_the_slash_command_keep_to_the_place_as_well(name: str) -> None:
    async with town() as scene:
        if name == "Remember this":
            said = await scene.lab.say(scene.ada, scene.dm, SECRET)
            await scene.lab.next_message(scene.dm, WAIT)
            answer = await scene.lab.menu(scene.ada, said, name)
        else:
            answer = await scene.lab.slash(scene.ada, scene.dm, name, {"words": SECRET})
        await scene.lab.until(lambda: answer.is_answered, WAIT, "no answer")
        assert f'Remembered: "{SECRET}"' in answer.content
        assert "in your direct messages only" in answer.content
        assert await scene.told_to() == {"ada alone"}


async def test_other_words_for_a_shared_memory_that_are_given_in_a_dm_stay_in_it() -> None:
    async with town() as scene:
        await scene.order("!memory remember I had a checkup in May", scene.dm)
        await scene.order("!memory share checkup", scene.dm)
        asked = await scene.lab.slash(scene.ada, scene.dm, "memory edit", {"which": "checkup"})
        (field,) = [
            one["components"][0] if "components" in one else one["component"] for one in asked.modal["components"]
        ]
        changed = await scene.lab.submit(asked, {field["custom_id"]: SECRET})
        await scene.lab.until(lambda: changed.is_answered, WAIT, "no answer")
        assert "in your direct messages only" in changed.content
        assert await scene.told_to() == {"ada alone"}


async def test_a_design_with_one_memory_per_person_keeps_its_own_rule_and_words() -> None:
    async with town(profile="discoclaw") as scene:
        assert await scene.order(f"!memory remember {SECRET}", scene.dm) == f'Remembered: "{SECRET}"'
        assert await scene.told_to() == {"ada alone", "ada here", "ada there"}
