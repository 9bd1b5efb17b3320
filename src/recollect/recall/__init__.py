"""Finding what fits a question."""
