"""The bot through its real entry point, over real sockets: it starts, survives trouble, and stops in good order."""

import signal
from pathlib import Path

import pytest

from tests.doubles.discord.server import DiscordServer, rate_limited
from tests.faces.discord import wire
from tests.faces.discord.process import WAIT, Bot, running
from tests.waiting import eventually

pytestmark = pytest.mark.slow


class Lab(wire.Lab):
    """The lab, in which Ada asks."""

    async def ask(self, text: str, where: object = None) -> str:
        channel = where or self.dev
        await self.say(self.ada, channel, text)  # type: ignore[arg-type]
        return (await self.next_message(channel, WAIT)).content  # type: ignore[arg-type]


async def test_what_one_process_was_told_the_next_one_knows_and_sigterm_ends_it_in_good_order(tmp_path: Path) -> None:
    async with Lab() as lab:
        async with running(lab, tmp_path) as bot:
            assert (await lab.ask("!memory remember I like green tea")).partition("\n")[
                0
            ] == 'Remembered: "I like green tea"'
            await eventually(lambda: "connected as" in bot.log, WAIT)
            assert await bot.stop() == 0, bot.log
            assert "Traceback" not in bot.log
        async with running(lab, tmp_path) as bot:
            assert "I like green tea" in await lab.ask("!memory show", lab.general)
            answer = await lab.slash(lab.ada, lab.dev, "memory list", {})
            assert answer.ephemeral
            assert "I like green tea" in answer.message.embeds[0]["description"]
            assert await bot.stop(signal.SIGINT) == 0, bot.log
        assert [request for request in lab.requests if request.startswith("PUT") and "commands" in request] == [
            f"PUT /applications/{lab.bot.id}/commands"
        ]
        assert lab.unknown == []


async def test_killed_in_the_middle_of_a_conversation_it_goes_on_where_it_was(tmp_path: Path) -> None:
    async with Lab() as lab:
        async with running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off") as bot:
            await lab.ask(f"{lab.bot.mention} I work at Acme Corp")
            await bot.stop(signal.SIGKILL)
        async with running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off"):
            assert "Acme" in await lab.ask(f"{lab.bot.mention} where do I work?")


