"""`!memory erase`: it previews what would be removed, erases after confirmation, and memory stays usable."""

from recollect.core.types import Place
from recollect.faces.commands.erase import NOTHING_TO_ERASE
from tests.faces.commands.talk import talking
from tests.scenes import DEV, DM, ELSEWHERE


async def test_erasing_is_asked_for_first_and_then_nothing_is_left_but_what_is_others():
    async with talking() as talk:
        await talk("!memory remember I like green tea", place=DM)
        await talk("!memory remember I work with marzipan")
        await talk("!memory remember I like green tea too", user="ben")
        asked = await talk("!memory erase", place=DM)
        assert asked.splitlines() == [
            "Everything that is known of you, here and everywhere else, (2 items) would be erased for good. "
            "This can't be undone.",
            'To go on, say "!memory erase everything".',
        ]
        assert len(await talk.stage.known()) == 2, "asking changes nothing"
        done = await talk("!memory erase everything", place=DM)
        assert done.startswith("Erased: 2 items. A search for it afterwards found nothing.")
        assert await talk.stage.known() == []
        assert await talk.stage.known("ben") == ["I like green tea too"]
        (receipt,) = await talk.stage.events("erasure.checked")
        assert (receipt.actor, receipt.reason) == ("discord:ann", "clean")


async def test_after_erasing_memory_is_as_usable_as_before():
    async with talking() as talk:
        await talk("!memory remember I like green tea")
        await talk("!memory erase everything")
        assert await talk("!memory undo") == "That change can't be undone: it was an erasure"
        assert await talk("!memory erase") == await talk("!memory erase everything") == NOTHING_TO_ERASE
        assert len(await talk.stage.events("erasure.checked")) == 1, "where there is nothing, nothing is done"
        assert (await talk("!memory remember I like black tea")).partition("\n")[0] == 'Remembered: "I like black tea"'
        assert (await talk("!memory remember I like green tea")).partition("\n")[0] == 'Remembered: "I like green tea"'
        assert len(await talk.stage.known()) == 2


async def test_where_others_hear_it_nobody_is_told_how_much_there_is():
    async with talking() as talk:
        await talk("!memory remember I like green tea", place=DM)
        assert "item" not in await talk("!memory erase", place=DEV)
        assert "item" not in await talk("!memory erase everything", place=DEV)
        assert await talk.stage.known() == []


async def test_only_what_was_left_on_one_server_is_erased_where_that_is_asked():
    async with talking("clanker") as talk:
        await talk("!memory remember I like green tea", place=DEV)
        await talk("!memory remember I play chess", place=ELSEWHERE)
        assert 'say "!memory erase everything here"' in await talk("!memory erase here", place=DEV)
        assert (await talk("!memory erase everything here", place=DEV)).startswith("Erased.")
        assert await talk.stage.known(place=ELSEWHERE) == ["I play chess"]
        assert await talk.stage.known(place=DEV) == []


async def test_in_a_dm_there_is_no_here_and_other_words_erase_nothing():
    async with talking() as talk:
        await talk("!memory remember I like green tea")
        assert (await talk("!memory erase everything here", place=Place("discord", dm="ann"))).startswith(
            "This is not a server"
        )
        assert (await talk("!memory erase my tea")).startswith("Usage: !memory erase [here]")
        assert len(await talk.stage.known()) == 1
