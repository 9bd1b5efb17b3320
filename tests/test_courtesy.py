"""Work in the background lets those pass who wait for an answer."""

import asyncio

from recollect.courtesy import Courtesy

FOR_EVER = 1e6


async def work(courtesy: Courtesy, done: list[str], name: str) -> None:
    async with courtesy.behind():
        done.append(f"{name} begins")
        await asyncio.sleep(0)
        done.append(f"{name} ends")


async def let_others_run() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_background_work_begins_at_once_when_nobody_asks():
    done: list[str] = []
    await work(Courtesy(FOR_EVER), done, "work")
    assert done == ["work begins", "work ends"]


async def test_background_work_waits_while_somebody_asks():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    with courtesy.asking():
        task = asyncio.create_task(work(courtesy, done, "work"))
        await let_others_run()
        assert done == []
    await task
    assert done == ["work begins", "work ends"]


async def test_who_asks_right_after_another_is_let_pass_too():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    with courtesy.asking():
        task = asyncio.create_task(work(courtesy, done, "work"))
        await let_others_run()
    with courtesy.asking():  # before the work that was woken could begin
        await let_others_run()
        assert done == []
    await task


async def test_of_several_who_ask_the_last_one_counts():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    first, second = courtesy.asking(), courtesy.asking()
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
    courtesy, done = Courtesy(longest=0.001), list[str]()
    with courtesy.asking():
        await asyncio.gather(*(work(courtesy, done, name) for name in "abc"))
    assert len(done) == 6


async def test_pieces_of_background_work_that_had_to_wait_come_one_after_the_other():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    with courtesy.asking():
        tasks = [asyncio.create_task(work(courtesy, done, name)) for name in "ab"]
        await let_others_run()
    await asyncio.gather(*tasks)
    assert done == ["a begins", "a ends", "b begins", "b ends"]


async def test_pieces_of_background_work_that_nobody_keeps_waiting_go_side_by_side():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    await asyncio.gather(*(work(courtesy, done, name) for name in "ab"))
    assert done == ["a begins", "b begins", "a ends", "b ends"]


async def test_an_answer_that_fails_lets_the_background_go_on():
    courtesy, done = Courtesy(FOR_EVER), list[str]()
    try:
        with courtesy.asking():
            raise RuntimeError
    except RuntimeError:
        await work(courtesy, done, "work")
    assert done
