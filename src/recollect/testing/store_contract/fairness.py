"""Jobs that wait: put off, looked up, given up, or back from being failed."""

# ruff: noqa: S101 - a contract is made of assertions

from datetime import datetime

from recollect.core.ports import Store
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.testing.store_contract.jobs import add, claim, finish, names, new_job
from recollect.testing.store_contract.samples import at


async def put_off(store: Store, job: NewJob) -> int | None:
    return await store.write(lambda tx: tx.jobs.add(job, postpone=True))


async def drop_oldest(store: Store, keep: int, kind: str = "learn") -> list[str]:
    return names(await store.write(lambda tx: tx.jobs.discard_oldest(kind, keep)))


async def waiting(store: Store) -> list[str]:
    return names(await store.read(lambda tx: tx.jobs.list(JobState.WAITING)))


async def find_job(store: Store, dedupe: str) -> Job | None:
    return await store.read(lambda tx: tx.jobs.find(dedupe))


async def due(store: Store, dedupe: str) -> datetime | None:
    return await store.read(lambda tx: tx.jobs.due(dedupe))


class FairnessContract:
    async def test_a_job_that_waits_can_be_put_off(self, store: Store):
        assert await put_off(store, new_job("a", due=5, dedupe="k")) is not None
        assert await put_off(store, new_job("b", due=9, dedupe="k")) is None
        (job,) = await store.read(lambda tx: tx.jobs.list())
        assert (names([job]), job.due) == (["a"], at(9))
        assert await claim(store, now=8.999) == []
        assert names(await claim(store, now=9)) == ["a"]

    async def test_a_job_is_put_off_wherever_it_waits_in_its_queue(self, store: Store):
        await add(store, new_job("a"), new_job("b", dedupe="k"))
        assert await put_off(store, new_job("c", due=9, dedupe="k")) is None
        await finish(store, *await claim(store))
        assert await claim(store, now=8) == []
        assert names(await claim(store, now=9)) == ["b"]

    async def test_a_due_time_can_also_be_brought_forward(self, store: Store):
        await put_off(store, new_job("a", due=50, dedupe="k"))
        await put_off(store, new_job("a", due=5, dedupe="k"))
        assert names(await claim(store, now=5)) == ["a"]

    async def test_a_job_that_runs_is_not_put_off(self, store: Store):
        await add(store, new_job("a", dedupe="k"))
        (job,) = await claim(store)
        assert await put_off(store, new_job("b", due=9, dedupe="k")) is None
        assert await store.read(lambda tx: tx.jobs.list()) == [job]
        assert await finish(store, job) == [True]

    async def test_a_job_is_not_put_off_unless_that_is_asked_for(self, store: Store):
        await add(store, new_job("a", dedupe="k"), new_job("b", due=9, dedupe="k"))
        assert names(await claim(store)) == ["a"]

    async def test_a_job_is_found_by_its_key_while_it_waits_or_runs(self, store: Store):
        await add(store, new_job("first"), new_job("a", dedupe="k"))
        seen = await find_job(store, "k")
        assert seen is not None
        assert (names([seen]), seen.state) == (["a"], "waiting")
        first, job = await claim(store, depth=2)
        assert await find_job(store, "k") == job
        assert await finish(store, first, job) == [True, True]
        assert await find_job(store, "k") is None

    async def test_it_is_known_when_the_job_with_a_key_is_due_while_it_waits_or_runs(self, store: Store):
        await add(store, new_job("a", due=5, dedupe="k"), new_job("b", due=6, dedupe="l"), new_job("c", due=7))
        assert [await due(store, key) for key in ("k", "l", "none")] == [at(5), at(6), None]
        first, second = await claim(store, now=9, depth=2)
        assert await due(store, "k") == at(5)
        await finish(store, first)
        await store.write(lambda tx: tx.jobs.fail(second.id, "w1", "no"))
        assert [await due(store, key) for key in ("k", "l")] == [None, None]

    async def test_a_failed_job_is_not_found_by_its_key(self, store: Store):
        await add(store, new_job("a", dedupe="k"))
        (job,) = await claim(store)
        await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "no"))
        assert await find_job(store, "k") is None
        await add(store, new_job("b", dedupe="k"))
        seen = await find_job(store, "k")
        assert seen is not None
        assert names([seen]) == ["b"]

    async def test_the_oldest_waiting_jobs_beyond_a_bound_are_given_up(self, store: Store):
        await add(store, *(new_job(f"{n}", f"queue {n % 2}", due=-n) for n in range(5)))
        assert await drop_oldest(store, 5) == []
        assert await drop_oldest(store, 3) == ["0", "1"]
        assert await waiting(store) == ["2", "3", "4"]
        assert sorted(names(await claim(store))) == ["2", "3"]
        assert await drop_oldest(store, 0) == ["4"]

    async def test_jobs_that_run_or_are_failed_neither_count_nor_go(self, store: Store):
        await add(store, *(new_job(name, name) for name in "abcd"))
        running, hopeless = await claim(store, limit=2)
        await store.write(lambda tx: tx.jobs.fail(hopeless.id, "w1", "no"))
        assert await drop_oldest(store, 2) == []
        assert await drop_oldest(store, 1) == ["c"]
        assert names(await store.read(lambda tx: tx.jobs.list())) == ["a", "b", "d"]
        assert await finish(store, running) == [True]

    async def test_discard_oldest_drops_only_jobs_of_the_kind(self, store: Store):
        await add(store, new_job("a"), new_job("b", kind="other"), new_job("c"))
        assert await drop_oldest(store, 1) == ["a"]
        assert await waiting(store) == ["b", "c"]
        assert names(await claim(store)) == ["b"]

    async def test_a_job_that_was_given_up_frees_its_key(self, store: Store):
        await add(store, new_job("a", dedupe="k"))
        assert await drop_oldest(store, 0) == ["a"]
        assert await add(store, new_job("b", dedupe="k")) != [None]

    async def test_discard_oldest_drops_jobs_behind_a_running_one(self, store: Store):
        await add(store, *(new_job(name) for name in "abc"))
        (job,) = await claim(store)
        assert await drop_oldest(store, 1) == ["b"]
        assert await claim(store, "w2") == []
        await finish(store, job)
        assert names(await claim(store)) == ["c"]

    async def test_a_job_that_nobody_runs_can_be_given_up(self, store: Store):
        first, _, third = await add(store, *(new_job(name) for name in "abc"))
        assert await store.write(lambda tx: tx.jobs.discard(first or 0))
        assert not await store.write(lambda tx: tx.jobs.discard(first or 0))
        (job,) = await claim(store)
        assert names([job]) == ["b"]
        assert not await store.write(lambda tx: tx.jobs.discard(job.id))
        assert await store.write(lambda tx: tx.jobs.discard(third or 0))
        await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "no"))
        assert await store.write(lambda tx: tx.jobs.discard(job.id))
        assert await store.read(lambda tx: tx.jobs.counts()) == {}

    async def test_an_requeued_job_takes_its_old_place_but_not_from_one_that_runs(self, store: Store):
        await add(store, *(new_job(name) for name in "abc"))
        (hopeless,) = await claim(store)
        await store.write(lambda tx: tx.jobs.fail(hopeless.id, "w1", "no"))
        (running,) = await claim(store)
        assert await store.write(lambda tx: tx.jobs.requeue(hopeless.id, at(0)))
        assert await claim(store, "w2") == []
        await finish(store, running)
        (again,) = await claim(store)
        assert names([again]) == ["a"]
        await finish(store, again)
        assert names(await claim(store)) == ["c"]

    async def test_jobs_behind_others_are_listed_and_counted_as_waiting(self, store: Store):
        await add(store, *(new_job(name) for name in "abc"))
        assert [job.state for job in await store.read(lambda tx: tx.jobs.list())] == ["waiting"] * 3
        assert await store.read(lambda tx: tx.jobs.counts()) == {"waiting": 3}
        await claim(store)
        assert await waiting(store) == ["b", "c"]
        assert await store.read(lambda tx: tx.jobs.counts()) == {"claimed": 1, "waiting": 2}
