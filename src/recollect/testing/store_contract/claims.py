"""Claims: runs of a queue, turns of tenants, leases that are renewed or run out."""

# ruff: noqa: S101 - a contract is made of assertions

import asyncio

from recollect.core.ports import Store
from recollect.core.ports.jobs import Job
from recollect.testing.store_contract.jobs import LEASE, add, claim, finish, names, new_job
from recollect.testing.store_contract.samples import at


async def release(store: Store, *jobs: Job, due: float = 0, counted: bool = False) -> list[bool]:
    return await store.write(
        lambda tx: [tx.jobs.retry(job.id, "w1", at(due), "later", counted=counted) for job in jobs]
    )


class ClaimsContract:
    async def test_a_run_of_a_queue_is_claimed_in_order(self, store: Store):
        await add(store, *(new_job(name, due=-n) for n, name in enumerate("abcd")), new_job("other", "2", -9))
        jobs = await claim(store, depth=3)
        assert names(jobs) == ["other", "a", "b", "c"]
        assert {(job.attempts, job.state) for job in jobs} == {(1, "claimed")}
        assert await claim(store, "w2", depth=3) == []

    async def test_the_limit_counts_queues_not_jobs(self, store: Store):
        await add(store, *(new_job(f"{queue}{n}", queue, due) for due, queue in enumerate("xyz", -9) for n in range(3)))
        assert names(await claim(store, limit=2, depth=2)) == ["x0", "x1", "y0", "y1"]
        assert names(await claim(store, "w2", limit=2, depth=9)) == ["z0", "z1", "z2"]

    async def test_a_run_ends_before_a_job_that_is_not_due(self, store: Store):
        await add(store, new_job("a"), new_job("b", due=5), new_job("c"))
        (job,) = await claim(store, depth=3)
        assert names([job]) == ["a"]
        await finish(store, job)
        assert await claim(store, now=4, depth=3) == []
        assert names(await claim(store, now=5, depth=3)) == ["b", "c"]

    async def test_a_queue_is_free_again_when_its_whole_run_is_done(self, store: Store):
        await add(store, *(new_job(name) for name in "abcd"))
        first, second, third = await claim(store, depth=3)
        for job in (second, first, third):
            assert await claim(store, "w2", depth=3) == []
            assert await finish(store, job) == [True]
        assert names(await claim(store, "w2", depth=3)) == ["d"]

    async def test_a_run_that_is_released_goes_back_in_order(self, store: Store):
        await add(store, *(new_job(name) for name in "abcd"))
        first, second, third = await claim(store, depth=3)
        assert await finish(store, first) == [True]
        assert await release(store, second, due=7, counted=True) == [True]
        assert await claim(store, "w2", now=7) == []  # the third is still held
        assert await release(store, third) == [True]
        assert await claim(store, "w2", now=6, depth=3) == []
        again = await claim(store, "w2", now=7, depth=3)
        assert [(*names([job]), job.attempts) for job in again] == [("b", 2), ("c", 1), ("d", 1)]

    async def test_a_run_goes_on_behind_a_job_that_is_failed(self, store: Store):
        await add(store, *(new_job(name) for name in "abc"))
        first, second, third = await claim(store, depth=3)
        await store.write(lambda tx: tx.jobs.fail(first.id, "w1", "no"))
        assert await claim(store, "w2") == []
        assert await release(store, third, second) == [True, True]
        assert names(await claim(store, "w2", depth=3)) == ["b", "c"]

    async def test_an_attempt_that_was_nobodys_fault_is_not_counted(self, store: Store):
        await add(store, new_job("a"))
        for counted, attempts in ((False, 1), (False, 1), (True, 1), (True, 2), (False, 3)):
            (job,) = await claim(store)
            assert job.attempts == attempts
            assert await release(store, job, counted=counted) == [True]

    async def test_a_run_whose_lease_ran_out_is_given_to_another_in_order(self, store: Store):
        await add(store, *(new_job(name) for name in "abcd"))
        lost = await claim(store, depth=3)
        (job,) = await claim(store, "w2", now=LEASE)
        assert (names([job]), job.attempts) == (["a"], 2)
        assert await finish(store, *lost) == [False] * 3
        assert await claim(store, "w3", now=LEASE, depth=4) == []
        await finish(store, job, worker="w2")
        remaining = await claim(store, "w3", now=LEASE, depth=4)
        assert names(remaining) == ["b", "c", "d"]
        assert [job.attempts for job in remaining] == [1, 1, 1], "what was never begun has not failed"

    async def test_a_job_whose_lease_ran_out_waits_for_its_turn_before_the_rest_of_its_queue(self, store: Store):
        await add(store, *(new_job(name) for name in "ab"))
        await claim(store)
        await claim(store, "w2", now=LEASE, limit=0)
        assert await claim(store, "w2", now=-1) == []
        assert names(await claim(store, "w2", now=LEASE, depth=2)) == ["a", "b"]

    async def test_a_worker_renews_the_lease_of_all_it_holds(self, store: Store):
        await add(store, *(new_job(f"{queue}{n}", queue) for queue in "xy" for n in range(2)), new_job("z", "z", 1))
        held = await claim(store, depth=2)
        await claim(store, "w2", now=1)
        assert await store.write(lambda tx: tx.jobs.extend("w1", at(500))) == 4
        assert await store.write(lambda tx: tx.jobs.extend("nobody", at(500))) == 0
        assert names(await claim(store, "w3", now=499.999)) == ["z"]
        assert await finish(store, *held[:2]) == [True, True]
        assert names(await claim(store, "w3", now=500, depth=2)) == ["y0", "y1"]
        assert await store.write(lambda tx: tx.jobs.extend("w1", at(900))) == 0

    async def test_a_tenant_with_little_work_does_not_wait_for_one_with_much(self, store: Store):
        await add(store, *(new_job(f"a{n}", f"a{n}", -99 + n, tenant="a") for n in range(50)))
        await add(store, new_job("b0", "b0", -2, tenant="b"), new_job("b1", "b1", -1, tenant="b"))
        first = names(await claim(store, limit=8))
        assert {name for name in first if name[0] == "b"} == {"b0", "b1"}
        assert [name for name in first if name[0] == "a"] == [f"a{n}" for n in range(6)]

    async def test_tenants_take_turns_also_for_a_worker_that_claims_one_at_a_time(self, store: Store):
        await add(store, *(new_job(f"{name}{n}", f"{name}{n}", -n, tenant=name) for name in "abc" for n in range(9)))
        served = [names(await claim(store, limit=1))[0][0] for _ in range(9)]
        for start in range(0, 9, 3):
            assert set(served[start : start + 3]) == {"a", "b", "c"}

    async def test_more_tenants_than_a_claim_can_serve_are_all_served_in_time(self, store: Store):
        await add(
            store, *(new_job(f"{tenant}", f"{tenant} {n}", tenant=f"{tenant}") for tenant in range(20) for n in (1, 2))
        )
        served = [name for _ in range(5) for name in names(await claim(store, limit=4))]
        assert sorted(served, key=int) == [f"{tenant}" for tenant in range(20)]

    async def test_within_a_tenant_the_oldest_due_comes_first(self, store: Store):
        await add(store, *(new_job(f"{n}", f"{n}", due, tenant="a") for n, due in enumerate([-1, -3, -2, 1])))
        assert names(await claim(store, limit=2)) == ["1", "2"]
        assert names(await claim(store)) == ["0"]

    async def test_a_tenant_whose_work_is_not_due_costs_nobody_a_place(self, store: Store):
        await add(store, *(new_job(f"{n}", f"{n}", 100, tenant=f"later {n}") for n in range(9)))
        await add(store, *(new_job(f"now {n}", f"now {n}", tenant="now") for n in range(4)))
        assert len(await claim(store, limit=3)) == 3
        assert len(await claim(store, limit=3)) == 1

    async def test_the_next_due_is_when_a_claim_finds_something_again(self, store: Store):
        async def next_due() -> object:
            return await store.read(lambda tx: tx.jobs.next_due())

        assert await next_due() is None
        await add(store, new_job("a", "1", 9, tenant="r"), new_job("b", "2", 7), new_job("c", "2", 3))
        assert await next_due() == at(7)  # what is behind in its queue can't be claimed before
        (job,) = await claim(store, now=7)
        assert await next_due() == at(9)
        (late,) = await claim(store, "w2", now=9)
        assert await next_due() == at(7 + LEASE)
        await finish(store, job)
        assert await next_due() == at(3)
        await finish(store, *await claim(store, now=4))
        await store.write(lambda tx: tx.jobs.fail(late.id, "w2", "no"))
        assert await next_due() is None

    async def test_two_workers_never_get_the_same_job_and_every_queue_keeps_its_order(self, store: Store):
        await add(store, *(new_job(f"{n}", f"{n % 6}", tenant=f"{n % 3}") for n in range(90)))
        seen: list[str] = []

        async def work(worker: str) -> None:
            while jobs := await claim(store, worker, limit=2, depth=3):
                seen.extend(names(jobs))
                assert all(await finish(store, *jobs, worker=worker))

        while await store.read(lambda tx: tx.jobs.counts()):
            await asyncio.gather(work("left"), work("right"), work("middle"))
        assert sorted(seen, key=int) == [f"{n}" for n in range(90)]
        for queue in range(6):
            ours = [int(name) for name in seen if int(name) % 6 == queue]
            assert ours == sorted(ours)
