"""Orders that no rule covers, told by a linear model over the words of a sentence and the sorts of words in it.

`learned.txt` has a weight for each feature, made by `python -m bench.guard --write`.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import sqrt

from recollect.policy.guard.sorts import Reading, Sorts, words_of

_MIN_WORDS, _MIN_RUN_CHARS = 3, 6
"""A tag of a word or two says too little."""
_STEM_CHARS, _ENDING_CHARS = (3, 4, 5, 6), (2, 3)
_RUN_CHARS = (1, 2, 3, 4)
"""Characters that stand for a word in a script without spaces."""
_FIRST_IDEOGRAPH = "\u3040"
_BEFORE, _BEHIND = "^", "$"
_NOTHING = Sorts()
_Value = tuple[int, int]
"""The sum of the weights of some features, and how many of these are known."""


@dataclass(frozen=True, slots=True)
class Model:
    weights: Mapping[str, int]
    """By feature; that of the empty one is added to every sentence."""
    together: Mapping[str, Mapping[str, int]]
    """Of sorts that occur in one sentence, by the first and the second in the alphabet."""
    threshold: int


def is_probably_order(sentence: str, readings: Sequence[Reading]) -> bool:
    """Whether a sentence in small letters, with what each language makes of its words, is likely an order."""
    words = words_of(sentence)
    if len(words) < _MIN_WORDS and not any(_is_run(word) and len(word) >= _MIN_RUN_CHARS for word in words):
        return False
    values = [*map(_word_value, words), _value(_pairs_of(words))]
    if readings:
        meant = _merge(readings)
        values += itertools.starmap(_neighbors_value, _neighbors(meant))
        found, together = _NOTHING.union(*meant), model().together
        rows = [(together.get(sort), found) for sort in ("", *found)]
        rows.append((together.get(_BEFORE), meant[0]))
        values += [_common(row, sorts) for row, sorts in rows if row]
    known = sum(count for _, count in values)
    return sum(weight for weight, _ in values) > model().threshold * sqrt(known)


def features(sentence: str, readings: Sequence[Reading]) -> Iterator[str]:
    """Words with their stems and endings, pairs of words, the sorts of words, sorts that meet or are neighbors."""
    words = words_of(sentence)
    yield from itertools.chain.from_iterable(map(_of_word, words))
    yield from _pairs_of(words)
    if readings:
        meant = _merge(readings)
        found = sorted(_NOTHING.union(*meant))
        yield from map("@".join, itertools.combinations(["", *found], 2))
        yield from map(f"{_BEFORE}@{{}}".format, meant[0])
        yield from itertools.chain.from_iterable(itertools.starmap(_of_neighbors, _neighbors(meant)))


def _merge(readings: Sequence[Reading]) -> list[Sorts]:
    if len(readings) == 1:
        return readings[0].words
    rows = zip(*(reading.words for reading in readings), strict=True)
    return [_NOTHING.union(*each) for each in rows]


def _neighbors(meant: list[Sorts]) -> Iterator[tuple[Sorts, Sorts]]:
    return itertools.pairwise([_NOTHING, *meant, _NOTHING])


def _pairs_of(words: list[str]) -> Iterator[str]:
    if words:
        yield f"{_BEFORE}{words[0][:4]}"
    yield from map(" ".join, itertools.pairwise([_BEFORE, *words, _BEHIND]))


def _is_run(word: str) -> bool:
    """Whether it is in a script without spaces, and may be many words."""
    return word >= _FIRST_IDEOGRAPH


def _of_word(word: str) -> tuple[str, ...]:
    if _is_run(word):
        parts = (word[at : at + size] for size in _RUN_CHARS for at in range(len(word) - size + 1))
        return (*parts, f"{word[-2:]}{_BEHIND}", f"{word[-3:]}{_BEHIND}")
    stems = (f"{word[:size]}-" for size in _STEM_CHARS if len(word) > size)
    endings = (f"-{word[-size:]}" for size in _ENDING_CHARS if len(word) > size + 1)
    return (word, *stems, *endings)


def _of_neighbors(one: Sorts, other: Sorts) -> tuple[str, ...]:
    return tuple(f"{before}>{behind}" for before in one or (_BEFORE,) for behind in other or (_BEHIND,))


def _value(known: Iterable[str]) -> _Value:
    weights = model().weights
    found = [weights[feature] for feature in known if feature in weights]
    return sum(found), len(found)


@lru_cache(maxsize=8192)
def _word_value(word: str) -> _Value:
    return _value(_of_word(word))


@lru_cache(maxsize=8192)
def _neighbors_value(one: Sorts, other: Sorts) -> _Value:
    return _value(_of_neighbors(one, other))


def _common(row: Mapping[str, int], sorts: Sorts) -> _Value:
    common = row.keys() & sorts
    return sum(map(row.__getitem__, common)), len(common)


@cache
def model() -> Model:
    """What `learned.txt` holds."""
    lines = files(__package__).joinpath("learned.txt").read_text("utf-8").splitlines()
    entries = (line.rpartition("\t") for line in lines)
    weights = {feature: int(weight) for feature, _, weight in entries}
    together: dict[str, dict[str, int]] = {}
    for feature, weight in weights.items():
        one, separator, other = feature.partition("@")
        if separator:
            together.setdefault(one, {})[other] = weight
    return Model(weights, together, -weights.get("", 0))
