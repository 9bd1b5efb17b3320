"""One stemmer for every word index, so that all stores find the same."""

import threading
from collections.abc import Sequence
from typing import Any

import Stemmer


class _PerThread(threading.local):
    """A stemmer keeps a cache inside and is not for sharing between threads."""

    def __init__(self) -> None:
        self.stemmer: Any = Stemmer.Stemmer("english")  # pyright: ignore[reportUnknownMemberType] untyped library


_mine = _PerThread()


def stems(words: Sequence[str]) -> list[str]:
    """Words without their English endings; words of other languages pass, alike in index and query."""
    return _mine.stemmer.stemWords(words)
