"""Background jobs: waiting, running, failed and why."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response

from recollect.faces.http.pages.context import PageDep, after, as_number

router = APIRouter(include_in_schema=False)

MAX_JOBS = 100

Number = Annotated[str, Form(max_length=20)]


@router.get("/jobs")
async def jobs(request: Request, page: PageDep) -> HTMLResponse:
    status = await page.state.admin.job_status(MAX_JOBS)
    return page.render(request, "jobs.html", status=status, running=page.state.memory.worker.is_running)


@router.post("/jobs/retry")
async def retry(page: PageDep, job: Number) -> Response:
    job_id = as_number(job)
    count = await page.state.admin.retry_jobs(job_id) if job_id is not None else 0
    return after("/jobs", "retried" if count else "gone")


@router.post("/jobs/retry-all")
async def retry_all(page: PageDep) -> Response:
    count = await page.state.admin.retry_jobs()
    return after("/jobs", "retried" if count else "gone")


@router.post("/jobs/drop")
async def discard(page: PageDep, job: Number) -> Response:
    job_id = as_number(job)
    dropped = job_id is not None and await page.state.admin.drop_job(job_id)
    return after("/jobs", "dropped" if dropped else "gone")
