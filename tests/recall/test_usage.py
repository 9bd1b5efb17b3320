"""Uses of memos are counted, once a while, without a write on the way of a search."""

import asyncio
from pathlib import Path

import recollect
from recollect import Message, Place
from recollect.core.types import Subject
from recollect.recall.usage import MAX_MEMOS_PER_WRITE
from recollect.testing.clock import START, FakeClock
from recollect.testing.store_contract.samples import make_memo, put
from tests import ground
from tests.waiting import eventually


async def test_a_memo_that_a_search_brings_has_one_use_more_however_often_it_is_searched(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(address, embedder="null", clock=FakeClock()) as memory:
        await memory.remember("I like tea", user="ada")
        await memory.remember("My bike is green", user="ada")
        before = await memory.store.read(lambda tx: tx.generation())
        for _ in range(5):
            await memory.search("which tea?", user="ada", limit=1)
        assert await memory.store.read(lambda tx: tx.generation()) == before, "reading wrote something"
    async with recollect.AsyncMemory(address, embedder="null") as memory:
        hits = {memo.text: memo.hits for memo in (await memory.show(user="ada")).memos}
        assert hits == {"I like tea": 1, "My bike is green": 0}


async def test_uses_are_written_in_the_background_after_a_while():
    passed = asyncio.Event()

    async def sleep(_: float) -> None:
        await passed.wait()

    async with recollect.AsyncMemory(ground.new(), embedder="null") as memory:
        await memory.remember("I like tea", user="ada")
        memory.engine.usage._sleep = sleep
        (found,) = await memory.search("tea", user="ada")
        assert found.item.hits == 0
        passed.set()

        async def counted() -> bool:
            return (await memory.get(found.item.id, user="ada")).hits == 1

        await eventually(counted)


async def test_a_trial_counts_as_no_use(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    async with recollect.AsyncMemory(address, embedder="null", clock=FakeClock()) as memory:
        await memory.remember("I like tea", user="ada")
        await memory.search("which tea?", user="ada", count_use=False)
        await memory.context(Message("m1", "ada", Place(dm="ada"), "which tea?", START), count_use=False)
    async with recollect.AsyncMemory(address, embedder="null") as memory:
        assert [memo.hits for memo in (await memory.show(user="ada")).memos] == [0]


async def test_uses_of_very_many_memos_are_all_counted(tmp_path: Path):
    address = ground.at(tmp_path / "memory.db")
    people = [Subject(f"u{number}") for number in range(MAX_MEMOS_PER_WRITE + 50)]
    async with recollect.AsyncMemory(address, embedder="null", run_worker=False) as memory:
        keys = await put(memory.store, *(make_memo("likes tea", person) for person in people))
        memory.engine.usage.add(keys)
    async with recollect.AsyncMemory(address, embedder="null", run_worker=False) as memory:
        found = await memory.store.read(lambda tx: tx.memos.fetch(keys))
        assert {memo.hits for memo in found.values()} == {1}
        assert len(found) == len(people)
