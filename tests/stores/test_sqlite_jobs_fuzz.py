"""Arbitrary lives of jobs against a plain list that says what may happen."""

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from recollect.core.ports.jobs import NewJob
from recollect.stores._sql.jobs import misordered_queues
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import at

LEASE = 5
LANES = st.sampled_from("abc")
WORKERS = st.sampled_from(["w1", "w2"])
PICK = st.integers(0, 30)


@dataclass
class Known:
    id: int
    queue: str
    tenant: str
    due: int
    key: str | None
    state: str = "waiting"
    worker: str | None = None
    until: int = 0
    attempts: int = 0


class Lives(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.db = Database(None)
        migrate(self.db)
        self.jobs = SQLiteTx(self.db, None).jobs
        self.known: list[Known] = []
        self.now = 0

    def teardown(self) -> None:
        self.db.close()

    def pick(self, number: int) -> Known | None:
        return self.known[number % len(self.known)] if self.known else None

    def queue(self, queue: str) -> list[Known]:
        return sorted(
            (each for each in self.known if each.queue == queue and each.state != "failed"), key=lambda j: j.id
        )

    def runs(self, depth: int) -> dict[str, list[Known]]:
        """What may be claimed of each queue."""
        found: dict[str, list[Known]] = {}
        for queue in "abc":
            jobs = self.queue(queue)
            if any(each.state == "claimed" for each in jobs):
                continue
            due = next((n for n, each in enumerate(jobs) if each.due > self.now), len(jobs))
            if due:
                found[queue] = jobs[: min(due, depth)]
        return found

    @rule(queue=LANES, tenant=st.sampled_from(["", "r", "s"]), wait=st.integers(-1, 3), key=st.sampled_from("klm"))
    def add(self, queue: str, tenant: str, wait: int, key: str) -> None:
        due = self.now + wait
        number = self.jobs.add(NewJob("learn", queue, {}, at(due), key, tenant), postpone=wait == 3)
        same = next((each for each in self.known if each.key == key), None)
        assert (number is None) == (same is not None)
        if number is not None:
            self.known.append(Known(number, queue, tenant, due, key))
        elif same is not None and same.state == "waiting" and wait == 3:
            same.due = due

    @rule(queue=LANES, wait=st.integers(-1, 3))
    def add_without_key(self, queue: str, wait: int) -> None:
        number = self.jobs.add(NewJob("learn", queue, {}, at(self.now + wait)))
        assert number is not None
        self.known.append(Known(number, queue, "", self.now + wait, None))

    @rule(worker=WORKERS, limit=st.integers(0, 4), depth=st.integers(1, 3))
    def claim(self, worker: str, limit: int, depth: int) -> None:
        expired = [each for each in self.known if each.state == "claimed" and each.until <= self.now]
        for each in expired:  # of a queue only the first can have been begun
            each.attempts -= each.id != min(one.id for one in expired if one.queue == each.queue)
            each.state, each.worker = "waiting", None
        runs = self.runs(depth)
        claimed = [job.id for job in self.jobs.claim(worker, at(self.now), at(self.now + LEASE), limit, depth)]
        queues = list(dict.fromkeys(each.queue for n in claimed for each in self.known if each.id == n))
        assert len(queues) == min(limit, len(runs))
        assert claimed == [each.id for queue in queues for each in runs[queue]]
        served = [runs[queue][0].tenant for queue in queues]
        assert len(set(served)) == min(limit, len({run[0].tenant for run in runs.values()}))
        for each in self.known:
            if each.id in claimed:
                each.state, each.worker, each.until = "claimed", worker, self.now + LEASE
                each.attempts += 1

    @rule(number=PICK, worker=WORKERS)
    def finish(self, number: int, worker: str) -> None:
        job = self.pick(number)
        if job is not None:
            assert self.jobs.finish(job.id, worker) == (job.worker == worker)
            if job.worker == worker:
                self.known.remove(job)

    @rule(number=PICK, worker=WORKERS, wait=st.integers(0, 3), counted=st.booleans())
    def retry(self, number: int, worker: str, wait: int, counted: bool) -> None:
        job = self.pick(number)
        if job is not None:
            held = job.worker == worker
            assert self.jobs.retry(job.id, worker, at(self.now + wait), "no", counted=counted) == held
            if held:
                job.state, job.worker, job.due = "waiting", None, self.now + wait
                job.attempts -= not counted

    @rule(number=PICK, worker=WORKERS)
    def park(self, number: int, worker: str) -> None:
        job = self.pick(number)
        if job is not None:
            assert self.jobs.fail(job.id, worker, "no") == (job.worker == worker)
            if job.worker == worker:
                job.state, job.worker, job.key = "failed", None, None

    @rule(number=PICK)
    def unpark(self, number: int) -> None:
        job = self.pick(number)
        if job is not None:
            assert self.jobs.requeue(job.id, at(self.now)) == (job.state == "failed")
            if job.state == "failed":
                job.state, job.due, job.attempts = "waiting", self.now, 0

    @rule(number=PICK)
    def drop(self, number: int) -> None:
        job = self.pick(number)
        if job is not None:
            assert self.jobs.discard(job.id) == (job.state != "claimed")
            if job.state != "claimed":
                self.known.remove(job)

    @rule(keep=st.integers(0, 9))
    def drop_oldest(self, keep: int) -> None:
        idle = sorted((each for each in self.known if each.state == "waiting"), key=lambda j: j.id)
        surplus = idle[: max(len(idle) - keep, 0)]
        assert [job.id for job in self.jobs.discard_oldest("learn", keep)] == [each.id for each in surplus]
        self.known = [each for each in self.known if each not in surplus]

    @rule(worker=WORKERS)
    def extend(self, worker: str) -> None:
        held = [each for each in self.known if each.worker == worker]
        assert self.jobs.extend(worker, at(self.now + LEASE)) == len(held)
        for each in held:
            each.until = self.now + LEASE

    @rule(seconds=st.integers(1, 4))
    def let_time_pass(self, seconds: int) -> None:
        self.now += seconds

    @invariant()
    def it_is_all_there(self) -> None:
        seen = [(job.id, job.queue, job.due, job.attempts, job.state) for job in self.jobs.list(limit=999)]
        expected = sorted(self.known, key=lambda each: each.id)
        assert seen == [(each.id, each.queue, at(each.due), each.attempts, each.state) for each in expected]

    @invariant()
    def every_queue_is_in_order(self) -> None:
        assert misordered_queues(self.db) == []

    @invariant()
    def the_next_due_is_known(self) -> None:
        moments = [each.until for each in self.known if each.state == "claimed"]
        for queue in "abc":
            jobs = self.queue(queue)
            if jobs and all(each.state == "waiting" for each in jobs):
                moments.append(jobs[0].due)
        assert self.jobs.next_due() == (at(min(moments)) if moments else None)


TestLives = Lives.TestCase
TestLives.settings = settings(deadline=None, max_examples=60, stateful_step_count=60)
