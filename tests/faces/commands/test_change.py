"""Commands that change memory: what they do, and what they answer."""

import pytest

from recollect.core.types import Kind, Origin, Status
from recollect.testing.models import FakeModel
from tests.faces.commands.talk import PROFILES, Talk, talking
from tests.scenes import DEV, DM, GENERAL, lines


async def statuses(talk: Talk, user: str = "ann") -> dict[str, Status]:
    return {memo.text: memo.status for memo in (await talk.memory.list(user=user, place=DM, statuses="any")).memos}


HEARD = 'It may be recalled on the server where it was said; "!memory share <a part of it>" lets more people hear it.'


@pytest.mark.acceptance("A18", "B48")
@pytest.mark.parametrize("profile", PROFILES)
async def test_remember_answers_with_the_text_and_stores_it_as_stated(profile: str):
    async with talking(profile) as talk:
        reply = await talk("!memory remember I prefer Rust over Go for systems work", message="m-77")
        stated, _, heard = reply.partition("\n")
        assert stated == 'Remembered: "I prefer Rust over Go for systems work"'
        assert heard == (HEARD if profile == "unified" else "")
        assert (await talk("!memory remember Works at Acme Corp")).partition("\n")[
            0
        ] == 'Remembered: "Works at Acme Corp"'
        works, prefers = (await talk.memory.show(user="ann", place=DEV)).memos
        assert (prefers.kind, works.kind) == (Kind.PREFERENCE, Kind.FACT)
        source = prefers.source
        assert (source.origin, source.guild, source.channel, source.channel_name, source.message) == (
            Origin.MANUAL,
            "g1",
            "c-dev",
            "dev",
            "m-77",
        )


async def test_remember_command_refuses_a_secret_with_the_reason():
    async with talking() as talk:
        reply = await talk("!memory remember AKIAIOSFODNN7EXAMPLE")
        assert reply == "That looks like a secret, so it was not remembered"


@pytest.mark.parametrize(
    ("order", "text"),
    [
        ('!memory remember "I like tea"', "I like tea"),
        ("!MEMORY   REMEMBER   I like tea", "I like tea"),
        ("/memory remember I like\ntea\n\nand cake", "I like tea and cake"),
        ("!memory remember 🫖 is what <@42> drinks", "🫖 is what <@42> drinks"),
    ],
)
async def test_however_it_is_written_the_same_is_remembered(order: str, text: str):
    async with talking() as talk:
        assert (await talk(order)).partition("\n")[0] == f'Remembered: "{text}"'
        assert list(await statuses(talk)) == [text]


async def test_a_correction_names_what_it_takes_the_place_of():
    async with talking() as talk:
        await talk("!memory remember I live in Bern")
        reply = await talk("!memory remember I live in Oslo now")
        assert reply.splitlines()[:2] == ['Remembered: "I live in Oslo now"', 'It takes the place of: "I live in Bern"']


@pytest.mark.parametrize(
    "verb", ["remember", "forget", "forget all", "restore", "search", "why", "pin", "unpin", "share", "private"]
)
@pytest.mark.parametrize("empty", ["", "   ", ' ""'])
async def test_an_order_without_its_argument_says_how_it_is_used(verb: str, empty: str):
    async with talking() as talk:
        await talk("!memory remember I like tea and all that")
        reply = await talk(f"!memory {verb}{empty}")
        assert reply.startswith(f"Usage: !memory {verb.split()[0]} ")
        assert await statuses(talk) == {"I like tea and all that": Status.ACTIVE}


@pytest.mark.parametrize("verb", ["remember", "forget", "search", "why", "pin", "show injected", "reset", "export"])
async def test_an_argument_of_ten_thousand_characters_is_one_clear_line(verb: str):
    async with talking() as talk:
        reply = await talk(f"!memory {verb} " + "x" * 10_000)
        assert reply.startswith("10,000 characters are too long")
        assert len(reply.splitlines()) == 1
        assert await statuses(talk) == {}


async def test_a_long_text_is_confirmed_on_one_page():
    async with talking() as talk:
        answer = await talk.answer("!memory remember " + "many words " * 600)
        assert len(answer.pages) == 1
        assert answer.pages[0].startswith('Remembered: "many words')
        assert answer.pages[0].endswith(f'…"\n{HEARD}')


