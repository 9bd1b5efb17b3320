"""A store's canonical content as plain records that every store understands.

Row ids, word indexes and caches are derived and don't appear here. A record is a tuple in the order of its section's
columns: strings, numbers, None, and bytes for vectors. Times are milliseconds since 1970, booleans 0 and 1, and
structured values JSON as `encode_json` writes it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

Record = tuple[Any, ...]
Name = tuple[Any, ...]
"""The first columns of a record, which identify it within its section."""
Cursor = tuple[Any, ...]
"""A reader's position in a section; serializable as JSON."""


@dataclass(frozen=True, slots=True)
class Section:
    """Records of one kind; the columns in `names` come first and are its key."""

    names: tuple[str, ...]
    rest: tuple[str, ...]

    def name_of(self, record: Record) -> Name:
        return record[: len(self.names)]


def _section(names: str, rest: str) -> Section:
    return Section(tuple(names.split()), tuple(rest.split()))


SECTIONS: dict[str, Section] = {
    "messages": _section(
        "platform id", "number place author name text at bot source reply_to edited deleted"
    ),  # `number` is the position in its channel
    "erased messages": _section("fingerprint", "at"),
    "memos": _section(
        "scope id",
        "kind text tags status confidence pinned audience guild channel source label created updated happened expires "
        "supersedes superseded_by hits used version",
    ),  # `source` holds the other fields of the provenance that differ from their defaults
    "tombstones": _section("scope fingerprint", "at"),
    "summaries": _section("session sequence", "text updated through audience"),  # without a text: cleared
    "exchanges": _section("guild at id", "channel channel_name author text expires audience"),
    "state": _section("kind key item", "number person guild"),  # `number` is the position in its list
    "jobs": _section("id", "kind queue tenant payload state due attempts dedupe error"),  # claimed: waiting
    "events": _section("id", "kind at actor scope memo reason data"),
    "changes": _section(
        "id", "scope memo batch before after reason detail actor at message shared undoes undone undoable"
    ),
    "vector sets": _section("corpus model", "dims serving complete"),
    "memo vectors": _section("model scope id", "vector"),
    "message vectors": _section("model platform id", "vector"),
}
"""In the order of writing; removal goes in reverse order."""


class Page(NamedTuple):
    """A batch of records, and the cursor of the next one; None after the last."""

    records: list[Record]
    after: Cursor | None


class Archive(Protocol):
    """Reads and writes a store's whole content, section by section."""

    def identity(self) -> str:
        """A unique id of this store."""
        ...

    def count(self, section: str) -> int: ...
    def read(self, section: str, after: Cursor | None, limit: int) -> Page:
        """The next records, in an order of the store's choice; messages and memos of a scope in order of writing."""
        ...

    def find(self, section: str, names: Sequence[Name]) -> dict[Name, Record]:
        """The named records, as far as they exist."""
        ...

    def write(self, section: str, records: Sequence[Record]) -> list[Record]:
        """Add records, or replace those of the same name; word indexes and counts follow, vectors stay unchanged.

        Returns the records that were skipped: vectors whose row or set does not exist.
        """
        ...

    def remove(self, section: str, names: Sequence[Name]) -> None:
        """Delete records; rows and vector sets are deleted with their vectors."""
        ...

    def put_secret(self, secret: str) -> None:
        """Take over the secret of the store that is copied into this one, so that its fingerprints stay valid."""
        ...

    def bookmark(self) -> str | None:
        """Progress of a copy into this store; not part of its content."""
        ...

    def put_bookmark(self, text: str) -> None: ...


encode_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
"""A value as canonical JSON."""


@lru_cache(maxsize=4096)
def canonical_json(text: str) -> str:
    """Any JSON text in canonical form."""
    return encode_json(json.loads(text))


def fingerprint(record: Record) -> int:
    """128 bits; their sum is a checksum that doesn't depend on the order of records."""
    return int.from_bytes(hashlib.blake2b(_encode(record).encode(), digest_size=16).digest())


def _vector_digest(vector: bytes) -> str:
    """Stands for a vector in JSON, which has no bytes, and is shorter than its numbers."""
    return hashlib.blake2b(vector, digest_size=32).hexdigest()


_encode = json.JSONEncoder(separators=(",", ":"), default=_vector_digest).encode
