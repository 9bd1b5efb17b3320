"""Relearn: extract from messages again with the model that is configured now, in the background and as one batch.

What people wrote, pinned, edited or forgot stays as it is, and so does what was said since (`policy.relearn_limits`): a
second run changes nothing. A preview learns in a transaction that is rolled back.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import TypedDict

from recollect.core.changes import Step
from recollect.core.clock import Clock
from recollect.core.errors import BadInput
from recollect.core.events import Event, EventKind
from recollect.core.outcomes import NothingToRelearn, RelearnPreview, RelearnRun
from recollect.core.ports import Progress, Store, Tx, UnitOfWork
from recollect.core.ports.jobs import RELEARN, Job, JobState, NewJob
from recollect.core.reasons import Reason
from recollect.core.types import LOCAL, Message, Place, Subject, message_ref, parse_message_ref
from recollect.learning.batches import existing_messages
from recollect.learning.consent import is_silent
from recollect.learning.extract import Extractor
from recollect.learning.extraction_records import Extraction
from recollect.policy.visibility import is_forgotten
from recollect.recall import withheld

MESSAGES_PER_JOB = 10
JOBS_PER_WRITE = 50
MAX_PREVIEW_MESSAGES, MAX_PREVIEW_CALLS = 200, 20
"""A preview stops after so many messages, or calls of a language model."""
POLL_INTERVAL_SECONDS = 0.05
_PAGE_SIZE = 500
_MAX_FAILED_SCANNED = 1_000
_PLATFORMS = (LOCAL, "discord")
"""Where a message id without a platform is looked up."""
_Cursor = int | datetime
"""A key, or a time in a conversation."""


class RelearnOptions(TypedDict, total=False):
    """Which of a person's messages to learn from again; see `Selection`."""

    message: str | None
    since: datetime | None
    until: datetime | None
    degraded: bool


@dataclass(frozen=True, slots=True)
class Selection:
    """Which messages to learn from again: those that match all that is given."""

    message: str | None = None
    """Its id, or platform and id as in `discord/1042`."""
    person: str | None = None
    place: Place | None = None
    since: datetime | None = None
    until: datetime | None = None
    degraded: bool = False
    """Only those from which less was learned than possible, as the model's answers were not usable."""
    is_allowed: Callable[[Message], bool] = lambda _: True
    """Whether the caller may have this message learned from again."""

    def matches(self, message: Message) -> bool:
        return (
            not message.bot
            and bool(message.text.strip())
            and self.person in (None, message.person)
            and (self.place is None or self.place.session == message.place.session)
            and (self.since is None or message.at >= self.since)
            and (self.until is None or message.at < self.until)
            and self.is_allowed(message)
        )

    def __str__(self) -> str:
        parts = (
            f"of {self.person}" if self.person else "",
            f"in {self.place.name or self.place.session}" if self.place else "",
            f"since {self.since:%Y-%m-%d %H:%M}" if self.since else "",
            f"before {self.until:%Y-%m-%d %H:%M}" if self.until else "",
            "with answers that were not usable" if self.degraded else "",
        )
        return " ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class _Source:
    """A message to learn from again."""

    at: datetime
    person: str
    reference: str
    skipped: Reason | None


class _RolledBackError(Exception):
    """Ends a preview: its transaction is rolled back."""