@pytest.mark.acceptance("A19", "A20")
@pytest.mark.parametrize(
    ("profile", "reply"),
    [
        ("unified", 'Forgot 1 memory matching "Acme". Undo: !memory undo'),
        ("discoclaw", 'Deprecated 1 item matching "Acme"'),
    ],
)
async def test_forget_takes_any_part_of_the_text_and_keeps_the_item_as_deprecated(profile: str, reply: str):
    async with talking(profile) as talk:
        await talk("!memory remember Works at Acme Corp")
        await talk("!memory remember I like tea")
        assert await talk("!memory forget Acme") == reply
        assert await statuses(talk) == {"Works at Acme Corp": Status.DEPRECATED, "I like tea": Status.ACTIVE}
        assert await talk('!memory forget "acme"') == 'Nothing matches "acme"'


@pytest.mark.acceptance("B49")
async def test_forget_in_the_profile_dnam_takes_sixty_percent_of_the_text_and_no_less():
    async with talking("dnam") as talk:
        await talk("!memory remember abcdefghij klmnopqrs")  # 20 characters
        reply = await talk("!memory forget abcdefghij ")
        assert reply.startswith('Nothing matches "abcdefghij" closely enough: say at least 60 %')
        assert await talk("!memory forget ABCDEFGHIJ k") == 'Deprecated 1 item matching "ABCDEFGHIJ k"'


async def test_forget_of_several_lists_them_by_number_and_changes_nothing():
    async with talking() as talk:
        await talk.stage.remember("The blue boat is in Oslo", "I play chess", "My sister lives in Oslo")
        reply = await talk("!memory forget oslo")
        assert reply == (
            '2 items match "oslo":\n'
            "1. [person] My sister lives in Oslo\n"
            "3. [fact] The blue boat is in Oslo\n"
            'Nothing was changed. Say which by its number, or "!memory forget all oslo".'
        )
        assert set((await statuses(talk)).values()) == {Status.ACTIVE}
        assert await talk("!memory forget 3") == (
            'Forgot 1 memory matching "3". Undo: !memory undo\n- The blue boat is in Oslo'
        )
        assert (await statuses(talk))["My sister lives in Oslo"] is Status.ACTIVE


async def test_forget_all_takes_every_match_and_one_undo_brings_them_back():
    async with talking() as talk:
        await talk.stage.remember("The blue boat is in Oslo", "I play chess", "My sister lives in Oslo")
        assert (await talk("!memory forget ALL oslo")).startswith(
            'Forgot 2 memories matching "oslo". Undo: !memory undo\n- '
        )
        assert [text for text, status in (await statuses(talk)).items() if status is Status.ACTIVE] == ["I play chess"]
        undone = await talk("!memory undo")
        assert sorted(undone.splitlines()) == [
            "Redo: !memory redo",
            'Restored: "My sister lives in Oslo"',
            'Restored: "The blue boat is in Oslo"',
        ]
        assert set((await statuses(talk)).values()) == {Status.ACTIVE}


async def test_a_quoted_all_is_a_part_of_a_text_like_any_other():
    async with talking() as talk:
        await talk.stage.remember("I eat all sorts of soup", "I like tea")
        assert await talk('!memory forget "all sorts"') == 'Forgot 1 memory matching "all sorts". Undo: !memory undo'


async def test_undo_goes_back_step_by_step_until_there_is_nothing():
    async with talking() as talk:
        await talk("!memory remember I like tea")
        await talk("!memory forget tea")
        assert await talk("!memory undo") == 'Restored: "I like tea"\nRedo: !memory redo'
        assert await talk("!memory undo") == 'Removed: "I like tea"\nRedo: !memory redo'
        assert await talk("!memory undo") == "There is nothing to undo"


async def test_redo_takes_back_the_undo():
    async with talking() as talk:
        await talk("!memory remember I like tea")
        await talk("!memory undo")
        assert await talk("!memory redo") == 'Restored: "I like tea"'
        assert await talk("!memory redo") == "There is nothing to redo"


