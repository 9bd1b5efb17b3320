"""List, find and look up memos as far as a viewer may see them. Units of work on a transaction."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from recollect.core.errors import UnknownMemo
from recollect.core.events import Event
from recollect.core.outcomes import Listing
from recollect.core.ports import Tx
from recollect.core.text import collapse_spaces, fold
from recollect.core.types import (
    Kind,
    Memo,
    Message,
    Status,
    Subject,
)
from recollect.policy.merge import covered_by
from recollect.recall import withheld
from recollect.recall.audience_migration import earlier

VisibilityCheck = Callable[[Memo], bool]


def shown(tx: Tx, subject: Subject, audible: VisibilityCheck, session: str, limit: int | None, offset: int) -> Listing:
    """A page of the subject's active memos, and the summary of a session."""
    found = listed(tx, subject, audible)
    return Listing(tuple(_page(found, limit, offset)), len(found), withheld.summary(tx, session))


def memos(
    tx: Tx,
    subject: Subject,
    audible: VisibilityCheck,
    statuses: Collection[Status],
    kinds: Collection[Kind],
    limit: int | None,
    offset: int,
) -> Listing:
    """A page of the subject's memos of these statuses and kinds, or of any."""
    found = [memo for memo in tx.memos.list(subject, statuses) if audible(memo) and (not kinds or memo.kind in kinds)]
    return Listing(tuple(_page(found, limit, offset)), len(found), None)


def _page(found: list[Memo], limit: int | None, offset: int) -> list[Memo]:
    return found[offset : None if limit is None else offset + limit]


def listed(tx: Tx, subject: Subject, audible: VisibilityCheck) -> list[Memo]:
    """A subject's active memos in the order in which they are numbered, as far as they may be heard here."""
    return [memo for memo in tx.memos.list(subject, [Status.ACTIVE]) if audible(memo)]


def find(memos: Sequence[Memo], what: str, share: float) -> list[Memo]:
    """Which memos are meant: by id, by number in the list, else by a part of their text."""
    wanted = what.strip()
    by_id = [memo for memo in memos if memo.id == wanted]
    if by_id:
        return by_id
    number = wanted.removeprefix("#")
    if number.isdecimal() and len(number) < 10 and 1 <= int(number) <= len(memos):
        return [memos[int(number) - 1]]
    if share > 0:
        return covered_by(wanted, memos, share)
    part = fold(collapse_spaces(wanted))
    return [memo for memo in memos if part and part in fold(collapse_spaces(memo.text))]


def get(tx: Tx, subject: Subject, memo_id: str, audible: VisibilityCheck) -> Memo:
    """The memo with this id; one that may not be heard here is as unknown as one that isn't there."""
    memo = tx.memos.get(subject, memo_id)
    if memo is None or not audible(memo):
        raise UnknownMemo(f"there is no memo {memo_id!r}")
    return memo


def history(tx: Tx, subject: Subject, memo_id: str, audible: VisibilityCheck) -> list[Event]:
    """What happened to a memo, newest first; earlier wordings only where they might be heard themselves."""
    get(tx, subject, memo_id, audible)
    events = tx.events.list(scope=subject.scope, memo=memo_id)
    return [event if _may_tell(tx, event, audible) else replace(event, data={}) for event in events]


def _may_tell(tx: Tx, event: Event, audible: VisibilityCheck) -> bool:
    return event.data.get("before") is None or audible(earlier(tx, event))


def source_message(tx: Tx, memo: Memo) -> Message | None:
    """The message that a memo rests on, if there is one."""
    return tx.messages.get(memo.source.platform, memo.source.message) if memo.source.message else None
