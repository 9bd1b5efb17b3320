"""One stemmer for every word index, so that all stores find the same."""

import threading
from collections.abc import Sequence
from typing import Any

import Stemmer

KNOWN, LONGEST = 20_000, 40
"""Words of which the stem is kept at hand, and the letters that such a word has at the most."""


class _Stems(dict[str, str]):
    """Stems by word, made when they are first asked for: a few thousand words make up most of what is said."""

    def __init__(self) -> None:
        super().__init__()
        self._stemmer: Any = Stemmer.Stemmer("english", 0)  # pyright: ignore[reportUnknownMemberType] untyped library

    def __missing__(self, word: str) -> str:
        stem = self._stemmer.stemWord(word)
        if len(word) <= LONGEST:
            if len(self) >= KNOWN:
                self.clear()
            self[word] = stem
        return stem


class _PerThread(threading.local):
    """A stemmer is not for sharing between threads."""

    def __init__(self) -> None:
        self.stems = _Stems()


_mine = _PerThread()


def stems(words: Sequence[str]) -> list[str]:
    """Words without their English endings; words of other languages pass, alike in index and query."""
    return list(map(_mine.stems.__getitem__, words))
