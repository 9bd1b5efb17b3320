"""The layer of durable facts, under each document's rules and ours."""

from pathlib import Path

import pytest

from recollect.core.types import EVERYWHERE, Kind, Origin
from tests import ground
from tests.scenes import DEV, DM, ELSEWHERE, EVERY_PLACE, GENERAL, PRIVATE_THREAD, STAFF, lines, names, opened


def texts(found: list[str]) -> list[str]:
    return [line.partition("] ")[2].partition(" (src")[0] for line in found]


class TestDiscoClaw:
    @pytest.mark.acceptance("A12", "A41")
    async def test_the_newest_facts_are_added_one_line_at_a_time_until_the_next_would_exceed_2000(self):
        async with opened("discoclaw") as stage:
            await stage.remember(*(f"Fact number {n:03} {'x' * 40}" for n in range(60)))
            shown = lines(await stage.prompt("anything"), "durable")
            assert texts(shown)[0] == f"Fact number 059 {'x' * 40}"
            assert shown == sorted(shown, reverse=True)
            each = len(shown[0]) + 1
            assert len(shown) == 2001 // each
            assert "truncated" not in "".join(shown)

    @pytest.mark.acceptance("A41")
    async def test_it_stops_at_the_first_line_that_would_exceed_even_if_an_older_one_would_fit(self):
        async with opened("discoclaw") as stage:
            await stage.remember("Old and short", f"Long {'y' * 1900}", "New and short")
            assert texts(lines(await stage.prompt(), "durable")) == ["New and short"]

    @pytest.mark.acceptance("A41")
    async def test_stated_again_a_fact_is_recent_again_and_the_question_does_not_matter(self):
        async with opened("discoclaw") as stage:
            await stage.remember("Likes tea", "Works at Acme", "Likes tea")
            for question in ("where is Acme?", "tea"):
                assert texts(lines(await stage.prompt(question), "durable")) == ["Likes tea", "Works at Acme"]

    @pytest.mark.acceptance("A56")
    async def test_each_line_has_kind_source_channel_and_date(self):
        async with opened("discoclaw") as stage:
            await stage.remember("Prefers Rust", kind="fact")
            assert lines(await stage.prompt(), "durable") == [
                "- [fact] Prefers Rust (src: manual, #dev, updated 2025-03-01)"
            ]

    async def test_switched_off_or_without_budget_it_offers_nothing(self, tmp_path: Path):
        for durable in ({"enabled": False}, {"inject_max_chars": 0}, {"inject_max_items": 0}):
            store = ground.at(tmp_path / f"{'-'.join(durable)}.db")
            async with opened("discoclaw", store) as stage:
                await stage.remember("Prefers Rust")
            async with opened("discoclaw", store, memos=durable) as stage:
                assert names(await stage.prompt()) == ["message"]


class TestDNAM:
    @pytest.mark.acceptance("B20", "B26")
    async def test_the_twelve_best_by_word_overlap_within_2000_characters(self):
        async with opened("dnam") as stage:
            await stage.remember(*(f"Owns a bicycle called number {n}" for n in range(20)), "Likes kubernetes clusters")
            await stage.remember(*(f"Reads book {n}" for n in range(20)))
            shown = lines(await stage.prompt("which kubernetes clusters?"), "durable")
            assert len(shown) == 12
            assert texts(shown)[0] == "Likes kubernetes clusters"

    @pytest.mark.acceptance("B26", "B4")
    async def test_2000_characters_are_a_hard_cap(self):
        async with opened("dnam") as stage:
            await stage.remember(*(f"Fact {n} {'z' * 300}" for n in range(12)))
            (section, _) = (await stage.prompt("fact")).sections
            assert 1500 < section.used <= 2000 == section.limit

    @pytest.mark.acceptance("B11")
    async def test_each_line_cites_the_message_it_came_from(self):
        async with opened("dnam") as stage:
            await stage.remember("Prefers loops", kind="preference", message="m9", origin=Origin.DISCORD)
            await stage.remember("Builds a boat", kind="project")
            assert sorted(lines(await stage.prompt(), "durable")) == [
                "- [preference] Prefers loops (src: discord:c-dev/m9, updated 2025-03-01)",
                "- [project] Builds a boat (src: manual, updated 2025-03-01)",
            ]


class TestClanker:
    @pytest.mark.acceptance("D38", "D39")
    async def test_eight_facts_of_the_user_then_up_to_ten_that_fit_lore_included_and_nothing_twice(self):
        async with opened("clanker", embedder="null") as stage:
            await stage.remember(*(f"Plays chess opening number {n}" for n in range(15)))
            await stage.remember(*(f"The chess club meets in room {n}" for n in range(5)), lore=True, user="bob")
            prompt = await stage.prompt("which chess opening, and where does the chess club meet?")
            mine, fitting = lines(prompt, "durable"), lines(prompt, "relevant")
            assert len(mine) == 8
            assert all("opening" in line for line in mine)
            assert 0 < len(fitting) <= 10
            assert any("chess club meets" in line for line in fitting)
            assert not set(mine) & set(fitting)
            await stage.remember(*(f"The regatta of {1900 + n} began at pier {n}" for n in range(15)), lore=True)
            regatta = lines(await stage.prompt("at which pier did the regatta begin?"), "relevant")
            assert ["regatta" in line for line in regatta] == [True] * 10

    async def test_facts_of_another_guild_stay_there(self):
        async with opened("clanker", embedder="null") as stage:
            await stage.remember("Leads a guild raid", place=ELSEWHERE)
            assert names(await stage.prompt("guild raid", place=DEV)) == ["message"]


