"""What should be learned from a message, as a line of words, and whether a text says it.

`Lola Chispa` wants both words, `nurse|enfermera` either, `New_York` is one expression, `-likes` must not occur. A word
of up to three letters stands alone, a longer one may be the beginning of a longer one; Japanese is found anywhere.
"""

import re
from functools import cache

MAX_WHOLE_WORD_CHARS = 3
NO_LETTER_BEFORE, NO_LETTER_AFTER = r"(?<![A-Za-zÀ-ÿ0-9])", r"(?![A-Za-zÀ-ÿ0-9])"
LATIN = re.compile(r"[A-Za-zÀ-ÿ0-9]")


def says(text: str, wanted: str) -> bool:
    """Whether a learned text says what is wanted."""
    return all(
        (_pattern(word.removeprefix("-")).search(text) is None) is word.startswith("-") for word in wanted.split()
    )


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile("|".join(map(_expression, word.split("|"))), re.IGNORECASE)


def _expression(word: str) -> str:
    spaced = r"\s+".join(map(re.escape, word.split("_")))
    if not LATIN.match(word):
        return spaced
    return NO_LETTER_BEFORE + spaced + (NO_LETTER_AFTER if len(word) <= MAX_WHOLE_WORD_CHARS else "")
