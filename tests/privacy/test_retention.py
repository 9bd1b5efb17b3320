"""Retention: after so many days, what was said in a guild goes, and what people wanted kept stays."""

from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.ports.jobs import Job
from recollect.privacy.retention import PAGE_MESSAGES, RETAIN, ensure_jobs, retention_days
from recollect.testing.models import FakeModel, proposal_for
from tests.scenes import DEV, DM, ELSEWHERE, EVERY_PLACE, Stage, opened


def learn(heard: ExtractionInput) -> ExtractionResult:
    return ExtractionResult(tuple(proposal_for(message) for message in heard.messages))


async def said(stage: Stage) -> set[str]:
    """The texts that are left, wherever they were said."""
    found = [await stage.memory.store.read(lambda tx, at=place: tx.messages.recent(at, 999)) for place in EVERY_PLACE]
    return {message.text for messages in found for message in messages if message.text}


async def look(stage: Stage, guild: str = "g1") -> None:
    """What the hourly job does."""
    job = Job(1, "retain", "retain", {"guild": guild}, stage.clock())
    work = await stage.memory.privacy.retention(job)
    await stage.memory.store.write(work)


async def test_what_is_older_goes_with_what_was_learned_and_what_someone_wanted_kept_stays() -> None:
    async with opened(model=FakeModel(learn)) as stage:
        await stage.remember("Owns a kayak")
        await stage.tell("I play the cello")
        await stage.tell("I pinned the flag")
        (flag,) = [memo for memo in (await stage.memory.show(user="ann", place=DEV)).memos if "flag" in memo.text]
        await stage.memory.pin(flag.id, user="ann", place=DEV)
        await stage.tell("I live in Lisbon", place=ELSEWHERE)
        await stage.tell("I have a secret", place=DM)
        stage.clock.advance(days=30)
        await stage.tell("I keep bees")
        await stage.memory.privacy.set_retention("g1", 30)
        await stage.settle()
        assert await said(stage) == {"I live in Lisbon", "I have a secret", "I keep bees"}
        assert {"I pinned the flag", "Owns a kayak", "I keep bees"} <= set(await stage.known())
        assert "I play the cello" not in await stage.known()


async def test_a_message_stays_up_to_the_moment_and_a_day_longer_with_a_longer_retention() -> None:
    async with opened() as stage:
        await stage.say("on the last day")
        stage.clock.advance(days=7)
        stage.clock.advance(seconds=-60)  # saying it took a minute
        for days, left in ((8, {"on the last day"}), (7, {"on the last day"}), (6, set[str]())):
            await stage.memory.privacy.set_retention("g1", days)
            await look(stage)
            assert await said(stage) == left, days


async def test_a_guild_that_keeps_everything_keeps_it_and_no_job_goes_on() -> None:
    async with opened() as stage:
        await stage.say("an old story")
        stage.clock.advance(days=900)
        await stage.memory.privacy.set_retention("g1", 7)
        await stage.memory.privacy.set_retention("g1", None)
        assert await stage.memory.store.read(lambda tx: retention_days(tx, "g1")) is None
        await look(stage)
        assert await said(stage) == {"an old story"}
        assert await stage.memory.store.write(lambda tx: ensure_jobs(tx, stage.clock())) == 0


async def test_a_job_that_is_missing_is_queued_again_once_and_begins_at_the_first_message() -> None:
    async with opened() as stage:
        await stage.say("an old story")
        stage.clock.advance(days=9)
        await stage.memory.privacy.set_retention("g1", 7)
        jobs = [job.id for job in (await stage.memory.worker.status(50)).jobs if job.kind == RETAIN]
        await stage.memory.store.write(lambda tx: tx.jobs.erase(jobs))
        missing = [await stage.memory.store.write(lambda tx: ensure_jobs(tx, stage.clock())) for _ in range(2)]
        queued = [job for job in (await stage.memory.worker.status(50)).jobs if job.kind == RETAIN]
        assert (len(jobs), missing, [job.payload.get("after", 0) for job in queued]) == (1, [1, 0], [0])


async def test_all_pages_are_looked_at_at_once() -> None:
    async with opened() as stage:
        await stage.memory.privacy.set_retention("g1", 1)
        for number in range(PAGE_MESSAGES + 5):
            await stage.memory.add(stage.message(f"story {number}"))
        stage.clock.advance(days=2)
        await look(stage)
        assert await said(stage) == set()
