"""Faults that were found by trying to break it, each as the story that showed it."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

import recollect
from recollect import Message, Place
from recollect.core.errors import BadInput
from recollect.testing.clock import FakeClock
from tests import ground

WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None  # as if it were not installed
import asyncio, recollect

async def main():
    async with recollect.AsyncMemory("sqlite://") as memory:
        await memory.remember("I like tea", user="ada")
        print([found.text for found in await memory.search("tea", user="ada")])

asyncio.run(main())
"""


@pytest.mark.sqlite
def test_the_core_works_by_words_where_numpy_is_not_installed():
    done = subprocess.run([sys.executable, "-c", WITHOUT_NUMPY], capture_output=True, text=True, check=False)
    assert done.stdout == "['I like tea']\n", done.stderr
    assert "recollect[vectors]" in done.stderr


async def test_a_closed_channel_is_not_heard_in_another_guilds_channel_of_the_same_id():
    async with recollect.AsyncMemory(ground.new(), embedder="null") as memory:
        said = datetime.now(UTC) - timedelta(minutes=5)
        here, there = Place(guild="A", channel="general"), Place(guild="B", channel="general")
        await memory.add(Message("1", "ada", here, "the merger with Globex is secret", said))
        prompt = await memory.context(Message("2", "bob", there, "hello there", datetime.now(UTC)))
        assert "Globex" not in prompt.text


async def test_a_date_beyond_the_calendar_does_not_make_a_memory_unreadable():
    async with recollect.AsyncMemory(ground.new(), embedder="null") as memory:
        west, east = timezone(timedelta(hours=-5)), timezone(timedelta(hours=5))
        await memory.remember("I hold a visa", user="ada", expires=datetime(9999, 12, 31, 23, tzinfo=west))
        await memory.remember("I was there", user="ada", happened=datetime(1, 1, 1, tzinfo=east))
        assert {memo.text for memo in (await memory.show(user="ada")).memos} == {"I hold a visa", "I was there"}


async def test_one_endless_message_does_not_silence_the_conversation():
    clock = FakeClock()
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=clock) as memory:
        place = Place(dm="ada")
        for number, text in enumerate(("we meet at noon", "x" * 3100)):
            await memory.add(Message(str(number), "ada", place, text, clock()))
            clock.advance(minutes=1)
        prompt = await memory.context(Message("9", "ada", place, "when do we meet?", clock()))
        assert prompt.missing == ()
        assert "noon" in prompt.text


async def test_a_statement_counts_even_when_the_clock_was_set_back():
    clock = FakeClock(datetime(2027, 1, 1, tzinfo=UTC))
    async with recollect.AsyncMemory(ground.new(), embedder="null", clock=clock) as memory:
        await memory.remember("I live in Berlin", user="ada")
        clock.advance(days=-365)
        done = await memory.remember("I live in Paris", user="ada")
        assert done.memo.text == "I live in Paris"
        await memory.forget("Paris", user="ada")
        clock.advance(seconds=-2)
        assert (await memory.remember("I live in Paris", user="ada")).memo.active


@pytest.mark.slow
async def test_undo_passes_over_what_is_gone_and_takes_a_large_change_whole():
    async with recollect.AsyncMemory(ground.new(), embedder="null", memos={"max_items": 3}) as memory:
        await memory.remember("keep alpha", user="ada", pinned=True)
        await memory.remember("drop beta", user="ada")
        await memory.forget("beta", user="ada")
        for text in ("gamma one", "delta two", "epsilon three"):
            await memory.remember(text, user="ada")
        for _ in range(6):
            assert await memory.undo(user="ada") is not None
        assert await memory.undo(user="ada") is None
        assert (await memory.show(user="ada")).total == 0
    async with recollect.AsyncMemory(ground.new(), embedder="null", memos={"max_active": None}) as memory:
        for number in range(620):
            await memory.remember(f"tulip {number} is planted in bed {number}", user="ada")
        await memory.forget("tulip", user="ada", every=True)
        await memory.undo(user="ada")
        assert (await memory.show(user="ada")).total == 620
        await memory.undo(user="ada")
        assert (await memory.show(user="ada")).total == 619, "the change before it is found behind a long one"


async def test_a_memory_that_is_switched_off_takes_nothing_and_tells_nothing(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(address, embedder="null") as memory:
        await memory.remember("I like tea", user="ada")
    message = Message("1", "ada", Place(dm="ada"), "which tea?", datetime.now(UTC))
    async with recollect.AsyncMemory(address, embedder="null", enabled=False) as memory:
        assert not await memory.add(message)
        with pytest.raises(BadInput, match="switched off"):
            await memory.remember("I like coffee", user="ada")
        assert await memory.search("tea", user="ada") == []
        assert (await memory.context(message)).text == "User message:\nwhich tea?"
        assert (await memory.show(user="ada")).total == 1, "what is there can still be looked at and taken back"