class Relearner:
    """Previews, queues and does the jobs of the kind `relearn`."""

    def __init__(self, store: Store, extractor: Callable[[], Extractor], clock: Clock, guilds_only: bool) -> None:
        self._store = store
        self._extractor = extractor
        self._clock = clock
        self._guilds_only = guilds_only

    async def preview(self, selection: Selection) -> RelearnPreview | NothingToRelearn:
        """What learning from these messages would change; raises ModelUnavailable."""
        sources = await self._select(selection)
        if isinstance(sources, NothingToRelearn):
            return sources
        wanted = [source.reference for source in sources if source.skipped is None]
        extractor, extractions = self._extractor(), list[Extraction]()
        for reference in wanted[:MAX_PREVIEW_MESSAGES]:
            extractions += await extractor.extract_each(partial(self._read_wanted, references=[reference]))
            if sum(extraction.result.usage.requests for extraction in extractions) >= MAX_PREVIEW_CALLS:
                break
        steps = await self._apply_and_roll_back(extractor, extractions)
        degraded = sum(extraction.degraded is not None for extraction in extractions)
        skipped = _count_skipped(sources)
        return RelearnPreview(extractor.model_name, len(wanted), len(extractions), steps, skipped, degraded)

    async def _apply_and_roll_back(self, extractor: Extractor, extractions: Sequence[Extraction]) -> tuple[Step, ...]:
        batch, steps = secrets.token_hex(8), list[Step]()
        scopes = dict.fromkeys(Subject(extraction.input.messages[0].person).scope for extraction in extractions)

        def work(tx: Tx) -> None:
            for extraction in extractions:
                extractor.apply_again(tx, extraction, batch)
            steps[:] = [step for scope in scopes for step in reversed(tx.changes.of_batch(scope, batch))]
            # The preview runs the real code in a real transaction, so it can't differ from the run.
            raise _RolledBackError

        with suppress(_RolledBackError):
            await self._store.write(work, background=True)
        return tuple(steps)

    async def start(self, selection: Selection, actor: str) -> RelearnRun | NothingToRelearn:
        """Queue these messages, in the order in which each person wrote them."""
        sources = await self._select(selection)
        if isinstance(sources, NothingToRelearn):
            return sources
        wanted = [source for source in sources if source.skipped is None]
        run = RelearnRun(secrets.token_hex(8), len(wanted), skipped=_count_skipped(sources))
        jobs = list(self._jobs(run.id, wanted))
        skipped = {reason.value: count for reason, count in run.skipped.items()}
        data = {"run": run.id, "messages": len(wanted), "jobs": len(jobs), "skipped": skipped}
        scope = Subject(selection.person).scope if selection.person else ""
        event = Event(EventKind.RELEARN_STARTED, self._clock(), actor, scope, data=data)
        await self._store.write(lambda tx: tx.events.add(event))
        for start in range(0, len(jobs), JOBS_PER_WRITE):
            batch = jobs[start : start + JOBS_PER_WRITE]
            await self._store.write(partial(_add_jobs, jobs=batch), background=True)
        return run

    def _jobs(self, run: str, sources: Iterable[_Source]) -> Iterator[NewJob]:
        now, number = self._clock(), 0
        # A queue of its own: neither learning from new messages nor another run waits for it.
        for person, group in groupby(sorted(sources, key=lambda source: (source.person, source.at)), _person):
            references = [source.reference for source in group]
            for start in range(0, len(references), MESSAGES_PER_JOB):
                part = references[start : start + MESSAGES_PER_JOB]
                payload = {"run": run, "part": number, "messages": part}
                yield NewJob(RELEARN, f"{RELEARN}:{run}:{person}", payload, now, _key(run, number), RELEARN)
                number += 1

    async def __call__(self, job: Job) -> UnitOfWork:
        extractor, references = self._extractor(), job.payload["messages"]
        extractions = await extractor.extract_each(partial(self._read_wanted, references=references))
        return partial(self._complete, job=job, extractor=extractor, extractions=extractions)

    def _complete(self, tx: Tx, job: Job, extractor: Extractor, extractions: Sequence[Extraction]) -> None:
        run, references = job.payload["run"], job.payload["messages"]
        # Asked again: its author may have paused or forgotten while the model was reading.
        learned = [each for each in extractions if self._skip_reason(tx, each.input.messages[0]) is None]
        scope = Subject(learned[0].input.messages[0].person).scope if learned else ""
        before = len(tx.changes.of_batch(scope, run))
        for extraction in learned:
            extractor.apply_again(tx, extraction, run)
        relearned = [message_ref(each.input.messages[0]) for each in learned if each.degraded is None]
        data = {
            "run": run,
            "part": job.payload["part"],
            "count": len(references),
            "changed": len(tx.changes.of_batch(scope, run)) - before,
            "messages": relearned,
        }
        tx.events.add(Event(EventKind.RELEARN_DONE, self._clock(), extractor.model_name, scope, data=data))

    async def progress(self, run: str) -> RelearnRun | None:
        """How far a run is; None when there is no such run."""
        return await self._store.read(partial(_progress, run=run))

    async def wait(self, run: RelearnRun, progress: Progress | None = None) -> RelearnRun:
        """Wait until a run is over, or does not go on."""
        current = run
        while not current.is_over and not current.problem:
            await asyncio.sleep(POLL_INTERVAL_SECONDS)
            current = await self.progress(run.id) or current
            if progress is not None:
                progress(current.done, current.messages)
        return current

    async def _select(self, selection: Selection) -> list[_Source] | NothingToRelearn:
        """The messages, oldest first; read page by page, so that other work is not blocked."""
        if selection.since is not None and selection.until is not None and selection.since >= selection.until:
            raise BadInput("the time range is empty: it ends before it begins")
        sources: list[_Source] = []
        cursor: _Cursor | None = 0
        while cursor is not None:
            page, cursor = await self._store.read(partial(self._page, selection=selection, cursor=cursor))
            sources += page
        if sources:
            return sorted(sources, key=lambda source: source.at)
        if selection.message is not None:
            return NothingToRelearn(f"there is no message {selection.message!r} to learn from, or it was deleted")
        return NothingToRelearn(f"there are no messages {selection}".rstrip())

    def _page(self, tx: Tx, selection: Selection, cursor: _Cursor) -> tuple[list[_Source], _Cursor | None]:
        messages, after = _read_page(tx, selection, cursor)
        sources = [
            _Source(message.at, message.person, message_ref(message), self._skip_reason(tx, message))
            for message in messages
            if selection.matches(message)
        ]
        return sources, after

    def _read_wanted(self, tx: Tx, references: Iterable[str]) -> list[Message]:
        return [message for message in existing_messages(tx, references) if self._skip_reason(tx, message) is None]

    def _skip_reason(self, tx: Tx, message: Message) -> Reason | None:
        """Why a message is left alone, if so."""
        if is_silent(tx, message):
            return Reason.PAUSED
        if self._guilds_only and message.place.guild is None:
            return Reason.SWITCHED_OFF
        is_gone = is_forgotten(tx.memos.from_message(message.place.platform, message.id))
        return Reason.FORGOTTEN_BY_OWNER if is_gone or withheld.is_hidden(tx, message) else None


