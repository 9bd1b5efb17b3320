"""The layer of recent messages: document A's exact rules, and a window that moves in steps under ours."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.types import Message
from recollect.policy.rendering import window
from recollect.prompting.layers.history import step
from recollect.testing.clock import START
from tests.scenes import DEV, DM, GENERAL, PRIVATE_THREAD, THREAD, lines, names, opened


def talk(*sizes: int, bots: str = "") -> list[Message]:
    """Messages whose lines have these lengths, oldest first; `bots` names those that the assistant wrote."""
    return [
        Message(str(n), "u", DEV, "x" * (size - 5), START + timedelta(minutes=n), name="A", bot=str(n) in bots)
        for n, size in enumerate(sizes)
    ]


@pytest.mark.acceptance("A43")
class TestTheRulesOfTheDocument:
    async def test_the_ten_newest_messages_oldest_first(self):
        async with opened("discoclaw") as stage:
            for n in range(14):
                await stage.say(f"message {n}", user="ann" if n % 2 else "bob")
            shown = lines(await stage.prompt(), "history")
            assert shown == [f"[{'Ann' if n % 2 else 'Bob'}]: message {n}" for n in range(4, 14)]

    def test_it_walks_backward_from_the_newest_and_stays_under_the_budget(self):
        assert [len(line) for line in window(talk(100, 100, 100), 250)] == [100, 100]
        assert window(talk(100, 100, 100), 302) == window(talk(100, 100, 100), None)

    def test_a_message_of_the_bot_is_truncated_to_fit(self):
        shown = window(talk(100, 900, 100, bots="1"), 500)
        assert [len(line) for line in shown] == [399, 100]
        assert shown[0].endswith("…")

    def test_a_message_of_a_user_that_does_not_fit_is_a_hard_stop(self):
        assert [len(line) for line in window(talk(10, 900, 100), 500)] == [100]

    def test_after_a_truncated_message_there_is_no_room_for_more(self):
        assert len(window(talk(10, 900, 100, bots="01"), 500)) == 2

    def test_without_budget_there_is_nothing(self):
        assert window(talk(100, bots="0"), 0) == []

    async def test_without_budget_there_is_no_section(self):
        async with opened("discoclaw", history={"inject_max_chars": 0}) as stage:
            await stage.say("hello")
            assert names(await stage.prompt()) == ["message"]

    async def test_3000_characters_by_default(self):
        async with opened("discoclaw") as stage:
            for n in range(10):
                await stage.say(f"{n} {'h' * 500}")
            (section, _) = (await stage.prompt()).sections
            assert (section.limit, len(section.lines)) == (3000, 5)

    async def test_a_store_that_cannot_be_read_leaves_the_prompt_without_it(self):
        async with opened("discoclaw") as stage:
            await stage.say("hello")
            await stage.memory.store.close()
            assert (await stage.prompt("anyone?")).text == "User message:\nanyone?"


async def test_the_message_being_answered_is_not_history_yet():
    async with opened("discoclaw") as stage:
        await stage.say("first")
        current = await stage.say("second")
        prompt = await stage.memory.context(current)
        assert lines(prompt, "history") == ["[Ann]: first"]
        assert lines(prompt, "message") == ["second"]


@pytest.mark.acceptance("C1", "C24")
async def test_channel_thread_and_dm_are_conversations_of_their_own():
    async with opened("dnam") as stage:
        for place in (DEV, GENERAL, THREAD, PRIVATE_THREAD, DM):
            await stage.say(f"said in {place.session}", place=place)
            await stage.summarise(f"summary of {place.session}", place=place)
        for place in (DEV, GENERAL, THREAD, PRIVATE_THREAD, DM):
            prompt = await stage.prompt(place=place)
            assert lines(prompt, "history") == [f"[Ann]: said in {place.session}"]
            assert lines(prompt, "rolling") == [f"summary of {place.session}"]


@pytest.mark.parametrize(("asked", "used"), [(3, 10), (50, 50), (500, 120)])
async def test_the_number_of_messages_is_clamped_from_10_to_120(asked: int, used: int):
    async with opened("discoclaw", history={"max_messages": asked, "inject_max_chars": None}) as stage:
        for n in range(125):
            await stage.memory.add(stage.message(f"m{n}"))
            stage.clock.advance(seconds=1)
        assert len(lines(await stage.prompt(), "history")) == used


async def test_deleted_and_edited_messages_are_shown_as_they_are_now():
    async with opened() as stage:
        first, second = await stage.say("typo"), await stage.say("secret")
        await stage.memory.message_edited("discord", first.id, "fixed")
        await stage.memory.message_deleted("discord", second.id)
        assert lines(await stage.prompt(), "history") == ["[Ann]: fixed"]


class TestSteps:
    async def test_while_everything_fits_everything_is_shown(self):
        async with opened() as stage:
            for n in range(20):
                await stage.say(f"message {n}")
            assert len(lines(await stage.prompt(), "history")) == 20

    async def test_the_window_keeps_its_start_for_many_messages_and_at_least_half_of_what_fits(self):
        async with opened() as stage:
            starts: list[str] = []
            for n in range(150):
                await stage.say(f"message {n:03} {'s' * 80}")
                shown = lines(await stage.prompt(), "history")
                starts.append(shown[0])
                assert sum(map(len, shown)) <= 3000
                assert n < 30 or 14 <= len(shown) <= 31
                assert shown[-1].startswith(f"[Ann]: message {n:03}")
            later = starts[40:]
            assert len(set(later)) <= len(later) / 8
            assert later == sorted(later)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=40), st.integers(1, 40))
def test_a_window_starts_where_it_fits_whatever_the_times(gaps: list[int], fits: int):
    at, messages = START, []
    for n, gap in enumerate(gaps):
        at += timedelta(seconds=gap)
        messages.append(Message(str(n), "u", DEV, "x", at))
    fits = min(fits, len(messages))
    start = step(messages, fits)
    assert len(messages) - fits <= start < len(messages)
    assert len(messages) - start >= fits // 2
