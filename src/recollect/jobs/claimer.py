"""Claims due jobs for one worker and keeps their leases."""

import logging
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from recollect.core.clock import Clock
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import ACKNOWLEDGE, CONSOLIDATE, DAILY_LOG, EXTRACT, SUMMARIZE, Job
from recollect.jobs.options import WorkerOptions

log = logging.getLogger("recollect.jobs")

CLOCK_TOLERANCE = timedelta(minutes=1)
"""A larger step backwards means that the clock was set back."""
MAX_DELAY, MAX_SILENCE = timedelta(hours=25), timedelta(days=32)
"""The longest regular delay of learning and summarizing (until the end of the day), and of consolidation."""
RESCUE_INTERVAL = timedelta(hours=1)
"""The check is repeated that often, as another process may have had a wrong clock."""
MAX_LEASE = timedelta(hours=1)
"""No worker claims jobs for longer."""


class Claimer:
    """Holds jobs under a lease in its worker's name."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.worker = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.is_claiming = False
        """A claim may have succeeded without its caller knowing of it yet."""
        self._unreleased: list[Job] = []
        self._last: datetime | None = None
        """When it last looked for jobs."""
        self._rescued = datetime.min.replace(tzinfo=UTC)

    async def claim(self, queues: int, options: WorkerOptions) -> list[Job]:
        """Due jobs of up to so many queues, those of a queue one after the other."""
        now = self._clock()
        if self._last is None or now < self._last - CLOCK_TOLERANCE or now > self._rescued + RESCUE_INTERVAL:
            await self._rescue()
            self._rescued = now
        self._last = now
        # A read first: an idle worker that wrote at each poll would keep every other writer waiting.
        due = await self._store.read(lambda tx: tx.jobs.next_due())
        if due is None or due > now:
            return []
        # Set before the write: `wait_idle` must not see an empty queue while a claim is on its way.
        self.is_claiming = True
        try:
            return await self._store.write(lambda tx: self._claim(tx, now, queues, options), background=True)
        finally:
            self.is_claiming = False

    async def _rescue(self) -> None:
        """Make jobs due again that were delayed while the clock was ahead: they would wait until it gets there."""

        def work(tx: Tx) -> int:
            now = self._clock()  # read here: what is stored by now was put off by a clock that showed no more than this
            lease = now + MAX_LEASE
            count = tx.jobs.rescue((ACKNOWLEDGE, EXTRACT, SUMMARIZE, DAILY_LOG), now, now + MAX_DELAY, lease)
            return count + tx.jobs.rescue((CONSOLIDATE,), now, now + MAX_SILENCE, lease)

        if count := await self._store.write(work, background=True):
            log.info("%d jobs were delayed by a clock that was ahead; they are due now", count)

    def _claim(self, tx: Tx, now: datetime, queues: int, options: WorkerOptions) -> list[Job]:
        until = now + timedelta(seconds=options.lease)
        tx.jobs.extend(self.worker, until)  # keeps our leases even after the machine slept
        return tx.jobs.claim(self.worker, now, until, queues, options.batch_size)

    async def renew(self, options: WorkerOptions) -> None:
        until = self._clock() + timedelta(seconds=options.lease)
        await self._store.write(lambda tx: tx.jobs.extend(self.worker, until), background=True)

    async def end_leases(self) -> None:
        """Free everything at once, for others or the next start."""
        await self._store.write(lambda tx: tx.jobs.extend(self.worker, self._clock()))

    async def release(self, jobs: Sequence[Job]) -> None:
        """Give back jobs that were claimed and not started."""

        def work(tx: Tx) -> None:
            for job in jobs:
                # Not counted: they were never started.
                tx.jobs.retry(job.id, self.worker, job.due, job.error or "", counted=False)

        if jobs:
            await self._store.write(work, background=True)

    def release_later(self, jobs: Sequence[Job]) -> None:
        """Leave jobs to `release_leftovers`: the store can't be written now, and we still hold their lease."""
        self._unreleased += jobs

    async def release_leftovers(self) -> None:
        """Release what could not be released when it should have been."""
        leftovers = [*self._unreleased]
        await self.release(leftovers)
        # Others may have been added while the release was written.
        self._unreleased = self._unreleased[len(leftovers) :]