class TestDevClaw:
    @pytest.mark.acceptance("E22")
    async def test_the_layer_is_one_section_of_categories_and_contents(self):
        """X9: the composite layer of memory; its host decides the priority."""
        async with opened("devclaw", embedder="null") as stage:
            await stage.remember("Deploys on Tuesdays", kind="event")
            prompt = await stage.prompt("when are deploys?", actions="none of its business")
            assert prompt.text == "## Relevant Memories\n\n- [event] Deploys on Tuesdays"

    @pytest.mark.acceptance("E21")
    async def test_the_input_is_searched_with_limit_20(self):
        async with opened("devclaw", embedder="null") as stage:
            await stage.remember(*(f"Deploy note {n}" for n in range(30)))
            (section,) = (await stage.prompt("deploy note")).sections
            assert (len(section.lines), section.left_out) == (20, 0)

    @pytest.mark.acceptance("E23", "E24")
    async def test_over_2000_tokens_the_rest_is_counted(self):
        async with opened("devclaw", embedder="null") as stage:
            await stage.remember(*(f"Deploy note {n:02} {'w' * 600}" for n in range(25)))
            (section,) = (await stage.prompt("deploy note")).sections
            assert section.limit == 8000
            assert 7000 < section.used <= 8000
            assert section.text.endswith(f"\n...\n[truncated - {section.left_out} more memories available]")
            assert section.left_out == 8


class TestSource:
    @pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam"])
    async def test_a_closed_channel_is_named_in_it_and_to_its_owner_alone(self, profile: str):
        async with opened(profile) as stage:
            await stage.remember("Prefers Rust", place=STAFF, message="m9", origin=Origin.DISCORD, audience=EVERYWHERE)
            prompts = {place: (await stage.prompt("Rust?", place=place)).text for place in EVERY_PLACE}
            assert {place for place, text in prompts.items() if "staff" in text} == {STAFF, DM}
            assert all("Prefers Rust" in text for text in prompts.values())

    async def test_nor_is_a_private_thread_in_its_channel(self):
        async with opened() as stage:
            await stage.remember("Prefers Rust", place=PRIVATE_THREAD)
            assert "#secret" not in (await stage.prompt(place=DEV)).text
            assert "#secret" in (await stage.prompt(place=PRIVATE_THREAD)).text


class TestUnified:
    async def test_everything_in_a_lasting_order_when_it_fits(self):
        async with opened() as stage:
            await stage.remember("Likes tea", "Works at Acme", "Owns a cat")
            for question in ("tea?", "cat?", "Acme?"):
                prompt = await stage.prompt(question)
                assert texts(lines(prompt, "durable")) == ["Likes tea", "Works at Acme", "Owns a cat"]
                assert "relevant" not in names(prompt)

    async def test_beyond_the_budget_what_fits_the_question_and_always_what_is_pinned_or_a_constraint(self):
        async with opened() as stage:
            await stage.remember("I am allergic to peanuts", kind=Kind.CONSTRAINT)
            await stage.remember("My sister is called Eva", pinned=True)
            await stage.remember(*(f"Visited town number {n} {'v' * 60}" for n in range(40)), "Plays the oboe")
            prompt = await stage.prompt("who plays the oboe?")
            assert texts(lines(prompt, "durable")) == ["I am allergic to peanuts", "My sister is called Eva"]
            relevant = lines(prompt, "relevant")
            assert texts(relevant)[0] == "Plays the oboe"
            assert "peanuts" not in "".join(relevant)
            used = sum(section.used for section in prompt.sections if section.name in ("durable", "relevant"))
            assert used < 2000
            assert relevant[-1].startswith("[truncated - ")

    async def test_constraints_take_half_of_the_room_at_the_most(self):
        async with opened() as stage:
            await stage.remember(*(f"Never do thing number {n} {'n' * 60}" for n in range(40)))
            prompt = await stage.prompt("thing number 3")
            sizes = {section.name: section.used for section in prompt.sections}
            assert sizes["durable"] <= 1000
            assert sizes["durable"] + sizes["relevant"] < 2000

    async def test_what_was_learned_elsewhere_is_told_only_where_it_could_be_heard(self):
        async with opened() as stage:
            for place in (DM, STAFF, DEV, ELSEWHERE):
                await stage.learned(f"Said in {place.name or 'private'}", place=place)
            told = {place: texts(lines(await stage.prompt(place=place), "durable")) for place in (DM, STAFF, GENERAL)}
            assert told[DM] == ["Said in private", "Said in staff", "Said in dev", "Said in lobby"]
            assert told[STAFF] == ["Said in staff", "Said in dev"]
            assert told[GENERAL] == ["Said in dev"]

    async def test_what_has_expired_or_was_forgotten_is_not_shown(self):
        async with opened() as stage:
            await stage.remember("On holiday", expires=stage.clock.advance(hours=1))
            await stage.remember("Likes tea")
            stage.clock.advance(hours=2)
            await stage.memory.forget("tea", user="discord:ann")
            assert names(await stage.prompt()) == ["message"]


async def test_the_notice_counts_all_that_is_remembered_and_not_shown():
    async with opened("unified", embedder="null") as stage:
        await stage.remember(*(f"Deploy note {n:02} {'w' * 150}" for n in range(40)))
        sections = (await stage.prompt("deploy note")).sections
        (text,) = [section.text for section in sections if "Deploy note" in section.text]
        shown = text.count("Deploy note")
    assert 5 < shown < 40
    assert f"[truncated - {40 - shown} more memories available]" in text
