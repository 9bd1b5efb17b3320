"""What there is about someone: read page by page, so that a large store is neither locked nor held in memory."""

from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import Job
from recollect.core.types import Memo, Message, Subject, message_ref
from recollect.policy.viewer import session_name
from recollect.privacy.samples import Samples
from recollect.privacy.target import ErasureTarget

PAGE = 500
_EVENTS = 1000
ERASED, CHECKED = "memo.erased", "erasure.checked"
"""Kinds of events: rows are gone, and what the look afterwards found."""

Rows = list[tuple[int, Message]]


@dataclass(slots=True)
class Inventory:
    """What a look found: counted, with what the steps after it need to know."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    samples: Samples = field(default_factory=Samples)
    memo_keys: list[int] = field(default_factory=list[int])
    message_keys: list[int] = field(default_factory=list[int])
    scopes: set[str] = field(default_factory=set[str])
    """Where these rows lay."""
    references: set[str] = field(default_factory=set[str])
    authors: set[str] = field(default_factory=set[str])
    """Whose messages and memos these are: their part of the log speaks of them."""
    sessions: set[str] = field(default_factory=set[str])

    def count(self, **more: int) -> None:
        for name, number in more.items():
            self.counts[name] = self.counts.get(name, 0) + number


async def take_inventory(store: Store, target: ErasureTarget) -> Inventory:
    """Count everything, and take samples of it."""
    found = Inventory()
    found.samples.name(target.user)
    found.authors |= {target.user} if target.user is not None else set()
    for name in ("memos", "messages", "replies", "exchanges", "summaries", "jobs", "events"):
        found.counts[name] = 0
    async for page, answers in pages(store, target):
        note_messages(found, target, page, answers)
    await store.read(lambda tx: _rest(tx, target, found))
    return found


async def pages(store: Store, target: ErasureTarget) -> AsyncIterator[tuple[Rows, Rows]]:
    """Messages, and what bots replied to them, page by page in the order of their keys; each page once."""
    last = 0
    while rows := await store.read(lambda tx, last=last: tx.messages.written_by(target.user, target.guild, PAGE, last)):
        answers = await store.read(lambda tx, rows=rows: replies(tx, target, rows))
        yield rows, answers
        last = rows[-1][0]


def replies(tx: Tx, target: ErasureTarget, rows: Rows) -> Rows:
    """What bots said to these messages: it quotes them more often than not. A guild's go as messages of their own."""
    if target.user is None:
        return []
    here = {key for key, _ in rows}
    asked: dict[str, list[str]] = {}
    for _, message in rows:
        asked.setdefault(message.place.platform, []).append(message.id)
    found = [row for platform, ids in asked.items() for row in tx.messages.replies_to(platform, ids)]
    return [row for row in found if row[0] not in here]


def note_messages(found: Inventory, target: ErasureTarget, page: Rows, answers: Rows) -> None:
    found.count(messages=len(page), replies=len(answers))
    for key, message in (*page, *answers):
        found.message_keys.append(key)
        found.scopes.add(message.place.stream)
        found.sessions |= sessions_of(message, target)
        found.references.add(message_ref(message))
        if not message.bot:
            found.authors.add(message.author)
    found.samples.add(message.text for _, message in (*page, *answers))
    if target.user is not None:
        found.samples.name(*(message.name for _, message in page if message.author == target.user))


def sessions_of(message: Message, target: ErasureTarget) -> set[str]:
    """The conversations whose summary may rest on a message."""
    return {session_name(message.place, None), session_name(message.place, target.user or message.author)}


def _rest(tx: Tx, target: ErasureTarget, found: Inventory) -> None:
    memos = owned(tx, target)
    found.memo_keys += [memo.key for memo in memos]
    found.scopes |= {memo.subject.scope for memo in memos} | {target.subject.scope}
    found.authors |= {memo.subject.id for memo in memos if not memo.subject.is_lore}
    found.samples.add(memo.text for memo in memos)
    found.samples.add(memo.source.evidence or "" for memo in memos)
    exchanges = tx.exchanges.asked_by(target.user, target.guild)
    sessions = found.sessions | {session for session in tx.summaries.sessions() if target.alone_in(session)}
    summaries = [summary for session in sessions for summary in tx.summaries.history(session, PAGE)]
    found.samples.add(summary.text for summary in summaries if target.alone_in(summary.session))
    events = 0
    for event in log_of(tx, target, memos):
        found.samples.add(texts_in(event.data))
        events += is_wordy(event)
    jobs = jobs_of(tx, target, found.references)
    found.count(memos=len(memos), exchanges=len(exchanges), summaries=len(summaries), jobs=len(jobs), events=events)


def owned(tx: Tx, target: ErasureTarget) -> list[Memo]:
    """Memos of any status, by key."""
    if target.user is None:
        learned = tx.memos.stated_by(guild=target.guild)
        found = {memo.key: memo for memo in (*tx.memos.list(target.subject), *learned)}
        return [found[key] for key in sorted(found)]
    mine = tx.memos.list(target.subject)
    return sorted((memo for memo in mine if target.owns(memo)), key=lambda memo: memo.key)


def log_of(tx: Tx, target: ErasureTarget, memos: Sequence[Memo]) -> Iterator[Event]:
    """What the log says about them: all of a person or of a guild's lore, else about these memos."""
    if target.whole_user or target.user is None:
        yield from events_of(tx, target.subject.scope)
    for memo in memos:
        if target.user is None and memo.subject == target.subject:
            continue
        if not target.whole_user:
            yield from events_of(tx, memo.subject.scope, memo.id)


def events_of(tx: Tx, scope: str, memo: str | None = None) -> Iterator[Event]:
    """All events of a scope, newest first."""
    before: int | None = None
    while page := tx.events.list(scope=scope, memo=memo, limit=_EVENTS, before=before):
        yield from page
        before = page[-1].id


def jobs_of(tx: Tx, target: ErasureTarget, references: Collection[str]) -> list[Job]:
    """Jobs that are about them, or have nothing to learn from but these messages."""
    return [job for job in tx.jobs.list(limit=1 << 30) if target.works_in(job.queue) or _rests_on(job, references)]


def _rests_on(job: Job, references: Collection[str]) -> bool:
    messages = job.payload.get("messages")
    return bool(messages) and all(message in references for message in messages)


def is_wordy(event: Event) -> bool:
    """Whether there is anything to take out of an event; what erasures say of themselves holds no words."""
    if event.kind in (ERASED, CHECKED):
        return False
    return event.memo is not None or bool(event.reason) or any(name != "undoes" for name in event.data)


def texts_in(data: Mapping[str, Any]) -> list[str]:
    """The texts that an event quotes: of a memo before it was changed, or of a proposal."""
    before: Mapping[str, Any] = data.get("before") or {}
    return [text for text in (data.get("text"), before.get("text")) if isinstance(text, str) and text]


def unsigned(tx: Tx, target: ErasureTarget) -> list[Memo]:
    """What someone stated that belongs to others: a guild's lore."""
    if target.user is None:
        return []
    stated = tx.memos.stated_by(actor=target.user, guild=target.guild)
    return [memo for memo in stated if memo.subject != Subject(target.user)]
