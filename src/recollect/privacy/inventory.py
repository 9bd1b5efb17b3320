"""Takes stock of a target's rows page by page, so that a large store is neither locked nor loaded into memory."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass, field

from recollect.core.changes import Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import Job
from recollect.core.types import Memo, Message, Subject, message_ref, split_person
from recollect.policy.viewer import session_name
from recollect.privacy.samples import Samples
from recollect.privacy.target import ErasureTarget

PAGE_SIZE = 500
_EVENT_PAGE_SIZE = 1000
ERASED, CHECKED = EventKind.MEMO_ERASED, EventKind.ERASURE_CHECKED
"""Event kinds: rows were erased, and the result of the probe."""

Rows = list[tuple[int, Message]]


@dataclass(slots=True)
class Inventory:
    """The counts of everything about a target, and what the later steps of an erasure need to know."""

    counts: dict[str, int] = field(default_factory=dict[str, int])
    samples: Samples = field(default_factory=Samples)
    memo_keys: list[int] = field(default_factory=list[int])
    message_keys: list[int] = field(default_factory=list[int])
    scopes: set[str] = field(default_factory=set[str])
    """The scopes of these rows in the search index."""
    references: set[str] = field(default_factory=set[str])
    authors: set[str] = field(default_factory=set[str])
    """The authors of these messages and memos: their log entries may quote them."""
    sessions: set[str] = field(default_factory=set[str])

    def count(self, **counts: int) -> None:
        """Add to the counts."""
        for name, added in counts.items():
            self.counts[name] = self.counts.get(name, 0) + added


async def take_inventory(store: Store, target: ErasureTarget) -> Inventory:
    """Count everything about a target, and take samples of its texts."""
    inventory = Inventory()
    inventory.samples.name(target.user and split_person(target.user)[1])
    inventory.authors |= {target.user} if target.user is not None else set()
    for name in ("memos", "messages", "replies", "exchanges", "summaries", "jobs", "events"):
        inventory.counts[name] = 0
    async for page, reply_rows in iter_pages(store, target):
        _note_messages(inventory, target, page, reply_rows)
    await store.read(lambda tx: _note_rows(tx, target, inventory))
    return inventory


async def iter_pages(store: Store, target: ErasureTarget) -> AsyncIterator[tuple[Rows, Rows]]:
    """Messages and bots' replies to them, in pages ordered by key."""
    last = 0
    while rows := await store.read(
        lambda tx, last=last: tx.messages.written_by(target.user, target.guild_id, PAGE_SIZE, last)
    ):
        own = [row for row in rows if target.includes(row[1])]
        reply_rows = await store.read(lambda tx, own=own: _find_replies(tx, target, own))
        yield own, reply_rows
        last = rows[-1][0]


def _find_replies(tx: Tx, target: ErasureTarget, rows: Rows) -> Rows:
    """Bots' replies to these messages, which often quote them. For a guild they are among its own messages."""
    if target.user is None:
        return []
    keys = {key for key, _ in rows}
    ids_by_platform: dict[str, list[str]] = {}
    for _, message in rows:
        ids_by_platform.setdefault(message.place.platform, []).append(message.id)
    reply_rows = [row for platform, ids in ids_by_platform.items() for row in tx.messages.replies_to(platform, ids)]
    return [row for row in reply_rows if row[0] not in keys]


def _note_messages(inventory: Inventory, target: ErasureTarget, page: Rows, reply_rows: Rows) -> None:
    inventory.count(messages=len(page), replies=len(reply_rows))
    for key, message in (*page, *reply_rows):
        inventory.message_keys.append(key)
        inventory.scopes.add(message.place.stream)
        inventory.sessions |= session_names(message, target)
        inventory.references.add(message_ref(message))
        if not message.bot:
            inventory.authors.add(message.person)
    inventory.samples.add(message.text for _, message in (*page, *reply_rows))
    if target.user is not None:
        inventory.samples.name(*(message.name for _, message in page if message.person == target.user))


