"""What a model makes of memos, held against the memos themselves: it may say which belong together, no more.

It sees memos of one audience at a time. Ids that it was not given count for nothing, what is pinned or written by its
owner stays, and no memo goes for one that has nothing to do with it or leaves out a name or a number.
"""

from collections.abc import Collection, Sequence
from itertools import groupby

from recollect.core.ports import ExtractionResult, Proposal, Retraction
from recollect.core.text import normalize, words
from recollect.core.types import Kind, Memo
from recollect.learning.consolidate.draft import Draft
from recollect.learning.consolidate.plan import (
    CONTRADICTED,
    MERGED,
    ConsolidationInput,
    ConsolidationOptions,
    comparable,
    may_yield,
    recency,
)
from recollect.policy.guard.grounding import keeps_names, keeps_numbers
from recollect.policy.merge import covered_by, is_authored
from recollect.policy.similarity import Similarity, compare, match_cues, slot_of

MOST = 80
"""Memos that a model is shown at once, the newest."""
ROUNDS = 3
"""Groups that are shown in one dream."""


def groups(view: ConsolidationInput, rules: ConsolidationOptions) -> list[list[Memo]]:
    """Memos that the same people may hear, newest first, as far as there are several; the largest groups."""

    def circle(memo: Memo) -> str:
        return f"{memo.source.guild if rules.walled else ''} {memo.audience}"

    open_ones = [memo for memo in view.memos if memo.id not in view.settled]
    open_ones.sort(key=recency, reverse=True)
    apart = [list(members)[:MOST] for _, members in groupby(sorted(open_ones, key=circle), key=circle)]
    return sorted((group for group in apart if len(group) > 1), key=len, reverse=True)[:ROUNDS]


def accept(draft: Draft, shown: Sequence[Memo], proposed: ExtractionResult, rules: ConsolidationOptions) -> None:
    """Take what holds of a model's proposals about these memos into the draft."""
    known = [memo.id for memo in shown]
    for proposal in proposed.proposals:
        _join(draft, known, proposal, rules)
    for retraction in proposed.retractions:
        _retract(draft, known, retraction, rules)


def _join(draft: Draft, known: Collection[str], proposal: Proposal, rules: ConsolidationOptions) -> None:
    """Let the memos that a proposal names give way to the best of them."""
    group = _live(draft, known)
    quoted = [memo for memo in group if normalize(memo.text) == normalize(proposal.evidence)]
    named = [memo for memo in group if memo.id in (proposal.id, *proposal.replaces)]
    if not quoted or not named:
        return
    keep = max([*quoted, *named], key=lambda memo: (_shared(memo.text, proposal.text), recency(memo)))
    for memo in named:
        if memo.id != keep.id:
            _give_way(draft, memo, draft.get(keep.id) or keep, proposal.text, rules)


def _give_way(draft: Draft, memo: Memo, keep: Memo, text: str, rules: ConsolidationOptions) -> None:
    missing = (set(match_cues(memo.text)) & set(words(text))) - set(words(keep.text))
    if missing or not _may_end(memo, keep, rules):  # what the model itself would still say must not go
        return
    if _says_as_much(keep, memo):
        draft.supersede(memo, keep, MERGED)
    else:
        _outdated(draft, memo, keep)


def _retract(draft: Draft, known: Collection[str], retraction: Retraction, rules: ConsolidationOptions) -> None:
    group = _live(draft, known)
    meant = [memo for memo in group if memo.id == retraction.id]
    if not meant and retraction.match:
        meant = covered_by(retraction.match, group)
    if len(meant) != 1:
        return
    (memo,) = meant
    rivals = [other for other in group if recency(other) > recency(memo) and _may_end(memo, other, rules)]
    rival = max(rivals, key=lambda other: (_shared(other.text, memo.text), recency(other)), default=None)
    if rival is not None:
        _outdated(draft, memo, rival)


def _outdated(draft: Draft, memo: Memo, keep: Memo) -> None:
    """What is older may be contradicted, but not what is told of other people: "he" may be two of them."""
    if memo.kind is not Kind.PERSON and recency(keep) > recency(memo):
        draft.supersede(memo, keep, CONTRADICTED)


def _may_end(memo: Memo, keep: Memo, rules: ConsolidationOptions) -> bool:
    """Whether a model may end this memo for that one."""
    untouchable = memo.pinned or is_authored(memo) or memo.audience != keep.audience
    return not untouchable and comparable(memo, keep, rules) and may_yield(memo, keep) and _related(memo, keep)


def _says_as_much(keep: Memo, memo: Memo) -> bool:
    """Whether neither a name nor a number is lost with a memo."""
    if compare(keep.text, memo.text) is Similarity.CONTRADICTS:
        return False
    return keeps_numbers(memo.text, keep.text, memo.created.date()) and keeps_names(memo.text, keep.text)


def _related(one: Memo, other: Memo) -> bool:
    first, second = slot_of(one.text), slot_of(other.text)
    same_slot = first is not None and second is not None and first.name == second.name
    return same_slot or not set(match_cues(one.text)).isdisjoint(match_cues(other.text))


def _shared(one: str, other: str) -> int:
    return len(set(words(one)) & set(words(other)))


def _live(draft: Draft, known: Collection[str]) -> list[Memo]:
    return [memo for memo in map(draft.get, known) if memo is not None]
