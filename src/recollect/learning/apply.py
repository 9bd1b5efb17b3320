"""Apply a statement: read existing memos, let `merge` decide, write changes and events together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip, Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx, Vector
from recollect.core.reasons import Reason
from recollect.core.text import collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, Memo, Origin, Status, Subject, Tombstone
from recollect.policy import relearn_limits
from recollect.policy.enumerations import without_named
from recollect.policy.guard.statements import screen
from recollect.policy.merge import ExistingMemos, is_automatic_lore, may_retract, merge, over_limit, overflow, retire
from recollect.policy.similarity import Similarity, compare, match_cues
from recollect.recall import withheld
from recollect.recall.listing import source_message

C = TypeVar("C", bound=Change)

_MAX_SIMILAR = 12
"""Memos with shared words that are compared with a new statement."""
MAX_ROWS_OF_A_CUE = 60
"""For a word in more memos than this, only the newest are read: rarer words say what a statement is about."""
_MAX_NAMES_READ = 20
"""Messages of a person that are read for their display names."""
_MAX_FORGOTTEN = 50
"""Recently forgotten memos that are compared with statements from older messages."""


@dataclass(frozen=True, slots=True)
class MemoLimits:
    """How many memos a subject may have; None is no limit."""

    active: int | None = None
    total: int | None = None
    by_guild: bool = False
    """Active memos are counted per guild."""


@dataclass(frozen=True, slots=True)
class ChangeContext:
    """Who changes memory, when, and in which batch (a batch is undone as a whole)."""

    actor: str
    at: datetime
    batch: str
    message: str = ""
    """Reference of the source message, if there is one."""
    undoable: bool = True
    shared: bool = False
    """Whether the audience `everywhere` was chosen explicitly."""
    again: bool = False
    """Whether an old message is learned from again: later statements and people's decisions then win."""


def apply_statement(
    tx: Tx, candidate: Candidate, context: ChangeContext, limits: MemoLimits, vector: tuple[str, Vector] | None = None
) -> list[Change]:
    """Merge a candidate with existing memos, and write the result. `vector` is of the candidate's text.

    Every way into memory ends here, so the guard is applied here: what it refuses is skipped, with the reason.
    """
    # The name costs a query, so it is read only by the check that needs it.
    screened = screen(candidate, lambda: _display_name(tx, candidate))
    if isinstance(screened, Reason):
        return [Skip(candidate, screened)]
    candidate = screened
    existing = _existing_memos(tx, candidate)
    decided = merge(candidate, existing, context.at)
    # After the merge, not before: the limits judge what would change, not what was proposed.
    if context.again:
        decided = relearn_limits.limit_changes(
            decided, candidate, partial(statement_time, tx), _previously_learned(tx, context.message)
        )
    changes = write(tx, decided, context, vector)
    written = {change.memo.id for change in changes if isinstance(change, Add)}
    written |= {change.after.id for change in changes if isinstance(change, Revise)}
    if written:
        # Only once something was written: a refused statement must not lift the tombstone.
        if existing.tombstone is not None:
            tx.memos.remove_tombstone(existing.tombstone.scope, existing.tombstone.fingerprint)
        for change in changes:
            if isinstance(change, Add | Revise):
                withheld.release_stated(tx, change.memo if isinstance(change, Add) else change.after)
        # Last: the new memos count, and are themselves the last to go.
        changes += archive_surplus(tx, candidate, limits, written, context)
    return changes


def _display_name(tx: Tx, candidate: Candidate) -> str:
    """The subject's display name: "Ann likes tea", saved for Ann, is about Ann herself."""
    return " ".join(tx.messages.names_of(candidate.subject.id, _MAX_NAMES_READ))


def _existing_memos(tx: Tx, candidate: Candidate) -> ExistingMemos:
    subject, fingerprints = candidate.subject, tx.fingerprints
    return ExistingMemos(
        fingerprints=fingerprints,
        by_id=tx.memos.get(subject, candidate.id) if candidate.id else None,
        same=tx.memos.same_text(subject, candidate.text),
        similar=similar_memos(tx, subject, candidate.text),
        tombstone=tx.memos.tombstone(subject.scope, fingerprints.of_text(candidate.text)),
        forgotten=_forgotten_since(tx, candidate),
        find_by_id=lambda memo_id: tx.memos.get(subject, memo_id),
    )


def similar_memos(tx: Tx, subject: Subject, text: str) -> list[Memo]:
    """Active memos that say the same as a text, more or less of it, or the opposite."""
    hits = tx.index.words("memos", [subject.scope], match_cues(text), _MAX_SIMILAR, max_rows=MAX_ROWS_OF_A_CUE)
    # Most share only a few words, which their texts show: they need not be read in full.
    texts = tx.memos.texts([hit.key for hit in hits]) if hits else {}
    stated = collapse_spaces(text)
    related = [key for key, known in texts.items() if compare(stated, known) is not Similarity.OTHER]
    memos = tx.memos.fetch(related) if related else {}
    return [memos[hit.key] for hit in hits if hit.key in memos]


def _forgotten_since(tx: Tx, candidate: Candidate) -> list[Memo]:
    """Memos forgotten after the message was written: learning from it must not bring them back in other words."""
    # What people state by hand may always return; only learning is held back.
    if candidate.source.origin not in (Origin.DISCORD, Origin.SUMMARY):
        return []
    retired = tx.memos.list(candidate.subject, [Status.DEPRECATED], _MAX_FORGOTTEN)
    # A statement made after forgetting is a new one, and wins.
    since = (memo for memo in retired if memo.updated >= candidate.at)
    return [memo for memo in since if tx.memos.tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text))]


