"""`overlap`: words in common, plus small boosts (SIMPLE DNAM)."""

from datetime import timedelta

from recollect.core.ports.ranker import (
    BOTH_CORPORA,
    STOP_WORDS,
    Ranked,
    Ranker,
    RankItem,
    RankPool,
    RankQuery,
    in_order,
    tokens,
)

PROJECT_WORDS = frozenset("repo repository build deploy release branch commit ship code project".split())
PROJECT_BOOST = 2.0
RECENT_BOOST = 1.0
RECENT = timedelta(days=7)


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:
    """Common words of question and text + tags + kind; +2 for a project when one is asked about, +1 when recent."""
    query_tokens = tokens(question.text) - STOP_WORDS
    return in_order([_score(item, question, query_tokens) for item in pool.items])


def _score(item: RankItem, question: RankQuery, query_tokens: set[str]) -> Ranked:
    common = len(query_tokens & tokens(f"{item.text} {' '.join(item.tags)} {item.kind}"))
    project = PROJECT_BOOST if item.kind == "project" and query_tokens & PROJECT_WORDS else 0.0
    recent = RECENT_BOOST if question.now - item.updated <= RECENT else 0.0
    parts = {"words in common": float(common), "project": project, "recent": recent}
    return Ranked(item, common + project + recent, parts, relevant=common + project > 0)


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank, includes_recent=BOTH_CORPORA)