async def test_undo_says_what_it_changed_back():
    async with talking() as talk:
        await talk("!memory remember I like tea", place=DM)
        await talk("!memory pin tea", place=DM)
        assert await talk("!memory undo", place=DM) == 'Undid pinning: "I like tea"\nRedo: !memory redo'
        await talk("!memory share tea", place=DM)
        told = await talk("!memory undo", place=DM)
        assert told == 'Undid the change of who may hear it: "I like tea"\nRedo: !memory redo'
        memo = (await talk.memory.show(user="ann")).memos[0]
        await talk.memory.update(memo.id, "I like green tea", user="ann", place=DM)
        assert await talk("!memory undo", place=DM) == 'Changed back to: "I like tea"\nRedo: !memory redo'


async def test_undo_refuses_where_the_last_change_came_with_a_deleted_message():
    async with talking(model=FakeModel()) as talk:
        await talk.stage.tell("I live in Ghent")
        moved = await talk.stage.tell("I live in Bruges now")
        await talk.memory.message_deleted("discord", moved.id)
        told = "That change can't be undone: it came with a message that was deleted or edited"
        assert await talk("!memory undo") == told
        assert await talk.stage.known() == ["I live in Ghent"]


async def test_pin_and_unpin_by_number_part_and_id():
    async with talking() as talk:
        memo = await talk.stage.remember("I like tea")
        for order, pinned in (("pin 1", True), ("unpin tea", False), (f"pin {memo.id}", True)):
            done = "Pinned" if pinned else "Unpinned"
            assert await talk(f"!memory {order}") == f'{done}: "I like tea"'
            assert (await talk.memory.get(memo.id, user="ann", place=DEV)).pinned is pinned


async def test_a_part_that_several_items_have_pins_none():
    async with talking() as talk:
        await talk.stage.remember("The boat is in Oslo", "My sister lives in Oslo")
        reply = await talk("!memory pin Oslo")
        assert reply.startswith('2 items match "Oslo":\n1. [person] My sister lives in Oslo\n2. ')
        assert not any(memo.pinned for memo in (await talk.memory.show(user="ann", place=DEV)).memos)
        assert await talk("!memory pin 7") == 'Nothing matches "7"'


async def test_a_private_item_is_shown_in_the_dm_alone_until_it_is_shared_again():
    async with talking() as talk:
        await talk("!memory remember I like tea")
        assert await talk("!memory private tea") == 'Private: "I like tea"'
        assert "tea" not in await talk("!memory show")
        assert await talk("!memory share 1") == 'Nothing matches "1"'
        assert "I like tea" in await talk("!memory show", place=DM)
        assert await talk("!memory share tea", place=DM) == 'Shared: "I like tea"'
        assert "I like tea" in await talk("!memory show", place=GENERAL)


async def test_what_may_not_be_heard_here_is_not_found_by_any_order():
    async with talking() as talk:
        memo = await talk.stage.learned("My salary is 90,000", place=DM)
        for order in ("show", "list", "search salary", "show injected my salary", "export", "undo"):
            assert "90,000" not in await talk(f"!memory {order}")
        await talk.stage.learned("My salary is 90,000", place=DM)
        for order in ("forget", "pin", "share", "private", "why"):
            for what in ("salary", memo.id, "1"):
                assert await talk(f"!memory {order} {what}") == f'Nothing matches "{what}"'
        assert "90,000" in await talk("!memory show", place=DM)


