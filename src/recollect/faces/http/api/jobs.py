"""Work in the background: what waits, what runs, what was put aside and why; trying again and giving up."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from recollect.core.ports.jobs import JobState
from recollect.faces.http.api import records
from recollect.faces.http.api.common import CHANGING, READING, Limit, Number, Wire, missing, problems, router
from recollect.faces.http.dependencies import AppStateDep

routes = router("jobs")
State = Literal[JobState.WAITING, JobState.CLAIMED, JobState.FAILED]


class Jobs(Wire):
    counts: dict[str, int] = Field(description="How many wait, are claimed by a worker, and failed.")
    jobs: list[records.JobOut] = Field(description="Oldest first.")


class Which(Wire):
    id: Number


class Retrying(Wire):
    id: Number | None = Field(None, description="One that was put aside; all of them unless said.")


class Retried(Wire):
    retried: int


class Dropped(Wire):
    id: int


@routes.get("/jobs", responses=READING)
async def list_jobs(
    house: AppStateDep,
    state: Annotated[State | None, Query(description="Only in this state.")] = None,
    limit: Limit = 100,
) -> Jobs:
    """The queue."""
    counts, found = await house.memory.store.read(lambda tx: (tx.jobs.counts(), tx.jobs.list(state, limit)))
    return Jobs(counts=records.counts(counts), jobs=[records.job(one) for one in found])


@routes.post("/jobs/retry", responses=CHANGING | problems(404))
async def retry_jobs(house: AppStateDep, given: Retrying) -> Retried:
    """Try again what was put aside."""
    tried = await house.memory.worker.retry(given.id)
    if given.id is not None and not tried:
        raise missing(f"there is no job {given.id} that was put aside")
    return Retried(retried=tried)


@routes.post("/jobs/drop", responses=CHANGING | problems(404))
async def drop_job(house: AppStateDep, given: Which) -> Dropped:
    """Give up a job that nobody is doing; the message that it is about stays."""
    if not await house.memory.worker.discard(given.id):
        raise missing(f"there is no job {given.id} that could be given up")
    return Dropped(id=given.id)
