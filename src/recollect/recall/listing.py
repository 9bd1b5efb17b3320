"""List, find and look up the memos that a viewer may see. Units of work on a transaction."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from recollect.core import serialization
from recollect.core.changes import Step
from recollect.core.errors import UnknownMemo, VersionConflict
from recollect.core.events import Event
from recollect.core.outcomes import Explanation, Listing
from recollect.core.ports import Tx
from recollect.core.text import collapse_spaces, fold
from recollect.core.types import (
    Kind,
    Memo,
    Message,
    Metadata,
    Status,
    Subject,
)
from recollect.language import naming
from recollect.policy.viewer import Viewer
from recollect.policy.visibility import is_owner_dm, is_source_visible
from recollect.recall import withheld
from recollect.recall.audience_migration import memo_before

VisibilityCheck = Callable[[Memo], bool]


def active_page(tx: Tx, subject: Subject, viewer: Viewer, session: str, limit: int | None, offset: int) -> Listing:
    """A page of the subject's active memos, and the summary of a session."""
    memos = active_memos(tx, subject, viewer)
    shown = visible_page(tx, memos, viewer, limit, offset)
    return Listing(shown, len(memos), withheld.screened_summary(tx, session, viewer.place))


def memo_page(
    tx: Tx,
    subject: Subject,
    is_visible: VisibilityCheck,
    statuses: Collection[Status],
    kinds: Collection[Kind],
    limit: int | None,
    offset: int,
) -> Listing:
    """A page of the subject's memos of these statuses and kinds, or of any but pending ones."""
    memos = [
        memo
        for memo in without_pending(tx.memos.list(subject, statuses), statuses)
        if is_visible(memo) and (not kinds or memo.kind in kinds)
    ]
    return Listing(visible_page(tx, memos, is_visible, limit, offset), len(memos), None)


def without_pending(memos: Sequence[Memo], statuses: Collection[Status] = ()) -> list[Memo]:
    """The memos without pending ones, unless these were asked for."""
    return [memo for memo in memos if memo.status is not Status.PENDING or Status.PENDING in statuses]


def visible_page(
    tx: Tx, memos: Sequence[Memo], is_visible: VisibilityCheck, limit: int | None, offset: int
) -> tuple[Memo, ...]:
    return tuple(without_hidden_links(tx, memo, is_visible) for memo in page(memos, limit, offset))


def without_hidden_links(tx: Tx, memo: Memo, is_visible: VisibilityCheck) -> Memo:
    """The memo as it is shown: the id of one that it replaced, or that replaced it, only where that is visible too."""

    def visible_id(memo_id: str | None) -> str | None:
        linked = tx.memos.get(memo.subject, memo_id) if memo_id else None
        return memo_id if linked is not None and is_visible(linked) else None

    if memo.supersedes is None and memo.superseded_by is None:
        return memo
    return replace(memo, supersedes=visible_id(memo.supersedes), superseded_by=visible_id(memo.superseded_by))


def visible_steps(tx: Tx, steps: Iterable[Step], is_visible: VisibilityCheck) -> tuple[Step, ...]:
    """The steps whose memos are visible before and after, without links to others that are not."""

    def shown(memo: Memo | None) -> Memo | None:
        return memo and without_hidden_links(tx, memo, is_visible)

    return tuple(
        replace(step, before=shown(step.before), after=shown(step.after))
        for step in steps
        if all(is_visible(replace(memo, status=Status.ACTIVE)) for memo in (step.before, step.after) if memo)
    )


def page(memos: Sequence[Memo], limit: int | None, offset: int) -> Sequence[Memo]:
    """A part of a list."""
    return memos[offset : None if limit is None else offset + limit]


def active_memos(tx: Tx, subject: Subject, is_visible: VisibilityCheck) -> list[Memo]:
    """A subject's visible active memos, in the order of their numbers."""
    return [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if is_visible(memo)]


