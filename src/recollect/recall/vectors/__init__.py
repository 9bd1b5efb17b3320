"""Vectors of what is stored: made, kept complete, searched."""
