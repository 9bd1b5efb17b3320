"""Models that extract and summarize; each module or package here is one model, found by its name."""
