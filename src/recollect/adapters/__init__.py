"""Adapters for agent frameworks: one module per framework, each with an extra of the same name."""
