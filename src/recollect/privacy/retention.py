"""Retention: what was said in a guild is forgotten after so many days. A job per guild looks every hour.

The effect is that of deletion: it removes the messages, what was learned from them, and what repeats them. What people
told the assistant to remember, and what they pinned, stays.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.core.clock import Clock
from recollect.core.ports import Store, Tx, UnitOfWork
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.state import Owner, StateKind
from recollect.core.types import Memo, Message, Origin
from recollect.privacy import delete_rows

log = logging.getLogger("recollect.privacy")

RETAIN = "retain"
"""The job kind."""
INTERVAL = timedelta(hours=1)
PAGE_MESSAGES, MAX_PAGES = 200, 10
"""Messages that are read at a time, and how often per run of the job."""

Delete = Callable[[Tx, Message], bool]


def set_retention(tx: Tx, guild: str, days: int | None, now: datetime) -> None:
    """Delete a guild's messages after so many days; None keeps them."""
    tx.state.clear(StateKind.RETENTION, guild)
    if days is not None:
        tx.state.append(StateKind.RETENTION, guild, str(days), Owner.guild(guild))
        tx.jobs.add(_make_job(guild, now, 0), postpone=True)


def retention_days(tx: Tx, guild: str) -> int | None:
    items = tx.state.items(StateKind.RETENTION, guild)
    return int(items[-1]) if items else None


def ensure_jobs(tx: Tx, now: datetime) -> int:
    """Queue the missing jobs of guilds with a retention; returns how many were missing."""
    guilds = tx.state.keys(StateKind.RETENTION)
    return sum(tx.jobs.add(_make_job(guild, now, 0)) is not None for guild in guilds)


class Retention:
    """The job handler. One transaction per message, so that other writers don't wait."""

    def __init__(self, store: Store, delete: Delete, clock: Clock) -> None:
        self._store, self._delete, self._clock = store, delete, clock

    async def __call__(self, job: Job) -> UnitOfWork:
        guild, now = str(job.payload["guild"]), self._clock()
        days = await self._store.read(lambda tx: retention_days(tx, guild))
        if days is None:
            return lambda _: None  # it keeps everything now
        cutoff = now - timedelta(days=days)
        position, is_done = await self._forget_messages(guild, cutoff, int(job.payload.get("after", 0)))
        memos = await self._store.read(lambda tx: expired_memos(tx, guild, cutoff))
        if memos:
            await self._store.write(lambda tx: delete_rows.erase_expired(tx, memos, now), background=True)
            log.info("guild %s: forgot %d memories that are older than %d days", guild, len(memos), days)
        next_job = _make_job(guild, now + (INTERVAL if is_done else timedelta()), position)
        return lambda tx: tx.jobs.add(next_job)

    async def _forget_messages(self, guild: str, cutoff: datetime, position: int) -> tuple[int, bool]:
        """Delete messages from before the cutoff; returns the key up to which that is done, and whether it is all."""
        for _ in range(MAX_PAGES):
            rows = await self._store.read(
                lambda tx, after=position: tx.messages.written_by(guild=guild, limit=PAGE_MESSAGES, after=after)
            )
            for key, message in rows:
                if message.at >= cutoff:
                    return position, True
                if message.text:
                    await self._store.write(lambda tx, old=message: self._forget(tx, old), background=True)
                position = key
            if len(rows) < PAGE_MESSAGES:
                return position, True
        return position, False

    def _forget(self, tx: Tx, message: Message) -> None:
        """Delete a message; pinned memos lose their link to it and stay."""
        for memo in tx.memos.from_message(message.place.platform, message.id):
            if memo.pinned:
                source = replace(memo.source, origin=Origin.MANUAL, message=None, evidence=None)
                tx.memos.put(replace(memo, source=source))
        self._delete(tx, message)


def expired_memos(tx: Tx, guild: str, cutoff: datetime) -> list[Memo]:
    """What was learned in a guild, and not changed since the cutoff."""
    return [
        memo
        for memo in tx.memos.stated_by(guild=guild, before=cutoff)
        if memo.source.origin is not Origin.MANUAL and not memo.pinned
    ]


def _make_job(guild: str, due: datetime, after: int) -> NewJob:
    queue = f"{RETAIN}:{guild}"
    return NewJob(RETAIN, queue, {"guild": guild, "after": after}, due, queue, RETAIN)
