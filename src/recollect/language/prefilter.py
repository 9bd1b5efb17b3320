"""Literals without which a pattern can't match, so that most texts need not be searched with it.

`(?:ignore|disregard) (?:all )?rules` needs "ignore" or "disregard". They are derived from the parsed pattern; where
that is not possible, the literal is the empty string, which every text contains.

`LiteralIndex` finds those of many lists of literals of which a text has one without looking for each literal, and
`Prefilter` those of many patterns that can match a text.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)

_parse: Callable[[str], Iterable[Any]] | None = getattr(getattr(re, "_parser", None), "parse", None)
_ANY_TEXT = frozenset({""})
_GRAM_CHARS = 3
"""A literal is looked for only in texts that have its first letters somewhere."""


class LiteralIndex(Generic[K]):
    """Lists of literals under their names."""

    def __init__(self, lists: Mapping[K, Iterable[str]]) -> None:
        self._by_gram: dict[tuple[str, ...], list[tuple[str, K]]] = {}
        self._short: list[tuple[str, K]] = []
        for name, literals in lists.items():
            for literal in dict.fromkeys(literals):
                if len(literal) < _GRAM_CHARS:
                    self._short.append((literal, name))
                else:
                    self._by_gram.setdefault(tuple(literal[:_GRAM_CHARS]), []).append((literal, name))
        self._grams = frozenset(self._by_gram)

    def found_in(self, text: str) -> set[K]:
        """The names of the lists of which the text has a literal."""
        grams = self._grams.intersection(zip(text, text[1:], text[2:], strict=False))
        found = {name for literal, name in self._short if literal in text}
        for gram in grams:
            found.update([name for literal, name in self._by_gram[gram] if literal in text])
        return found


class Prefilter:
    """Patterns in their order, found by their required literals."""

    def __init__(self, patterns: Sequence["re.Pattern[str]"]) -> None:
        self.patterns = patterns
        self._literals = LiteralIndex(
            {position: required_literals(pattern.pattern) for position, pattern in enumerate(patterns)}
        )

    def candidates(self, text: str) -> list["re.Pattern[str]"]:
        """Those that may match; all others can't."""
        return [self.patterns[position] for position in sorted(self._literals.found_in(text))]


def literals_of(*patterns: "re.Pattern[str]") -> tuple[str, ...]:
    """At least one of these is in every text that one of the patterns matches."""
    return tuple(dict.fromkeys(literal for pattern in patterns for literal in required_literals(pattern.pattern)))


def required_literals(expression: str) -> tuple[str, ...]:
    """At least one of these occurs in every text that the expression matches."""
    return tuple(_sequence_literals(_parse(expression))) if _parse else ("",)


def _sequence_literals(parts: Iterable[Any]) -> frozenset[str]:
    """The literals of the most selective part; adjacent letters form one word."""
    best, word = _ANY_TEXT, ""
    for kind, value in parts:
        if str(kind) == "LITERAL":
            word += chr(value)
        else:
            best, word = max(best, frozenset({word}), _part_literals(str(kind), value), key=_selectivity), ""
    return max(best, frozenset({word}), key=_selectivity)


def _part_literals(kind: str, value: Any) -> frozenset[str]:
    if kind == "SUBPATTERN":
        return _sequence_literals(value[3])
    if kind == "BRANCH":
        return frozenset[str]().union(*(_sequence_literals(branch) for branch in value[1]))
    if kind in ("MAX_REPEAT", "MIN_REPEAT") and value[0] > 0:
        return _sequence_literals(value[2])
    if kind == "ASSERT":
        return _sequence_literals(value[1])
    return _ANY_TEXT


def _selectivity(words: frozenset[str]) -> tuple[int, int]:
    """Long words are rare, and few words are fast to look for."""
    return min(len(word.strip()) for word in words), -len(words)
