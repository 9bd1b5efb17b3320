"""An erasure that waits: a job on disk, called off when it is no longer wanted.

It is done only after somebody who can know said, since it was due, that it is still wanted: a worker that starts after
a long pause must not erase what was asked to stay meanwhile.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from recollect.core.clock import Clock
from recollect.core.events import Event
from recollect.core.ports import StaleResult, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, JobState, NewJob
from recollect.privacy.receipt import Receipt
from recollect.privacy.target import ErasureTarget

log = logging.getLogger("recollect.privacy")

ERASE = "erase"
"""The kind of job."""
AGAIN = timedelta(minutes=10)
"""Time until the next look, while nobody has said that a due erasure is still wanted."""
PATIENCE = 60.0
"""Seconds after which the worker is told that it takes longer; the erasure itself goes on."""
_PLANNED = "planned:"

Erase = Callable[[ErasureTarget, str], Awaitable[Receipt]]


@dataclass(frozen=True, slots=True)
class Plan:
    target: ErasureTarget
    due: datetime
    asked_by: str
    wanted: datetime
    """When somebody said last that it is wanted."""


def schedule(tx: Tx, new: Plan) -> bool:
    """Put an erasure into the queue; False when it is there already, and then its time stays."""
    if _find(tx, new.target) is not None:
        return False
    _note(tx, new)
    tx.jobs.add(_job(new, new.due))
    scope, data = new.target.subject.scope, {"due": new.due.isoformat()}
    tx.events.add(Event("erasure.planned", new.wanted, new.asked_by, scope, reason=str(new.target), data=data))
    return True


def confirm(tx: Tx, target: ErasureTarget, at: datetime) -> bool:
    """It is still wanted; False when it is not planned."""
    found = _find(tx, target)
    if found is not None:
        _note(tx, replace(found, wanted=at))
    return found is not None


def cancel(tx: Tx, target: ErasureTarget, by: str, at: datetime) -> bool:
    """It is no longer wanted; False when it was not planned. What is under way is not stopped."""
    if not tx.state.clear(_name(target)):
        return False
    waiting = tx.jobs.find(_key(target))
    failed = [job for job in tx.jobs.list(JobState.FAILED, 1 << 30) if job.kind == ERASE and job.queue == _key(target)]
    for job in (*failed, *([] if waiting is None else [waiting])):
        tx.jobs.discard(job.id)
    tx.events.add(Event("erasure.called_off", at, by, target.subject.scope, reason=str(target)))
    return True


def planned(tx: Tx) -> list[Plan]:
    """All that wait."""
    return [_read(item) for name in tx.state.names(_PLANNED) for item in tx.state.items(name)]


class PlannedErasures:
    """Does them, as the handler of their jobs. One that takes long goes on while the worker looks after others."""

    def __init__(self, store: Store, erase: Erase, clock: Clock, patience: float = PATIENCE) -> None:
        self._store = store
        self._erase = erase
        self._clock = clock
        self._patience = patience
        self._running: dict[ErasureTarget, asyncio.Task[Receipt]] = {}

    async def __call__(self, job: Job) -> UnitOfWork:
        target = ErasureTarget(job.payload.get("user"), job.payload.get("guild"))
        found = await self._store.read(lambda tx: _find(tx, target))
        if found is None:
            return _nothing
        if found.wanted < found.due:
            return partial(_wait, waiting=_job(found, self._clock() + AGAIN))
        receipt = await self._erased(found)
        log.info("%s was erased: %s", target, "nothing is left" if receipt.clean else "something is left")
        return partial(_end, target=target)

    async def _erased(self, found: Plan) -> Receipt:
        task = self._running.get(found.target) or asyncio.ensure_future(self._erase(found.target, found.asked_by))
        self._running[found.target] = task
        try:
            done, _ = await asyncio.wait({task}, timeout=self._patience)
        except asyncio.CancelledError:
            task.cancel()  # everything is being closed; the job goes on from there the next time
            raise
        if not done:
            raise StaleResult
        return self._running.pop(found.target).result()


def _nothing(tx: Tx) -> None:
    """It was called off."""
    del tx


def _wait(tx: Tx, waiting: NewJob) -> None:
    tx.jobs.add(waiting)


def _end(tx: Tx, target: ErasureTarget) -> None:
    tx.state.clear(_name(target))


def _job(found: Plan, due: datetime) -> NewJob:
    target, key = found.target, _key(found.target)
    return NewJob(ERASE, key, {"user": target.user, "guild": target.guild}, due, key, ERASE)


def _key(target: ErasureTarget) -> str:
    return f"{ERASE}:{target}"


def _name(target: ErasureTarget) -> str:
    return f"{_PLANNED}{target}"


def _find(tx: Tx, target: ErasureTarget) -> Plan | None:
    items = tx.state.items(_name(target))
    return _read(items[-1]) if items else None


def _note(tx: Tx, found: Plan) -> None:
    target = found.target
    item = [target.user, target.guild, found.due.isoformat(), found.asked_by, found.wanted.isoformat()]
    tx.state.clear(_name(target))
    tx.state.append(_name(target), json.dumps(item))


def _read(item: str) -> Plan:
    user, guild, due, asked_by, wanted = json.loads(item)
    return Plan(ErasureTarget(user, guild), datetime.fromisoformat(due), asked_by, datetime.fromisoformat(wanted))
