"""Discord waits three seconds for the first response to a command, a button or a menu: a look-up that takes longer
defers it, and what was asked for happens all the same.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from recollect.core.types import EVERYWHERE, Place
from recollect.faces.discord import command_tree, ephemeral
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.shards import is_allowed
from tests.doubles.discord.interactions import DEFERRED, DEFERRED_UPDATE, Interaction
from tests.doubles.discord.things import Message
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


@asynccontextmanager
async def slowly(monkeypatch: pytest.MonkeyPatch, **settings: object) -> AsyncIterator[Wired]:
    """A bot whose look-ups take until Discord has an answer, whatever it is."""
    async with wired(**settings) as wire, wire.online():
        wire.lab.world.role(wire.lab.lab, "managers", wire.lab.ada, permissions="manage_guild")

        async def wait(bot: BotContext, user: object) -> bool:
            await eventually(lambda: newest(wire).answered_with is not None, WAIT)
            return await is_allowed(bot, user)  # type: ignore[arg-type]

        monkeypatch.setattr(ephemeral, "DEFER_AFTER_SECONDS", 0.01)
        monkeypatch.setattr(ephemeral, "is_allowed", wait)
        monkeypatch.setattr(command_tree, "is_allowed", wait)
        yield wire


async def _knows(wire: Wired, text: str) -> bool:
    return text in await wire.known()


def newest(wire: Wired) -> Interaction:
    return list(wire.lab._asked.asked.values())[-1]


async def command(wire: Wired, name: str, **arguments: object) -> Message:
    asked = await wire.lab.slash(wire.lab.ada, wire.lab.dev, name, arguments)
    assert (asked.answered_with, asked.ephemeral) == (DEFERRED, True)
    return asked.message


async def press(wire: Wired, message: Message, label: str, *values: str) -> Interaction:
    pressed = await wire.lab.press(wire.lab.ada, message, label, values)
    assert pressed.answered_with == DEFERRED_UPDATE
    return pressed


async def fill_in(wire: Wired, asked: Interaction, label: str, value: str) -> Interaction:
    """Open the form by the button that is offered for it, and send it."""
    await eventually(lambda: bool(asked.messages), WAIT)
    offer = asked.messages[-1]
    assert (offer.content, offer.ephemeral) == (ephemeral.READY, True)
    with pytest.MonkeyPatch.context() as quick:
        quick.setattr(ephemeral, "is_allowed", is_allowed)
        form = await wire.lab.press(wire.lab.ada, offer, label)
    assert form.modal is not None
    field = form.modal["components"][0]["components"][0]["custom_id"]
    return await wire.lab.submit(form, {field: value})


async def test_commands_are_deferred_and_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with slowly(monkeypatch) as wire:
        remembered = await command(wire, "memory remember", words="I like green tea")
        assert remembered.content.startswith("Remembered")
        asked = await wire.lab.slash(wire.lab.ada, wire.lab.dev, "memory edit", {"which": "tea"})
        assert asked.answered_with == DEFERRED
        await fill_in(wire, asked, "Other words", "I like mate")
        await eventually(lambda: _knows(wire, "I like mate"), WAIT)


async def test_who_is_not_allowed_is_told_however_long_it_takes_to_find_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async with slowly(monkeypatch, discord={"allowed_users": ["1"]}) as wire:
        assert (await command(wire, "memory list")).content == ephemeral.NOT_ALLOWED


async def test_buttons_and_menus_of_panels_are_deferred_and_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with slowly(monkeypatch) as wire:
        view = wire.memory.view(str(wire.lab.ada.id), Place("discord", str(wire.lab.lab.id), str(wire.lab.dev.id)))
        for number in range(12):
            await view.remember(f"Plays instrument {number}", audience=EVERYWHERE)
        listed = await command(wire, "memory list")
        await press(wire, listed, "Next")
        await eventually(lambda: listed.embeds[0]["description"].startswith("11. "), WAIT)
        memo = next(memo for memo in await wire.memos() if memo.text.endswith(" 0"))
        await press(wire, listed, "Choose one to change, forget or explain it", memo.id)
        await eventually(lambda: listed.embeds[0]["description"] == memo.text, WAIT)
        await fill_in(wire, await press(wire, listed, "Edit"), "Other words", "Plays the cello")
        await eventually(lambda: _knows(wire, "Plays the cello"), WAIT)
        await press(wire, listed, "Forget")
        await wire.learned(11)
        asked = await command(wire, "memory forget", which="instrument 7")
        await press(wire, asked, "Keep")
        await eventually(lambda: asked.content == ephemeral.UNCHANGED, WAIT)
        await press(wire, await command(wire, "memory privacy"), "Pause learning")
        await eventually(view.is_learning_paused, WAIT)


async def test_settings_are_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    async with slowly(monkeypatch) as wire:
        panel = await command(wire, "memory-server setup")
        number = await press(wire, panel, "What do you want to change?", "retention_days")
        await fill_in(wire, number, "Retention", "30")
        await eventually(lambda: "Retention: changed." in number.messages[-1].content, WAIT)
        assert await wire.memory.privacy.retention_days(str(wire.lab.lab.id)) == 30
