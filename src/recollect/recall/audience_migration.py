"""Narrow the audience `everywhere` of memos that were never shared explicitly.

It was the default in the first edition. Each such memo is narrowed once, to the audience of the place where it was
said. Profiles with one memory per person for all places keep `everywhere`; opening a store under one of them drops the
mark that it is narrowed, so the next start under another profile narrows it again.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from itertools import takewhile

from recollect.core.changes import Step
from recollect.core.errors import StoreUnwritable
from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import SECTIONS, Cursor
from recollect.core.reasons import Reason
from recollect.core.state import Owner, StateKind
from recollect.core.types import EVERYWHERE, Audience, Memo, Subject
from recollect.policy.visibility import source_audience

NARROWED = StateKind.AUDIENCES_NARROWED
"""Its one item is the id of the last event before the migration."""
_ACTOR = "recollect"
_MEMOS_PER_PAGE = 200
_EVENTS_PER_PAGE = 1000
_COLUMNS = SECTIONS["memos"].names + SECTIONS["memos"].rest
_AUDIENCE = _COLUMNS.index("audience")


async def narrow(store: Store, now: datetime) -> int:
    """Narrow memos that were never shared; returns how many. Safe to run in several processes at once."""
    if await store.read(lambda tx: bool(tx.state.items(NARROWED)) or not tx.archive.count("memos")):
        return 0  # a store without memos stays empty: another one may be copied into it
    after = None
    while True:
        refs, after = await store.read(lambda tx, after=after: _read_wide(tx, after))
        if refs:
            await store.write(lambda tx, refs=refs: sum(_narrow(tx, *name, now=now) for name in refs))
        if after is None:
            break
    count = await store.read(_count_narrowed)
    try:
        await store.write(lambda tx: _mark_narrowed(tx, count, now))
    except StoreUnwritable:
        if count:
            raise  # a read-only store without such memos can be read as it is
    return count


async def keep_wide(store: Store) -> None:
    """Remove the mark: `everywhere` is the default under this profile."""
    if await store.read(lambda tx: bool(tx.state.items(NARROWED))):
        with suppress(StoreUnwritable):  # harmless while the store can't be written
            await store.write(lambda tx: tx.state.clear(NARROWED))


def memo_before(tx: Tx, step: Step) -> Memo | None:
    """The memo as it was before a step, narrowed if the step precedes the migration."""
    memo = step.before
    if memo is None or memo.audience != EVERYWHERE or memo.subject.is_lore:
        return memo
    narrowed = tx.state.items(NARROWED)
    if not narrowed or step.id > int(narrowed[0]) or _is_shared(tx, memo, before=step.id):
        return memo
    return replace(memo, audience=source_audience(memo.source, memo.subject.id))


def _read_wide(tx: Tx, after: Cursor | None) -> tuple[list[tuple[str, str]], Cursor | None]:
    """Scope and id of people's memos with audience `everywhere`, of any status, on the next page of memos."""
    page = tx.archive.read("memos", after, _MEMOS_PER_PAGE)
    records = [record for record in page.records if record[_AUDIENCE] == str(EVERYWHERE)]
    return [(scope, memo_id) for scope, memo_id, *_ in records if scope.startswith("user:")], page.after


def _narrow(tx: Tx, scope: str, memo_id: str, now: datetime) -> bool:
    memo = tx.memos.get(Subject.of_scope(scope), memo_id)
    if memo is None or memo.audience != EVERYWHERE or _is_shared(tx, memo):
        return False
    audience = source_audience(memo.source, memo.subject.id)
    after, reason = replace(memo, audience=audience, version=memo.version + 1), Reason.NEVER_SHARED
    tx.memos.put(after)
    event = Event(EventKind.MEMO_REVISED, now, _ACTOR, scope, memo_id, reason, detail=str(audience))
    # Without a batch this is not an owner's change: undo ignores it, and can still take back what came before.
    step = Step(tx.events.add(event), scope, memo_id, None, now, _ACTOR, memo, after, reason, str(audience))
    tx.changes.add(step)
    return True


def _count_narrowed(tx: Tx) -> int:
    """How many memos were narrowed since the last report, also by a run that was interrupted before it."""
    kinds, count, before = (EventKind.MEMO_REVISED, EventKind.MEMORY_NARROWED), 0, None
    while events := tx.events.list(limit=_EVENTS_PER_PAGE, before=before, kinds=kinds):
        unreported = list(takewhile(lambda event: event.kind == EventKind.MEMO_REVISED, events))
        count += sum(event.reason is Reason.NEVER_SHARED for event in unreported)
        if len(unreported) < len(events):
            break
        before = events[-1].id
    return count


def _mark_narrowed(tx: Tx, count: int, now: datetime) -> None:
    if tx.state.items(NARROWED):
        return  # another process was faster
    if count:
        tx.events.add(Event(EventKind.MEMORY_NARROWED, now, _ACTOR, reason=Reason.NEVER_SHARED, data={"memos": count}))
    newest = tx.events.list(limit=1)
    tx.state.append(NARROWED, "", str(newest[0].id if newest else 0), Owner.nobody())


def _is_shared(tx: Tx, memo: Memo, before: int | None = None) -> bool:
    """Whether the last change of this memo's audience, up to a step, was an explicit share by its owner."""
    for step in tx.changes.of_memo(memo.subject.scope, memo.id):
        if step.undone or step.undoes is not None or (before is not None and step.id >= before):
            continue
        to_everyone = step.reason is Reason.AUDIENCE_SET and Audience.parse(step.detail) == EVERYWHERE
        if to_everyone or step.shared:
            return True
        if step.before is not None and step.before.audience != EVERYWHERE:
            return False  # this step made it `everywhere`, and it was not a share
    return False
