"""The event log as the operator reads it: whom each event is about, daily logs, and refused proposals."""

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from recollect.admin.base import AdminBase, clamp
from recollect.admin.names import Names
from recollect.admin.overview import REFUSED_KIND
from recollect.admin.places import resolve_place
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.ports.jobs import RELEARN
from recollect.core.reasons import decode_reason
from recollect.core.sessions import QUEUES, parse_learning_queue, parse_session, parse_summary_queue
from recollect.core.types import Memo, Place, Subject
from recollect.transfer.mirror import daily_log, disk

_OTHER_SCOPES = ("user:", "lore:", "consolidate:", *QUEUES)
"""Prefixes of scopes that are not sessions: memories, and job queues."""
MAX_REFUSALS_COUNTED = 1_000
"""Newest refusals that are counted by reason."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An event, and what it is about."""

    event: Event
    memo: Memo | None
    """As it is now."""
    actor: str
    """Who did it, by name if known."""
    person: str
    """The person that it is about, by name if known; empty if it concerns no single person."""
    place: Place | None
    """The conversation that it is about."""


@dataclass(frozen=True, slots=True)
class LogPage:
    entries: tuple[LogEntry, ...]
    newest: int
    """The id of the newest event in the whole log; 0 when it is empty."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """Proposals that were refused, newest first."""

    entries: tuple[LogEntry, ...]
    reasons: Mapping[str, int]
    """How often each reason occurs among the newest refusals."""
    total: int


_REMOVALS = (
    EventKind.MESSAGE_DELETED,
    EventKind.MESSAGE_EDITED,
    EventKind.MEMO_RETIRED,
    EventKind.MEMO_UNDONE,
    EventKind.MEMO_DROPPED,
    EventKind.MEMORY_NARROWED,
    EventKind.SUMMARY_RESET,
)


class LogAdmin(AdminBase):
    async def events(
        self,
        kinds: Collection[str] = (),
        scope: str | None = None,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Event]:
        """The log, newest first."""
        return await self._read(lambda tx: tx.events.list(scope, None, clamp(limit), before, kinds))

    async def last_erasure(self) -> int:
        """The id of the newest erasure in the log; 0 if there is none."""
        newest = await self.events([EventKind.MEMO_ERASED], limit=1)
        return newest[0].id if newest else 0

    async def last_removal(self) -> int:
        """The id of the newest event that withdrew something (forgotten, deleted, erased); 0 if there is none."""
        newest = await self.events(_REMOVALS, limit=1)
        return newest[0].id if newest else 0

    async def events_after(self, event_id: int, limit: int = 200) -> list[Event]:
        """Events after this one, oldest first."""
        return await self._read(lambda tx: tx.events.after(event_id, clamp(limit)))

    async def describe_events(self, events: Sequence[Event]) -> list[LogEntry]:
        """These events, with what each is about."""
        return await self._read(lambda tx: describe_events(tx, events))

    async def log_page(
        self, kinds: Collection[str] = (), day: datetime | None = None, before: int | None = None, limit: int = 100
    ) -> LogPage:
        """The log with what each event is about, newest first; up to the end of a day, or before an event."""

        def work(tx: Tx) -> LogPage:
            until = before or (_first_after(tx, day + timedelta(days=1)) if day else None)
            events = tx.events.list(limit=clamp(limit), before=until, kinds=kinds)
            return LogPage(tuple(describe_events(tx, events)), _newest_id(tx))

        return await self._read(work)

    async def refusals(self, reason: str = "", before: int | None = None, limit: int = 50) -> Refusals:
        """Refused proposals; of one reason if that is given."""

        def work(tx: Tx) -> Refusals:
            newest = tx.events.list(kinds=[REFUSED_KIND], limit=MAX_REFUSALS_COUNTED)
            older = newest
            if before is not None:
                older = tx.events.list(kinds=[REFUSED_KIND], limit=MAX_REFUSALS_COUNTED, before=before)
            matching = [event for event in older if not reason or (event.reason, event.detail) == decode_reason(reason)]
            total, _ = tx.events.counts().get(REFUSED_KIND, (0, None))
            entries = describe_events(tx, matching[: clamp(limit)])
            return Refusals(tuple(entries), Counter(event.text for event in newest), total)

        return await self._read(work)

    async def daily_logs(self) -> list[str]:
        """The days that have a daily log, newest first."""
        paths = await asyncio.to_thread(daily_log.days, self.memory.settings.mirror.dir)
        return [path.stem for path in reversed(paths)]

    async def daily_log(self, day: str) -> list[daily_log.Entry] | None:
        """What people said on one day, from its daily log; None when there is none."""
        paths = {path.stem: path for path in await asyncio.to_thread(daily_log.days, self.memory.settings.mirror.dir)}
        if day not in paths:
            return None
        text = await asyncio.to_thread(disk.read, paths[day]) or b""
        return daily_log.entries(text.decode("utf-8", "replace"))


def describe_events(tx: Tx, events: Sequence[Event]) -> list[LogEntry]:
    """Look up what events are about."""
    names = Names(tx)
    return [
        LogEntry(
            event,
            _memo(tx, event),
            names(event.actor) or event.actor,
            (person := _person(event.scope)) and (names(person) or person),
            _place(tx, event.scope),
        )
        for event in events
    ]


def describe_queue(tx: Tx, queue: str, names: Names) -> str:
    """Whom or what the jobs of a queue are about; empty where its name does not say."""
    session = parse_session(parse_summary_queue(queue) or "")
    if session is not None:
        place = resolve_place(tx, session.place)
        return (
            (names(place.person) or place.person) if place.person else f"#{place.name or place.channel or place.thread}"
        )
    person, place = _person(queue), _queue_place(tx, queue)
    name = names(person) or person
    return f"{name} in #{place.name or place.channel}" if place and place.channel and not place.person else name


def _memo(tx: Tx, event: Event) -> Memo | None:
    if event.memo is None or not event.scope.startswith(("user:", "lore:")):
        return None
    return tx.memos.get(Subject.of_scope(event.scope), event.memo)


def _person(scope: str) -> str:
    """The person of a memory or of a job queue, by `person_key`."""
    if scope.startswith("user:"):
        return Subject.of_scope(scope).id
    learned = parse_learning_queue(scope)
    if learned is not None:
        return learned.person
    if scope.startswith(f"{RELEARN}:"):
        return scope.split(":", 2)[2]
    return scope.removeprefix("consolidate:") if scope.startswith("consolidate:") else ""


def _queue_place(tx: Tx, queue: str) -> Place | None:
    """The conversation in which messages wait to be learned from."""
    learned = parse_learning_queue(queue)
    session = parse_session(learned.session) if learned else None
    return resolve_place(tx, session.place) if session else None


def _place(tx: Tx, scope: str) -> Place | None:
    name = parse_summary_queue(scope)
    if name is None and not scope.startswith(_OTHER_SCOPES):
        name = scope
    session = parse_session(name or "")
    return resolve_place(tx, session.place) if session else None


def _newest_id(tx: Tx) -> int:
    events = tx.events.list(limit=1)
    return events[0].id if events else 0


def _first_after(tx: Tx, time: datetime) -> int:
    """The id of the first event from this time on, by binary search, as ids grow with time."""
    low, high = 0, _newest_id(tx)
    while low < high:
        middle = (low + high + 1) // 2
        events = tx.events.list(limit=1, before=middle + 1)
        if events and events[0].at < time:
            low = middle
        else:
            high = middle - 1
    return low + 1
