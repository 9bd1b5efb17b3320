"""Background jobs: running since when, waiting, failed and why; and what models cost and how fast they answer."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse

from recollect.core.errors import RecollectError
from recollect.faces.http.event_stream import HEARTBEAT_SECONDS, MAX_STREAM_SECONDS, wait_for_next_poll
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import PageContext, PageDep, after, as_number
from recollect.faces.http.problems import problem

router = APIRouter(include_in_schema=False)

MAX_JOBS = 100

Number = Annotated[str, Form(max_length=20)]


@router.get("/jobs")
async def jobs(request: Request, page: PageDep) -> HTMLResponse:
    worker, admin = page.state.memory.worker, page.state.admin
    status = await admin.job_status(MAX_JOBS)
    return page.render(
        request,
        "jobs.html",
        part="jobs_list.html",
        status=status,
        queues=await admin.queue_names({job.queue for job in status.jobs}),
        running=worker.is_running,
        since=dict(worker.running),
        problems=[(group, log_rows.rows([group.last], page.guild_names)[0]) for group in await admin.problems()],
        models=await admin.model_use(),
    )


@router.post("/jobs/retry")
async def retry(page: PageDep, job: Number) -> Response:
    """Run a job now: one that failed, or one that is not due yet."""
    job_id = as_number(job)
    done = job_id is not None and await page.state.admin.hasten_job(job_id)
    return after("/jobs", "retried" if done else "gone")


@router.post("/jobs/retry-all")
async def retry_all(page: PageDep) -> Response:
    count = await page.state.admin.retry_jobs()
    return after("/jobs", "retried" if count else "gone")


@router.post("/jobs/drop")
async def discard(page: PageDep, job: Number) -> Response:
    job_id = as_number(job)
    dropped = job_id is not None and await page.state.admin.drop_job(job_id)
    return after("/jobs", "dropped" if dropped else "gone")


@router.get("/live/stream")
async def live(page: PageDep) -> Response:
    """Reports that something changed, so that the page reloads its live part."""
    if page.state.streams.locked():
        return problem(503, "too many pages are followed live already", {"retry-after": "30"})
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_changes(page), headers=headers, media_type="text/event-stream")


async def _changes(page: PageContext) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    loop, state, seen = asyncio.get_running_loop(), page.state, await _generation(page)
    started = last_sent = loop.time()
    async with state.streams:
        while not state.closing.is_set() and loop.time() - started < MAX_STREAM_SECONDS:
            await wait_for_next_poll(state.closing)
            generation = await _generation(page)
            if generation != seen:
                seen, last_sent = generation, loop.time()
                yield b"event: changed\ndata: .\n\n"
            elif loop.time() - last_sent >= HEARTBEAT_SECONDS:
                last_sent = loop.time()
                yield b": still here\n\n"


async def _generation(page: PageContext) -> tuple[int, int]:
    """Changes with every write, and with every job that begins or ends here."""
    try:
        generation = await page.state.admin.generation()
    except RecollectError:
        generation = -1
    return generation, hash(frozenset(page.state.memory.worker.running))
