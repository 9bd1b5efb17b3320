"""What a reranker makes of candidates: fused as in `recollect.recall.reranking`, measured as in `bench.recall`."""

import statistics
from collections.abc import Sequence
from typing import Any

CUTS = (5, 10, 20)
Row = dict[str, Any]


def figures(rows: Sequence[Row], logits: Sequence[Sequence[float]], weight: float) -> dict[str, float]:
    """Mean share of the evidence among the first, and mean reciprocal rank."""
    shares: dict[int, list[float]] = {cut: [] for cut in CUTS}
    reciprocal: list[float] = []
    for row, rated in zip(rows, logits, strict=True):
        best = max((score for _, score, _ in row["hits"]), default=0.0) or 1.0
        fused = [
            (score / best + weight * logit, is_right)
            for (_, score, is_right), logit in zip(row["hits"], rated, strict=True)
        ]
        order = [is_right for _, is_right in sorted(fused, key=lambda one: -one[0])]
        for cut in CUTS:
            shares[cut].append(sum(order[:cut]) / row["evidence"])
        reciprocal.append(1 / (order.index(True) + 1) if True in order else 0.0)
    return {f"share@{cut}": statistics.fmean(shares[cut]) for cut in CUTS} | {"mrr": statistics.fmean(reciprocal)}
