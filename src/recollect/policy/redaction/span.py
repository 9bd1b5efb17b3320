"""Where in a text a secret stands."""

import re
from typing import NamedTuple


class Span(NamedTuple):
    """From one character to before another, and what stands there."""

    start: int
    end: int
    label: str


MARK = re.compile(r"\[redacted: [^\]\n]{1,40}\]")
"""What stands in the place of a secret."""
