"""`bm25` and `cosine` alone: what the other rankers have to beat."""

from recollect.core.ports.ranker import Pool, Question, Ranked, bm25, in_order


def by_words(question: Question, pool: Pool) -> list[Ranked]:  # noqa: ARG001 - one interface for all rankers
    scored = ((item, bm25(item, pool)) for item in pool.items)
    return in_order([Ranked(item, score, {"bm25": score}) for item, score in scored if score > 0])


def by_vector(question: Question, pool: Pool) -> list[Ranked]:  # noqa: ARG001 - one interface for all rankers
    found = ((item, item.cosine) for item in pool.items if item.cosine is not None)
    return in_order([Ranked(item, cosine, {"cosine": cosine}) for item, cosine in found])
