"""Importing the memories of other programs."""