def _person(source: _Source) -> str:
    return source.person


def _key(run: str, part: int) -> str:
    return f"{RELEARN}:{run}:{part}"


def _add_jobs(tx: Tx, jobs: Sequence[NewJob]) -> None:
    for job in jobs:
        tx.jobs.add(job)


def _count_skipped(sources: Iterable[_Source]) -> dict[Reason, int]:
    return dict(Counter(source.skipped for source in sources if source.skipped is not None))


def _read_page(tx: Tx, selection: Selection, cursor: _Cursor) -> tuple[Sequence[Message], _Cursor | None]:
    """Messages among which those of a selection are, and where the next ones begin."""
    if selection.message is not None:
        return _named(tx, selection.message), None
    if selection.degraded:
        return existing_messages(tx, _degraded(tx)), None
    if selection.place is not None and selection.person is None:
        messages = tx.messages.after(selection.place, cursor if isinstance(cursor, datetime) else None, _PAGE_SIZE)
        return messages, messages[-1].at if messages else None
    after = cursor if isinstance(cursor, int) else 0
    rows = (
        tx.messages.between(selection.since, selection.until, _PAGE_SIZE, after)
        if selection.person is None
        else tx.messages.written_by(selection.person, limit=_PAGE_SIZE, after=after)
    )
    return [message for _, message in rows], rows[-1][0] if rows else None


def _named(tx: Tx, name: str) -> list[Message]:
    """The message with this id, or with this platform and id."""
    message = tx.messages.get(*parse_message_ref(name)) if "/" in name else None
    rows = (message, *(tx.messages.get(platform, name) for platform in _PLATFORMS))
    return [row for row in rows if row is not None][:1]


def _degraded(tx: Tx) -> list[str]:
    """References of the messages whose last extraction was degraded."""
    kinds = (EventKind.EXTRACT_DEGRADED, EventKind.RELEARN_DONE)
    last: dict[str, bool] = {}
    before: int | None = None
    while events := tx.events.list(limit=_PAGE_SIZE, before=before, kinds=kinds):
        before = events[-1].id
        for event in events:  # newest first: the first record of a message counts
            for reference in event.data.get("messages", ()):
                last.setdefault(reference, event.kind == EventKind.EXTRACT_DEGRADED)
    return [reference for reference, is_degraded in last.items() if is_degraded]


def _progress(tx: Tx, run: str) -> RelearnRun | None:
    started = next((event for event in _events(tx, EventKind.RELEARN_STARTED, run)), None)
    if started is None:
        return None
    done = [event.data for event in _events(tx, EventKind.RELEARN_DONE, run, since=started.id)]
    finished = {data["part"] for data in done}
    failed = [job for job in tx.jobs.list(JobState.FAILED, _MAX_FAILED_SCANNED) if job.payload.get("run") == run]
    waiting = next((part for part in range(started.data["jobs"]) if part not in finished), None)
    job = None if waiting is None else tx.jobs.find(_key(run, waiting))
    return RelearnRun(
        run,
        started.data["messages"],
        sum(data["count"] for data in done),
        sum(len(job.payload["messages"]) for job in failed),
        sum(data["changed"] for data in done),
        {Reason(reason): count for reason, count in started.data["skipped"].items()},
        (job.error or "") if job is not None else next((job.error or "" for job in failed), ""),
    )


def _events(tx: Tx, kind: EventKind, run: str, since: int = 0) -> Iterator[Event]:
    """The events of a run, newest first."""
    before: int | None = None
    while events := tx.events.list(limit=_PAGE_SIZE, before=before, kinds=(kind,)):
        before = events[-1].id
        yield from (event for event in events if event.data.get("run") == run)
        if before < since:
            return
