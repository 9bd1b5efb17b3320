"""Withdraw messages: they are hidden, and what was learned from them is reverted. One change: `undo` reverts
all of it. Nothing is deleted; for that, delete the message.

A hidden message gets a memo with its words that is forgotten from the start: as with any forgotten memo, what repeats
the words is withheld, and restoring the memo shows them again.
"""

from collections.abc import Sequence
from dataclasses import replace

from recollect.core.changes import Retire, Revise, Step
from recollect.core.outcomes import Forgotten
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.text import MAX_MEMO_CHARS, clip, collapse_spaces
from recollect.core.types import Kind, Memo, Message, Origin, Status, Subject, message_ref
from recollect.learning import derived
from recollect.learning.apply import ChangeContext, add_hidden, add_tombstone, write
from recollect.learning.changes import NO_JOBS, rebuild_derived
from recollect.learning.schedule import Schedule
from recollect.policy.merge import retire
from recollect.policy.viewer import provenance
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before
from recollect.recall.listing import VisibilityCheck, without_hidden_links


def withdraw(
    tx: Tx,
    subject: Subject,
    messages: Sequence[Message],
    context: ChangeContext,
    is_visible: VisibilityCheck,
    schedule: Schedule = NO_JOBS,
    *,
    learned: bool = True,
) -> Forgotten:
    """Hide messages of the subject that are not hidden yet; with `learned`, memos return to their state before."""
    own = [message for message in messages if message.person == subject.id]
    # Only these get a record that hides them.
    shown = [message for message in own if not withheld.is_hidden(tx, message)]
    taken_back = [change for message in own if learned for change in _revert_changes(tx, subject, message, context)]
    write(tx, taken_back, context)
    retired = [change.before for change in taken_back if isinstance(change, Retire)]
    records = [_hidden(tx, subject, message, context) for message in shown]
    items = [add_tombstone(tx, memo, context.at) for memo in (*retired, *records)]
    for change in taken_back:
        if isinstance(change, Revise):
            withheld.release_restored(tx, [change.after])
    for memo in (*retired, *records):
        rebuild_derived(tx, memo, context.at, Reason.SAID_WAS_FORGOTTEN, schedule)
    since = min((message.at for message in own), default=context.at)
    repeated = derived.count(tx, subject, items, since)
    memos = tuple(without_hidden_links(tx, memo, is_visible) for memo in retired if is_visible(memo))
    return Forgotten(memos, len(repeated.messages), repeated.summary_lines, tuple(shown))


def _revert_changes(tx: Tx, subject: Subject, message: Message, context: ChangeContext) -> list[Retire | Revise]:
    """The changes that restore the memos that a message changed, unless they were changed since."""
    changes: dict[str, Retire | Revise] = {}
    for step in tx.changes.caused_by(message_ref(message)):
        memo = tx.memos.get(subject, step.memo) if step.scope == subject.scope else None
        if memo is None or step.undone or step.undoes is not None or not _is_last(tx, step):
            continue
        before = memo_before(tx, step)
        if before is not None and before.active:
            after = replace(before, key=memo.key, hits=memo.hits)
            changes[memo.id] = Revise(memo, after, Reason.SAID_WAS_FORGOTTEN)
    for memo in tx.memos.from_message(message.place.platform, message.id):
        # There is no earlier state to restore, so they go as a whole.
        if memo.active and memo.subject == subject and memo.id not in changes:
            changes[memo.id] = retire(memo, context.at, Reason.FORGOTTEN, detail=context.actor)
    return list(changes.values())


def _is_last(tx: Tx, step: Step) -> bool:
    last = tx.changes.last_of_memo(step.scope, step.memo)
    return last is not None and last.id == step.id


def _hidden(tx: Tx, subject: Subject, message: Message, context: ChangeContext) -> Memo:
    """The memo that hides a message."""
    text = clip(collapse_spaces(message.text), MAX_MEMO_CHARS)
    memo = Memo(
        tx.fingerprints.memo_id(Kind.FACT.value, text, lambda name: tx.memos.get(subject, name)),
        subject,
        Kind.FACT,
        text,
        created=message.at,
        updated=context.at,
        source=replace(provenance(message.author, message.place, message.id, Origin.SUMMARY), evidence=text),
        audience=message.place.audience,
        status=Status.DEPRECATED,
    )
    return add_hidden(tx, memo, context)
