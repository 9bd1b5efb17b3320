"""Background jobs: the queue, failures and their reasons, retrying and dropping."""

from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from recollect.core.ports.jobs import JobState
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    PAGING,
    Cursor,
    Limit,
    Next,
    Number,
    Wire,
    missing,
    next_cursor,
    number_after,
    problems,
    router,
)
from recollect.faces.http.dependencies import AppStateDep

routes = router("jobs")
State = Literal[JobState.WAITING, JobState.CLAIMED, JobState.FAILED]


class Jobs(Wire):
    counts: dict[str, int] = Field(description="How many wait, are claimed by a worker, and failed.")
    jobs: list[records.JobOut] = Field(description="Oldest first.")
    next: Next


class Which(Wire):
    id: Number


class Retrying(Wire):
    id: Number | None = Field(None, description="A failed job; all of them unless given.")


class Retried(Wire):
    retried: int


class Dropped(Wire):
    id: int


@routes.get("/jobs", responses=PAGING)
async def list_jobs(
    state: AppStateDep,
    job_state: Annotated[State | None, Query(alias="state", description="Only in this state.")] = None,
    limit: Limit = 100,
    cursor: Cursor = "",
) -> Jobs:
    """The queue."""
    counts, jobs = await state.admin.jobs(job_state, limit, number_after("jobs", cursor) or 0)
    return Jobs(
        counts=records.job_counts(counts),
        jobs=[records.from_job(job) for job in jobs],
        next=next_cursor("jobs", jobs[-1].id) if len(jobs) == limit else None,
    )


@routes.post("/jobs/retry", responses=CHANGING | problems(404))
async def retry_jobs(state: AppStateDep, body: Retrying) -> Retried:
    """Retry failed jobs."""
    retried = await state.admin.retry_jobs(body.id)
    if body.id is not None and not retried:
        raise missing(f"there is no job {body.id} that failed")
    return Retried(retried=retried)


@routes.post("/jobs/drop", responses=CHANGING | problems(404))
async def drop_job(state: AppStateDep, body: Which) -> Dropped:
    """Drop a job that is not running; the message that it is about stays."""
    if not await state.admin.drop_job(body.id):
        raise missing(f"there is no job {body.id} that can be dropped")
    return Dropped(id=body.id)
