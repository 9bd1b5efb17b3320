"""The command that shows the work in the background: what waits, what failed, what was done and when last."""

from collections.abc import Sequence
from typing import Annotated

import typer

from recollect.core.clock import now
from recollect.core.errors import BadInput
from recollect.core.ports.jobs import Job, JobState
from recollect.faces.cli.invocation import NO_MATCH, Invocation, fail
from recollect.faces.cli.options import Limit, flag
from recollect.faces.cli.output import cell, when
from recollect.faces.outcome_text import counted
from recollect.jobs.status import WorkerStatus
from recollect.memory import AsyncMemory

_SHOWN = 20
_DIGITS = 18
"""No job's number has more."""


def jobs(
    call: Invocation,
    run: Annotated[bool, flag("--run", meaning="Do now what is due, and wait for it.")] = False,
    retry: Annotated[
        str | None, typer.Option(metavar="ID", help="Try a job again that was put aside; 'all' for all of them.")
    ] = None,
    drop: Annotated[str | None, typer.Option(metavar="ID", help="Give up a job that waits or was put aside.")] = None,
    limit: Limit = None,
) -> None:
    """Show what is waiting to be learned, what was put aside and why."""
    if sum((run, retry is not None, drop is not None)) > 1:
        raise BadInput("one thing at a time: --run, --retry or --drop")
    if run:
        _run(call)
    elif retry is not None:
        _retry(call, retry)
    elif drop is not None:
        _drop(call, drop)
    else:
        _show(call, call.run(lambda memory: memory.worker.status(limit or _SHOWN)))


def _show(call: Invocation, found: WorkerStatus) -> None:
    if call.options.json:
        call.screen.data(
            {
                "counts": found.counts,
                "later": found.later,
                "jobs": [_shape(job) for job in found.jobs],
                "events": {kind: {"count": count, "last": last} for kind, (count, last) in found.events.items()},
            }
        )
        return
    waiting, running, failed = (
        found.counts.get(state, 0) for state in (JobState.WAITING, JobState.CLAIMED, JobState.FAILED)
    )
    later = f", {found.later} for later" if found.later else ""
    call.screen.say(f"{counted(waiting - found.later, 'job')} waiting, {running} running, {failed} put aside{later}")
    if found.jobs:
        call.screen.table(
            ["job", "kind", "queue", "state", "tried", "problem"], [_row(job) for job in found.jobs], "problem"
        )
    if failed:
        call.screen.aside("  'recollect jobs --retry ID' tries one again, '--drop ID' gives it up")
    if found.events:
        call.screen.say("")
        rows = [[kind, str(count), when(last)] for kind, (count, last) in sorted(found.events.items())]
        call.screen.table(["what happened", "times", "last"], rows, "what happened")


def _row(job: Job) -> Sequence[str]:
    later = f"due {when(job.due)}" if job.due > now() else "waiting"
    state = {JobState.CLAIMED: "running", JobState.FAILED: "put aside"}.get(job.state, later)
    return [str(job.id), job.kind, job.queue, state, str(job.attempts), cell(job.error or "")]


def _shape(job: Job) -> dict[str, object]:
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
            done = await memory.worker.wait_idle(progress=progress)
        return done, await memory.worker.status(_SHOWN)

    done, found = call.run(work, embeds=True, run_worker=True)
    _show(call, found)
    if not done:
        fail("not everything could be done now; it waits on disk and is tried again", 1)


def _retry(call: Invocation, which: str) -> None:
    tried = call.run(lambda memory: memory.worker.retry(None if which == "all" else _number(which)))
    if call.options.json:
        call.screen.data({"retried": tried})
    elif tried:
        call.screen.say(f"{counted(tried, 'job')} will be tried again; 'recollect jobs --run' does it now")
    if not tried:
        fail(f"there is no job {which!r} that was put aside", NO_MATCH)


def _drop(call: Invocation, which: str) -> None:
    number = _number(which)
    dropped = call.run(lambda memory: memory.worker.discard(number))
    if call.options.json:
        call.screen.data({"dropped": dropped})
    elif dropped:
        call.screen.say(f"Job {number} is given up; the message itself stays")
    if not dropped:
        fail(f"there is no job {which!r} that could be given up", NO_MATCH)


def _number(which: str) -> int:
    if not which.isdecimal() or len(which) > _DIGITS:
        raise BadInput(f"{which!r} is not a job's number; 'recollect jobs' lists them")
    return int(which)
