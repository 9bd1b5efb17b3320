"""Pages of notes that people or agents keep: each is taken over as a file, and what it says as memories."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from recollect.core.clock import from_ms
from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, PageEntry, Problem
from recollect.core.text import fold
from recollect.core.types import Kind, Origin, Provenance
from recollect.transfer.readers import fields

_FENCE = re.compile(r"\s*(```|~~~)")


_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$")


_POINT = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")


_RULE = re.compile(r"\s*(?:(?:[-*_=]\s*){3,}|\|?[\s:|-]*-[\s:|-]*\|?)$")


_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


_STRESS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Statement:
    line: int
    """The line where it begins, from 1."""
    heading: str
    """The nearest one above it, but for the title of the page."""
    text: str


def statements(page: str) -> Iterator[Statement]:
    """What a page says, one by one; code, comments and what stands before the first `---` pair are no statements."""
    text = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), page)
    heading, start, parts = "", 0, list[str]()
    fenced = False
    for number, line in _body(text):
        fence, title, point = _FENCE.match(line), _HEADING.match(line), _POINT.match(line)
        if parts and (fence or title or point or not line.strip() or _RULE.match(line)):
            yield Statement(start, heading, _join(parts))
            parts = []
        if fence:
            fenced = not fenced
        elif fenced or not line.strip() or (_RULE.match(line) and not title):
            continue
        elif title:
            heading = _strip_emphasis(title[2]) if len(title[1]) > 1 else ""
        else:
            start = start if parts else number
            parts.append(line[point.end() :] if point else line)
    if parts:
        yield Statement(start, heading, _join(parts))


def _body(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines after the front matter, if there is one."""
    lines = text.split("\n")
    first = 0
    if lines[0].strip() == "---":
        ends = (number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
        first = next(ends, -1) + 1
    yield from enumerate(lines[first:], first + 1)


def _join(parts: list[str]) -> str:
    return _strip_emphasis(" ".join(part.strip() for part in parts))


def _strip_emphasis(text: str) -> str:
    """Remove marks of emphasis."""
    return _STRESS.sub(r"\2", text).strip()


_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})")


_WORDY = re.compile(r"[^\W_]")


def pages(folder: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """The files below a folder, by their names in it; hidden ones and links are left out."""
    for path in fields.files_in(folder, pattern):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") for part in parts):
            yield "/".join(parts), path


def read(
    path: Path, where: str, name: str, owner: Owner, *, wordy: bool = True, private: bool = False
) -> Iterator[Item]:
    """A file under the name that it gets here, and, if it is `wordy`, each statement in it.

    `private` files go to their owner's part of the workspace, however that is kept.
    """
    try:
        text = fields.page(path)
    except BadInput as error:
        yield Problem(where, str(error))
        return
    if text.strip():
        yield PageEntry(where, name, text, owner.user if private else None)
    written = from_ms(int(path.stat().st_mtime * 1000))
    for statement in statements(text) if wordy else ():
        if _WORDY.search(statement.text):
            yield _entry(statement, f"{where} line {statement.line}", where, owner, written)


def _entry(statement: Statement, where: str, file: str, owner: Owner, written: datetime) -> Entry:
    """Entries of a daily log happened, and were written, on that day."""
    day = _day(file)
    return Entry(
        location=where,
        user=owner.user,
        guild=owner.guild if owner.user is None else None,
        kind=Kind.EVENT if day and owner.user is not None else None,
        text=statement.text,
        tags=(fold(statement.heading),) if statement.heading else (),
        created=day or written,
        happened=day,
        source=Provenance(Origin.IMPORT, actor=owner.user or "", metadata={"file": file}),
    )


def _day(file: str) -> datetime | None:
    match = _DAY.match(file.rpartition("/")[2])
    try:
        return None if match is None else datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    except ValueError:  # no such day
        return None
