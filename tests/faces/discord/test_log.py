"""What went wrong is in the bot's log: when, where, and with its traceback; and nothing that is not the network's fault
is blamed on it.
"""

import re
from pathlib import Path

import pytest

from tests.doubles.discord.http import Trouble
from tests.doubles.discord.things import Channel
from tests.faces.discord.process import WAIT, Bot, running
from tests.faces.discord.test_process import Lab
from tests.waiting import eventually

pytestmark = pytest.mark.slow

STAGE = 13
HEAD = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d (?:info|warning|error) (?:recollect|discord)[\w.]*: "
)
TRACEBACK = re.compile(r"Traceback|\s|\w[\w.]*(?:Error|Exception)|During handling|The above exception|$")
NO_RECHECK = {"RECOLLECT_DISCORD_RESYNC_MESSAGES": "0"}


def is_whole(log: str) -> bool:
    """Whether each line says when, how grave and from where; or belongs to a traceback."""
    return all(HEAD.match(line) or TRACEBACK.match(line) for line in log.splitlines())


async def test_a_message_that_cannot_be_read_after_an_outage_is_in_the_log_with_time_and_traceback(
    tmp_path: Path,
) -> None:
    async with Lab() as lab:
        async with running(lab, tmp_path, RECOLLECT_DISCORD_PRIVACY_NOTICE="off") as bot:
            await lab.ask(f"{lab.bot.mention} I play chess")
            await lab.ask(f"{lab.bot.mention} I like green tea")
            await bot.stop()
        broken, _, gone, _ = lab.dev.messages
        broken.embeds = [{"timestamp": "yesterday"}]
        await lab.delete(gone)
        async with running(lab, tmp_path) as bot:
            await eventually(lambda: f"message {broken.id} in " in bot.log, WAIT)  # a reply to it may come first
            await bot.stop()
        assert is_whole(bot.log), bot.log
        assert "ValueError: Invalid isoformat string: 'yesterday'" in bot.log
        (line,) = [line for line in bot.log.splitlines() if str(broken.id) in line]
        assert f"channel:{lab.dev.id}" in line
        assert " error recollect.discord: " in line
        after = Bot(lab, tmp_path)
        await after.start("--as", str(lab.ada.id), "--json", command="show")
        assert await after.ended() == 0
        assert "I play chess" in after.log
        assert "green tea" not in after.log, "the others were looked at"


async def test_what_is_no_trouble_with_the_connection_is_not_taken_for_it(tmp_path: Path) -> None:
    async with Lab() as lab:
        stage: Channel = lab.world.text(lab.lab, "stage")
        stage.kind = STAGE  # without a bitrate, which discord.py relies on
        bot = Bot(lab, tmp_path)
        await bot.start()
        try:
            await eventually(lambda: bot.log.count("KeyError: 'bitrate'") >= 2, WAIT)
        finally:
            await bot.stop()
    assert "Traceback (most recent call last)" in bot.log
    assert "no connection to Discord" not in bot.log
    assert "the bot failed" in bot.log
    assert is_whole(bot.log), bot.log


async def test_the_same_trouble_is_logged_each_time_and_in_debug_with_its_traceback(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path, "--debug", **NO_RECHECK) as bot:
        refused = f"POST /channels/{lab.dev.id}/messages"
        for times in (1, 2):
            lab.trouble(refused, Trouble(403))
            await lab.say(lab.ada, lab.dev, "!memory help")
            await eventually(lambda: bot.log.count("discord.errors.Forbidden: 403 Forbidden") == times, WAIT)  # noqa: B023
        assert bot.log.count("is not answered: 403 Forbidden") == 2
        assert "Traceback (most recent call last)" in bot.log


async def test_a_log_can_be_written_for_machines(tmp_path: Path) -> None:
    async with Lab() as lab, running(lab, tmp_path, "--logs", "json") as bot:
        await eventually(lambda: '"message": "connected as ' in bot.log, WAIT)


async def test_commands_that_cannot_be_registered_are_logged_and_tried_again_and_the_bot_works(tmp_path: Path) -> None:
    async with Lab() as lab:
        registering = f"PUT /applications/{lab.bot.id}/commands"
        lab.trouble(registering, *[Trouble(200)] * 2)  # a success that holds no commands
        async with running(lab, tmp_path) as bot:
            assert (await lab.ask("!memory remember I like tea")).startswith('Remembered: "I like tea"')
            await eventually(lambda: bot.log.count("cannot register the slash commands") == 2, WAIT)
            assert "Traceback" in bot.log
            assert is_whole(bot.log), bot.log
            checked = Bot(lab, tmp_path)
            await checked.start("--check")
            assert await checked.ended() == 0
            assert "not registered yet: " in checked.log
            await lab.invalidate()  # another session
            await lab.until(lambda: bool(lab.commands()), WAIT)
