"""`recency`: newest first, whatever was asked (DiscoClaw)."""

from recollect.core.ports.ranker import BOTH_CORPORA, Ranked, Ranker, RankPool, RankQuery, in_order


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:
    """The score is minus the age in days."""
    ages = ((item, (question.now - item.updated).total_seconds() / 86_400) for item in pool.items)
    return in_order([Ranked(item, -age, {"age in days": age}) for item, age in ages])


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank, includes_recent=BOTH_CORPORA)
