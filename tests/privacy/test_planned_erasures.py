"""An erasure that waits: done when it is due and still wanted, called off when it is not, whoever works meanwhile."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import bot_state as state
from recollect.bot_state import BotState
from recollect.core.ports import StaleResult
from recollect.core.ports.jobs import Job
from recollect.core.state import Owner, StateKind
from recollect.privacy.planned_erasures import CONFIRMATION_INTERVAL, ERASE, PlannedErasures
from recollect.privacy.receipt import Receipt
from recollect.privacy.target import ErasureTarget
from tests.privacy.telling import HERE, opened
from tests.scenes import Stage

GUILD = ErasureTarget(guild="g1")
WEEK = timedelta(days=7)


async def planned(stage: Stage) -> None:
    """Ann has said something, and the guild is to be erased in a week."""
    await stage.tell("I live in a lighthouse", place=HERE)
    assert await stage.memory.privacy.schedule(GUILD, stage.clock() + WEEK, asked_by="bot")


async def jobs(stage: Stage) -> list[Job]:
    standing = await stage.memory.worker.status(20)
    return [job for job in standing.jobs if job.kind == ERASE]


async def test_it_is_done_when_it_is_due_and_said_to_be_wanted_and_leaves_its_receipt(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await planned(stage)
        stage.clock.advance(days=6)
        assert await stage.memory.privacy.confirm(GUILD)
        await stage.settle()
        assert await stage.known() == ["I live in a lighthouse"], "not before its time"
        stage.clock.advance(days=2)
        await stage.settle()
        assert await stage.known() == ["I live in a lighthouse"], "nobody has said since that it is wanted"
        await stage.memory.privacy.confirm(GUILD)
        stage.clock.advance(seconds=CONFIRMATION_INTERVAL.total_seconds())
        await stage.settle()
        assert await stage.known() == []
        assert await stage.memory.privacy.planned() == []
        assert await jobs(stage) == []
        (receipt,) = await stage.events("erasure.checked")
        assert (receipt.actor, receipt.reason, receipt.data["erased"]["messages"]) == ("bot", "clean", 1)


async def test_a_process_that_starts_late_goes_on_with_what_another_planned(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await planned(stage)
    async with opened(tmp_path) as stage:
        stage.clock.advance(days=8)
        await stage.memory.privacy.confirm(GUILD)
        # The worker may have looked before it was confirmed, and then looks again after a while.
        stage.clock.advance(seconds=CONFIRMATION_INTERVAL.total_seconds())
        await stage.settle()
        assert await stage.known() == []


async def test_what_is_planned_twice_keeps_its_first_time(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await planned(stage)
        assert not await stage.memory.privacy.schedule(GUILD, stage.clock() + 2 * WEEK, asked_by="bot")
        (plan,) = await stage.memory.privacy.planned()
        assert plan.due == stage.clock() + WEEK
        assert len(await jobs(stage)) == 1


async def test_called_off_it_is_gone_from_the_queue_even_where_it_was_put_aside(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await planned(stage)
        (job,) = await jobs(stage)
        due, until = stage.clock() + WEEK, stage.clock() + 2 * WEEK
        await stage.memory.store.write(lambda tx: tx.jobs.claim("other", due, until, 99, 9))
        await stage.memory.store.write(lambda tx: tx.jobs.fail(job.id, "other", "no"))
        assert await stage.memory.privacy.cancel(GUILD, asked_by="bot")
        assert await jobs(stage) == []
        assert not await stage.memory.privacy.cancel(GUILD, asked_by="bot")
        assert not await stage.memory.privacy.confirm(GUILD)
        assert len(await stage.events("erasure.called_off")) == 1


async def test_one_that_takes_long_goes_on_while_the_worker_does_other_things(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await planned(stage)
        stage.clock.advance(days=8)
        await stage.memory.privacy.confirm(GUILD)
        let, times = asyncio.Event(), list[str]()

        async def erase(target: ErasureTarget, by: str) -> Receipt:
            times.append(by)
            await let.wait()
            return await stage.memory.privacy.erase(target, asked_by=by)

        handler = PlannedErasures(stage.memory.store, erase, stage.clock, timeout=0.01)
        job = Job(1, ERASE, "erase:guild g1", {"guild": "g1"}, stage.clock())
        with pytest.raises(StaleResult):
            await handler(job)
        with pytest.raises(StaleResult):
            await handler(job)
        let.set()
        work = None
        while work is None:
            try:
                work = await handler(job)
            except StaleResult:
                continue
        await stage.memory.store.write(work)
        assert times == ["bot"], "it is begun once"
        assert await stage.known() == []
        assert await stage.memory.privacy.planned() == []


async def test_what_the_discord_bot_noted_about_someone_goes_with_them(tmp_path: Path):
    async with opened(tmp_path) as stage:
        notes, channel = BotState(stage.memory.store), HERE.session
        ann, ben = Owner.person("discord:1"), Owner.person("discord:2")
        await notes.put(state.notified(1), "x", ann)
        await notes.put(state.snapshot_session("1"), "x", ann)
        await notes.put(state.listened_channel("discord:dm:1"), "x", Owner.of_session("discord:dm:1"))
        await notes.put(state.notified(2), "x", ben)
        await notes.put(state.listened_channel(channel), "x", Owner.of_session(channel))
        await stage.memory.privacy.erase(ErasureTarget("discord:1"), asked_by="1")
        assert await notes.keys(StateKind.NOTIFIED) == ["2"]
        assert await notes.keys(StateKind.LISTENED_CHANNEL) == [channel]
        assert await notes.keys(StateKind.SNAPSHOT_SESSION) == []
        await stage.memory.privacy.erase(GUILD, asked_by="operator")
        assert await notes.keys(StateKind.LISTENED_CHANNEL) == []
        assert await notes.keys(StateKind.NOTIFIED) == ["2"]


async def test_what_was_planned_while_the_clock_was_ahead_is_due_as_long_after_it_is_right_again(tmp_path: Path):
    async with opened(tmp_path) as stage:
        await stage.tell("I live in a lighthouse", place=HERE)
        stage.clock.advance(days=400)
        assert await stage.memory.privacy.schedule(GUILD, stage.clock() + WEEK, asked_by="bot")
        stage.clock.advance(days=-400)
        await stage.memory.privacy.confirm(GUILD)
        await stage.settle()
        assert await stage.known() == ["I live in a lighthouse"]
        stage.clock.advance(days=8)
        await stage.memory.privacy.confirm(GUILD)
        stage.clock.advance(seconds=CONFIRMATION_INTERVAL.total_seconds())
        await stage.settle()
        assert await stage.known() == []
        assert await jobs(stage) == []
