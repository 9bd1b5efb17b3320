"""Literals without which a pattern can't match, so that most texts need not be searched with it.

`(?:ignore|disregard) (?:all )?rules` needs "ignore" or "disregard". They are derived from the parsed pattern; where
that is not possible, the literal is the empty string, which every text contains.

`Prefilter` finds those of many patterns that can match a text without looking for each literal.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

_parse: Callable[[str], Iterable[Any]] | None = getattr(getattr(re, "_parser", None), "parse", None)
_ANY_TEXT = frozenset({""})
_GRAM_CHARS = 3
"""A literal is looked for only in texts that have its first letters somewhere."""


class Prefilter:
    """Patterns in their order, found by their required literals."""

    def __init__(self, patterns: Sequence["re.Pattern[str]"]) -> None:
        self.patterns = patterns
        self._by_gram: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        self._short: list[tuple[str, int]] = []
        for position, pattern in enumerate(patterns):
            for literal in required_literals(pattern.pattern):
                if len(literal) < _GRAM_CHARS:
                    self._short.append((literal, position))
                else:
                    self._by_gram.setdefault(tuple(literal[:_GRAM_CHARS]), []).append((literal, position))
        self._grams = frozenset(self._by_gram)

    def candidates(self, text: str) -> list["re.Pattern[str]"]:
        """Those that may match; all others can't."""
        grams = self._grams.intersection(zip(text, text[1:], text[2:], strict=False))
        entries = [entry for gram in grams for entry in self._by_gram[gram]] + self._short
        return [self.patterns[position] for position in sorted({place for word, place in entries if word in text})]


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
    return _ANY_TEXT


def _selectivity(words: frozenset[str]) -> tuple[int, int]:
    """Long words are rare, and few words are fast to look for."""
    return min(len(word.strip()) for word in words), -len(words)
