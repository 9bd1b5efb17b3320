"""Rankers, found by name: `unified`, the default, and two baselines."""
