"""`recency`: newest first, whatever was asked (DiscoClaw)."""

from recollect.core.ports.ranker import Pool, Question, Ranked, in_order


def rank(question: Question, pool: Pool) -> list[Ranked]:
    """The score is minus the age in days."""
    ages = ((item, (question.now - item.updated).total_seconds() / 86_400) for item in pool.items)
    return in_order([Ranked(item, -age, {"age in days": age}) for item, age in ages])
