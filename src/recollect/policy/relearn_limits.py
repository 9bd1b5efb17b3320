"""What learning from an old message again may change: nothing that a person decided, and nothing that was said since.

Without it, a statement of January would replace one of March, and a second run would change what the first one wrote.
"""

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.core.changes import Add, Candidate, Change, Retire, Revise, Skip
from recollect.core.reasons import Reason
from recollect.core.types import Memo
from recollect.policy.merge import is_authored
from recollect.policy.similarity import Similarity, compare

_SAME_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)


def limit_changes(
    changes: Sequence[Change],
    candidate: Candidate,
    said_at: Callable[[Memo], datetime],
    learned_before: Sequence[tuple[str, Memo]],
) -> list[Change]:
    """The changes of a merge, or a `Skip` if the candidate may not cause them now.

    `said_at` is of a memo's source, `learned_before` what its message taught earlier and the memo that became of that.
    """
    first = changes[0]
    for text, memo in learned_before if isinstance(first, Add) else ():
        if compare(candidate.text, text) in _SAME_FACT and (is_authored(memo) or not memo.active):
            return [Skip(candidate, Reason.OUTDATED, memo)]
    touched = [change.before for change in changes if isinstance(change, Revise | Retire)]
    for memo in touched:
        if is_protected(memo, candidate.at, candidate.source.message, said_at):
            return [Skip(candidate, Reason.OUTDATED, memo)]
    if isinstance(first, Revise) and not _adds_to(first, candidate):
        return [Skip(candidate, Reason.ALREADY_KNOWN, first.before)]
    return list(changes)


def is_protected(memo: Memo, at: datetime, message: str | None, said_at: Callable[[Memo], datetime]) -> bool:
    """Whether a memo is immune to a message of this time: it was written, pinned or retired by
    hand, or rests on another message that is not older.
    """
    if is_authored(memo) or memo.pinned or not memo.active:
        return True
    return memo.source.message != message and said_at(memo) >= at


def _adds_to(change: Revise, candidate: Candidate) -> bool:
    """Whether a revision says more than the memo, to the same people: other words for it are no reason to change it."""
    if change.before.audience != candidate.audience:
        return False
    return compare(candidate.text, change.before.text) is Similarity.RICHER
