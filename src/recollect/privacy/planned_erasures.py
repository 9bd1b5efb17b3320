"""Planned erasures: persisted jobs that can be canceled.

A due erasure starts only after it was confirmed since it became due: a worker that starts after a long downtime must
not erase what was meanwhile meant to stay.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from recollect.core.clock import Clock
from recollect.core.events import Event, EventKind
from recollect.core.ports import StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.core.state import StateKind
from recollect.privacy.receipt import Receipt
from recollect.privacy.target import ErasureTarget

log = logging.getLogger("recollect.privacy")

ERASE = "erase"
"""The job kind."""
CONFIRMATION_INTERVAL = timedelta(minutes=10)
"""How often an erasure that is due is checked for its confirmation."""
HANDLER_TIMEOUT_SECONDS = 60.0
"""When the handler gives the job back to the worker; the erasure itself goes on."""

_CLOCK_SKEW = timedelta(hours=1)

Erase = Callable[[ErasureTarget, str], Awaitable[Receipt]]


@dataclass(frozen=True, slots=True)
class Plan:
    """An erasure that was asked for, and when it is due."""

    target: ErasureTarget
    due: datetime
    asked_by: str
    confirmed_at: datetime
    """When it was last confirmed, at first when it was asked for."""


def schedule(tx: Tx, plan: Plan) -> bool:
    """Queue an erasure; False when one is already planned, whose time stays the same."""
    if _find_plan(tx, plan.target) is not None:
        return False
    _save_plan(tx, plan)
    tx.jobs.add(_make_job(plan, plan.due))
    scope, data = plan.target.subject.scope, {"due": plan.due.isoformat()}
    event = partial(Event, EventKind.ERASURE_PLANNED, plan.confirmed_at, plan.asked_by, scope)
    tx.events.add(event(data=data, detail=str(plan.target)))
    return True


def confirm(tx: Tx, target: ErasureTarget, now: datetime) -> bool:
    """Confirm a planned erasure; False when there is none."""
    plan = _find_plan(tx, target)
    if plan is None:
        return False
    if (
        plan.confirmed_at - now > _CLOCK_SKEW
    ):  # the clock was ahead: what is due then would wait until it is there again
        plan = replace(plan, due=now + max(plan.due - plan.confirmed_at, timedelta()))
        if (job := tx.jobs.find(_job_key(target))) is not None:
            tx.jobs.discard(job.id)
        tx.jobs.add(_make_job(plan, plan.due))
    _save_plan(tx, replace(plan, confirmed_at=now))
    return True


def cancel(tx: Tx, target: ErasureTarget, asked_by: str, now: datetime) -> bool:
    """Cancel a planned erasure; False when there is none. One that is running is not stopped."""
    if not tx.state.clear(StateKind.PLANNED_ERASURE, str(target)):
        return False
    waiting = tx.jobs.find(_job_key(target))
    failed = [
        job for job in tx.jobs.list(JobState.FAILED, 1 << 30) if job.kind == ERASE and job.queue == _job_key(target)
    ]
    for job in (*failed, *([] if waiting is None else [waiting])):
        tx.jobs.discard(job.id)
    scope = target.subject.scope
    tx.events.add(Event(EventKind.ERASURE_CALLED_OFF, now, asked_by, scope, detail=str(target)))
    return True


def planned(tx: Tx) -> list[Plan]:
    """All planned erasures."""
    targets = tx.state.keys(StateKind.PLANNED_ERASURE)
    return [_load_plan(item) for target in targets for item in tx.state.items(StateKind.PLANNED_ERASURE, target)]


class PlannedErasures:
    """The job handler that runs planned erasures. A long one goes on while the worker handles other jobs."""

    def __init__(self, store: Store, erase: Erase, clock: Clock, timeout: float = HANDLER_TIMEOUT_SECONDS) -> None:
        self._store = store
        self._erase = erase
        self._clock = clock
        self._timeout = timeout
        self._running: dict[ErasureTarget, asyncio.Task[Receipt]] = {}

    async def __call__(self, job: Job) -> UnitOfWork:
        target = ErasureTarget(job.payload.get("user"), job.payload.get("guild"))
        plan = await self._store.read(lambda tx: _find_plan(tx, target))
        if plan is None:
            return lambda _: None  # it was canceled
        if plan.confirmed_at < plan.due:
            later = _make_job(plan, self._clock() + CONFIRMATION_INTERVAL)
            return lambda tx: tx.jobs.add(later)
        receipt = await self._run(plan)
        log.info("%s was erased: %s", target, "nothing is left" if receipt.clean else "something is left")
        return partial(_remove_plan, target=target)

    async def _run(self, plan: Plan) -> Receipt:
        task = self._running.get(plan.target) or asyncio.ensure_future(self._erase(plan.target, plan.asked_by))
        self._running[plan.target] = task
        try:
            finished, _ = await asyncio.wait({task}, timeout=self._timeout)
        except asyncio.CancelledError:
            task.cancel()  # shutting down; the job resumes the erasure at the next start
            raise
        if not finished:
            raise StaleResult
        return self._running.pop(plan.target).result()


def _remove_plan(tx: Tx, target: ErasureTarget) -> None:
    tx.state.clear(StateKind.PLANNED_ERASURE, str(target))


def _make_job(plan: Plan, due: datetime) -> NewJob:
    target, job_key = plan.target, _job_key(plan.target)
    return NewJob(ERASE, job_key, {"user": target.user, "guild": target.guild}, due, job_key, ERASE)


def _job_key(target: ErasureTarget) -> str:
    """The queue and the dedupe key of the job."""
    return f"{ERASE}:{target}"


def _find_plan(tx: Tx, target: ErasureTarget) -> Plan | None:
    items = tx.state.items(StateKind.PLANNED_ERASURE, str(target))
    return _load_plan(items[-1]) if items else None


def _save_plan(tx: Tx, plan: Plan) -> None:
    target = plan.target
    item = [target.user, target.guild, plan.due.isoformat(), plan.asked_by, plan.confirmed_at.isoformat()]
    tx.state.clear(StateKind.PLANNED_ERASURE, str(target))
    tx.state.append(StateKind.PLANNED_ERASURE, str(target), json.dumps(item), target.owner)


def _load_plan(item: str) -> Plan:
    user, guild, due, asked_by, confirmed_at = json.loads(item)
    return Plan(ErasureTarget(user, guild), datetime.fromisoformat(due), asked_by, datetime.fromisoformat(confirmed_at))
