"""Several memos at once, as one change that is undone as one; and memos that contradict each other."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from recollect.admin.base import AdminBase, is_visible
from recollect.core import outcomes
from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.types import Audience, Kind, Memo, Provenance, Status, Subject
from recollect.learning import changes
from recollect.learning.edit_memo import MemoEdit, edit_memo
from recollect.learning.restore import restore
from recollect.policy.redaction import redact_tags
from recollect.policy.similarity import Similarity, compare, match_cues, slot_of
from recollect.policy.visibility import with_qualified_owner
from recollect.recall import listing
from recollect.settings import wiring

MAX_AT_ONCE = 100
_MAX_MEMOS_PER_CUE = 20
"""A word that occurs in more memos than this does not make them similar."""


@dataclass(frozen=True, slots=True)
class BulkOutcome:
    """What became of several memos."""

    changed: tuple[str, ...]
    """Ids of the memos that were changed."""
    skipped: int
    """Ids of memos that were left alone, such as one that is retired already."""


Versions = Mapping[str, int]
"""Versions of memos by id, as the operator has seen them; a memo that is not in it may have any."""
_ANY: Versions = {}


class BulkAdmin(AdminBase):
    """With `versions`, each raises VersionConflict, and changes nothing, if one of the memos no longer has its own."""

    async def retire_many(self, subject: Subject, memo_ids: Collection[str], versions: Versions = _ANY) -> BulkOutcome:
        """Retire memos and keep them from being learned again."""
        context, schedule = self._context(), self.memory.engine.schedule

        def change(tx: Tx, memo: Memo) -> bool:
            if not memo.active:
                return False
            outcome = changes.forget(tx, subject, memo.id, context, is_visible, 0.0, every=False, schedule=schedule)
            return isinstance(outcome, outcomes.Forgotten)

        return await self._each(subject, memo_ids, versions, change)

    async def restore_many(self, subject: Subject, memo_ids: Collection[str], versions: Versions = _ANY) -> BulkOutcome:
        """Bring retired memos back; those whose messages no longer say so are skipped."""
        context, schedule = self._context(), self.memory.engine.schedule
        limits = wiring.memo_limits(self.memory.settings, lore=subject.is_lore)

        def change(tx: Tx, memo: Memo) -> bool:
            outcome = restore(tx, subject, memo.id, context, is_visible, schedule, limits)
            return isinstance(outcome, outcomes.Restored)

        return await self._each(subject, memo_ids, versions, change)

    async def share_many(
        self, subject: Subject, memo_ids: Collection[str], audience: Audience, versions: Versions = _ANY
    ) -> BulkOutcome:
        """Set who may hear memos of a person."""
        if subject.is_lore:
            raise BadInput("that audience can't be chosen for this memory: lore is its server's")
        context, wanted = self._context(), with_qualified_owner(audience, subject.id)

        def change(tx: Tx, memo: Memo) -> bool:
            if not memo.active or memo.audience == wanted:
                return False
            changes.share(tx, subject, memo.id, wanted, context, is_visible)
            return True

        return await self._each(subject, memo_ids, versions, change)

    async def tag_many(
        self, subject: Subject, memo_ids: Collection[str], tags: Collection[str], versions: Versions = _ANY
    ) -> BulkOutcome:
        """Add tags to memos; those that they have stay."""
        added = redact_tags([tag.strip().lower() for tag in tags if tag.strip()])
        if not added:
            raise BadInput("name at least one tag")
        limits, context = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._context()

        def change(tx: Tx, memo: Memo) -> bool:
            tags = tuple(dict.fromkeys((*memo.tags, *added)))
            if not memo.active or tags == memo.tags:
                return False
            edit_memo(tx, memo, MemoEdit(None, tags, Provenance(actor=context.actor)), context, limits)
            return True

        return await self._each(subject, memo_ids, versions, change)

    async def contradictions(self, subject: Subject) -> list[tuple[Memo, Memo]]:
        """Pairs of memos in use that can't both be true, the newer one first."""

        def work(tx: Tx) -> list[tuple[Memo, Memo]]:
            return contradicting_pairs(tx.memos.list(subject, [Status.ACTIVE]))

        return await self._read(work)

    async def _each(
        self, subject: Subject, memo_ids: Collection[str], versions: Versions, change: Callable[[Tx, Memo], bool]
    ) -> BulkOutcome:
        """Change each memo in one transaction; raises UnknownMemo if one is not there, and changes none then."""
        if not 0 < len(memo_ids) <= MAX_AT_ONCE:
            raise BadInput(f"tick at least one memory, and {MAX_AT_ONCE} at most")

        def work(tx: Tx) -> BulkOutcome:
            chosen = list(dict.fromkeys(memo_ids))
            for memo_id in chosen:  # before any is changed, as one change may touch another memo of these
                listing.get(tx, subject, memo_id, is_visible, versions.get(memo_id))
            changed = [memo_id for memo_id in chosen if change(tx, listing.get(tx, subject, memo_id, is_visible))]
            return BulkOutcome(tuple(changed), len(chosen) - len(changed))

        return await self._write(work)


def contradicting_pairs(memos: Sequence[Memo]) -> list[tuple[Memo, Memo]]:
    """Those of the memos that contradict each other, by their words; only memos with a word in common are compared."""
    sharing: defaultdict[str, list[Memo]] = defaultdict(list)
    for memo in memos:
        slot = slot_of(memo.text)
        for cue in {*match_cues(memo.text), *([f"={slot.name}"] if slot else [])}:
            sharing[cue].append(memo)
    pairs: dict[tuple[str, str], tuple[Memo, Memo]] = {}
    for cue, alike in sharing.items():
        if len(alike) <= _MAX_MEMOS_PER_CUE or cue.startswith("="):
            for first, second in combinations(alike[:_MAX_MEMOS_PER_CUE], 2):
                older, newer = sorted((first, second), key=lambda memo: (memo.updated, memo.id))
                pairs[newer.id, older.id] = newer, older
    return [pair for pair in pairs.values() if _contradict(*pair)]


def _contradict(newer: Memo, older: Memo) -> bool:
    is_same_sort = (newer.kind is Kind.PERSON) == (older.kind is Kind.PERSON)
    is_same_time = newer.happened is None or older.happened is None or newer.happened == older.happened
    return is_same_sort and is_same_time and compare(newer.text, older.text) is Similarity.CONTRADICTS
