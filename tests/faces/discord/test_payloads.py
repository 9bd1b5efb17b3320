"""Servers that speak Discord's protocol a little differently, and messages that discord.py can't parse."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from recollect.faces.discord.check import check
from recollect.faces.discord.payloads import read_message
from tests.doubles.discord.http import Trouble
from tests.doubles.discord.server import point_discord_at
from tests.doubles.discord.world import Event
from tests.faces.discord.wire import WAIT, Lab, wired


@contextmanager
def spoiled(lab: Lab, name: str, **fields: Any) -> Generator[None]:
    """Inside, events of this name have these fields."""
    tell = lab.world.tell

    def spoil(event: Event) -> None:
        def data(intents: int) -> dict[str, Any]:
            return event.data(intents) | fields

        tell(replace(event, data=data) if event.name == name else event)

    lab.world.tell = spoil
    try:
        yield
    finally:
        lab.world.tell = tell


async def test_a_message_that_cannot_be_parsed_costs_that_message_and_not_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with wired() as wire, wire.online():
        lab = wire.lab
        with spoiled(lab, "MESSAGE_CREATE", embeds=[{"timestamp": "yesterday"}]):
            broken = await lab.say(lab.ada, lab.dev, f"{lab.bot.mention} hello")
        assert (await wire.order("!memory remember I like tea")).startswith("Remembered")
        assert f"MESSAGE_CREATE {broken.id} can't be read, and is skipped" in caplog.text
        assert lab.requests.count("GET /gateway/bot") == 1, "it stayed connected"


async def test_null_where_discord_sends_nothing_is_understood() -> None:
    async with wired() as wire, wire.online():
        lab = wire.lab
        with spoiled(lab, "MESSAGE_CREATE", guild_id=None, thread=None, poll=None):
            answer = await wire.order("!memory remember I like tea", lab.world.dm(lab.ada))
        assert answer.startswith("Remembered")
        with spoiled(lab, "MESSAGE_CREATE", thread=None, interaction=None):
            assert (await wire.order("!memory list")).count("I like tea") == 0, "a DM is not told in a channel"
            assert (await wire.order("!memory remember I play chess")).startswith("Remembered")


async def test_where_a_reference_is_refused_the_answer_comes_without_it() -> None:
    async with wired() as wire, wire.online():
        lab = wire.lab
        lab.trouble(f"POST /channels/{lab.dev.id}/messages", Trouble(400))
        await lab.say(lab.ada, lab.dev, "!memory remember I like tea")
        answer = await lab.next_message(lab.dev, WAIT)
        assert answer.content.startswith("Remembered")
        assert answer.reply_to is None


async def test_messages_that_are_read_later_may_have_nulls_too() -> None:
    async with wired() as wire, wire.online() as client:
        lab = wire.lab
        await lab.say(lab.ada, lab.dev, "I like tea")
        (payload,) = await client.http.logs_from(lab.dev.id, 1)
        spoiled_payload = {**payload, "thread": None, "poll": None, "interaction_metadata": None}
        assert read_message(client.get_channel(lab.dev.id), spoiled_payload).content == "I like tea"


async def test_a_check_of_a_server_that_is_no_discord_says_so() -> None:
    async def hello(_: web.Request) -> web.Response:
        return web.Response(text="hello")

    app = web.Application()
    app.router.add_get("/{path:.*}", hello)
    async with TestServer(app) as server, wired(discord={"api_base_url": str(server.make_url("/api"))}) as wire:
        with point_discord_at(wire.lab):  # which puts things back
            checks = await check(wire.memory, "a token")
    assert (checks[-1].check, checks[-1].state) == ("connection", "broken")
    assert "is not understood" in checks[-1].detail
