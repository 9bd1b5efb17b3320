"""Pure decisions on what an entry changes. Entries are matched by id, else by text.

Nothing that was forgotten comes back, and nothing newer is overwritten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.core.text import normalize
from recollect.core.types import Memo, Status
from recollect.transfer.importing.convert import ConvertedEntry

FORGOTTEN = "was forgotten here"
OLDER = "is known here in a newer state"
_FORGOTTEN_STATUSES = (Status.DEPRECATED, Status.DELETED)


@dataclass(frozen=True, slots=True)
class ExistingMemos:
    """What the store knows of an entry's id and of its words."""

    by_id: Memo | None
    same: Sequence[Memo]
    buried: bool


@dataclass(frozen=True, slots=True)
class New:
    memo: Memo


@dataclass(frozen=True, slots=True)
class Changed:
    before: Memo
    after: Memo


@dataclass(frozen=True, slots=True)
class Same:
    pass


@dataclass(frozen=True, slots=True)
class Left:
    """An entry that is left out, and why."""

    why: str


Decision = New | Changed | Same | Left


def decide(entry: ConvertedEntry, existing: ExistingMemos, is_own: bool) -> Decision:
    """The change for an entry; in our `own` files each memo counts, in others' each distinct text."""
    if existing.by_id is not None:
        return _decide_known(entry, existing.by_id, existing.buried)
    memo, alike = entry.memo, [other for other in existing.same if other.audience == entry.memo.audience]
    if any(_is_same_memo(other, memo, is_own) for other in alike):
        return Same()
    if existing.buried or (memo.active and _is_forgotten(existing.same)):
        return Left(FORGOTTEN)
    if memo.active and entry.dated and any(other.updated >= memo.updated for other in alike):
        return Left(OLDER)
    return New(memo)


def _is_same_memo(existing: Memo, memo: Memo, is_own: bool) -> bool:
    """Whether a memo of the same words is the one that is meant."""
    if existing.status is memo.status or (memo.active and existing.status is Status.ARCHIVED):
        return True
    return not is_own and not memo.active  # an entry that is inactive changes nothing


def _is_forgotten(same: Sequence[Memo]) -> bool:
    return any(memo.status in _FORGOTTEN_STATUSES for memo in same) and not any(memo.active for memo in same)


def _decide_known(entry: ConvertedEntry, existing: Memo, buried: bool) -> Decision:
    """What becomes of an entry whose memo is there already."""
    created = entry.memo.created if entry.dated else existing.created
    memo = replace(entry.memo, key=existing.key, created=created, version=existing.version)
    if replace(memo, hits=existing.hits, updated=memo.updated if entry.dated else existing.updated) == existing:
        return Same()
    same_words = normalize(memo.text) == normalize(existing.text)
    if memo.active and (existing.status in _FORGOTTEN_STATUSES or (buried and not (same_words and existing.active))):
        return Left(FORGOTTEN)
    if _is_newer(entry, existing, same_words):
        return Changed(existing, replace(memo, hits=max(memo.hits, existing.hits)))
    in_use = memo.active and existing.status in (Status.ACTIVE, Status.ARCHIVED)
    return Same() if same_words and (in_use or memo.status is existing.status) else Left(OLDER)


def _is_newer(entry: ConvertedEntry, existing: Memo, same_words: bool) -> bool:
    """By its time; without one, a different text is newer if the memo was not changed here."""
    if entry.dated:
        return entry.memo.updated > existing.updated
    return not same_words and existing.source == entry.memo.source
