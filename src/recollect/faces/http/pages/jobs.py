"""Work in the background: what waits, what runs, what was put aside and why."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response

from recollect.faces.http.pages.context import At, after, as_number

router = APIRouter(include_in_schema=False)

SHOWN = 100

Number = Annotated[str, Form(max_length=20)]


@router.get("/jobs")
async def jobs(request: Request, desk: At) -> HTMLResponse:
    standing = await desk.house.memory.worker.status(SHOWN)
    return desk.page(request, "jobs.html", standing=standing, running=desk.house.memory.worker.is_running)


@router.post("/jobs/retry")
async def retry(desk: At, job: Number) -> Response:
    chosen = as_number(job)
    found = await desk.house.memory.worker.retry(chosen) if chosen is not None else 0
    return after("/jobs", "retried" if found else "gone")


@router.post("/jobs/retry-all")
async def retry_all(desk: At) -> Response:
    found = await desk.house.memory.worker.retry()
    return after("/jobs", "retried" if found else "gone")


@router.post("/jobs/drop")
async def discard(desk: At, job: Number) -> Response:
    chosen = as_number(job)
    found = chosen is not None and await desk.house.memory.worker.discard(chosen)
    return after("/jobs", "dropped" if found else "gone")
