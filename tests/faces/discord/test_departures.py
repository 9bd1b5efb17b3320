"""The bot leaves a server: what was learned there is erased after a time of grace, unless it is let in again."""

from recollect.core.state import Owner, StateKind
from recollect.faces.discord.client import Client
from recollect.faces.discord.departures import GuildDepartures
from tests.faces.discord.scene import Scene, acting
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


async def leave(scene: Scene) -> None:
    scene.env.backend.remove_guild(scene.guild.id)
    await scene.env.settle()


async def plans(scene: Scene) -> list[str]:
    return [str(plan.target) for plan in await scene.memory.privacy.planned()]


async def told(scene: Scene) -> None:
    """Ann has said something on the server and something in a DM."""
    await scene.ask("I like green tea")
    await scene.settle()  # what is learned comes first, then what is remembered
    await scene.whisper("!memory remember I have two cats")
    await scene.settle()
    assert await scene.known() == ["I have two cats", "I like green tea"]


async def test_a_week_after_the_bot_left_a_server_what_was_learned_there_is_erased() -> None:
    async with wired() as wire:
        async with wire.online():
            await here(wire)
            await wire.order("!memory remember I have two cats", wire.lab.world.dm(wire.lab.ada))
            wire.lab.world.kick(wire.lab.lab)
            await wire.happened("erasure.planned")
            (event,) = await wire.events("guild.left")
            assert event.data["guild"] == str(wire.lab.lab.id)
            (job,) = [job for job in (await wire.memory.worker.status(9)).jobs if job.kind == "erase"]
            assert job.queue == f"erase:guild {wire.lab.lab.id}"
        wire.clock.advance(days=6.9)
        async with wire.online() as client:
            await look(client)
            assert await wire.memory.worker.wait_idle(WAIT)
            assert len(await wire.known()) == 2, "not before its time"
            wire.clock.advance(days=0.2)
            await look(client)
            wire.clock.advance(minutes=15)
            await wire.happened("erasure.checked")
            assert await wire.memory.worker.wait_idle(WAIT)  # the plan goes when the job ends, after the check
        assert await wire.known() == ["I have two cats"], "what is theirs elsewhere stays"
        assert await wire.memory.privacy.planned() == []
        (receipt,) = await wire.events("erasure.checked")
        assert (receipt.reason, receipt.actor) == ("clean", str(wire.lab.bot.id))
        assert receipt.data["erased"]["messages"] == 1
        assert not await wire.memory.store.read(lambda tx: tx.messages.written_by(guild=str(wire.lab.lab.id)))


async def look(client: Client) -> None:
    """What the bot does every hour."""
    cog = client.get_cog("GuildDepartures")
    assert isinstance(cog, GuildDepartures)
    await cog.review()


async def test_it_is_erased_at_once_where_that_is_set_and_never_where_that_is() -> None:
    async with acting(discord={"erase_on_leave": "0"}) as scene:
        await told(scene)
        await leave(scene)
        await scene.settle()
        assert await scene.known() == ["I have two cats"]
    async with acting(discord={"erase_on_leave": "never"}) as scene:
        await told(scene)
        await leave(scene)
        assert await scene.events("guild.left")
        assert await plans(scene) == []


async def here(wire: Wired) -> None:
    """Ada has said something on the server, and the bot has seen that it is in it."""
    await wire.lab.say(wire.lab.ada, wire.lab.dev, "I like green tea")
    await wire.learned(1)
    await eventually(lambda: noted(wire), WAIT)


async def noted(wire: Wired) -> bool:
    lists = await wire.memory.store.read(lambda tx: tx.state.items(StateKind.BOT_GUILDS, str(wire.lab.bot.id)))
    return str(wire.lab.lab.id) in lists


async def test_being_let_in_again_calls_it_off() -> None:
    async with wired() as wire:
        async with wire.online():
            await here(wire)
            wire.lab.world.kick(wire.lab.lab)
            await wire.happened("erasure.planned")
            assert [job.kind for job in (await wire.memory.worker.status(9)).jobs] == ["consolidate", "erase"]
            wire.lab.world.invite(wire.lab.lab)
            await wire.happened("erasure.called_off")
            assert [job.kind for job in (await wire.memory.worker.status(9)).jobs] == ["consolidate"]
        wire.clock.advance(days=8)
        await wire.memory.worker.wait_idle(WAIT)
        assert await wire.known() == ["I like green tea"]


async def test_a_server_that_was_left_while_the_bot_was_offline_is_noticed_when_it_is_back() -> None:
    async with wired(discord={"erase_on_leave": "0"}) as wire:
        async with wire.online():
            await here(wire)
        wire.lab.world.kick(wire.lab.lab)
        async with wire.online():
            await wire.happened("erasure.checked")
        assert await wire.known() == []
        assert len(await wire.events("guild.left")) == 1


async def test_one_that_it_was_let_into_again_while_it_was_offline_is_not_erased_before_that_is_known() -> None:
    async with wired() as wire:
        async with wire.online():
            await here(wire)
            wire.lab.world.kick(wire.lab.lab)
            await wire.happened("erasure.planned")
        wire.lab.world.invite(wire.lab.lab)
        wire.clock.advance(days=8)
        assert await wire.memory.worker.wait_idle(WAIT), "the job is due, but nobody says that it is still wanted"
        assert await wire.known() == ["I like green tea"]
        async with wire.online():
            await wire.happened("erasure.called_off")
        assert await wire.known() == ["I like green tea"]


async def test_one_that_is_still_left_when_it_is_due_is_erased_once_that_is_known() -> None:
    async with wired() as wire:
        async with wire.online():
            await here(wire)
            wire.lab.world.kick(wire.lab.lab)
            await wire.happened("erasure.planned")
        wire.clock.advance(days=8)
        async with wire.online() as client:
            await look(client)
            wire.clock.advance(minutes=15)
            await wire.happened("erasure.checked")
        assert await wire.known() == []


async def test_an_outage_is_no_leave() -> None:
    async with wired(discord={"erase_on_leave": "0"}) as wire:
        async with wire.online() as client:
            await here(wire)
            wire.lab.world.outage(wire.lab.lab)
            await eventually(lambda: client.get_guild(wire.lab.lab.id).unavailable, WAIT)
        async with wire.online() as client:
            assert client.get_guild(wire.lab.lab.id).unavailable
            wire.lab.world.outage(wire.lab.lab, over=True)
            assert await wire.order("!memory show") != ""
        assert await wire.events("guild.left") == []
        assert await wire.known() == ["I like green tea"]


async def test_a_list_of_servers_that_lacks_one_which_discord_still_knows_proves_nothing() -> None:
    async with wired(discord={"erase_on_leave": "0"}) as wire:
        async with wire.online():
            await here(wire)
        wire.lab.world.hidden.add(wire.lab.lab.id)
        async with wire.online() as client:
            await eventually(lambda: f"GET /guilds/{wire.lab.lab.id}" in wire.lab.requests, WAIT)
            assert len(client.guilds) == 0
        assert await wire.events("guild.left") == []


async def test_a_server_where_another_bot_has_the_same_memory_is_kept() -> None:
    async with wired(discord={"erase_on_leave": "0"}) as wire, wire.online():
        await here(wire)
        guild = str(wire.lab.lab.id)
        await wire.memory.store.write(lambda tx: tx.state.append(StateKind.BOT_GUILDS, "77", guild, Owner.guild(guild)))
        wire.lab.world.kick(wire.lab.lab)
        await wire.happened("guild.left")
        assert await wire.memory.privacy.planned() == []
        assert await wire.known() == ["I like green tea"]
