"""Limits during an import: memos over a limit are archived, never deleted, and the report says so."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from recollect.core.changes import Retire
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
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


def archive(tx: Tx, subjects: Collection[Subject], limits: Limits, context: ChangeContext) -> Counter[Subject]:
    """Archive what is over the limit, as learning does. `updated` stays, so that a repeated import recognizes it."""
    archived: Counter[Subject] = Counter()
    for subject in subjects:
        memo_limits = limits.of(subject)
        if memo_limits.active is None or tx.index.size([subject.scope]) <= memo_limits.active:
            continue
        for group in _groups(tx.memos.list(subject, [Status.ACTIVE]), memo_limits):
            excess = overflow(group, memo_limits.active, ())
            write(
                tx, [Retire(memo, replace(memo, status=Status.ARCHIVED), Reason.OVER_LIMIT) for memo in excess], context
            )
            archived[subject] += len(excess)
    return archived


def _groups(memos: Iterable[Memo], memo_limits: MemoLimits) -> list[list[Memo]]:
    """Those that are counted together."""
    groups: dict[str | None, list[Memo]] = defaultdict(list)
    for memo in memos:
        groups[memo.source.guild if memo_limits.by_guild else None].append(memo)
    return list(groups.values())


def preview_archived(tx: Tx, fresh: Fresh, limits: Limits) -> Counter[Subject]:
    """How many would go out of use."""
    counts: Counter[tuple[Subject, str | None]] = Counter()
    for (subject, guild), count in fresh.items():
        counts[subject, guild if limits.of(subject).by_guild else None] += count
    archived: Counter[Subject] = Counter()
    for (subject, guild), count in counts.items():
        memo_limits = limits.of(subject)
        if memo_limits.active is not None:
            archived[subject] += max(0, _in_use(tx, subject, guild, memo_limits) + count - memo_limits.active)
    return archived


def _in_use(tx: Tx, subject: Subject, guild: str | None, memo_limits: MemoLimits) -> int:
    if not memo_limits.by_guild:
        return tx.index.size([subject.scope])
    return sum(memo.source.guild == guild for memo in tx.memos.list(subject, [Status.ACTIVE]))


def describe_archived(tx: Tx, archived: Counter[Subject], fresh: Fresh, limits: Limits, *, dry_run: bool) -> list[str]:
    """Lines for the report about what the limits did, or would do."""
    notes: list[str] = []
    for subject in dict.fromkeys(subject for subject, _ in fresh):
        memo_limits, count = limits.of(subject), archived[subject]
        if count:
            outcome = "would be archived" if dry_run else "archived"
            notes.append(f"{_named(subject)}: {count:,} {outcome}, as {memo_limits.active:,} may be in use at a time")
        total = tx.memos.count(subject) + (_coming(fresh, subject) if dry_run else 0)
        if memo_limits.total is not None and total > memo_limits.total:
            notes.append(
                f"{_named(subject)}: {total:,} in all, of which {memo_limits.total:,} are kept when more is learned"
            )
    return notes


def _coming(fresh: Fresh, subject: Subject) -> int:
    return sum(count for (owner, _), count in fresh.items() if owner == subject)


def _named(subject: Subject) -> str:
    return f"lore of {subject.guild}" if subject.is_lore else subject.id
