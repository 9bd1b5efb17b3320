"""Check a model's proposals for consolidation: it may say which memos belong together, no more.

It sees memos of one audience at a time. Unknown ids are ignored, pinned memos and those written by their owner stay,
and no memo yields to one that is unrelated or leaves out a name or a number.
"""

from collections.abc import Collection, Sequence
from itertools import groupby

from recollect.core.ports import ExtractionResult, Proposal, Retraction
from recollect.core.reasons import Reason
from recollect.core.text import normalize, words
from recollect.core.types import Kind, Memo
from recollect.learning.consolidate.draft import Draft
from recollect.learning.consolidate.plan import (
    ConsolidationInput,
    ConsolidationOptions,
    comparable,
    may_be_replaced,
    recency,
)
from recollect.policy.guard.grounding import keeps_names, keeps_numbers
from recollect.policy.merge import covered_by, is_authored
from recollect.policy.similarity import Similarity, compare, match_cues

MAX_MEMOS_SHOWN = 80
"""Memos per model call, the newest."""
MAX_GROUPS = 3
"""Groups, and so model calls, per consolidation."""


def groups(snapshot: ConsolidationInput, options: ConsolidationOptions) -> list[list[Memo]]:
    """Memos grouped by audience, newest first: the largest groups of at least two."""

    def audience_key(memo: Memo) -> str:
        return f"{memo.source.guild if options.per_guild else ''} {memo.audience}"

    candidates = [memo for memo in snapshot.memos if memo.id not in snapshot.protected]
    candidates.sort(key=recency, reverse=True)
    by_audience = [
        list(members)[:MAX_MEMOS_SHOWN]
        for _, members in groupby(sorted(candidates, key=audience_key), key=audience_key)
    ]
    return sorted((group for group in by_audience if len(group) > 1), key=len, reverse=True)[:MAX_GROUPS]


def accept(draft: Draft, memos: Sequence[Memo], result: ExtractionResult, options: ConsolidationOptions) -> None:
    """Apply the acceptable proposals about these memos to the draft."""
    memo_ids = [memo.id for memo in memos]
    for proposal in result.proposals:
        _merge_named(draft, memo_ids, proposal, options)
    for retraction in result.retractions:
        _retract(draft, memo_ids, retraction, options)


def _merge_named(draft: Draft, memo_ids: Collection[str], proposal: Proposal, options: ConsolidationOptions) -> None:
    """Let the memos that a proposal names yield to the best of them."""
    group = _live(draft, memo_ids)
    # The model may only name memos, not write new ones: its words are no one's statement.
    quoted = [memo for memo in group if normalize(memo.text) == normalize(proposal.evidence)]
    named = [memo for memo in group if memo.id in (proposal.id, *proposal.replaces)]
    if not quoted or not named:
        return
    keep = max([*quoted, *named], key=lambda memo: (_shared(memo.text, proposal.text), recency(memo)))
    for memo in named:
        if memo.id != keep.id:
            _supersede_if_covered(draft, memo, draft.get(keep.id) or keep, proposal.text, options)


def _supersede_if_covered(draft: Draft, memo: Memo, keep: Memo, text: str, options: ConsolidationOptions) -> None:
    missing = (set(match_cues(memo.text)) & set(words(text))) - set(words(keep.text))
    if missing or not _may_end(memo, keep, options):  # a memo that the model's own text restates must not be lost
        return
    if _says_as_much(keep, memo):
        draft.supersede(memo, keep, Reason.MERGED)
    else:
        _supersede_if_newer(draft, memo, keep)


def _retract(draft: Draft, memo_ids: Collection[str], retraction: Retraction, options: ConsolidationOptions) -> None:
    group = _live(draft, memo_ids)
    matches = [memo for memo in group if memo.id == retraction.id]
    if not matches and retraction.match:
        matches = covered_by(retraction.match, group)
    if len(matches) != 1:
        return
    (memo,) = matches
    # A model's word alone retires nothing; there has to be a newer memo that takes the place.
    rivals = [other for other in group if recency(other) > recency(memo) and _may_end(memo, other, options)]
    rival = max(rivals, key=lambda other: (_shared(other.text, memo.text), recency(other)), default=None)
    if rival is not None:
        _supersede_if_newer(draft, memo, rival)


def _supersede_if_newer(draft: Draft, memo: Memo, keep: Memo) -> None:
    """Older memos may be contradicted, but not those about other people: "he" may be two of them."""
    if memo.kind is not Kind.PERSON and recency(keep) > recency(memo):
        draft.supersede(memo, keep, Reason.CONTRADICTED)


def _may_end(memo: Memo, keep: Memo, options: ConsolidationOptions) -> bool:
    """Whether a model may let this memo yield to that one."""
    is_protected = memo.pinned or is_authored(memo) or memo.audience != keep.audience
    return not is_protected and comparable(memo, keep, options) and may_be_replaced(memo, keep) and _related(memo, keep)


def _says_as_much(keep: Memo, memo: Memo) -> bool:
    """Whether neither a name nor a number is lost with a memo."""
    if compare(keep.text, memo.text) is Similarity.CONTRADICTS:
        return False
    return keeps_numbers(memo.text, keep.text, memo.created.date()) and keeps_names(memo.text, keep.text)


def _related(memo: Memo, other: Memo) -> bool:
    return not set(match_cues(memo.text)).isdisjoint(match_cues(other.text))


def _shared(first: str, second: str) -> int:
    return len(set(words(first)) & set(words(second)))


def _live(draft: Draft, memo_ids: Collection[str]) -> list[Memo]:
    return [memo for memo in map(draft.get, memo_ids) if memo is not None]
