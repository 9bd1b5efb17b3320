"""Roll back what was learned from an edited or deleted message, in the same transaction.

A memo returns to its newest earlier state that is still supported by a message; one that has none is removed. What it
had replaced, and what the message had retired, is restored. Summaries that covered the message are rebuilt without it,
and the assistant's own words that repeat it go everywhere: nothing brings them back.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Change, Revise, Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.text import collapse_spaces, fold
from recollect.core.types import Memo, Message, Origin, Status, Subject, message_ref
from recollect.learning import derived
from recollect.learning.apply import ChangeContext, write
from recollect.learning.recently_removed import RecentlyRemoved
from recollect.learning.schedule import queue_summary, summary_key
from recollect.policy.guard.grounding import overlaps
from recollect.policy.merge import is_authored, retire
from recollect.policy.viewer import session_name
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before

_LEARNED_ORIGINS = (Origin.SUMMARY, Origin.DISCORD)
_ARCHIVED_REASONS = {
    (False, True): Reason.SOURCE_DELETED,
    (False, False): Reason.SOURCE_EDITED,
    (True, True): Reason.PINNED_SOURCE_DELETED,
    (True, False): Reason.PINNED_SOURCE_EDITED,
}
"""Keyed by whether the memo was pinned, and whether the message was deleted or edited."""
_BEGINNING = -1
"""Before any step."""


@dataclass(frozen=True, slots=True)
class _EarlierState:
    """A state to restore, and the step that had changed it."""

    memo: Memo | None
    step: int


def rollback_message(
    tx: Tx, message: Message, text: str | None, now: datetime, removed: RecentlyRemoved | None = None
) -> None:
    """Roll back what a message taught that now has this text, or None if deleted; the store is already updated, and
    `message` still says what it said. What is no longer stated is `removed`.
    """
    # An undo must not bring deleted words back.
    context = ChangeContext(message.person, now, "", message_ref(message), undoable=False)
    memos = [
        memo
        for memo in tx.memos.from_message(message.place.platform, message.id)
        if _is_learned(memo) and not _quotes(memo, text or "")
    ]
    named = {(step.scope, step.memo) for step in tx.changes.caused_by(message_ref(message))}
    for memo in memos:
        write(tx, _take_back(tx, memo, message, now, deleted=text is None), context)
    for memo in _retired_by(tx, message):
        write(tx, _revive(tx, memo, Reason.NO_LONGER_ENDED), context)
    rebuild_summary(tx, message, now, Reason.MESSAGE_DELETED if text is None else Reason.MESSAGE_EDITED)
    # After the rollback, which still reads the earlier states that are redacted here.
    _redact_changes(tx, message, text or "", named | {(memo.subject.scope, memo.id) for memo in memos})
    for memo in memos:
        _remove_unsupported(tx, memo, message)
    statements = [] if message.bot else derived.statements_of(message, memos, now, text or "")
    if removed is not None:
        removed.note(statements, message)
    if not message.bot:
        derived.remove(tx, Subject(message.person), statements, message.at, now)


def _remove_unsupported(tx: Tx, memo: Memo, message: Message) -> None:
    """Remove a memo that still says what its message no longer does, whatever its status."""
    current = tx.memos.get(memo.subject, memo.id)
    if current is not None and not current.active and current.text == memo.text and not _is_own(current, message):
        tx.memos.remove(current)
        withheld.release_restored(tx, [current])


def _redact_changes(tx: Tx, message: Message, text: str, memos: Collection[tuple[str, str]]) -> None:
    """Remove what a message said, and now no longer does, from the record of changes: nothing brings it back."""
    for scope, memo_id in memos:
        steps = tx.changes.of_memo(scope, memo_id)
        tx.changes.redact([step.id for step in steps if _rests_on(step.before, message, text)], ("before",))
        tx.changes.redact([step.id for step in steps if _rests_on(step.after, message, text)], ("after",))


def _rests_on(memo: Memo | None, message: Message, text: str) -> bool:
    if memo is None or not _is_learned(memo) or _quotes(memo, text):
        return False
    return (memo.source.platform, memo.source.message) == (message.place.platform, message.id)


def rebuild_summary(tx: Tx, message: Message, now: datetime, reason: Reason) -> None:
    """Drop the summaries that cover a message, and queue new ones."""
    for user in (None, message.author):
        session = session_name(message.place, user)
        if not tx.summaries.sequence(session) and tx.jobs.find(summary_key(session)) is None:
            continue  # never summarized, and no summary is queued
        if tx.summaries.rewind(session, message.at, now):
            tx.events.add(Event(EventKind.SUMMARY_RESET, now, message.person, session, reason=reason))
            queue_summary(tx, message, user, now)


def is_supported(tx: Tx, memo: Memo) -> bool:
    """Whether a memo's source message still supports it; what its owner wrote needs no support."""
    if not _is_learned(memo):
        return True
    message = tx.messages.get(memo.source.platform, memo.source.message or "")
    if message is None:
        return False
    return _quotes(memo, message.text) if memo.source.evidence else overlaps(memo.text, message.text)


