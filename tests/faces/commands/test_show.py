"""Commands that show memory: their answers and formats."""

import json

import pytest

from recollect.core.types import Message
from tests.faces.commands.talk import PROFILES, talking
from tests.scenes import DEV, DM, GENERAL, lines


@pytest.mark.acceptance("A7", "A16", "A17")
@pytest.mark.parametrize("order", ["!memory show", "!memory"])
async def test_show_lists_all_items_and_the_rolling_summary(order: str):
    async with talking("discoclaw", summary={"session_key": "place"}) as talk:
        await talk.stage.remember("Building a bot called Discoclaw", kind="project")
        await talk("!memory remember I prefer Rust over Go for systems work")
        await talk("!memory remember Works at Acme Corp")
        await talk.stage.summarise("They discussed webhooks for the migration.")
        assert await talk(order) == (
            "Durable memory (3 items):\n"
            "- [fact] Works at Acme Corp (src: manual)\n"
            "- [preference] I prefer Rust over Go for systems work (src: manual)\n"
            "- [project] Building a bot called Discoclaw (src: manual)\n"
            "\n"
            "Rolling summary:\n"
            "They discussed webhooks for the migration."
        )


@pytest.mark.parametrize("profile", PROFILES)
async def test_show_of_an_empty_memory_has_a_count_and_no_summary(profile: str):
    async with talking(profile) as talk:
        for place in (DEV, DM):
            shown = await talk("!memory show", place=place)
            plain = profile == "unified"
            assert shown.startswith("What I remember (0 memories):" if plain else "Durable memory (0 items):")
            assert ("Summary of" if plain else "Rolling summary") not in shown


@pytest.mark.acceptance("B47")
async def test_show_in_the_profile_dnam_lists_what_the_next_prompt_carries_and_the_summary():
    async with talking("dnam") as talk:
        for number in range(20):
            await talk(f"!memory remember The code of room {number} is {number * 7919}")
        await talk.stage.summarise("They walked through the rooms.")
        prompt = await talk.stage.prompt("")
        carried = lines(prompt, "durable")
        assert len(carried) == 12
        shown = await talk("!memory show")
        assert shown == "\n".join(
            ["Durable memory (12 items):", *carried, "", "Rolling summary:", "They walked through the rooms."]
        )
        assert (await talk("!memory show all")).startswith("Durable memory (20 items):")


@pytest.mark.parametrize("profile", PROFILES)
async def test_show_injected_is_word_for_word_what_a_prompt_gets_with_reasons(profile: str):
    async with talking(profile, memos={"inject_max_chars": 400}) as talk:
        for topic in ("tea", "rust", "sailing", "chess", "the opera", "long walks", "cats"):
            await talk(f"!memory remember I am very fond of {topic}, and have been for years")
        shown = await talk("!memory show injected do I like sailing?")
        prompt = await talk.stage.prompt("do I like sailing?")
        carried = [line for name in ("durable", "relevant") for line in lines(prompt, name)]
        assert carried
        assert [line for line in shown.splitlines() if line.startswith("- ")] == [
            line for line in carried if line.startswith("- ")
        ]
        assert 'A prompt for "do I like sailing?" carries:' in shown
        assert shown.count("  why: ") >= len(carried)


async def test_show_injected_of_an_empty_memory_says_so():
    async with talking() as talk:
        assert await talk("!memory show injected") == "The next prompt carries no memory."


async def test_show_with_words_that_mean_nothing_says_how_it_is_used():
    async with talking() as talk:
        assert (await talk("!memory show everything")).startswith("Usage: !memory show [all | injected [message]]")


async def test_list_numbers_items_on_from_page_to_page_and_the_numbers_count():
    async with talking(limit=300) as talk:
        for number in range(40):
            await talk.stage.remember(f"Bay {number} holds the boat called {chr(65 + number % 26)}{number}")
        answer = await talk.answer("!memory list")
        assert len(answer.pages) > 5
        assert all(len(page) <= 300 for page in answer.pages)
        numbers = [
            line.split(".")[0] for page in answer.pages for line in page.splitlines()[0 if page[0] != "W" else 1 :]
        ]
        assert numbers == [str(number) for number in range(1, 41)]
        (line,) = [line for page in answer.pages for line in page.splitlines() if line.startswith("17. ")]
        assert "Bay 23 " in line
        await talk("!memory forget 17")
        assert "Bay 23 " not in await talk("!memory show")


