"""A reranker of our own, from the data to its figures: see `docs/reranking.md`."""
