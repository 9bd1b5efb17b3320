"""One way to cut texts into stems for every word index, so that all stores find the same.

Every word is indexed by its English stem, whatever the language: entries from before other languages were supported
are found as before. A text in another language is indexed by the stems of that language as well, and so are queries.
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import Stemmer

from recollect.core.text import clean, words
from recollect.language import detection, lexicon

CACHE_SIZE = 20_000
"""Words whose stem is cached."""
MAX_CACHED_WORD_CHARS = 40
ENGLISH = "english"
_LIBRARY: Any = Stemmer
_AVAILABLE: frozenset[str] = frozenset(_LIBRARY.algorithms())


class _Stems(dict[str, str]):
    """Stems by word, computed on first use: a few thousand words make up most of what people write."""

    def __init__(self, algorithm: str) -> None:
        super().__init__()
        self._stemmer: Any = _LIBRARY.Stemmer(algorithm, 0)

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
        self.english = _Stems(ENGLISH)
        self.others: dict[str, _Stems | None] = {}

    def of(self, language: str) -> _Stems | None:
        """The stems of another language; None for English, and where there is no stemmer."""
        if language not in self.others:
            algorithm = detection.name_of(language).lower()  # the library's name; some languages need a newer version
            has_stemmer = language != lexicon.ENGLISH and algorithm in _AVAILABLE
            self.others[language] = _Stems(algorithm) if has_stemmer else None
        return self.others[language]


_thread_local = _PerThread()


def text_stems(text: str) -> list[str]:
    """The stems by which a text is indexed."""
    text_words = words(text)
    english = list(map(_thread_local.english.__getitem__, text_words))
    local = _thread_local.of(detection.detect(text)) if text_words else None
    if local is None:
        return english
    known = set(english)
    return english + [stem for stem in map(local.__getitem__, text_words) if stem not in known]


def query_stems(terms: Sequence[str]) -> Mapping[str, str]:
    """The stems by which the words of a query are looked up, each with its word."""
    cleaned = [clean(term) for term in terms]
    by_stem = dict(zip(map(_thread_local.english.__getitem__, cleaned), terms, strict=True))
    query = " ".join(cleaned)
    local = _thread_local.of(detection.detect(query))
    if local is None or not detection.is_certain(query):
        return by_stem
    return dict(zip(map(local.__getitem__, cleaned), terms, strict=True)) | by_stem