async def test_a_gateway_that_is_down_at_first_is_tried_again(tmp_path: Path) -> None:
    async with Lab() as lab:
        bot = Bot(lab, tmp_path)
        async with lab.gateway_down():
            await bot.start()
            await eventually(lambda: "Failed to connect" in bot.log, WAIT)
        try:
            await lab.connected(WAIT)
            assert (await lab.ask("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
        finally:
            assert await bot.stop() == 0, bot.log


async def test_a_connection_that_breaks_is_made_again(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path):
        assert (await lab.ask("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
        lab.drop()
        await lab.connected(WAIT)
        assert "tea" in await lab.ask("!memory show")


async def test_being_slowed_down_by_discord_costs_no_answer(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path):
        lab.trouble("POST", f"/channels/{lab.dev.id}/messages", rate_limited(0.2))
        assert (await lab.ask("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'


async def test_a_token_that_is_refused_ends_it_with_what_to_do(tmp_path: Path) -> None:
    async with Lab() as lab:
        bot = Bot(lab, tmp_path, DISCORD_TOKEN="wrong." + "token." + "here")
        await bot.start()
        assert await bot.ended() == 1
    assert "Reset Token" in bot.log
    assert "Traceback" not in bot.log


async def test_without_a_token_it_says_where_to_get_one(tmp_path: Path) -> None:
    bot = Bot(DiscordServer(), tmp_path, DISCORD_TOKEN="")
    await bot.start()
    assert await bot.ended() == 1
    assert "DISCORD_TOKEN is not set" in bot.log
    assert "discord.com/developers" in bot.log


async def test_without_the_privileged_intents_it_goes_on_by_mentions(tmp_path: Path) -> None:
    async with Lab(privileged="") as lab, running(lab, tmp_path) as bot:
        await eventually(lambda: "connected as" in bot.log, WAIT)
        assert "Privileged Gateway Intents" in bot.log
        assert (await lab.ask(f"{lab.bot.mention} !memory remember I like tea")).partition("\n")[
            0
        ] == 'Remembered: "I like tea"'


async def test_a_check_says_that_all_is_well_or_how_to_mend_it(tmp_path: Path) -> None:
    async with Lab() as lab:
        well = Bot(lab, tmp_path)
        await well.start("--check")
        assert await well.ended() == 0, well.log
        assert "✓ token" in well.log
        assert "not registered yet: Forget this" in well.log
    async with Lab(privileged="") as lab:
        ill = Bot(lab, tmp_path, RECOLLECT_DISCORD_ALLOWED_USERS="", RECOLLECT_DISCORD_MEMORY_CHANNEL="77")
        closed = lab.world.guild("Closed", lab.ada, bot_may="view_channel")
        lab.world.permit(closed, closed.everyone, "view_channel")
        await ill.start("--check")
        assert await ill.ended() == 1
        assert lab.unknown == []
    for advice in (
        "✗ allowlist",
        "RECOLLECT_DISCORD_ALLOWED_USERS",
        "✗ intent, message content",
        "Privileged Gateway Intents",
        "✗ permissions, Closed: missing: ",
        "✗ memory channel: 77 is not found",
        "oauth2/authorize?client_id=",
    ):
        assert advice in ill.log, ill.log
    assert is_empty(tmp_path), "a check stores nothing"


def is_empty(folder: Path) -> bool:
    return not list(folder.iterdir())


async def test_a_user_install_works_where_the_bot_is_no_member_and_shows_nothing_private_there(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off"):
        elsewhere = lab.world.guild("Elsewhere", lab.ada, bot_inside=False)
        lobby = lab.world.text(elsewhere, "lobby")
        dm = lab.world.dm(lab.ada)
        await lab.ask("!memory remember I like green tea", dm)
        await lab.ask("!memory private green tea", dm)
        kept = await lab.slash(lab.ada, lobby, "memory remember", {"words": "I play chess"})
        assert kept.content.partition("\n")[0] == 'Remembered: "I play chess"'
        shown = await lab.slash(lab.ada, lobby, "memory list", {})
        assert "chess" in shown.message.embeds[0]["description"]
        assert "green tea" not in shown.message.embeds[0]["description"]
        assert shown.ephemeral


async def test_a_server_that_was_left_waits_to_be_erased_and_the_jobs_say_so(tmp_path: Path) -> None:
    async with Lab() as lab:
        async with running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off") as bot:
            await lab.ask("!memory remember I like tea")
            await eventually(lambda: "connected as" in bot.log, WAIT)
        lab.world.kick(lab.lab)
        async with running(lab, tmp_path) as bot:
            await eventually(lambda: "left the server" in bot.log, WAIT)
            waiting = Bot(lab, tmp_path)
            await waiting.start(command="jobs")
            assert await waiting.ended() == 0
            assert f"erase:guild {lab.lab.id}" in waiting.log
        async with running(lab, tmp_path, RECOLLECT_DISCORD_ERASE_ON_LEAVE="never") as bot:
            await eventually(lambda: "is canceled" in bot.log, WAIT)
        left = Bot(lab, tmp_path)
        await left.start(command="jobs")
        assert await left.ended() == 0
        assert "erasure.called_off" in left.log
        assert "erase:guild" not in left.log
        assert lab.unknown == []


async def test_someone_erases_all_that_is_known_of_them_by_a_button(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off"):
        await lab.ask("!memory remember I like green tea")
        asked = await lab.slash(lab.ada, lab.dev, "memory erase", {})
        assert asked.ephemeral
        done = await lab.press(lab.ada, asked.message, "Erase")
        await lab.until(lambda: asked.message.content.startswith("Erased: 1 item"), WAIT)
        assert done.deferred
        assert "green tea" not in await lab.ask("!memory show")
