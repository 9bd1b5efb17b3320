"""What memos of one subject come to: other words for one fact become one memo, and what a newer one denies goes."""

from collections.abc import Sequence

from recollect.core.ports import ExtractionResult, Proposal, Retraction
from recollect.core.types import Memo
from recollect.policy.similarity import Similarity, compare

MOST = 300
"""Memos that are compared with each other, the newest."""


def consolidate(memos: Sequence[Memo]) -> ExtractionResult:
    """Proposals to join near-duplicates, and retractions of what was contradicted; pinned memos stay as they are."""
    newest = sorted((memo for memo in memos if memo.active), key=lambda memo: (memo.updated, memo.id))[-MOST:]
    gone: dict[str, Memo] = {}
    joined: dict[str, list[str]] = {}
    retractions: list[Retraction] = []
    for place, newer in enumerate(newest):
        for older in newest[:place]:
            if older.id in gone or newer.id in gone or older.audience != newer.audience:
                continue
            likeness = compare(newer.text, older.text)
            if likeness is Similarity.CONTRADICTS and not older.pinned:
                gone[older.id] = newer
                retractions.append(Retraction("a newer memo says otherwise", id=older.id))
                continue
            kept, needless = (older, newer) if likeness is Similarity.POORER else (newer, older)
            if likeness in (Similarity.SAME, Similarity.RICHER, Similarity.POORER) and not needless.pinned:
                gone[needless.id] = kept
                joined.setdefault(kept.id, []).extend([needless.id, *joined.pop(needless.id, [])])
    by_id = {memo.id: memo for memo in newest}
    return ExtractionResult(
        tuple(_join(by_id[kept], needless) for kept, needless in joined.items()), tuple(retractions)
    )


def _join(kept: Memo, needless: Sequence[str]) -> Proposal:
    return Proposal(
        text=kept.text,
        kind=kept.kind.value,
        evidence=kept.text,
        id=kept.id,
        replaces=tuple(needless),
        tags=kept.tags,
        confidence=kept.confidence,
        happened=kept.happened,
    )
