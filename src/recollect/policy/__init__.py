"""Decisions as pure functions: who may hear what, what counts as a secret, what a statement changes."""
