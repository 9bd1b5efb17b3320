"""Which format a file or folder is in. Links in a folder are not followed, and reported."""

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.ports.format import Format, Problem
from recollect.transfer.readers import fields, sqlite_file
from recollect.workspace.held_files import is_held

MAX_LINKS = 20
"""Links that are reported."""


def find_links(path: Path) -> Iterator[Problem]:
    """The links in a folder and in the folders that lie in it."""
    for name in islice(_links(path), MAX_LINKS):
        yield Problem(name, "it is a link, and what lies elsewhere is not read", is_broken=False)


def _links(path: Path) -> Iterator[str]:
    for name, is_link in _scan(path):
        if is_link:
            yield name
        else:
            yield from (f"{name}/{inner}" for inner, inner_is_link in _scan(path / name) if inner_is_link)


def _scan(folder: Path) -> list[tuple[str, bool]]:
    """What a folder holds, and whether it is a link; nothing of what is no folder."""
    try:
        with os.scandir(folder) as entries:
            return sorted((entry.name, entry.is_symlink()) for entry in entries)
    except OSError:
        return []


_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf", b"BZh", b"\xfd7zX", b"\x28\xb5\x2f\xfd")


_WIDE = (b"\xff\xfe", b"\xfe\xff")


def detect(path: Path, formats: Sequence[Format]) -> Format:
    """The one format that fits; raises BadInput when none does, or several do."""
    check(path)
    candidates = [form for form in formats if form.matches(path)]
    if not candidates:
        raise BadInput(_unknown(path, formats))
    if len(candidates) > 1:
        raise BadInput(f"{path} may be {' or '.join(_names(candidates))}: say which with --format")
    return candidates[0]


def check(path: Path) -> None:
    """Refuse what can't be read from its beginning to its end more than once, such as a pipe; raises BadInput."""
    if not path.exists():
        raise BadInput(f"there is no {path}")
    if not path.is_file() and not path.is_dir():
        raise BadInput(f"{path} is neither a file nor a folder")
    if is_held(path):
        raise BadInput(f"{path} is the store in use: what is in it need not be imported")


def _unknown(path: Path, formats: Sequence[Format]) -> str:
    start = fields.first_bytes(path, 4)
    if start.startswith(_ARCHIVES):
        return f"{path} is an archive: unpack it first"
    if start.startswith(_WIDE):
        return f"{path} is a text in UTF-16: save it as UTF-8 first"
    for file in [path] if path.is_file() else [*fields.files_in(path, "*.db"), *fields.files_in(path, "data/*.db")]:
        if why := sqlite_file.unreadable_reason(file):
            return why
    problem = f"{path} looks like nothing known here; if it is, say so with --format: {', '.join(_names(formats))}"
    return f"{problem} (there are links in it, which are not followed)" if any(find_links(path)) else problem


def format_by_name(name: str, formats: Sequence[Format]) -> Format:
    """A format by its name; raises BadInput."""
    for form in formats:
        if form.name == name.strip().lower():
            return form
    raise BadInput(f"there is no format {name!r}; there are {', '.join(_names(formats))}")


def _names(formats: Sequence[Format]) -> list[str]:
    return sorted(form.name for form in formats)
