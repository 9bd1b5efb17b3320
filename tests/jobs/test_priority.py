"""Work in the background lets those pass who wait for an answer."""

import asyncio
from collections.abc import Callable
from typing import Any

from recollect import EVERYWHERE
from recollect.core.ports import Tx
from recollect.jobs.priority import ForegroundPriority
from recollect.testing.models import FakeModel
from tests.jobs.test_read_batcher import Counting
from tests.scenes import DM, names, opened

FOR_EVER = 1e6


async def work(courtesy: ForegroundPriority, done: list[str], name: str) -> None:
    async with courtesy.wait_for_foreground():
        done.append(f"{name} begins")
        await asyncio.sleep(0)
        done.append(f"{name} ends")


async def let_others_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_background_work_begins_at_once_when_nobody_asks():
    done: list[str] = []
    await work(ForegroundPriority(FOR_EVER), done, "work")
    assert done == ["work begins", "work ends"]


async def test_background_work_waits_while_somebody_asks():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    with courtesy.foreground():
        task = asyncio.create_task(work(courtesy, done, "work"))
        await let_others_run()
        assert done == []
    await task
    assert done == ["work begins", "work ends"]


async def test_background_work_yields_to_back_to_back_requests():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    with courtesy.foreground():
        task = asyncio.create_task(work(courtesy, done, "work"))
        await let_others_run()
    with courtesy.foreground():  # before the work that was woken could begin
        await let_others_run()
        assert done == []
    await task


async def test_of_several_who_ask_the_last_one_counts():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    first, second = courtesy.foreground(), courtesy.foreground()
    first.__enter__()
    second.__enter__()
    task = asyncio.create_task(work(courtesy, done, "work"))
    await let_others_run()
    first.__exit__(None, None, None)
    await let_others_run()
    assert done == []
    second.__exit__(None, None, None)
    await task


async def test_background_work_does_not_starve_where_somebody_always_asks():
    courtesy, done = ForegroundPriority(max_wait=0.001), list[str]()
    with courtesy.foreground():
        await asyncio.gather(*(work(courtesy, done, name) for name in "abc"))
    assert len(done) == 6


async def test_pieces_of_background_work_that_had_to_wait_come_one_after_the_other():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    with courtesy.foreground():
        tasks = [asyncio.create_task(work(courtesy, done, name)) for name in "ab"]
        await let_others_run()
    await asyncio.gather(*tasks)
    assert done == ["a begins", "a ends", "b begins", "b ends"]


async def test_pieces_of_background_work_that_nobody_keeps_waiting_go_side_by_side():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    await asyncio.gather(*(work(courtesy, done, name) for name in "ab"))
    assert done == ["a begins", "b begins", "a ends", "b ends"]


async def test_an_answer_that_fails_lets_the_background_go_on():
    courtesy, done = ForegroundPriority(FOR_EVER), list[str]()
    try:
        with courtesy.foreground():
            raise RuntimeError
    except RuntimeError:
        await work(courtesy, done, "work")
    assert done


async def test_learning_waits_while_a_prompt_or_a_search_is_made() -> None:
    async with opened(model=FakeModel()) as stage:
        courtesy = stage.memory.worker.priority
        courtesy._max_wait = FOR_EVER
        with courtesy.foreground():
            said = stage.message("I work at Acme")
            await stage.memory.add(said)
            assert not await stage.memory.worker.wait_idle(0.05)
            assert await stage.known() == []
        assert (await stage.memory.wait_learned(said)).done
        assert await stage.known() == ["I work at Acme"]


async def test_whoever_reads_for_a_prompt_or_a_search_is_known_to_ask() -> None:
    async with opened() as stage:
        said, store = stage.message("which tea?"), stage.memory.store
        asked: list[int] = []

        class Reading:
            async def read(self, work: Callable[[Tx], Any]) -> Any:
                asked.append(memory.worker.priority._foreground_count)
                return await store.read(work)

        memory = stage.with_parts(store=Reading()).memory
        await memory.context(said)
        prompt = len(asked)
        await memory.search("tea", user="ann", place=said.place)
    assert len(asked) > prompt
    assert min(asked) >= 1


async def test_a_prompt_visits_the_store_three_times_at_the_most() -> None:
    async with opened() as stage:
        for number in range(40):  # more than fit, so that they are searched
            await stage.memory.remember(
                f"I like tea number {number} with {'much ' * 30}milk", user="ann", place=DM, audience=EVERYWHERE
            )
        counting = Counting(stage.memory.store)
        memory = stage.with_parts(store=counting).memory
        prompt = await memory.context(stage.message("which tea do I like?"))
    assert "relevant" in names(prompt)
    assert counting.visits <= 3
