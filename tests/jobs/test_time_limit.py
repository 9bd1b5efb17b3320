"""How long a model may take, by how long it took."""

import asyncio

import pytest

from recollect.core.errors import ModelTimeout
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.time_limit import MAX_EXTENSION, TimedCalls, TimeLimit


def test_a_call_that_ran_out_of_time_gives_the_next_one_twice_as_much_up_to_a_limit() -> None:
    limit = TimeLimit(30)
    given: list[float] = []
    for _ in range(4):
        given.append(limit.seconds)
        limit.add_timeout()
    assert given == [30, 60, 120, MAX_EXTENSION * 30]
    assert limit.is_extended


def test_a_slow_model_is_given_more_time_than_it_took_and_a_fast_one_what_is_configured() -> None:
    limit = TimeLimit(30)
    limit.add_answer(20)
    assert (limit.seconds, limit.is_extended) == (50, True)
    limit.add_answer(2)
    assert (limit.seconds, limit.is_extended) == (30, False)


async def test_the_limit_counts_from_when_a_slot_is_free_and_waiting_for_one_has_its_own() -> None:
    limiter = ModelLimiter(1)
    calls = TimedCalls(limiter, 0.01)

    async def never() -> None:
        await asyncio.Event().wait()

    async def at_once() -> str:
        return "done"

    async with limiter.slot():
        with pytest.raises(ModelTimeout, match="too many calls"):
            await calls.run(at_once, max_wait=0.01)
    assert not calls.limit.is_extended, "others were slow, not this call"
    with pytest.raises(ModelTimeout, match="no answer within 0 s"):
        await calls.run(never)
    assert calls.limit.seconds == 0.02
    assert await calls.run(at_once) == "done"
    assert not calls.limit.is_extended


async def test_where_calls_run_out_of_time_fewer_are_made_at_once_until_answers_come_again() -> None:
    """A server of one's own answers one after the other: eight at once would all run out of time."""
    calls = TimedCalls(ModelLimiter(8), 0.01)
    running: list[int] = []
    answering = asyncio.Event()

    async def call() -> None:
        running.append(running[-1] + 1 if running else 1)
        try:
            await answering.wait()
            for _ in range(5):
                await asyncio.sleep(0)
        finally:
            running.append(running[-1] - 1)

    results = await asyncio.gather(*(calls.run(call, 10) for _ in range(8)), return_exceptions=True)
    assert max(running) == 8
    assert all(isinstance(result, ModelTimeout) for result in results)
    running.clear()
    answering.set()
    await asyncio.gather(*(calls.run(call, 10) for _ in range(8)))
    assert max(running) < 8
    assert running[:2] == [1, 0], "the first is asked alone"
