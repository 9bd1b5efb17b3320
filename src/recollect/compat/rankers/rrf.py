"""`rrf`: reciprocal rank fusion of BM25 and vectors (DevClaw)."""

from collections.abc import Callable

from recollect.core.ports.ranker import Ranked, Ranker, RankItem, RankPool, RankQuery, bm25, in_order

K = 60


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:  # noqa: ARG001 - one interface for all rankers
    """`k/(k + rank by vector) + k/(k + rank by BM25)`; an index that did not find an item adds nothing."""
    by_words = _ranks(pool, lambda item: bm25(item, pool))
    by_vector = _ranks(pool, lambda item: item.cosine or 0.0)
    ranked: list[Ranked] = []
    for item in pool.items:
        parts = {
            "vector": K / (K + by_vector[item.key]) if item.key in by_vector else 0.0,
            "words": K / (K + by_words[item.key]) if item.key in by_words else 0.0,
        }
        if any(parts.values()):
            ranked.append(Ranked(item, sum(parts.values()), parts))
    return in_order(ranked)


def _ranks(pool: RankPool, score: Callable[[RankItem], float]) -> dict[int, int]:
    """The rank of each item in one index, from 1; items that it did not find have none."""
    scored = [(score(item), item.key) for item in pool.items]
    matches = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1]))
    return {key: place for place, (_, key) in enumerate(matches, 1)}


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank)
