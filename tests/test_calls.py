"""Models are asked so many times at once, and given up in time."""

import asyncio

import pytest

from recollect.calls import Calls
from recollect.errors import ModelUnavailable
from recollect.ports import Hearing, Proposed
from recollect.testing.models import FakeModel
from tests.scenes import opened
from tests.waiting import eventually

FOR_EVER = 1e6


class Counted:
    """A model's answer, held back until all may go on; knows how many wait for one."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.going = asyncio.Event()

    async def __call__(self) -> str:
        self.now += 1
        self.most = max(self.most, self.now)
        await self.going.wait()
        self.now -= 1
        return "answer"

    async def learns(self, _: Hearing) -> Proposed:
        await self()
        return Proposed()


async def test_no_more_calls_are_made_at_once_than_there_is_room_for():
    calls, model = Calls(3), Counted()
    asking = [asyncio.create_task(calls.answer(model, FOR_EVER)) for _ in range(10)]
    await eventually(lambda: model.now == 3)
    model.going.set()
    assert await asyncio.gather(*asking) == ["answer"] * 10
    assert model.most == 3


async def test_a_call_that_takes_too_long_is_given_up_and_makes_room():
    calls, model = Calls(1), Counted()
    with pytest.raises(ModelUnavailable, match="no answer within 0 s"):
        await calls.answer(model, 0)
    model.going.set()
    assert await calls.answer(model, FOR_EVER) == "answer"


async def test_the_wait_for_a_turn_is_not_the_model_s_fault():
    calls, model = Calls(1), Counted()
    first = asyncio.create_task(calls.answer(model, FOR_EVER))
    await eventually(lambda: model.now == 1)
    quick = Counted()
    quick.going.set()
    second = asyncio.create_task(calls.answer(quick, 0.05))
    _, waiting = await asyncio.wait([second], timeout=0.1)
    assert waiting
    model.going.set()
    assert await asyncio.gather(first, second) == ["answer", "answer"]


async def test_learning_asks_as_often_at_once_as_is_set_while_more_users_are_worked_on() -> None:
    counted = Counted()
    async with opened(using=FakeModel(counted.learns), ingest={"parallel": 2}) as stage:
        said = [await stage.say(f"I live in town {number}", user=f"user{number}") for number in range(6)]
        await eventually(lambda: counted.now == 2 and len(stage.memory.worker._lanes) == 3)
        counted.going.set()
        for one in said:
            assert (await stage.memory.learned(one)).done
    assert counted.most == 2
