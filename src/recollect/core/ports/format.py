"""The port of import and export formats: what they read, each item with its source path, and what they write.

A reader reports entries one by one; the importer decides what becomes of them. `create` of a format's module returns
the format.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from recollect.core.errors import BadInput
from recollect.core.types import (
    Audience,
    Memo,
    Message,
    Provenance,
    Status,
    Summary,
    Tombstone,
)

FOREIGN_ID = "imported_id"
"""Metadata key of the id that a memo had in the imported file, if that can't be its id here."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of entries where a format doesn't say: a person, or with a guild alone that guild's lore."""

    user: str | None = None
    guild: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A memo to import; None stands for what the file doesn't say."""

    location: str
    """Source path for the report, such as `durable/42.json item 3` or `notes.jsonl line 17`."""
    user: str | None
    """The owner; None: lore of `guild`."""
    guild: str | None
    kind: str | None
    text: str
    tags: tuple[str, ...] = ()
    label: str | None = None
    status: Status = Status.ACTIVE
    created: datetime | None = None
    updated: datetime | None = None
    happened: datetime | None = None
    expires: datetime | None = None
    confidence: float = 1.0
    pinned: bool = False
    audience: Audience | None = None
    shared: bool = False
    """Its owner explicitly shared it everywhere."""
    source: Provenance = field(default_factory=Provenance)
    id: str | None = None
    """Its id in the file; one that can't be an id here, such as a bare number, goes to the metadata as `FOREIGN_ID`."""
    supersedes: str | None = None
    superseded_by: str | None = None
    hits: int = 0
    version: int = 1
    vector: tuple[str, bytes] | None = None
    """The model's name, and little-endian 32-bit floats of any length."""
    is_ours: bool = False
    """Written by recollect itself: manual statements are trusted."""


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The rolling summary of a session, named as in `Place.session`."""

    location: str
    session: str
    text: str
    updated: datetime | None = None
    through: datetime | None = None
    sequence: int | None = None
    """Its sequence number in the file, where there are several."""
    is_ours: bool = False
    """Written by recollect itself."""
    audience: Audience | None = None
    """Who could hear what it covers; None when the file doesn't say."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message to import."""

    location: str
    message: Message


@dataclass(frozen=True, slots=True)
class TombstoneEntry:
    """The fingerprint of a text that was forgotten and must stay so."""

    location: str
    scope: str
    fingerprint: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A file of a workspace, such as `MEMORY.md` or `memory/2025-03-01.md`."""

    location: str
    name: str
    text: str
    user: str | None = None
    """Whose part of the workspace it belongs to; None: as the settings say."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An entry that is skipped, and why."""

    location: str
    reason: str
    is_broken: bool = True
    """Whether it should have been readable; False for entries that are skipped on purpose."""
    needs_owner: bool = False
    """It is valid, but the caller has to name its owner or guild."""


class NeedsOwner(BadInput):
    """The files alone don't say who owns an entry."""


def problem(where: str, error: BadInput) -> Problem:
    """The problem to report for an entry that raised this error."""
    unsaid = isinstance(error, NeedsOwner)
    return Problem(where, str(error), is_broken=not unsaid, needs_owner=unsaid)


Item = Entry | SummaryEntry | MessageEntry | TombstoneEntry | PageEntry | Problem


class Format(Protocol):
    """A file format of memories."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str:
        """One line that describes the format to users."""
        ...

    def matches(self, path: Path) -> bool:
        """Whether a file or folder looks like this format, by names and first bytes; never raises for other formats."""
        ...

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        """Yield every item; a broken entry is a `Problem`.

        Raises BadInput when nothing can be read: a newer version, or not this format.
        """
        ...


@runtime_checkable
class CountsEntries(Protocol):
    """A format that can quickly estimate the number of entries, for a progress bar."""

    def count(self, path: Path) -> int: ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors of memos made by the active embedder, by scope and id."""

    model: str = ""
    by_memo: Mapping[tuple[str, str], bytes] = field(default_factory=dict[tuple[str, str], bytes])

    def of(self, memo: Memo) -> bytes | None:
        return self.by_memo.get((memo.subject.scope, memo.id))


@dataclass(frozen=True, slots=True)
class ExportRecords:
    """The records to export."""

    memos: Sequence[Memo]
    summaries: Sequence[Summary] = ()
    messages: Sequence[Message] = ()
    vectors: Vectors = Vectors()


Section = Literal["summaries", "messages", "vectors"]
"""What may be exported besides memos."""


@runtime_checkable
class WritesFolder(Protocol):
    """A format that is exported as the files of a folder."""

    @property
    def name(self) -> str: ...
    @property
    def writes(self) -> frozenset[Section]:
        """What it can hold besides memos."""
        ...

    def left_out(self, memos: Sequence[Memo]) -> int:
        """How many of these memos the format cannot hold."""
        ...

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        """Write all files into an empty folder; the same records give the same bytes."""
        ...


Canonical = Memo | Summary | Message | Tombstone
"""Records that can't be derived from others."""


@runtime_checkable
class WritesLines(Protocol):
    """A format that is exported as one file, record by record."""

    def header(self) -> bytes: ...
    def line(self, record: Canonical, *, shared: bool = False) -> bytes:
        """One record; `shared` says that its owner explicitly shared it everywhere."""
        ...
