"""Words without which a pattern can't match, so that most texts need not be searched with it.

`(?:ignore|disregard) (?:all )?rules` needs "ignore" or "disregard". This is read off the parsed pattern; one of which
nothing can be told, or a Python whose parser can't be asked, needs the empty word, which is everywhere.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

_parse: Callable[[str], Iterable[Any]] | None = getattr(getattr(re, "_parser", None), "parse", None)
_EVERYWHERE = frozenset({""})


def required_literals(pattern: "re.Pattern[str]") -> tuple[str, ...]:
    """Some of these stand in every text that the pattern matches."""
    return tuple(_of_sequence(_parse(pattern.pattern))) if _parse else ("",)


def _of_sequence(parts: Iterable[Any]) -> frozenset[str]:
    """What the most telling part needs; letters side by side are one word."""
    best, word = _EVERYWHERE, ""
    for kind, value in parts:
        if str(kind) == "LITERAL":
            word += chr(value)
        else:
            best, word = max(best, frozenset({word}), _of_part(str(kind), value), key=_worth), ""
    return max(best, frozenset({word}), key=_worth)


def _of_part(kind: str, value: Any) -> frozenset[str]:
    if kind == "SUBPATTERN":
        return _of_sequence(value[3])
    if kind == "BRANCH":
        return frozenset[str]().union(*(_of_sequence(branch) for branch in value[1]))
    if kind in ("MAX_REPEAT", "MIN_REPEAT") and value[0] > 0:
        return _of_sequence(value[2])
    return _EVERYWHERE


def _worth(words: frozenset[str]) -> tuple[int, int]:
    """Long words are rare, and few are quickly looked for."""
    return min(len(word.strip()) for word in words), -len(words)
