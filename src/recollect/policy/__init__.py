"""Decisions as pure functions: what is visible to whom, what counts as a secret, what a statement changes."""
