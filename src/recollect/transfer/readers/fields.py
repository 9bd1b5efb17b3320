"""Values out of other programs' records: taken as they are meant, or refused with a reason that names the field."""

import json
import math
from array import array
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from recollect.core.clock import from_ms, to_ms
from recollect.core.errors import BadInput
from recollect.workspace.held_files import is_held

MAX_PAGE_BYTES = 1 << 20
"""Bytes of a page of Markdown."""
_MAX_COUNT = 1_000_000_000
"""Higher counts are implausible, and may not fit into a store."""
_MAX_EPOCH_SECONDS = 100_000_000_000
"""Numbers below this are seconds: as milliseconds they'd be a time before 1973."""


def text(value: Any, name: str) -> str:
    """A text that says something; raises BadInput."""
    if not isinstance(value, str):
        raise BadInput(f"its {name} is missing" if value is None else f"its {name} is not a text")
    if not value.strip():
        raise BadInput(f"its {name} is empty")
    return _check_utf8(value, name)


def name(value: Any, name: str) -> str:
    """An id that has to be there, as it is; raises BadInput."""
    return _check_name(text(value, name), name)


def name_of(value: Any, name: str) -> str | None:
    """An id or a label, by some programs written as a number; None when there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadInput(f"its {name} is not a text")
    return _check_name(_check_utf8(str(value).strip(), name), name) or None


def words(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts, each once."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise BadInput(f"its {name} are not a list of texts")
    return tuple(dict.fromkeys(_check_utf8(item.strip(), name) for item in cast("list[str]", value) if item.strip()))


def record(value: Any, name: str) -> Mapping[str, Any]:
    """An object of JSON, or the text of one; empty when there is none."""
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(_check_utf8(value, name))
        except (ValueError, RecursionError):
            raise BadInput(f"its {name} is not JSON") from None
    if value is None or value == "":
        return {}
    if not isinstance(value, dict):
        raise BadInput(f"its {name} is not an object")
    return cast("dict[str, Any]", value)


def share(value: Any, name: str, missing: float) -> float:
    """A number from 0 to 1."""
    if value is None:
        return missing
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadInput(f"its {name} is not a number")
    return min(max(float(value), 0.0), 1.0)


def count(value: Any) -> int:
    """A count; 0 for anything that is not a plausible number."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MAX_COUNT else 0


def timestamp(value: Any, name: str) -> datetime | None:
    """A time in UTC; None for none, for 0 and for the year 1, by which programs mean that they have none.

    Raises BadInput. A time without a zone is UTC.
    """
    if value is None or value == "":
        return None
    try:
        time = _parse_time(value)
        return None if time is None or time.year < 1970 or to_ms(time) <= 0 else from_ms(to_ms(time))
    except (ValueError, OverflowError):
        raise BadInput(f"its {name} {str(value)[:40]!r} is not a time") from None


def iso(time: datetime) -> str:
    """As JavaScript writes it: `2026-02-27T10:00:00.123Z`."""
    return f"{from_ms(to_ms(time)).isoformat(timespec='milliseconds').removesuffix('+00:00')}Z"


def vector(value: Any, dims: Any = None) -> bytes | None:
    """Little-endian 32-bit floats as a vector of unit length; None for what is none of the size it claims."""
    if not isinstance(value, bytes) or not value or len(value) % 4 or dims not in (None, len(value) // 4):
        return None
    numbers = array("f", value)
    length = math.hypot(*numbers)
    if not math.isfinite(length) or length == 0:
        return None
    return value if abs(length - 1) < 1e-3 else array("f", (number / length for number in numbers)).tobytes()


def page(path: Path) -> str:
    """The text of a page; raises BadInput."""
    try:
        if path.stat().st_size > MAX_PAGE_BYTES:
            raise BadInput(f"it has more than {MAX_PAGE_BYTES:,} bytes: a document, not notes")
        content = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInput(f"it can't be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BadInput("it is not a text in UTF-8") from None
    if "\0" in content:
        raise BadInput("it is binary, not a text")
    return content.replace("\r\n", "\n")


def opening(path: Path, size: int = 2_000) -> str:
    """The beginning of a file; empty if it can't be read, and for a pipe, which would block."""
    return first_bytes(path, size).decode("utf-8-sig", "replace").replace("\r\n", "\n")


def first_bytes(path: Path, size: int) -> bytes:
    try:
        if not path.is_file() or is_held(path):
            return b""
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def occurrences(path: Path, word: bytes) -> int:
    """How often a word occurs in a file, without those that span two chunks; 0 if the file can't be read."""
    try:
        with path.open("rb") as file:
            return sum(piece.count(word) for piece in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0


def files_in(folder: Path | None, pattern: str) -> list[Path]:
    """The files below a folder, by name; targets of links, unreadable files and the store in use are left out."""
    if folder is None:
        return []
    is_inside = {folder: True}
    try:
        return sorted(
            path for path in folder.glob(pattern) if path.is_file() and _lies_in(path, is_inside) and not is_held(path)
        )
    except OSError:
        return []


def is_inside(folder: Path, path: Path) -> bool:
    """Whether a path stays below a folder once links are resolved; the folder itself may be a link."""
    return _lies_in(path, {folder: True})


def _lies_in(path: Path, is_inside: dict[Path, bool]) -> bool:
    if path not in is_inside:
        is_inside[path] = not path.is_symlink() and _lies_in(path.parent, is_inside)
    return is_inside[path]


def is_nested_deeper(value: Any, max_depth: int) -> bool:
    """Whether lists and objects are nested deeper than this."""
    level = [value]
    for _ in range(max_depth):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def _parse_time(value: Any) -> datetime | None:
    if isinstance(value, str) and not value.strip().lstrip("-").isdecimal():
        time = datetime.fromisoformat(value.strip())
        if time.year <= 1:  # near the first day there is no other zone
            return None
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)  # noqa: TRY004 - one error for all that is no time
    number = float(value)
    return from_ms(int(number * 1000 if abs(number) < _MAX_EPOCH_SECONDS else number))


def _check_name(value: str, name: str) -> str:
    """Refuses what some stores can't hold, and what would be another name without it."""
    if "\0" in value:
        raise BadInput(f"its {name} holds a character that no name has")
    return value


def _check_utf8(value: str, name: str) -> str:
    """Refuses surrogates: they stand for bytes that are no text."""
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise BadInput(f"its {name} is not in UTF-8")
    return value
