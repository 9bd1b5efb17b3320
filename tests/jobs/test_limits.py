"""Models are asked so many times at once, whatever becomes of those who ask."""

import asyncio

import pytest

from recollect.core.clock import now
from recollect.core.ports import ExtractionInput, ExtractionResult, UnitOfWork
from recollect.core.ports.jobs import Job, JobState
from recollect.jobs.limits import ModelLimiter
from recollect.jobs.options import WorkerOptions
from recollect.testing.models import FakeModel, propose_everything
from tests.scenes import opened
from tests.waiting import eventually


class Model:
    """A model that thinks until it is let go on; `stubborn`, it does not hear that it was given up."""

    def __init__(self, stubborn: bool = False) -> None:
        self.asked = self.now = self.most = 0
        self.going, self._stubborn = asyncio.Event(), stubborn

    async def answer(self, _: object = None) -> ExtractionResult:
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        while not self.going.is_set():
            try:
                await self.going.wait()
            except asyncio.CancelledError:
                if not self._stubborn:
                    raise
        self.now -= 1
        return ExtractionResult()

    async def ask(self, calls: ModelLimiter) -> None:
        async with calls.slot():
            await self.answer()


async def test_no_more_are_asked_at_once_than_there_is_room_for():
    calls, model = ModelLimiter(3), Model()
    asking = [asyncio.create_task(model.ask(calls)) for _ in range(10)]
    await eventually(lambda: model.now == 3)
    model.going.set()
    await asyncio.gather(*asking)
    assert (model.asked, model.most) == (10, 3)


async def test_a_failed_or_cancelled_call_frees_its_slot():
    calls, model = ModelLimiter(1), Model()
    with pytest.raises(ZeroDivisionError):
        async with calls.slot():
            _ = 1 / 0
    asking = asyncio.create_task(model.ask(calls))
    await eventually(lambda: model.now == 1)
    asking.cancel()
    await asyncio.wait([asking])
    model.going.set()
    async with asyncio.timeout(10):
        await model.ask(calls)


async def test_an_abandoned_call_frees_its_slot_exactly_once():
    calls, stubborn, model = ModelLimiter(1), Model(stubborn=True), Model()
    given_up = asyncio.create_task(stubborn.ask(calls))
    await eventually(lambda: stubborn.now == 1)
    given_up.cancel()
    calls.release(given_up)
    asking = [asyncio.create_task(model.ask(calls)) for _ in range(3)]
    await eventually(lambda: model.now == 1)
    stubborn.going.set()
    await asyncio.wait([given_up])
    for _ in range(20):
        await asyncio.sleep(0)
    assert model.now == 1, "it does not make room a second time when it comes to its senses"
    model.going.set()
    await asyncio.gather(*asking)


async def test_all_that_a_handler_does_can_be_a_turn():
    calls, model = ModelLimiter(1), Model()

    async def handler(_: Job) -> UnitOfWork:
        await model.answer()
        return lambda _: None

    job = Job(1, "summarize", "queue", {}, now(), 1, JobState.CLAIMED)
    asking = [asyncio.create_task(calls.limited(handler)(job)) for _ in range(3)]  # type: ignore[arg-type]
    await eventually(lambda: model.now == 1)
    model.going.set()
    await asyncio.gather(*asking)
    assert (model.asked, model.most) == (3, 1)


async def test_learning_asks_as_often_at_once_as_is_set_while_more_users_are_worked_on() -> None:
    model = Model()
    async with opened(model=FakeModel(model.answer), jobs={"max_model_calls": 2}) as stage:
        said = [await stage.say(f"I live in town {number}", user=f"user{number}") for number in range(6)]
        await eventually(lambda: model.now == 2 and len(stage.memory.worker._queue_tasks) == 3)
        model.going.set()
        for one in said:
            assert (await stage.memory.wait_learned(one)).done
    assert model.most == 2


async def test_a_model_that_can_t_be_stopped_does_not_stop_the_learning_of_others() -> None:
    model = Model(stubborn=True)

    async def learns(hearing: ExtractionInput) -> ExtractionResult:
        return await model.answer() if hearing.messages[0].author == "ann" else propose_everything(hearing)

    async with opened(model=FakeModel(learns), jobs={"max_model_calls": 1}) as stage:
        stage.memory.worker.options = WorkerOptions(max_model_calls=1, job_timeout=0.05, poll_interval=0.02)
        await stage.say("I live in Oslo", user="ann")
        await eventually(lambda: model.now == 1)
        said = await stage.say("I live in Bergen", user="bob")
        try:
            assert (await stage.memory.wait_learned(said, 10)).done
            assert await stage.known("bob") == ["I live in Bergen"]
        finally:
            model.going.set()
