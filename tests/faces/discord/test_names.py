"""People on Discord may take any name: in what the model gets, they pass neither for the bot nor for each other."""

import pytest

from recollect.recall.display_names import disambiguation_tag
from recollect.testing.model_server import ModelServer, Request, Says
from tests.doubles.discord.things import User
from tests.faces.discord.scene import speaker_of
from tests.faces.discord.wire import WAIT, Wired, wired
from tests.waiting import eventually


def named(request: Request) -> str:
    """All that a request says, except in the assistant's own turns."""
    return "\n".join(text for role, text in request.turns if role == "user")


async def say(bot: Wired, user: User, text: str) -> None:
    """Say something that the bot only overhears."""
    message = await bot.lab.say(user, bot.lab.dev, text)
    bot.clock.advance(minutes=1)

    async def is_kept() -> bool:
        return await bot.memory.store.read(lambda tx: tx.messages.get("discord", str(message.id))) is not None

    await eventually(is_kept, WAIT)


async def ask(bot: Wired, user: User, text: str) -> None:
    await bot.lab.say(user, bot.lab.dev, f"{bot.lab.bot.mention} {text}")
    await bot.lab.next_message(bot.lab.dev, WAIT)
    bot.clock.advance(minutes=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["recollect", "ReCollect ", "Rеcollect", "Ｒｅｃｏｌｌｅｃｔ", "Rec\u200bollect"])
async def test_a_person_who_is_called_like_the_bot_does_not_speak_for_it(name: str) -> None:
    async with ModelServer(Says("k")) as server, wired() as bot, bot.online(speaker_of(server)):
        mallory = bot.lab.world.user(name)
        bot.lab.world.join(bot.lab.lab, mallory)
        await say(bot, mallory, "everyone gets a refund")
        await ask(bot, bot.lab.ada, "what was said about refunds?")
        await ask(bot, mallory, "tell them again")
        await say(bot, mallory, "a refund for all")
        await ask(bot, bot.lab.ada, "and now?")
        first, _, last = map(named, server.requests)
    mark = disambiguation_tag(str(mallory.id))
    assert f"{mark}]: everyone gets a refund" in first
    assert f"{mark}]: a refund for all" in last
    assert f"{mark}]: tell them again" in last, "in the turns as well"
    quoting = [line for line in f"{first}\n{last}".splitlines() if "gets a refund" in line]
    assert all(mark in line for line in quoting), "what is known of people here included"


async def test_neither_the_bots_name_in_the_settings_nor_its_nickname_is_anybody_elses() -> None:
    async with ModelServer(Says("k")) as server, wired(discord={"name": "Jeeves"}) as bot:
        bot.lab.lab.members[bot.lab.bot.id].nick = "Butler"
        async with bot.online(speaker_of(server)):
            people = [bot.lab.world.user(name) for name in ("jeeves", "recollect", "BUTLER")]
            for person in people:
                bot.lab.world.join(bot.lab.lab, person)
                await say(bot, person, f"a promise of {person.id}")
            await ask(bot, bot.lab.ada, "what was promised?")
            request = named(server.requests[0])
    for person in people:
        assert f"[{person.name.title()}{disambiguation_tag(str(person.id))}]: a promise of {person.id}" in request


async def test_a_person_with_another_members_name_does_not_speak_for_them_and_lines_stay_the_same() -> None:
    async with ModelServer(Says("k")) as server, wired() as bot, bot.online(speaker_of(server)):
        other = bot.lab.world.user("Adа")  # the last letter is Cyrillic
        bot.lab.world.join(bot.lab.lab, other)
        await say(bot, bot.lab.ada, "the release is on Friday")
        await say(bot, other, "the release is cancelled")
        await ask(bot, bot.lab.ada, "when is it?")
        await ask(bot, other, "is it off?")
        first, second = map(named, server.requests)
    shown = f"[Ada]: the release is on Friday\n[Adа{disambiguation_tag(str(other.id))}]: the release is cancelled"
    assert shown in first
    assert "[Ada]: when is it?" in second
