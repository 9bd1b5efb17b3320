"""Rankers, found by name: `unified`, the default, and two baselines; earlier designs' are in `compat.rankers`."""

from typing import Literal, get_args

DesignRanker = Literal["unified", "recency", "overlap", "hybrid", "rrf"]
"""Ours, and those of earlier designs: what the pages and the API show side by side."""
RankerName = Literal[DesignRanker, "bm25", "cosine"]
"""All that come with recollect, baselines included."""
DESIGN_RANKERS: tuple[DesignRanker, ...] = get_args(DesignRanker)
RANKERS: tuple[RankerName, ...] = get_args(RankerName)
