"""One stemmer for every word index, so that all stores find the same."""

import threading
from collections.abc import Sequence
from typing import Any

import Stemmer

CACHE_SIZE = 20_000
"""Words whose stem is cached."""
MAX_CACHED_WORD_CHARS = 40


class _Stems(dict[str, str]):
    """Stems by word, computed on first use: a few thousand words make up most of what people write."""

    def __init__(self) -> None:
        super().__init__()
        self._stemmer: Any = Stemmer.Stemmer("english", 0)  # pyright: ignore[reportUnknownMemberType] untyped library

    def __missing__(self, word: str) -> str:
        stem = self._stemmer.stemWord(word)
        if len(word) <= MAX_CACHED_WORD_CHARS:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[word] = stem
        return stem


class _PerThread(threading.local):
    """Stemmers are not thread-safe."""

    def __init__(self) -> None:
        self.stems = _Stems()


_thread_local = _PerThread()


def stems(words: Sequence[str]) -> list[str]:
    """Words without their English endings; words of other languages pass, alike in index and query."""
    return list(map(_thread_local.stems.__getitem__, words))
