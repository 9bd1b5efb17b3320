"""A file of JSON lines of any size, one at a time: a broken line is skipped alone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from recollect.core.errors import BadInput

MAX_LINE_BYTES = 4_000_000
"""Bytes of one line; more is no memory."""
_BOM = b"\xef\xbb\xbf"
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Unread:
    """A line that could not be read, and why."""

    why: str


Line = tuple[int, dict[str, Any] | Unread]
"""With its number."""


def lines(path: Path) -> Iterator[Line]:
    """The object in each line that isn't blank; raises BadInput when the file can't be opened."""
    with _open(path) as file:
        for number, line in enumerate(_raw_lines(file), 1):
            if line is None:
                yield number, Unread(f"it is longer than {MAX_LINE_BYTES:,} bytes")
            elif line.strip():
                yield number, _object(line)


def count(path: Path) -> int:
    """How many lines there are."""
    with _open(path) as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(_CHUNK_BYTES), b""))


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise BadInput(f"can't read {path}: {error.strerror}") from error


def _raw_lines(file: BinaryIO) -> Iterator[bytes | None]:
    """Each line with its end; None for one that is too long, which is read over."""
    before = _BOM
    while line := file.readline(MAX_LINE_BYTES):
        if len(line) < MAX_LINE_BYTES or line.endswith(b"\n"):
            yield line.removeprefix(before)
        else:
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE_BYTES)
            yield None
        before = b""


def _object(line: bytes) -> dict[str, Any] | Unread:
    try:
        value = json.loads(line.decode())
    except UnicodeDecodeError:
        return Unread("it is not UTF-8")
    except ValueError as error:
        return Unread(f"it is not JSON: {getattr(error, 'msg', error)}" if line.endswith(b"\n") else "it breaks off")
    except RecursionError:
        return Unread("it nests too deeply")
    return cast("dict[str, Any]", value) if isinstance(value, dict) else Unread("it is not an object")
