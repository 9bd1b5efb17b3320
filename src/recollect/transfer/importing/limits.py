"""The limits of a store while much comes in: what is over them goes out of use, never away, and it is told."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from recollect.core.changes import Retire
from recollect.core.ports import Tx
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, write
from recollect.policy.merge import overflow

Fresh = Counter[tuple[Subject, str | None]]
"""How many memos came into use, by whose they are and the guild that they come from."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many memos a person may have, and the lore of a guild."""

    people: MemoLimits
    lore: MemoLimits

    def of(self, subject: Subject) -> MemoLimits:
        return self.lore if subject.is_lore else self.people


def archive(tx: Tx, subjects: Collection[Subject], limits: Limits, cause: ChangeContext) -> Counter[Subject]:
    """Take out of use what is over the limit, as when something is learned; the time of its last change stays, so
    that it is known again.
    """
    archived: Counter[Subject] = Counter()
    for subject in subjects:
        caps = limits.of(subject)
        if caps.active is None or tx.index.size([subject.scope]) <= caps.active:
            continue
        for group in _groups(tx.memos.list(subject, [Status.ACTIVE]), caps):
            excess = overflow(group, caps.active, ())
            write(tx, [Retire(one, replace(one, status=Status.ARCHIVED), "over the limit") for one in excess], cause)
            archived[subject] += len(excess)
    return archived


def _groups(memos: Iterable[Memo], caps: MemoLimits) -> list[list[Memo]]:
    """Those that are counted together."""
    found: dict[str | None, list[Memo]] = defaultdict(list)
    for memo in memos:
        found[memo.source.guild if caps.by_guild else None].append(memo)
    return list(found.values())


def preview_archived(tx: Tx, fresh: Fresh, limits: Limits) -> Counter[Subject]:
    """How many would go out of use."""
    counts: Counter[tuple[Subject, str | None]] = Counter()
    for (subject, guild), number in fresh.items():
        counts[subject, guild if limits.of(subject).by_guild else None] += number
    archived: Counter[Subject] = Counter()
    for (subject, guild), number in counts.items():
        caps = limits.of(subject)
        if caps.active is not None:
            archived[subject] += max(0, _in_use(tx, subject, guild, caps) + number - caps.active)
    return archived


def _in_use(tx: Tx, subject: Subject, guild: str | None, caps: MemoLimits) -> int:
    if not caps.by_guild:
        return tx.index.size([subject.scope])
    return sum(memo.source.guild == guild for memo in tx.memos.list(subject, [Status.ACTIVE]))


def describe_archived(tx: Tx, archived: Counter[Subject], fresh: Fresh, limits: Limits, *, dry_run: bool) -> list[str]:
    """What the limits did, or will do, in words."""
    notes: list[str] = []
    for subject in dict.fromkeys(subject for subject, _ in fresh):
        caps, number = limits.of(subject), archived[subject]
        if number:
            done = "would be archived" if dry_run else "archived"
            notes.append(f"{_named(subject)}: {number:,} {done}, as {caps.active:,} may be in use at a time")
        total = tx.memos.count(subject) + (_coming(fresh, subject) if dry_run else 0)
        if caps.total is not None and total > caps.total:
            notes.append(f"{_named(subject)}: {total:,} in all, of which {caps.total:,} are kept when more is learned")
    return notes


def _coming(fresh: Fresh, subject: Subject) -> int:
    return sum(number for (one, _), number in fresh.items() if one == subject)


def _named(subject: Subject) -> str:
    return f"lore of {subject.guild}" if subject.is_lore else subject.id