def archive_surplus(
    tx: Tx, statement: Candidate | Memo, limits: MemoLimits, written: set[str], context: ChangeContext
) -> list[Retire]:
    """Archive memos over the active limit, and delete those over the total limit."""
    subject = statement.subject
    if is_automatic_lore(statement):
        written = set()  # the new memo itself is evicted before anything that people wrote
    archived: list[Retire] = []
    if limits.active is not None and tx.index.size([subject.scope]) > limits.active:
        active = tx.memos.list(subject, [Status.ACTIVE])
        # Otherwise one busy guild would push out what another one knows.
        if limits.by_guild:
            active = [memo for memo in active if memo.source.guild == statement.source.guild]
        excess = overflow(active, limits.active, written)
        archived = write(tx, [retire(memo, context.at, Reason.OVER_LIMIT, Status.ARCHIVED) for memo in excess], context)
    if limits.total is not None and tx.memos.count(subject) > limits.total:
        for memo in over_limit(tx.memos.list(subject), limits.total, written):
            # No step is recorded: beyond the total limit nothing is kept to undo.
            tx.memos.remove(memo)
            _log(tx, EventKind.MEMO_DROPPED, memo, context, Reason.OVER_LIMIT)
    return archived


def write(tx: Tx, changes: Sequence[C], context: ChangeContext, vector: tuple[str, Vector] | None = None) -> list[C]:
    """Store changes, each with its event and its record. Returns them with the versions that the memos now have."""
    return [_write(tx, change, context, vector) for change in changes]


def _write(tx: Tx, change: C, context: ChangeContext, vector: tuple[str, Vector] | None) -> C:
    if isinstance(change, Add):
        tx.memos.put(change.memo, vector, new=True)  # its id was chosen because no memo has it
        _record(tx, EventKind.MEMO_ADDED, change, None, change.memo, context)
    elif isinstance(change, Revise | Retire):
        # The store increments the version in the same way; the record has to name the version that readers will see.
        change = replace(change, after=replace(change.after, version=change.before.version + 1))
        is_retired = isinstance(change, Retire)
        # A retired memo is in no index, so its vector would only be dropped again.
        tx.memos.put(change.after, None if is_retired else vector)
        kind = EventKind.MEMO_RETIRED if is_retired else EventKind.MEMO_REVISED
        _record(tx, kind, change, change.before, change.after, context)
    return change


def add_hidden(tx: Tx, memo: Memo, context: ChangeContext) -> Memo:
    """Store a memo that is forgotten from the start: the text of a message that is to be hidden."""
    # It was never active: no "added" event, which would offer an undo that shows it.
    tx.memos.put(memo)
    change = Retire(memo, memo, Reason.FORGOTTEN, context.actor)
    _record(tx, EventKind.MEMO_RETIRED, change, None, memo, context)
    return memo


def _previously_learned(tx: Tx, message: str) -> list[tuple[str, Memo]]:
    """Texts that were learned from a message earlier, each with the current state of its memo."""
    states = [step.after for step in tx.changes.caused_by(message) if step.after is not None]
    memos = ((state.text, tx.memos.get(state.subject, state.id)) for state in states)
    return [(text, memo) for text, memo in memos if memo is not None]


def statement_time(tx: Tx, memo: Memo) -> datetime:
    """When a memo's source message was written; without one, when the memo was."""
    message = source_message(tx, memo)
    return memo.updated if message is None else message.at


def retract(
    tx: Tx, memo: Memo, heard_at: datetime, audience: Audience, context: ChangeContext, detail: str, said: str = ""
) -> bool:
    """Retire a memo because of a statement at this time to this audience; False when it has no power over the memo.

    Of several things it keeps those that what was said does not name.
    """
    if not may_retract(memo, heard_at, audience):
        return False
    rest = without_named(memo.text, said)
    if rest is None:
        write(tx, [retire(memo, context.at, Reason.RETRACTED, detail=detail)], context)
    else:
        after = replace(memo, text=rest, updated=max(memo.updated, heard_at))
        write(tx, [Revise(memo, after, Reason.RETRACTED, detail)], context)
    return True


def add_tombstone(tx: Tx, memo: Memo, now: datetime) -> withheld.Retired:
    """Keep a forgotten text from being learned again, and from being repeated by the assistant."""
    tx.memos.add_tombstone(Tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text), now))
    message = source_message(tx, memo)
    return withheld.retire(tx, memo, now, name="" if message is None else message.name)


def remove_tombstone(tx: Tx, memo: Memo) -> None:
    """A memo was stated: it may be learned and shown again, even if it was forgotten once."""
    tx.memos.remove_tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text))
    withheld.release_stated(tx, memo)


def _record(
    tx: Tx,
    kind: EventKind,
    change: Add | Revise | Retire,
    before: Memo | None,
    after: Memo,
    context: ChangeContext,
) -> None:
    event = _log(tx, kind, after, context, change.reason, change.detail)
    tx.changes.add(
        Step(
            event,
            after.subject.scope,
            after.id,
            context.batch,
            context.at,
            context.actor,
            before,
            after,
            change.reason,
            change.detail,
            context.message or None,
            shared=context.shared and after.audience == EVERYWHERE,
            undoable=context.undoable,
        )
    )


def _log(tx: Tx, kind: EventKind, memo: Memo, context: ChangeContext, reason: Reason, detail: str = "") -> int:
    origin = {"message": context.message} if context.message else {}
    data: dict[str, Any] = {"batch": context.batch, **origin}
    return tx.events.add(
        Event(kind, context.at, context.actor, memo.subject.scope, memo.id, reason, data, detail=detail)
    )