async def test_pausing_lasts_until_resumed_and_show_says_so():
    async with talking() as talk:
        paused = await talk("!memory pause")
        assert paused.startswith("Learning is paused")
        assert await talk("!memory pause", place=DM) == paused
        assert (await talk("!memory show")).endswith(paused)
        assert "paused" not in await talk("!memory show", "bob")
        assert (await talk("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
        assert (await talk("!memory resume")).startswith("Learning goes on")
        assert await talk("!memory resume") == "Learning was not paused."
        assert "paused" not in await talk("!memory show")


async def test_undo_after_a_pause_undoes_the_last_change_of_memory():
    async with talking() as talk:
        await talk("!memory remember I like tea")
        await talk("!memory pause")
        assert await talk("!memory undo") == 'Removed: "I like tea"\nRedo: !memory redo'


async def test_help_names_every_order():
    async with talking() as talk:
        told = await talk("!memory help")
        for verb in ("show", "list", "search", "why", "remember", "forget", "undo", "pin", "unpin", "share", "private"):
            assert f"- !memory {verb}" in told
        for verb in ("pause", "resume", "reset rolling", "export", "help"):
            assert f"- !memory {verb}" in told


async def test_an_unknown_order_gets_a_suggestion_and_the_help():
    async with talking() as talk:
        reply = await talk("!memory forgot Acme")
        assert reply.startswith('There is no command "forgot". Did you mean "forget"?\nMemory commands:\n')
        assert (await talk("!memory 🦀")).startswith('There is no command "🦀".\nMemory commands:\n')


@pytest.mark.acceptance("B6")
@pytest.mark.parametrize("profile", PROFILES)
async def test_what_is_remembered_can_be_seen_explained_corrected_and_removed(profile: str):
    async with talking(profile) as talk:
        await talk("!memory remember I live in Bern")
        assert "I live in Bern" in await talk("!memory show")
        assert "Said by you in #dev on 2025-03-01" in await talk("!memory why Bern")
        await talk("!memory remember I live in Oslo now")
        shown = await talk("!memory show")
        assert "I live in Oslo now" in shown
        assert "Bern" not in shown
        await talk("!memory forget 1")
        assert "(0 " in (await talk("!memory show")).splitlines()[0]
        await talk("!memory undo")
        assert "I live in Oslo now" in await talk("!memory show")


@pytest.mark.acceptance("B82")
@pytest.mark.parametrize("profile", PROFILES)
async def test_a_preference_told_in_one_channel_is_recalled_in_another_while_the_summary_changes(profile: str):
    async with talking(profile, summary={"session_key": "place"}) as talk:
        await talk("!memory remember I prefer Rust over Go for systems work", place=DEV)
        for sequence in range(1, 4):
            await talk.stage.summarise(f"Summary number {sequence}.", GENERAL, sequence)
            prompt = await talk.stage.prompt("Should I write this in Go or Rust?", place=GENERAL)
            (line,) = lines(prompt, "durable")
            assert "I prefer Rust over Go for systems work" in line
            assert lines(prompt, "rolling")[0] == f"Summary number {sequence}."
        assert "I prefer Rust over Go for systems work" in await talk("!memory show", place=GENERAL)
        reply = await talk("!memory forget prefer Rust over Go for systems work", place=GENERAL)
        assert reply.startswith("Forgot 1 memory" if profile == "unified" else "Deprecated 1 item")
        assert lines(await talk.stage.prompt("Go or Rust?", place=DEV), "durable") == []


async def test_restore_brings_back_by_number_or_words_what_was_forgotten_long_ago():
    async with talking() as talk:
        await talk("!memory remember I like tea")
        await talk("!memory remember I like green hats")
        await talk("!memory forget all I like")
        await talk("!memory remember I play chess")
        listed = await talk("!memory forgotten")
        assert listed.splitlines()[0] == "No longer in use (2 items):"
        assert "deprecated" in listed
        asked = await talk("!memory restore I like")
        assert asked.splitlines()[0] == '2 items match "I like":'
        assert asked.splitlines()[-1] == "Nothing was changed. Say which by its number."
        numbers = {line.partition("] ")[2]: line.partition(".")[0] for line in asked.splitlines()[1:-1]}
        assert await talk(f"!memory restore {numbers['I like tea']}") == 'Restored: "I like tea"'
        assert await talk("!memory restore green") == 'Restored: "I like green hats"'
        assert await talk("!memory forgotten") == "Nothing was forgotten that could be restored."
        assert await talk("!memory restore tea") == 'It is in use already: "I like tea"'
        assert await talk("!memory restore spoons") == 'Nothing that was forgotten matches "spoons"'
        assert await talk("!memory undo") == 'Retired again: "I like green hats"\nRedo: !memory redo'


async def test_restore_says_what_gives_way():
    async with talking() as talk:
        await talk("!memory remember I live in Ghent")
        await talk("!memory remember I live in Bruges")
        replaced = 'Restored: "I live in Ghent"\nIt takes the place of: "I live in Bruges"'
        assert await talk("!memory restore Ghent") == replaced
