"""The command `why`: where a memo comes from, as far as that is visible."""

from dataclasses import replace

from recollect.core.types import EVERYWHERE, Origin, Place, Provenance
from tests.faces.commands.talk import Talk, talking
from tests.scenes import DEV, DM, GENERAL, STAFF


async def learned(talk: Talk, text: str, said: str, place: Place) -> None:
    """As learning leaves it: a memo with the words it rests on, shared by its owner later."""
    message = await talk.stage.say(said, place=place)
    memo = await talk.stage.learned(text, place=place)
    source = replace(memo.source, origin=Origin.SUMMARY, message=message.id, evidence=said, actor="discord:ann")
    stored = replace(memo, source=source, audience=EVERYWHERE)
    await talk.memory.store.write(lambda tx: tx.memos.put(stored))


async def test_why_shows_speaker_words_place_and_time():
    async with talking() as talk:
        await learned(talk, "Works at Acme Corp", "I work at Acme Corp since May", DEV)
        told = await talk("!memory why Acme")
        assert 'Said by you in #dev on 2025-03-01 12:00: "I work at Acme Corp since May"' in told
        assert "may be recalled wherever you speak" in told
        assert "What happened to it, newest first:\n- 2025-03-01 12:01 added by you" in told


async def test_words_from_a_dm_are_told_in_the_dm_alone():
    async with talking() as talk:
        await learned(talk, "Works at Acme Corp", "I hate it, but I work at Acme Corp", DM)
        elsewhere = await talk("!memory why 1")
        assert "Works at Acme Corp" in elsewhere
        assert "hate" not in elsewhere
        assert "Said by you elsewhere on" in elsewhere
        assert 'Said by you in a direct message on 2025-03-01 12:00: "I hate it, but' in await talk(
            "!memory why 1", place=DM
        )


async def test_a_closed_channel_is_not_named_outside_of_it():
    async with talking() as talk:
        await learned(talk, "Works at Acme Corp", "I work at Acme Corp", STAFF)
        assert "staff" not in await talk("!memory why Acme", place=GENERAL)
        assert "in #staff" in await talk("!memory why Acme", place=STAFF)


async def test_why_shows_what_was_replaced_and_the_history():
    async with talking() as talk:
        old = await talk.stage.remember("I live in Bern", place=DM)
        await talk("!memory remember I live in Oslo now", place=DM)
        assert 'It took the place of: "I live in Bern"' in await talk("!memory why Oslo", place=DM)
        told = await talk(f"!memory why {old.id}", place=DM)
        assert f"It is superseded ({old.id})" in told
        assert 'It gave way to: "I live in Oslo now"' in told


async def test_what_may_not_be_told_here_stays_out_of_the_lineage_and_the_history():
    async with talking() as talk:
        old = await talk.stage.learned("I live in Bern with Kim", place=DM)
        new = await talk.stage.remember("I live in Oslo now", place=DM)
        stored = replace(await talk.memory.get(new.id, user="ann", place=DM), supersedes=old.id)
        await talk.memory.store.write(lambda tx: tx.memos.put(stored))
        assert "Kim" in await talk("!memory why Oslo", place=DM)
        assert "Kim" not in await talk("!memory why Oslo", place=DEV)


async def test_an_unknown_item_is_one_line():
    async with talking() as talk:
        assert await talk("!memory why durable-0000") == 'Nothing matches "durable-0000"'


async def test_an_item_brought_in_from_elsewhere_is_told_without_a_speaker():
    async with talking() as talk:
        memo = await talk.stage.remember("I like tea")
        stored = replace(memo, source=Provenance(Origin.IMPORT))
        await talk.memory.store.write(lambda tx: tx.memos.put(stored))
        assert "Said by someone elsewhere on" in await talk("!memory why tea")


async def test_it_cites_the_message_by_a_link_where_its_channel_may_be_read():
    dev = Place("discord", "100", "200", name="dev", public=True)
    closed = Place("discord", "100", "300", name="staff")
    async with talking() as talk:
        await talk("!memory remember I work at Acme Corp", place=dev, message="555")
        await talk("!memory remember I own a boat", place=closed, message="556")
        await talk("!memory share boat", place=closed)
        told = await talk("!memory why Acme", place=dev)
        assert "#dev ↗ https://discord.com/channels/100/200/555" in told.splitlines()
        assert "https://discord.com/channels/100/300/556" in await talk("!memory why boat", place=closed)
        assert "https:" not in await talk("!memory why boat", place=dev)
        await talk("!memory remember I like tea", message="not-a-snowflake")
        assert "https:" not in await talk("!memory why tea")
