"""Machinery for work in the background; knows nothing about memory."""
