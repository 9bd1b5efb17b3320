"""Erasing and exporting everything about a person or a guild."""
