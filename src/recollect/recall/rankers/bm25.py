"""`bm25`: word search alone, a baseline."""

from recollect.core.ports.ranker import Ranked, Ranker, RankPool, RankQuery, bm25, in_order


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:  # noqa: ARG001 - one interface for all rankers
    scored = ((item, bm25(item, pool)) for item in pool.items)
    return in_order([Ranked(item, score, {"bm25": score}) for item, score in scored if score > 0])


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank)
