"""What recollect knows about language: dates, word forms, kinship, negation."""
