"""Rankers, found by name: `unified`, the default, and the two plain ones that it has to beat."""
