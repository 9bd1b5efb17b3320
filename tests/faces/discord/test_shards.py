"""One bot as two processes with a shard each, over one database: what they share, and what each leaves to the other."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recollect import AsyncMemory
from recollect.bot_state import BotState, log_position
from recollect.core.state import Owner, StateKind
from recollect.faces.discord.client import Client
from recollect.faces.discord.departures import GuildDepartures
from recollect.faces.discord.log_follower import LogFollower
from recollect.faces.discord.resync import Resync
from recollect.settings import load
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests.doubles.discord.things import Channel, Guild
from tests.faces.discord.process import running
from tests.faces.discord.wire import WAIT, Lab, Wired
from tests.scenes import at_once
from tests.waiting import eventually


class Pair(Lab):
    """Two servers, of which each belongs to another shard of two; Ada is in both, Bob only on the second."""

    async def __aenter__(self) -> "Pair":
        await super().__aenter__()
        clock = self.world.clock
        assert isinstance(clock, FakeClock)
        self.bob = self.world.user("bob")
        self.first, self.second = self.lab, self.lab
        while number(self.second) == number(self.first):
            clock.advance(milliseconds=1)  # the moment it was made decides to which of two shards a guild belongs
            self.second = self.world.guild("Club", self.ada, self.bob)
        if number(self.first):
            self.first, self.second = self.second, self.first
        self.here, self.there = (self.world.text(guild, "room") for guild in (self.first, self.second))
        return self


def number(guild: Guild) -> int:
    return (guild.id >> 22) % 2


@dataclass(frozen=True)
class Bot:
    """Both halves of one bot."""

    lab: Pair
    clock: FakeClock
    zero: Wired
    one: Wired

    async def order(self, text: str, where: Channel, who: Any = None) -> str:
        await self.lab.say(who or self.lab.ada, where, text)
        return (await self.lab.next_message(where, WAIT)).content

    @asynccontextmanager
    async def online(self) -> AsyncIterator[tuple[Client, Client]]:
        async with self.zero.online() as zero, self.one.online() as one:
            yield zero, one

    async def noted(self, kind: StateKind, count: int = 2) -> None:
        """Wait for so many notes of this kind."""

        async def holds() -> bool:
            return len(await BotState(self.zero.memory.store).keys(kind)) == count

        await eventually(holds, WAIT)


@asynccontextmanager
async def sharded(database: str, lab: Pair | None = None, **settings: Any) -> AsyncIterator[Bot]:
    options = {"allowed_users": "*", "privacy_notice": "off", **settings.pop("discord", {})}
    given = {"embedder": "null", "summary": {"enabled": False}, **settings}
    clock = FakeClock()
    async with AsyncExitStack() as stack:
        lab = lab or await stack.enter_async_context(Pair(clock=clock))
        halves = []
        for shard in ("0/2", "1/2"):
            opened = AsyncMemory(
                database, clock=clock, model=FakeModel(), discord={**options, "shard": shard}, **at_once(given)
            )
            halves.append(Wired(lab, await stack.enter_async_context(opened), clock))
        yield Bot(lab, clock, *halves)


async def test_each_answers_on_its_own_servers_and_the_first_in_direct_messages(database: str) -> None:
    async with sharded(database) as bot, bot.online() as (zero, one):
        lab = bot.lab
        assert [guild.id for guild in zero.guilds] == [lab.first.id]
        assert [guild.id for guild in one.guilds] == [lab.second.id]
        assert (await bot.order("!memory remember I like tea", lab.here)).partition("\n")[
            0
        ] == 'Remembered: "I like tea"'
        await bot.order("!memory share tea", lab.here)
        assert "I like tea" in await bot.order("!memory show", lab.there), "the other knows at once"
        assert (await bot.order("!memory remember I play chess", lab.there)).partition("\n")[
            0
        ] == 'Remembered: "I play chess"'
        told = await bot.order("!memory show", lab.world.dm(lab.ada))
        assert "I like tea" in told
        assert "I play chess" in told
        await bot.order("!memory forget tea", lab.there)
        assert "tea" not in await bot.order("!memory show", lab.here)
        assert [len(lab.said(channel)) for channel in (lab.here, lab.there)] == [3, 3], "nothing is said twice"
        shown = await lab.slash(lab.ada, lab.there, "memory list", {})
        assert "I play chess" in shown.message.embeds[0]["description"]


async def test_the_commands_are_registered_once(database: str) -> None:
    async with sharded(database) as bot:
        async with bot.online():
            pass
        wanted = [f"PUT /applications/{bot.lab.bot.id}/commands"]
        assert [one for one in bot.lab.requests if one.startswith("PUT") and "commands" in one] == wanted


@pytest.mark.slow
async def test_what_was_learned_is_told_once_by_whoever_has_the_channel(database: str) -> None:
    async with sharded(database, discord={"learned_notices": "here"}) as bot, bot.online():
        await bot.noted(StateKind.BOT_POSITION)
        lab = bot.lab
        for text, channel in (("I like green tea", lab.here), ("I have two cats", lab.there)):
            await lab.say(lab.ada, channel, text)
        whispered = lab.world.dm(lab.ada)
        await lab.say(lab.ada, whispered, f"{lab.bot.mention} I collect stamps")

        def lines(channel: Channel) -> list[str]:
            return [line.split(" – ")[0] for line in lab.said(channel) if line.startswith("Learned")]

        await eventually(lambda: all(lines(one) for one in (lab.here, lab.there, whispered)), WAIT)
        await bot.zero.memory.forget("two cats", user=f"discord:{lab.ada.id}")
        await eventually(lambda: not lines(lab.there), WAIT)
        assert lines(lab.here) == ["Learned: [fact] I like green tea"]
        assert lines(whispered) == ["Learned: [fact] I collect stamps"]
        assert not lab.unknown


@pytest.mark.slow
@pytest.mark.parametrize("home", [0, 1])
async def test_the_memory_channel_is_kept_by_the_one_that_has_it(database: str, home: int) -> None:
    async with Pair(clock=FakeClock()) as lab:
        mirror = lab.world.text((lab.first, lab.second)[home], "memory")
        async with (
            sharded(
                database, lab, discord__memory_channel=str(mirror.id), discord__memory_channel_style="members"
            ) as bot,
            bot.online(),
        ):
            await bot.noted(StateKind.BOT_POSITION)
            for channel, text in ((lab.here, "I like tea"), (lab.there, "I play chess")):
                await bot.order(f"!memory remember {text}", channel)
                await bot.order(f"!memory share {text}", channel)

            def shown() -> str:
                return "\n".join(lab.said(mirror))

            await eventually(lambda: "tea" in shown() and "chess" in shown(), WAIT)
            async with AsyncMemory(database, embedder="null", run_worker=False) as other:
                await other.forget("tea", user=f"discord:{lab.ada.id}")
            await eventually(lambda: "tea" not in shown(), WAIT)
            assert len(lab.said(mirror)) == 1


@pytest.mark.slow
async def test_a_server_of_the_other_is_not_taken_for_left(database: str) -> None:
    async with sharded(database, discord={"erase_on_leave": "0"}) as bot:
        lab = bot.lab
        async with bot.online() as clients:
            await bot.order("!memory remember I like tea", lab.here)
            await bot.order("!memory remember I play chess", lab.there)
            await look(*clients)
        async with bot.zero.online() as client:
            await look(client)
        async with bot.one.online() as client:
            await look(client)
        assert await bot.zero.events("guild.left") == []
        async with bot.online() as clients:
            lab.world.kick(lab.second)
            await bot.zero.happened("guild.left")
            await look(*clients)
            await bot.one.happened("erasure.checked")
        (left,) = await bot.zero.events("guild.left")
        assert left.data["guild"] == str(lab.second.id)
        assert await bot.zero.known() == ["I like tea"], "what was learned on the first is unharmed"


async def look(*clients: Client) -> None:
    """What the bot does every hour."""
    for client in clients:
        cog = client.get_cog("GuildDepartures")
        assert isinstance(cog, GuildDepartures)
        await cog.review()


@pytest.mark.parametrize("by", ["guild", "role"])
async def test_who_is_let_in_by_a_server_of_the_other_is_answered_in_direct_messages(database: str, by: str) -> None:
    async with Pair(clock=FakeClock()) as lab:
        role = lab.world.role(lab.second, "friends", lab.bob)
        allowed = {"allowed_guilds": str(lab.second.id)} if by == "guild" else {"allowed_roles": str(role.id)}
        async with sharded(database, lab, discord={"allowed_users": "", **allowed}) as bot, bot.online():
            await bot.noted(StateKind.ROLE_GUILD, by == "role")
            dm, stranger = lab.world.dm(lab.bob), lab.world.user("cem")
            await lab.say(stranger, lab.world.dm(stranger), "!memory remember I like coffee")
            assert (await bot.order("!memory remember I like tea", dm, lab.bob)).partition("\n")[
                0
            ] == 'Remembered: "I like tea"'
            assert await bot.order("!memory show", lab.there, lab.bob)
            assert lab.said(lab.world.dm(stranger)) == []


@pytest.mark.slow
async def test_each_looks_for_what_it_missed_on_its_own_servers(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with sharded(database) as bot:
        lab = bot.lab
        async with bot.online():
            said = [await lab.say(lab.ada, one, f"I like tea in {one.name}") for one in (lab.here, lab.there)]
            await bot.noted(StateKind.LISTENED_CHANNEL)
        for message in said:
            await lab.delete(message)
        with caplog.at_level("INFO", "recollect.discord"):
            for half in (bot.zero, bot.one):
                async with half.online() as client:
                    cog = client.get_cog("Resync")
                    assert isinstance(cog, Resync)
                    await cog.run()
        ids = [str(message.id) for message in said]
        left = await bot.zero.memory.store.read(lambda tx: [tx.messages.get("discord", one) for one in ids])
        assert left == [None, None]
        assert "can't be read" not in caplog.text, "the places of the other are not missed"


async def test_a_bot_that_is_divided_anew_goes_on_where_it_was(database: str) -> None:
    async with sharded(database, discord={"learned_notices": "here"}) as bot:
        async with bot.online():
            await bot.noted(StateKind.BOT_POSITION)
        await bot.zero.memory.remember("I like tea", user=f"discord:{bot.lab.ada.id}")
        notes = BotState(bot.zero.memory.store)
        shards = await notes.keys(StateKind.BOT_POSITION)
        before = {shard: int(await notes.get(log_position(shard)) or 0) for shard in shards}
        one_process = str(max(before.values()) + 1)
        await notes.put(log_position(""), one_process, Owner.nobody())  # since then it was one process for a while
        async with bot.one.online() as client:
            cog = client.get_cog("LogFollower")
            assert isinstance(cog, LogFollower)

            async def holds() -> bool:
                return int(await notes.get(log_position("1/2")) or 0) > max(before.values())

            await eventually(holds, WAIT)
        assert int(await notes.get(log_position("0/2")) or 0) == before["0/2"]


@pytest.mark.parametrize("said", ["4/4", "2-1/4", "1", "1/0", "a/b", "-1/4", "0-4/4"])
def test_a_shard_that_can_not_be_is_refused(said: str) -> None:
    with pytest.raises(Exception, match=r"discord.shard.* is no shard; accepted are"):
        load({}, discord={"shard": said})


@pytest.mark.slow
async def test_two_processes_with_a_shard_each_are_one_bot(database: str, tmp_path: Path) -> None:
    async with Pair(clock=FakeClock()) as lab:
        env = {"RECOLLECT_STORE": database, "RECOLLECT_DISCORD_PRIVACY_NOTICE": "off"}
        async with (
            running(lab, tmp_path / "zero", "--shard", "0/2", **env) as zero,
            running(lab, tmp_path / "one", RECOLLECT_DISCORD_SHARD="1/2", **env) as one,
        ):
            await eventually(lambda: "servers: 1, shard 0/2" in zero.log, WAIT)
            await eventually(lambda: "servers: 1, shard 1/2" in one.log, WAIT)
            await lab.say(lab.ada, lab.here, "!memory remember I like tea")
            assert (await lab.next_message(lab.here, WAIT)).content.partition("\n")[0] == 'Remembered: "I like tea"'
            await lab.say(lab.ada, lab.here, "!memory share tea")
            await lab.next_message(lab.here, WAIT)
            await lab.say(lab.ada, lab.there, "!memory show")
            assert "I like tea" in (await lab.next_message(lab.there, WAIT)).content
            await lab.say(lab.ada, lab.world.dm(lab.ada), "!memory show")
            assert "I like tea" in (await lab.next_message(lab.world.dm(lab.ada), WAIT)).content
            assert await zero.stop() == 0, zero.log
            await lab.say(lab.ada, lab.there, "!memory show")
            assert "I like tea" in (await lab.next_message(lab.there, WAIT)).content, "one goes on without the other"
            assert await one.stop() == 0, one.log
        wanted = [f"PUT /applications/{lab.bot.id}/commands"]
        assert [each for each in lab.requests if each.startswith("PUT") and "commands" in each] == wanted
        assert "Traceback" not in zero.log + one.log
