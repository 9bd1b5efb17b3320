"""Embedders turn texts into vectors; each module here is one embedder, found by its name."""
