"""Jobs: in order within a queue, under a lease, retried, failed when hopeless."""

# ruff: noqa: S101 - a contract is made of assertions

import asyncio

from recollect.core.ports import Store
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.testing.store_contract.samples import at

LEASE = 60


def new_job(
    name: str, queue: str = "ada", due: float = 0, dedupe: str | None = None, tenant: str = "", kind: str = "learn"
) -> NewJob:
    return NewJob(kind, queue, {"name": name, "deep": {"list": [1, None, "ü"]}}, at(due), dedupe, tenant)


async def add(store: Store, *jobs: NewJob) -> list[int | None]:
    return await store.write(lambda tx: [tx.jobs.add(job) for job in jobs])


async def claim(store: Store, worker: str = "w1", now: float = 0, limit: int = 10, depth: int = 1) -> list[Job]:
    return await store.write(lambda tx: tx.jobs.claim(worker, at(now), at(now + LEASE), limit, depth))


async def finish(store: Store, *jobs: Job, worker: str = "w1") -> list[bool]:
    return await store.write(lambda tx: [tx.jobs.finish(job.id, worker) for job in jobs])


def names(jobs: list[Job]) -> list[str]:
    return [job.payload["name"] for job in jobs]


class JobsContract:
    async def test_a_job_survives_whole(self, store: Store):
        (job_id,) = await add(store, new_job("a", due=-1.5))
        (job,) = await store.read(lambda tx: tx.jobs.list())
        payload = {"name": "a", "deep": {"list": [1, None, "ü"]}}
        assert job == Job(job_id or 0, "learn", "ada", payload, at(-1.5))

    async def test_jobs_of_a_queue_run_one_after_the_other(self, store: Store):
        await add(store, *(new_job(name) for name in "abc"))
        finished: list[str] = []
        while jobs := await claim(store):
            assert len(jobs) == 1
            assert await claim(store, "w2") == []
            assert await store.write(lambda tx, jobs=jobs: tx.jobs.finish(jobs[0].id, "w1"))
            finished += names(jobs)
        assert finished == ["a", "b", "c"]
        assert await store.read(lambda tx: tx.jobs.list()) == []

    async def test_queues_run_in_parallel_oldest_due_first_up_to_the_limit(self, store: Store):
        await add(store, new_job("a", "1", -1), new_job("b", "2", -3), new_job("c", "3", -2), new_job("d", "1"))
        assert names(await claim(store, limit=2)) == ["b", "c"]
        assert names(await claim(store, "w2")) == ["a"]
        assert await claim(store, "w3") == []

    async def test_a_job_waits_until_it_is_due_and_its_queue_waits_with_it(self, store: Store):
        await add(store, new_job("later", due=10), new_job("behind", due=0))
        assert await claim(store, now=9.999) == []
        assert names(await claim(store, now=10)) == ["later"]

    async def test_a_claimed_job_counts_its_attempts(self, store: Store):
        await add(store, new_job("a"))
        (job,) = await claim(store)
        assert (job.attempts, job.state) == (1, "claimed")
        assert await store.read(lambda tx: tx.jobs.list(JobState.CLAIMED)) == [job]

    async def test_a_second_job_with_the_same_key_is_not_queued(self, store: Store):
        first, second, other = await add(
            store, new_job("a", dedupe="k"), new_job("b", dedupe="k"), new_job("c", "2", dedupe="l")
        )
        assert None not in (first, other)
        assert second is None
        (job, _) = await claim(store)
        assert await add(store, new_job("b", dedupe="k")) == [None]
        await store.write(lambda tx: tx.jobs.finish(job.id, "w1"))
        assert await add(store, new_job("b", dedupe="k")) != [None]
        assert None not in await add(store, new_job("x", "3"), new_job("x", "3"))

    async def test_a_job_waiting_for_its_retry_keeps_its_key(self, store: Store):
        await add(store, new_job("a", dedupe="k"))
        (job,) = await claim(store)
        await store.write(lambda tx: tx.jobs.retry(job.id, "w1", at(10), "no"))
        assert await add(store, new_job("b", dedupe="k")) == [None]

    async def test_a_failed_job_does_not_keep_its_key_from_others(self, store: Store):
        await add(store, new_job("a", dedupe="k"))
        (job,) = await claim(store)
        await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "hopeless"))
        assert await add(store, new_job("b", dedupe="k")) != [None]
        assert await store.write(lambda tx: tx.jobs.requeue(job.id, at(0)))
        assert names(await claim(store)) == ["a"]

    async def test_a_job_whose_lease_ran_out_is_given_to_another(self, store: Store):
        await add(store, new_job("a"), new_job("b"))
        (job,) = await claim(store)
        assert await claim(store, "w2", now=LEASE - 0.001) == []
        (again,) = await claim(store, "w2", now=LEASE)
        assert (again.id, again.attempts) == (job.id, 2)

    async def test_a_worker_that_lost_its_lease_changes_nothing(self, store: Store):
        await add(store, new_job("a"))
        (job,) = await claim(store)
        await claim(store, "w2", now=LEASE)
        assert not await store.write(lambda tx: tx.jobs.finish(job.id, "w1"))
        assert not await store.write(lambda tx: tx.jobs.retry(job.id, "w1", at(0), "late"))
        assert not await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "late"))
        assert await store.write(lambda tx: tx.jobs.finish(job.id, "w2"))
        assert not await store.write(lambda tx: tx.jobs.finish(job.id, "w2"))

    async def test_only_a_claimed_job_can_be_finished_retried_or_failed(self, store: Store):
        (job_id,) = await add(store, new_job("a"))
        for unclaimed in (job_id or 0, 999_999):
            assert not await store.write(lambda tx, n=unclaimed: tx.jobs.finish(n, "w1"))
            assert not await store.write(lambda tx, n=unclaimed: tx.jobs.retry(n, "w1", at(0), "x"))
            assert not await store.write(lambda tx, n=unclaimed: tx.jobs.fail(n, "w1", "x"))
            assert not await store.write(lambda tx, n=unclaimed: tx.jobs.requeue(n, at(0)))

    async def test_a_job_for_later_is_made_due_and_no_other(self, store: Store):
        later, due = await add(store, new_job("a", due=60), new_job("b", queue="other"))
        assert await claim(store, limit=1) != []
        assert await store.write(lambda tx: tx.jobs.hasten(later or 0, at(0)))
        assert names(await claim(store)) == ["a"]
        for job_id in (later, due, 999_999):
            assert not await store.write(lambda tx, n=job_id: tx.jobs.hasten(n or 0, at(0)))

    async def test_a_retried_job_comes_back_when_due_before_the_rest_of_its_queue(self, store: Store):
        await add(store, new_job("a"), new_job("b"))
        (job,) = await claim(store)
        assert await store.write(lambda tx: tx.jobs.retry(job.id, "w1", at(30), "model is down \ud800"))
        assert await claim(store, now=29) == []
        (waiting, _) = await store.read(lambda tx: tx.jobs.list(JobState.WAITING))
        assert (waiting.due, waiting.attempts) == (at(30), 1)
        assert (waiting.error or "").startswith("model is down")
        (again,) = await claim(store, "w2", now=30)
        assert (again.id, again.attempts) == (job.id, 2)

    async def test_a_failed_job_lets_its_queue_go_on_until_it_is_requeued(self, store: Store):
        await add(store, new_job("a"), new_job("b"), new_job("c"))
        (job,) = await claim(store)
        assert await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "hopeless"))
        (failed,) = await store.read(lambda tx: tx.jobs.list(JobState.FAILED))
        assert (failed.error, failed.state) == ("hopeless", "failed")
        (second,) = await claim(store)
        assert names([second]) == ["b"]
        await store.write(lambda tx: tx.jobs.finish(second.id, "w1"))
        assert await store.write(lambda tx: tx.jobs.requeue(job.id, at(5)))
        assert await claim(store, now=4) == []
        (again,) = await claim(store, now=5)
        assert (names([again]), again.attempts) == (["a"], 1)

    async def test_jobs_are_listed_in_order_and_counted_by_state(self, store: Store):
        assert await store.read(lambda tx: tx.jobs.counts()) == {}
        await add(store, *(new_job(f"{n}", f"{n}", due=-9 + n) for n in range(5)))
        first, second = await claim(store, limit=2)
        await store.write(lambda tx: tx.jobs.fail(first.id, "w1", "x"))
        assert await store.read(lambda tx: tx.jobs.counts()) == {"waiting": 3, "claimed": 1, "failed": 1}
        assert names(await store.read(lambda tx: tx.jobs.list())) == ["0", "1", "2", "3", "4"]
        assert names(await store.read(lambda tx: tx.jobs.list(limit=2))) == ["0", "1"]
        assert names(await store.read(lambda tx: tx.jobs.list(JobState.WAITING))) == ["2", "3", "4"]
        assert (await store.read(lambda tx: tx.jobs.list(JobState.CLAIMED)))[0].id == second.id

    async def test_waiting_jobs_that_are_not_due_are_counted_wherever_they_stand_in_a_queue(self, store: Store):
        async def delayed(now: float) -> int:
            return await store.read(lambda tx: tx.jobs.count_delayed(at(now)))

        await add(store, new_job("a", due=5), new_job("behind", due=9), new_job("b", "2", due=0), new_job("c", "3", 9))
        assert await delayed(0) == 3
        assert await delayed(5) == 2
        (job,) = await claim(store)
        assert await delayed(-1) == 3, "one that runs does not wait"
        await store.write(lambda tx: tx.jobs.fail(job.id, "w1", "x"))
        assert await delayed(-1) == 3, "nor does one that has failed"

    async def test_many_workers_at_once_get_each_job_once(self, store: Store):
        await add(store, *(new_job(f"{n}", f"queue {n % 25}") for n in range(100)))
        finished: list[str] = []

        async def work(worker: str) -> None:
            while jobs := await claim(store, worker, limit=3):
                for job in jobs:
                    assert await store.write(lambda tx, job=job: tx.jobs.finish(job.id, worker))
                    finished.append(job.payload["name"])

        while await store.read(lambda tx: tx.jobs.counts()):
            await asyncio.gather(*(work(f"w{n}") for n in range(8)))
        assert sorted(finished, key=int) == [f"{n}" for n in range(100)]
        for queue in range(25):
            ours = [int(name) for name in finished if int(name) % 25 == queue]
            assert ours == sorted(ours)