def _is_learned(memo: Memo) -> bool:
    """Whether its text comes from a message; a manual memo with evidence was reworded by a model."""
    source = memo.source
    return bool(source.message) and (source.origin in _LEARNED_ORIGINS or (is_authored(memo) and bool(source.evidence)))


def _quotes(memo: Memo, text: str) -> bool:
    # Long evidence is stored clipped, with an ellipsis that the message does not have.
    evidence = fold(collapse_spaces(memo.source.evidence or "").removesuffix("…"))
    return bool(evidence) and evidence in fold(collapse_spaces(text))


def _is_own(memo: Memo, message: Message) -> bool:
    """Whether the owner also said it: a note of another person's words is removed with these words."""
    return is_authored(memo) and memo.subject.id == message.person


def _take_back(tx: Tx, memo: Memo, message: Message, now: datetime, *, deleted: bool) -> list[Change]:
    # What was forgotten or archived stays so, whatever happens to its message.
    if not memo.active and memo.status is not Status.SUPERSEDED:
        return []
    earlier = _find_earlier_state(tx, memo)
    if earlier.memo is not None:
        after = replace(earlier.memo, status=memo.status, superseded_by=memo.superseded_by)
        reason = Reason.SOURCE_DELETED if deleted else Reason.SOURCE_EDITED
        return [Revise(memo, after, reason), *_release_replaced(tx, memo, earlier.step)]
    if _is_own(memo, message):  # the owner's own wording is lost; this one is better than none
        return []
    reason = _ARCHIVED_REASONS[memo.pinned, deleted]
    return [retire(memo, now, reason, Status.ARCHIVED), *_release_replaced(tx, memo, earlier.step)]


def _release_replaced(tx: Tx, memo: Memo, since: int) -> list[Change]:
    """Restore what the memo replaced after this step, or hand it to the memo that superseded it."""
    changes: list[Change] = []
    for replaced in tx.memos.list(memo.subject, [Status.SUPERSEDED]):
        retirement = _retirement(tx, replaced)
        # Steps up to `since` belong to the state that is being restored.
        if replaced.superseded_by != memo.id or (retirement.id if retirement else 0) <= since:
            continue
        if memo.active:  # its support was checked when its own message changed
            changes.append(_reactivate(tx, replaced, replaced, Reason.SUCCESSOR_GONE))
        else:
            after = replace(replaced, superseded_by=memo.superseded_by)
            changes.append(Revise(replaced, after, Reason.FIRST_SUCCESSOR_GONE))
    return changes


def _revive(tx: Tx, memo: Memo, reason: Reason) -> list[Change]:
    """Reactivate a retired memo in its newest supported state."""
    restored = memo if is_supported(tx, memo) else _find_earlier_state(tx, memo).memo
    return [] if restored is None else [_reactivate(tx, memo, restored, reason)]


def _reactivate(tx: Tx, memo: Memo, restored: Memo, reason: Reason) -> Revise:
    """Reactivate with the time of its last statement, which may be older than what the message says now."""
    step = _retirement(tx, memo)
    updated = restored.updated if step is None or step.before is None else step.before.updated
    return Revise(memo, replace(restored, status=Status.ACTIVE, superseded_by=None, updated=updated), reason)


def _find_earlier_state(tx: Tx, memo: Memo) -> _EarlierState:
    """The newest earlier state that is supported, with the owner's later decisions on pin and audience."""
    shared, later = None, memo
    for step in tx.changes.of_memo(memo.subject.scope, memo.id):
        state = None if step.undone or step.undoes is not None else memo_before(tx, step)
        if state is None:
            continue
        # Steps come newest first, so the first change of audience found is the last one made.
        if shared is None and _is_shared(step, state, later):
            shared = later.audience
        if state.active and is_supported(tx, state):
            audience = shared or state.audience
            restored = replace(state, key=memo.key, hits=memo.hits, pinned=memo.pinned, audience=audience)
            return _EarlierState(restored, step.id)
        later = state
    return _EarlierState(None, _BEGINNING)


def _is_shared(step: Step, before: Memo, after: Memo) -> bool:
    """Whether this step changed only the audience of a memo."""
    return step.message is None and before.text == after.text and before.audience != after.audience


def _retired_by(tx: Tx, message: Message) -> list[Memo]:
    """The author's memos that this message retired and that are still retired."""
    subject = Subject(message.person)
    steps = [] if message.bot else tx.changes.caused_by(message_ref(message))
    memos: dict[str, Memo] = {}
    for step in steps:
        if step.undoable and _is_retirement(step):
            memo = tx.memos.get(subject, step.memo)
            if memo is not None and memo.status is Status.DEPRECATED and _retirement(tx, memo) == step:
                memos[memo.id] = memo
    return list(memos.values())


def _retirement(tx: Tx, memo: Memo) -> Step | None:
    """The step that retired a memo last."""
    steps = tx.changes.of_memo(memo.subject.scope, memo.id)
    return next((step for step in steps if _is_retirement(step)), None)


def _is_retirement(step: Step) -> bool:
    if step.undoes is not None or step.before is None or step.after is None:
        return False
    return not step.after.active and step.before.status is not step.after.status
