"""`cosine`: vector search alone, a baseline."""

from recollect.core.ports.ranker import Ranked, Ranker, RankPool, RankQuery, in_order


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:  # noqa: ARG001 - one interface for all rankers
    scored = ((item, item.cosine) for item in pool.items if item.cosine is not None)
    return in_order([Ranked(item, cosine, {"cosine": cosine}) for item, cosine in scored])


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank, embeds_topic=True)
