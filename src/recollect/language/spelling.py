"""Words as they were meant: "alergic" is "allergic", "girlfreind" is "girlfriend".

Only two slips are put right, a letter that should be doubled or not and two letters that changed places, and only
where that makes a word of a given vocabulary; anything cleverer turns one word into another one.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import groupby

from recollect.core.text import fold

MIN_CHARS = 6
"""Of shorter words too many differ by a letter: "diner" and "dinner"."""
_WORD = re.compile(r"[^\W\d_]{5,}")
_EXPRESSION_PART = re.compile(r"(\\.|\[(?:\\.|[^\]\\])*\])")
"""What is no plain text in an expression: an escape, a class of characters."""
_UNACCENTED_WORD = re.compile(r"[^\W\d_]{3,}")
"""Shorter ones become others without their accents: "él", "là", "é"."""


def corrected(text: str, vocabulary: frozenset[str]) -> str:
    """The text with the words of the vocabulary spelled right; the vocabulary has beginnings of words as well."""
    return _WORD.sub(lambda match: _corrected_word(match[0], vocabulary), text)


@lru_cache(maxsize=8192)
def _corrected_word(word: str, vocabulary: frozenset[str]) -> str:
    lower, by_single = word.lower(), _by_single(vocabulary)
    if any(lower[:end] in vocabulary for end in range(MIN_CHARS, len(word) + 1)):
        return word
    for variant in (lower, *_swapped(lower)):
        single = _single(variant)
        for end in range(len(single), MIN_CHARS - 2, -1):
            if single[:end] in by_single:
                return by_single[single[:end]] + single[end:]
    return word


@lru_cache(maxsize=16)
def _by_single(vocabulary: frozenset[str]) -> Mapping[str, str]:
    return {_single(known): known for known in sorted(vocabulary) if len(known) >= MIN_CHARS}


def _single(word: str) -> str:
    """A word without doubled letters."""
    return "".join(letter for letter, _ in groupby(word))


def _swapped(word: str) -> list[str]:
    """The word with two neighboring letters inside of it in the other order."""
    return [f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}" for at in range(1, len(word) - 2)]


def without_accents(expression: str, spelled: Mapping[str, str]) -> str:
    """An expression that also matches words without their accents, as people chat: "después" and "despues".

    `spelled` has the letters of a language that are spelled otherwise then: "für" is "fuer".
    """

    def bare(word: re.Match[str]) -> str:
        return "".join(f"(?:{char}|{plain})" if (plain := write(char)) != char else char for char in word[0])

    def write(char: str) -> str:
        return spelled.get(char, char) if spelled else fold(char) if char.islower() else char

    parts = _EXPRESSION_PART.split(expression)
    return "".join(part if index % 2 else _UNACCENTED_WORD.sub(bare, part) for index, part in enumerate(parts))
