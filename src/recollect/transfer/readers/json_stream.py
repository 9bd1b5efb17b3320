"""A JSON file of any size, piece by piece: what its outermost object or list holds, an element at a time.

Memory use depends on the largest element, not on the file. Of a truncated file, the part before is returned.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from recollect.core.errors import BadInput

MAX_ELEMENT_CHARS = 1 << 24
"""Characters of one element: more is no memory, and a search for the end of a broken one has to end."""
_READ_CHARS = 1 << 16
_SPACE = " \t\n\r"
_AFTER_NUMBER = tuple(" \t\n\r,]}")
_MAX_NUMBER_TAIL_CHARS = 3
"""Characters of a number that begin something more: `.`, `e`, `e+`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A value of the outermost object by its name, or one element of a list there by its number from 1."""

    name: str
    value: Any
    number: int = 0


class Broken(BadInput):
    """The file is not JSON from here on."""


def members(path: Path) -> Iterator[Member]:
    """Every member in its order; those of a list that is the outermost value have no name. Raises Broken.

    Bytes that are no UTF-8 become lone surrogates, so that only the texts they stand in are lost.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        window = _Window(file)
        match window.peek():
            case "{":
                yield from _object(window)
            case "[":
                yield from _list(window, "")
            case "":
                raise Broken("it is empty")
            case _:
                raise Broken("it is not JSON: an object or a list was expected")
        if window.peek():
            raise window.broken("something follows the end")


def _object(window: "_Window") -> Iterator[Member]:
    window.take("{")
    while window.peek() != "}":
        name = window.value()
        if not isinstance(name, str):
            raise window.broken("a name was expected")
        window.take(":")
        if window.peek() == "[":
            yield from _list(window, name)
        else:
            yield Member(name, window.value())
        if window.peek() != "}":
            window.take(",")
    window.take("}")


def _list(window: "_Window", name: str) -> Iterator[Member]:
    window.take("[")
    number = 0
    while window.peek() != "]":
        number += 1
        yield Member(name, window.value(), number)
        if window.peek() != "]":
            window.take(",")
    window.take("]")


class _Window:
    """The part of the file that is in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._line = 1
        self._step = _READ_CHARS

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            while self._at < len(self._text):
                char = self._text[self._at]
                if char not in _SPACE:
                    return char
                self._at += 1
            if not self._read_more():
                return ""

    def take(self, char: str) -> None:
        next_char = self.peek()
        if next_char != char:
            raise self.broken(f"{char!r} was expected" if next_char else "it breaks off")
        self._at += 1

    def value(self) -> Any:
        """The value that begins here."""
        if not self.peek():
            raise self.broken("it breaks off")
        self._step = _READ_CHARS
        while True:
            outcome = self._try_decode()
            if isinstance(outcome, _Decoded):
                return outcome.value
            if len(self._text) - self._at > MAX_ELEMENT_CHARS:
                raise self.broken(f"an entry is longer than {MAX_ELEMENT_CHARS:,} characters, or never ends")
            if not self._read_more():
                raise self.broken(outcome.why, outcome.at)

    def _try_decode(self) -> "_Decoded | _Failed":
        try:
            value, end = _DECODER.raw_decode(self._text, self._at)
        except RecursionError:
            raise self.broken("it nests too deeply") from None
        except json.JSONDecodeError as error:
            is_cut = error.pos >= len(self._text) or error.msg.startswith("Unterminated")
            return _Failed("it breaks off" if is_cut else error.msg.lower(), error.pos - self._at)
        except ValueError as error:  # a number of thousands of digits
            raise self.broken(str(error)) from None
        if isinstance(value, int | float) and self._text[end : end + 1] not in _AFTER_NUMBER:
            is_cut = len(self._text) - end < _MAX_NUMBER_TAIL_CHARS  # of 10 there may be only the 1, of 1e9 the 1e
            return _Failed("it breaks off" if is_cut else "expecting ',' delimiter", end - self._at)
        self._at = end
        return _Decoded(value)

    def _read_more(self) -> bool:
        """Read on, in growing steps, so that a large element is not tried too often."""
        read = self._file.read(self._step)
        self._step = min(self._step * 2, MAX_ELEMENT_CHARS)
        self._line += self._text.count("\n", 0, self._at)
        self._text, self._at = self._text[self._at :] + read, 0
        return bool(read)

    def broken(self, why: str, after: int = 0) -> Broken:
        line = self._line + self._text.count("\n", 0, self._at + after)
        return Broken(f"line {line}: {why}; what follows is left out")


@dataclass(frozen=True, slots=True)
class _Decoded:
    value: Any


@dataclass(frozen=True, slots=True)
class _Failed:
    """No value: why, and how far after its beginning."""

    why: str
    at: int


_DECODER = json.JSONDecoder()
