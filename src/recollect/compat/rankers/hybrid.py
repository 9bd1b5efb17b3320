"""`hybrid`: a weighted sum of five signals behind a relevance gate (ClankerBot)."""

from recollect.core.ports.ranker import BOTH_CORPORA, Ranked, Ranker, RankItem, RankPool, RankQuery, in_order, tokens
from recollect.core.text import collapse_spaces, fold, words

WITH_VECTORS = {"semantic": 0.50, "lexical": 0.28, "confidence": 0.10, "recency": 0.07, "channel": 0.05}
WITHOUT = {"semantic": 0.0, "lexical": 0.75, "confidence": 0.10, "recency": 0.10, "channel": 0.05}
RECENCY_DAYS = 45.0
MAX_QUERY_WORDS = 32


def rank(question: RankQuery, pool: RankPool) -> list[Ranked]:
    weights = WITH_VECTORS if pool.has_vectors else WITHOUT
    query_tokens = set(_query_words(question.text))
    return in_order([_score(item, question, query_tokens, weights) for item in pool.items])


def _query_words(query: str) -> list[str]:
    """The words of a query that count: the first few, each once."""
    query_tokens = tokens(query)
    return [word for word in dict.fromkeys(words(query)) if word in query_tokens][:MAX_QUERY_WORDS]


def _score(item: RankItem, question: RankQuery, query_tokens: set[str], weights: dict[str, float]) -> Ranked:
    signals = {
        "semantic": max(0.0, item.cosine or 0.0),
        "lexical": lexical(question.text, query_tokens, item),
        "confidence": item.confidence,
        "recency": recency(item, question),
        "channel": channel(item, question),
    }
    parts = {name: weights[name] * signal for name, signal in signals.items()}
    score = sum(parts.values())
    return Ranked(item, score, parts, passes(signals["semantic"], signals["lexical"], score, weights is WITH_VECTORS))


def lexical(query: str, query_tokens: set[str], item: RankItem) -> float:
    """1 when the whole query stands in fact or evidence, else the share of its words that do."""
    text = f"{item.text} {item.evidence}"
    whole = collapse_spaces(fold(query))
    if whole and whole in collapse_spaces(fold(text)):
        return 1.0
    return len(query_tokens & tokens(text)) / len(query_tokens) if query_tokens else 0.0


def recency(item: RankItem, question: RankQuery) -> float:
    days = max(0.0, (question.now - item.updated).total_seconds() / 86_400)
    return 1 / (1 + days / RECENCY_DAYS)


def channel(item: RankItem, question: RankQuery) -> float:
    """1 in the same channel, a quarter for a fact without one, else nothing: a hint, not a wall."""
    if item.channel is None:
        return 0.25
    return 1.0 if item.channel == question.channel else 0.0


def passes(semantic: float, lexical: float, combined: float, has_vectors: bool) -> bool:
    """The gate."""
    if has_vectors:
        if semantic >= 0.20 or lexical >= 0.22:
            return True
        return combined >= 0.52 and (semantic >= 0.08 or lexical >= 0.10)
    return lexical >= 0.24 or combined >= 0.62


def create(spec: str) -> Ranker:  # noqa: ARG001 - it has no options
    return Ranker(rank, includes_recent=BOTH_CORPORA, gated=True)
