"""Pages of notes that people or agents keep: each is taken over as a file, and what it says as memories."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from recollect.clock import from_ms
from recollect.errors import BadInput
from recollect.exchange import values
from recollect.exchange.base import Entry, Item, Owner, PageEntry, Problem
from recollect.exchange.statements import Statement, statements
from recollect.text import fold
from recollect.types import Kind, Origin, Provenance

_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})")
_WORDY = re.compile(r"[^\W_]")


def pages(folder: Path, pattern: str) -> Iterator[tuple[str, Path]]:
    """The files below a folder, by their names in it; hidden ones and links are left out."""
    for path in values.files_in(folder, pattern):
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
        text = values.page(path)
    except BadInput as error:
        yield Problem(where, str(error))
        return
    if text.strip():
        yield PageEntry(where, name, text, owner.user if private else None)
    written = from_ms(int(path.stat().st_mtime * 1000))
    for statement in statements(text) if wordy else ():
        if _WORDY.search(statement.text):
            yield _entry(statement, f"{where} line {statement.line}", where, owner, written)


def _entry(found: Statement, where: str, file: str, owner: Owner, written: datetime) -> Entry:
    """What stands in the log of a day happened that day, and was written then."""
    day = _day(file)
    return Entry(
        where=where,
        user=owner.user,
        guild=owner.guild if owner.user is None else None,
        kind=Kind.EVENT if day and owner.user is not None else None,
        text=found.text,
        tags=(fold(found.heading),) if found.heading else (),
        created=day or written,
        happened=day,
        source=Provenance(Origin.IMPORT, actor=owner.user or "", metadata={"file": file}),
    )


def _day(file: str) -> datetime | None:
    found = _DAY.match(file.rpartition("/")[2])
    try:
        return None if found is None else datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
    except ValueError:  # no such day
        return None