def session_names(message: Message, target: ErasureTarget) -> set[str]:
    """The sessions whose summary may depend on a message."""
    return {session_name(message.place, None), session_name(message.place, target.user or message.author)}


def _note_rows(tx: Tx, target: ErasureTarget, inventory: Inventory) -> None:
    memos = owned_memos(tx, target)
    inventory.memo_keys += [memo.key for memo in memos]
    inventory.scopes |= {memo.subject.scope for memo in memos} | {target.subject.scope}
    inventory.authors |= {memo.subject.id for memo in memos if not memo.subject.is_lore}
    inventory.samples.add(memo.text for memo in memos)
    inventory.samples.add(memo.source.evidence or "" for memo in memos)
    exchanges = tx.exchanges.by_author(target.user, target.guild)
    sessions = inventory.sessions | {session for session in tx.summaries.sessions() if target.owns_session(session)}
    summaries = [summary for session in sessions for summary in tx.summaries.history(session, PAGE_SIZE)]
    inventory.samples.add(summary.text for summary in summaries if target.owns_session(summary.session))
    events = list(iter_log(tx, target, memos))
    for step in tx.changes.find([event.id for event in events]).values():
        inventory.samples.add(texts_of(step))
    inventory.samples.add(str(event.data.get("text") or "") for event in events)
    jobs = find_jobs(tx, target, inventory.references)
    inventory.count(memos=len(memos), exchanges=len(exchanges), summaries=len(summaries), jobs=len(jobs))
    inventory.count(events=sum(map(has_content, events)))


def owned_memos(tx: Tx, target: ErasureTarget) -> list[Memo]:
    """The target's memos of any status, by key."""
    if target.user is None:
        learned = filter(target.owns, tx.memos.stated_by(guild=target.guild_id))
        by_key = {memo.key: memo for memo in (*tx.memos.list(target.subject), *learned)}
        return [by_key[key] for key in sorted(by_key)]
    memos = tx.memos.list(target.subject)
    return sorted((memo for memo in memos if target.owns(memo)), key=lambda memo: memo.key)


def iter_log(tx: Tx, target: ErasureTarget, memos: Sequence[Memo]) -> Iterator[Event]:
    """The target's log: all events of a person or of a guild's lore, otherwise those of these memos."""
    if target.is_whole_user or target.user is None:
        yield from iter_events(tx, target.subject.scope)
    for memo in memos:
        if target.user is None and memo.subject == target.subject:
            continue
        if not target.is_whole_user:
            yield from iter_events(tx, memo.subject.scope, memo.id)


def iter_events(tx: Tx, scope: str, memo: str | None = None) -> Iterator[Event]:
    """All events of a scope, newest first."""
    before: int | None = None
    while page := tx.events.list(scope=scope, memo=memo, limit=_EVENT_PAGE_SIZE, before=before):
        yield from page
        before = page[-1].id


def find_jobs(tx: Tx, target: ErasureTarget, references: Collection[str]) -> list[Job]:
    """Jobs that are about the target, or that depend only on these messages."""
    jobs = tx.jobs.list(limit=1 << 30)
    return [job for job in jobs if target.owns_queue(job.queue) or _depends_only_on(job, references)]


def _depends_only_on(job: Job, references: Collection[str]) -> bool:
    messages = job.payload.get("messages")
    return bool(messages) and all(message in references for message in messages)


def has_content(event: Event) -> bool:
    """Whether an event has anything to redact; the events of erasures themselves have no content."""
    if event.kind in (ERASED, CHECKED):
        return False
    return event.memo is not None or bool(event.text) or any(name != "undoes" for name in event.data)


def texts_of(step: Step) -> list[str]:
    """The texts of a memo before and after a change."""
    return [memo.text for memo in (step.before, step.after) if memo is not None]


def lore_stated_by(tx: Tx, target: ErasureTarget) -> list[Memo]:
    """Lore that a person stated: it belongs to the guild."""
    if target.user is None:
        return []
    stated = tx.memos.stated_by(actor=target.user, guild=target.guild_id)
    return [memo for memo in stated if memo.subject != Subject(target.user)]
