"""The command `jobs`: background jobs that wait, run or failed; retrying and dropping them."""

from collections.abc import Sequence
from typing import Annotated

import typer

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.ports.jobs import Job, JobState
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import Limit, flag
from recollect.faces.cli.output import cell, local_time
from recollect.faces.outcome_text import count_noun
from recollect.jobs.status import WorkerStatus
from recollect.memory import AsyncMemory

DEFAULT_LIMIT = 20
MAX_ID_DIGITS = 18
"""Largest id of a job."""


def jobs(
    call: Invocation,
    run: Annotated[bool, flag("--run", meaning="Do now what is due, and wait for it.")] = False,
    retry: Annotated[str | None, typer.Option(metavar="ID", help="Retry a failed job; 'all' for all of them.")] = None,
    drop: Annotated[str | None, typer.Option(metavar="ID", help="Drop a job that waits or failed.")] = None,
    limit: Limit = None,
) -> None:
    """Show background jobs: waiting, running and failed ones, and why they failed."""
    if sum((run, retry is not None, drop is not None)) > 1:
        raise BadInput("one thing at a time: --run, --retry or --drop")
    if run:
        _run(call)
    elif retry is not None:
        _retry(call, retry)
    elif drop is not None:
        _drop(call, drop)
    else:
        _show(call, call.run(lambda memory: memory.worker.status(limit or DEFAULT_LIMIT)))


def _show(call: Invocation, status: WorkerStatus) -> None:
    if call.options.json:
        call.screen.data(
            {
                "counts": status.counts,
                "later": status.delayed,
                "jobs": [_to_json(job) for job in status.jobs],
                "events": {kind: {"count": count, "last": last} for kind, (count, last) in status.events.items()},
            }
        )
        return
    waiting, running, failed = (
        status.counts.get(state, 0) for state in (JobState.WAITING, JobState.CLAIMED, JobState.FAILED)
    )
    later = f", {status.delayed} for later" if status.delayed else ""
    call.screen.say(f"{count_noun(waiting - status.delayed, 'job')} waiting, {running} running, {failed} failed{later}")
    if status.jobs:
        call.screen.table(
            ["job", "kind", "queue", "state", "tried", "problem"], [_row(job) for job in status.jobs], "problem"
        )
    if failed:
        call.screen.aside("  'recollect jobs --retry ID' retries one, '--drop ID' drops it")
    if status.events:
        call.screen.say("")
        rows = [[kind, str(count), local_time(last)] for kind, (count, last) in sorted(status.events.items())]
        call.screen.table(["what happened", "times", "last"], rows, "what happened")


def _row(job: Job) -> Sequence[str]:
    later = f"due {local_time(job.due)}" if job.due > now() else "waiting"
    state = {JobState.CLAIMED: "running", JobState.FAILED: "failed"}.get(job.state, later)
    return [str(job.id), job.kind, job.queue, state, str(job.attempts), cell(job.error or "")]


def _to_json(job: Job) -> dict[str, object]:
    return {
        "id": job.id,
        "kind": job.kind,
        "queue": job.queue,
        "lane": job.queue,
        "state": job.state,
        "attempts": job.attempts,
        "due": job.due,
        "error": job.error,
    }


def _run(call: Invocation) -> None:
    async def work(memory: AsyncMemory) -> tuple[bool, WorkerStatus]:
        with call.screen.progress("learning") as progress:
            is_idle = await memory.worker.wait_idle(progress=progress)
        return is_idle, await memory.worker.status(DEFAULT_LIMIT)

    is_idle, status = call.run(work, embeds=True, run_worker=True)
    _show(call, status)
    if not is_idle:
        fail("not everything could be done now; it waits on disk and is retried", 1)


def _retry(call: Invocation, ref: str) -> None:
    retried = call.run(lambda memory: memory.worker.retry(None if ref == "all" else _parse_id(ref)))
    if call.options.json:
        call.screen.data({"retried": retried})
    elif retried:
        call.screen.say(f"{count_noun(retried, 'job')} will be retried; 'recollect jobs --run' does it now")
    if not retried:
        fail(f"there is no job {ref!r} that failed", NO_MATCH)


def _drop(call: Invocation, ref: str) -> None:
    job_id = _parse_id(ref)
    dropped = call.run(lambda memory: memory.worker.discard(job_id))
    if call.options.json:
        call.screen.data({"dropped": dropped})
    elif dropped:
        call.screen.say(f"Job {job_id} is dropped; the message itself stays")
    if not dropped:
        fail(f"there is no job {ref!r} that can be dropped", NO_MATCH)


def _parse_id(ref: str) -> int:
    if not ref.isdecimal() or len(ref) > MAX_ID_DIGITS:
        raise BadInput(f"{ref!r} is not a job's number; 'recollect jobs' lists them")
    return int(ref)