def find(memos: Sequence[Memo], reference: str, share: float, *, literal: bool = False) -> list[Memo]:
    """The memos that a reference names: by id, by number in the list, by a part of their text, or, unless `literal`,
    where none has it to the letter, by its words in any form ("I live in Lisbon" names "Lives in Lisbon"), by the words
    in which it was said, or by what it is about ("my age" names "Is 34 years old").
    """
    text = reference.strip()
    by_id = [memo for memo in memos if memo.id == text]
    if by_id:
        return by_id
    position = text.removeprefix("#")
    if position.isdecimal() and len(position) < 10 and 1 <= int(position) <= len(memos):
        return [memos[int(position) - 1]]
    if share > 0:
        from recollect.policy.merge import covered_by  # similarity and its word lists are loaded for this mode only

        return covered_by(text, memos, share)
    fragment = fold(collapse_spaces(text))
    matches = [memo for memo in memos if fragment and fragment in fold(collapse_spaces(memo.text))]
    return matches if matches or literal else _find_by_meaning(memos, text, fragment)


def _find_by_meaning(memos: Sequence[Memo], reference: str, fragment: str) -> list[Memo]:
    """Memos that a reference names in other words; only the best kind of match counts."""
    name = naming.parse(reference)
    own = [memo for memo in memos if name.is_meant(memo.text)]
    by_words = [memo for memo in own if naming.contains_words(fold(memo.text), fragment)]
    by_source = by_words or [memo for memo in own if naming.contains_words(fold(memo.source.evidence or ""), fragment)]
    return by_source or [memo for memo in memos if name.is_about(memo.text, is_person=memo.kind is Kind.PERSON)]


def get(tx: Tx, subject: Subject, memo_id: str, is_visible: VisibilityCheck, version: int | None = None) -> Memo:
    """The memo with this id, as it is stored; an invisible one is as unknown as a missing one."""
    memo = tx.memos.get(subject, memo_id)
    if memo is None or not is_visible(memo):
        raise UnknownMemo(f"there is no memory {memo_id!r}")
    check_version(memo, version)
    return memo


def check_version(memo: Memo, seen: int | None) -> None:
    """Raises VersionConflict if a memo has changed since the caller read it; `seen` is the version they read."""
    if seen is not None and seen != memo.version:
        raise VersionConflict(memo.id, seen, memo.version, memo.text)


def get_shown(tx: Tx, subject: Subject, memo_id: str, is_visible: VisibilityCheck) -> Memo:
    """The memo with this id, without links to what is not visible; raises UnknownMemo."""
    return without_hidden_links(tx, get(tx, subject, memo_id, is_visible), is_visible)


def explain(tx: Tx, subject: Subject, memo_id: str, viewer: Viewer) -> Explanation:
    """Where a memo comes from and what happened to it, as far as the viewer may know; raises UnknownMemo."""
    memo = get(tx, subject, memo_id, viewer)
    message, place = source_message(tx, memo), viewer.place
    related = [tx.memos.get(subject, linked or "") for linked in (memo.supersedes, memo.superseded_by)]
    before, after = (other if other is not None and viewer(other) else None for other in related)
    is_visible, events = is_source_visible(memo, place, message), tuple(history(tx, subject, memo_id, viewer))
    memo = without_hidden_links(tx, memo, viewer)
    return Explanation(memo, events, message, is_visible, is_owner_dm(memo, place), before, after)


def history(tx: Tx, subject: Subject, memo_id: str, is_visible: VisibilityCheck) -> list[Event]:
    """The events of a memo, newest first; earlier states only where they are visible themselves."""
    get(tx, subject, memo_id, is_visible)
    events = tx.events.list(scope=subject.scope, memo=memo_id)
    steps = tx.changes.find([event.id for event in events])
    return [replace(event, data=_visible_data(tx, event, steps.get(event.id), is_visible)) for event in events]


def _visible_data(tx: Tx, event: Event, step: Step | None, is_visible: VisibilityCheck) -> Metadata:
    """An event's data with the memo before and after it; nothing if the one before it may not be shown."""
    before = None if step is None else memo_before(tx, step)
    if step is None or (before is not None and not is_visible(before)):
        return {} if step is not None else event.data
    after = step.after if step.after is not None and is_visible(step.after) else None
    states = (("before", step.before), ("after", after))
    shown = {name: without_hidden_links(tx, memo, is_visible) for name, memo in states if memo is not None}
    return {**event.data, **{name: serialization.memo_to_json(memo) for name, memo in shown.items()}}


def source_message(tx: Tx, memo: Memo) -> Message | None:
    """The message that a memo rests on, if there is one."""
    return tx.messages.get(memo.source.platform, memo.source.message) if memo.source.message else None
