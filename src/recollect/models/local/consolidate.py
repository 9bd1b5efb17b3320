"""Consolidates one subject's memos: near-duplicates become one memo, and contradicted ones are retracted."""

from collections.abc import Sequence

from recollect.core.ports import ExtractionResult, Proposal, Retraction
from recollect.core.types import Memo
from recollect.policy.similarity import Similarity, compare

MAX_COMPARED = 300
"""How many of the newest memos are compared with each other."""


def consolidate(memos: Sequence[Memo]) -> ExtractionResult:
    """Propose to merge near-duplicates and retract contradicted memos; pinned memos are left alone."""
    newest = sorted((memo for memo in memos if memo.active), key=lambda memo: (memo.updated, memo.id))[-MAX_COMPARED:]
    removed: set[str] = set()
    duplicates: dict[str, list[str]] = {}
    retractions: list[Retraction] = []
    for index, newer in enumerate(newest):
        for older in newest[:index]:
            if older.id in removed or newer.id in removed or older.audience != newer.audience:
                continue
            similarity = compare(newer.text, older.text)
            if similarity is Similarity.CONTRADICTS and not older.pinned:
                removed.add(older.id)
                retractions.append(Retraction("a newer memo says otherwise", id=older.id))
                continue
            retained, redundant = (older, newer) if similarity is Similarity.POORER else (newer, older)
            if similarity in (Similarity.SAME, Similarity.RICHER, Similarity.POORER) and not redundant.pinned:
                removed.add(redundant.id)
                duplicates.setdefault(retained.id, []).extend([redundant.id, *duplicates.pop(redundant.id, [])])
    by_id = {memo.id: memo for memo in newest}
    return ExtractionResult(
        tuple(_merge_into(by_id[memo_id], redundant) for memo_id, redundant in duplicates.items()), tuple(retractions)
    )


def _merge_into(memo: Memo, redundant: Sequence[str]) -> Proposal:
    """The proposal to keep a memo as it is, in place of the redundant ones."""
    return Proposal(
        text=memo.text,
        kind=memo.kind.value,
        evidence=memo.text,
        id=memo.id,
        replaces=tuple(redundant),
        tags=memo.tags,
        confidence=memo.confidence,
        happened=memo.happened,
    )
