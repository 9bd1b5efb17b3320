"""Readers that import formats share."""
