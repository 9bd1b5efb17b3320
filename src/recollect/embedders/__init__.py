"""Texts to vectors; each file here is one embedder, found by its name."""
