"""Taking in what other programs remembered."""
