"""What a format of other people's memories is, and what it yields: items, each with the place it was read at.

A reader tells what it finds, entry by entry; what becomes of it is decided while importing. `create` of a format's
module returns the format.
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
"""Where the metadata of a memo says under which id it was known elsewhere, when that can't be its id here."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose it is where a format doesn't say so: a person, or with a guild alone that guild's lore."""

    user: str | None = None
    guild: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One memo to be; None is for what isn't said there."""

    where: str
    """For the report, as in `durable/42.json item 3` or `notes.jsonl line 17`."""
    user: str | None
    """Whose it is; None: lore of `guild`."""
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
    """Its owner decided that everywhere may hear it."""
    source: Provenance = field(default_factory=Provenance)
    id: str | None = None
    """Its id there; one that can't be an id here, such as a bare number, is kept in the metadata as `FOREIGN_ID`."""
    supersedes: str | None = None
    superseded_by: str | None = None
    hits: int = 0
    vector: tuple[str, bytes] | None = None
    """The model's name, and little-endian 32-bit floats of any length."""
    own: bool = False
    """Written by recollect itself: what its owner stated by hand is taken at its word."""


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """The rolling summary of a session, by the name that a session has here (`Place.session`)."""

    where: str
    session: str
    text: str
    updated: datetime | None = None
    through: datetime | None = None
    sequence: int | None = None
    """Its number there, where there are several."""
    own: bool = False
    """Written by recollect itself."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """Something that was said."""

    where: str
    message: Message


@dataclass(frozen=True, slots=True)
class TombstoneEntry:
    """A text that was forgotten there and is to stay so, by its fingerprint."""

    where: str
    scope: str
    fingerprint: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PageEntry:
    """A file of a workspace, such as `MEMORY.md` or `memory/2025-03-01.md`."""

    where: str
    name: str
    text: str
    user: str | None = None
    """Whose part of the workspace it goes to; None: as the settings say."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is left out, and why."""

    where: str
    why: str
    broken: bool = True
    """Whether it should have been readable; False for what is left out on purpose, as it has no place here."""
    unsaid: bool = False
    """It is sound, but something has to be said with it: whose it is, or of which guild."""


class NeedsOwner(BadInput):
    """Something can't be known from the files alone."""


def problem(where: str, error: BadInput) -> Problem:
    """What an error means for the entry that it came from."""
    unsaid = isinstance(error, NeedsOwner)
    return Problem(where, str(error), broken=not unsaid, unsaid=unsaid)


Item = Entry | SummaryEntry | MessageEntry | TombstoneEntry | PageEntry | Problem


class Format(Protocol):
    """One way in which memories lie in files."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str:
        """One line for people who choose a format."""
        ...

    def matches(self, path: Path) -> bool:
        """Whether a file or folder looks like this, by names and first bytes; never raises for what is foreign."""
        ...

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        """Everything in it, one by one; a broken entry is a `Problem`.

        Raises BadInput when nothing of it can be read: a newer version, or not this format.
        """
        ...


@runtime_checkable
class CountsEntries(Protocol):
    """A format that can tell quickly how many entries there may be: for the progress bar of long files."""

    def count(self, path: Path) -> int: ...


@dataclass(frozen=True, slots=True)
class Vectors:
    """What the embedder that is in use made of memos, by scope and id."""

    model: str = ""
    made: Mapping[tuple[str, str], bytes] = field(default_factory=dict[tuple[str, str], bytes])

    def of(self, memo: Memo) -> bytes | None:
        return self.made.get((memo.subject.scope, memo.id))


@dataclass(frozen=True, slots=True)
class ExportRecords:
    """What a format may write."""

    memos: Sequence[Memo]
    summaries: Sequence[Summary] = ()
    messages: Sequence[Message] = ()
    vectors: Vectors = Vectors()


Section = Literal["summaries", "messages", "vectors"]
"""What may be exported beside memos."""


@runtime_checkable
class WritesFolder(Protocol):
    """A format that can be exported to, as the files of a folder."""

    @property
    def name(self) -> str: ...
    @property
    def writes(self) -> frozenset[Section]:
        """What it has a place for beside memos."""
        ...

    def left_out(self, memos: Sequence[Memo]) -> int:
        """How many memos it has no place for."""
        ...

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        """Write all files into an empty folder; the same records give the same bytes."""
        ...


Canonical = Memo | Summary | Message | Tombstone
"""What can't be derived from anything else."""


@runtime_checkable
class WritesLines(Protocol):
    """A format that can be exported to as one file, record by record."""

    def header(self) -> bytes: ...
    def line(self, record: Canonical, *, shared: bool = False) -> bytes:
        """One record; `shared` says that what is for everywhere became so by its owner's decision."""
        ...
