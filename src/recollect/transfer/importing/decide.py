"""What an entry does to what is known here: pure decisions. It is known by its id, else by its words.

Nothing that was forgotten comes back, and nothing that is newer here is overwritten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.core.text import normalize
from recollect.core.types import Memo, Status
from recollect.transfer.importing.convert import ConvertedEntry

FORGOTTEN = "was forgotten here"
OLDER = "is known here in a newer state"
_GONE = (Status.DEPRECATED, Status.DELETED)


@dataclass(frozen=True, slots=True)
class Known:
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
    """Left out, and why."""

    why: str


Decision = New | Changed | Same | Left


def decide(entry: ConvertedEntry, known: Known, own: bool) -> Decision:
    """What becomes of an entry; of our `own` files each memo is one, of others' each text."""
    if known.by_id is not None:
        return _again(entry, known.by_id, known.buried)
    memo, alike = entry.memo, [one for one in known.same if one.audience == entry.memo.audience]
    if any(_stands_for(one, memo, own) for one in alike):
        return Same()
    if known.buried or (memo.active and _is_forgotten(known.same)):
        return Left(FORGOTTEN)
    if memo.active and entry.dated and any(one.updated >= memo.updated for one in alike):
        return Left(OLDER)
    return New(memo)


def _stands_for(here: Memo, memo: Memo, own: bool) -> bool:
    """Whether a memo of the same words is the one that is meant."""
    if here.status is memo.status or (memo.active and here.status is Status.ARCHIVED):
        return True
    return not own and not memo.active  # what is out of use there is no news


def _is_forgotten(same: Sequence[Memo]) -> bool:
    return any(one.status in _GONE for one in same) and not any(one.active for one in same)


def _again(entry: ConvertedEntry, here: Memo, buried: bool) -> Decision:
    """What becomes of an entry whose memo is there already."""
    memo = replace(entry.memo, key=here.key, created=entry.memo.created if entry.dated else here.created)
    if replace(memo, hits=here.hits, updated=memo.updated if entry.dated else here.updated) == here:
        return Same()
    same_words = normalize(memo.text) == normalize(here.text)
    if memo.active and (here.status in _GONE or (buried and not (same_words and here.active))):
        return Left(FORGOTTEN)
    if _is_newer(entry, here, same_words):
        return Changed(here, replace(memo, hits=max(memo.hits, here.hits)))
    in_use = memo.active and here.status in (Status.ACTIVE, Status.ARCHIVED)
    return Same() if same_words and (in_use or memo.status is here.status) else Left(OLDER)


def _is_newer(entry: ConvertedEntry, here: Memo, same_words: bool) -> bool:
    """By its time; of what has none, other words are news if nobody has changed it here."""
    if entry.dated:
        return entry.memo.updated > here.updated
    return not same_words and here.source == entry.memo.source