async def test_search_finds_what_fits_under_the_number_it_has_in_the_list():
    async with talking() as talk:
        await talk.stage.remember("The espresso machine is on floor two", "My sister lives in Oslo", "I play chess")
        await talk.stage.remember("Oslo is where the guild meets", lore=True)
        found = await talk("!memory search Oslo")
        assert "2. [person] My sister lives in Oslo (score " in found
        assert "- [lore] Oslo is where the guild meets (score " in found
        assert "espresso" not in found
        assert await talk("!memory search zeppelins") == 'Nothing matches "zeppelins"'


async def test_export_in_a_dm_gives_everything_as_markdown_and_as_a_json_file():
    async with talking() as talk:
        await talk("!memory remember I like tea", place=DM)
        await talk("!memory remember Works at Acme Corp", place=DM)
        await talk("!memory forget Acme", place=DM)
        answer = await talk.answer("!memory export", place=DM)
        (page,) = answer.pages
        assert "## preference\n- I like tea (kept as you asked, 2025-03-01)" in page
        assert "## no longer counts\n- Works at Acme Corp" in page
        assert answer.file is not None
        items = json.loads(answer.file.text)["items"]
        assert {item["text"]: item["status"] for item in items} == {
            "I like tea": "active",
            "Works at Acme Corp": "deprecated",
        }
        assert json.loads(await talk("!memory export json", place=DM))["items"] == items


async def test_export_elsewhere_gives_what_may_be_heard_there_and_points_to_the_dm():
    async with talking() as talk:
        await talk.stage.learned("My salary is 90,000", place=DM)
        await talk("!memory remember I like tea")
        await talk("!memory remember Works at Acme Corp")
        await talk("!memory forget Acme")
        for order in ("!memory export", "!memory export json"):
            answer = await talk.answer(order)
            (page,) = answer.pages
            assert "I like tea" in page
            assert "salary" not in page
            assert "Acme" not in page
            assert "direct message" in page
            assert answer.file is None
        assert "salary" in await talk("!memory export", place=DM)


async def test_a_text_is_escaped_before_pages_are_cut():
    async with talking(escape=lambda text: text.replace("*", "\\*")) as talk:
        await talk.stage.remember("stars " + "*" * 1500)
        answer = await talk.answer("!memory show")
        assert all(len(page) <= 2000 for page in answer.pages)
        assert "".join(answer.pages).count("\\*") == 1500


@pytest.mark.acceptance("A8", "A21", "B50")
@pytest.mark.parametrize("profile", PROFILES)
async def test_reset_rolling_clears_the_summary_of_this_session_alone(profile: str):
    async with talking(profile) as talk:
        await talk.stage.summarise("They talked about webhooks.", DEV)
        await talk.stage.summarise("They talked about lunch.", GENERAL)
        await talk("!memory remember I like tea")
        assert await talk("!memory reset rolling") == "Cleared the rolling summary of this session"
        assert "Summary of this" not in await talk("!memory show")
        assert "I like tea" in await talk("!memory show")
        assert "They talked about lunch." in await talk("!memory show", place=GENERAL)
        assert await talk("!memory reset rolling") == "There is no rolling summary here to clear"


async def test_reset_clears_only_the_share_of_the_one_who_asks_where_sessions_are_a_user_in_a_channel():
    async with talking("discoclaw", run_worker=True, model="local", summary={"every_n_turns": 1}) as talk:
        for user in ("ann", "bob"):
            chat = "It was a long week with much talk, and nobody had slept well before the meeting on Friday. "
            asked = await talk.stage.say(f"{chat}We decided to move the API of {user} to Fastify.", user)
            await talk.stage.reply("Which version of Fastify is it?", asked)
        assert await talk.memory.worker.wait_idle(20)
        assert "Rolling summary:" in await talk("!memory show", "bob")
        assert await talk("!memory reset rolling", "ann") == "Cleared the rolling summary of this session"
        assert "Rolling summary:" not in await talk("!memory show", "ann")
        assert "Rolling summary:" in await talk("!memory show", "bob")


async def test_reset_of_anything_else_says_how_it_is_used():
    async with talking() as talk:
        await talk.stage.summarise("They talked about webhooks.")
        for order in ("!memory reset", "!memory reset all"):
            assert (await talk(order)).startswith("Usage: !memory reset rolling")
        assert "webhooks" in await talk("!memory show")


async def test_a_message_of_someone_else_does_not_show_in_my_memory():
    async with talking() as talk:
        await talk("!memory remember I like tea", "bob")
        await talk.memory.add(Message("m1", "bob", DEV, "I live in Rome", talk.stage.clock()))
        assert (await talk("!memory show", "ann")).startswith("What I remember (0 memories):")
