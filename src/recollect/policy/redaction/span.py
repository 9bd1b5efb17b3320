"""The position of a secret in a text."""

import re
from typing import NamedTuple


class Span(NamedTuple):
    """A half-open range of characters, and the kind of secret in it."""

    start: int
    end: int
    label: str


MARKER = re.compile(r"\[redacted: [^\]\n]{1,40}\]")
"""Replaces a secret."""
