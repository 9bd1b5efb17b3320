"""What may become a memo: `verdicts` judges proposals by `checks`, `statements` what is stated directly.

Imports nothing: the modules here are imported by threads that start together, see `tests/test_architecture.py`.
"""
