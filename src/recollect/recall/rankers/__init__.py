"""Rankers, found by name: `unified`, the default, and two baselines; earlier designs' are in `compat.rankers`."""

from typing import Literal, get_args

DesignRanker = Literal["unified", "recency", "overlap", "hybrid", "rrf"]
"""Our default and the rankers of earlier designs, which the pages and the API show side by side."""
RankerName = Literal[DesignRanker, "bm25", "cosine"]
"""All built-in rankers, baselines included."""
DESIGN_RANKERS: tuple[DesignRanker, ...] = get_args(DesignRanker)
RANKERS: tuple[RankerName, ...] = get_args(RankerName)
