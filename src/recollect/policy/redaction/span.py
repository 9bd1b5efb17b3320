"""The position of a secret in a text."""

from typing import NamedTuple

from recollect.core.lazy import lazy_pattern


class Span(NamedTuple):
    """A half-open range of characters, and the kind of secret in it."""

    start: int
    end: int
    label: str


MARKER = lazy_pattern(r"\[redacted: [^\]\n]{1,40}\]")
"""Replaces a secret."""
