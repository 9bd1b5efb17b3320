"""All that a store holds and nothing else can rebuild, as plain records that every store understands.

Keys, word indexes and caches are a store's own affair and don't appear here. A record is a tuple in the order of its
section's columns: texts, numbers, None, and bytes for vectors. Times are milliseconds since 1970, truths 0 and 1, and
what has a structure is JSON in the form that `document` gives it.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

Record = tuple[Any, ...]
Name = tuple[Any, ...]
"""The first columns of a record, which tell it from others of its section."""
Cursor = tuple[Any, ...]
"""Where in a section a reader is; JSON can hold it."""


@dataclass(frozen=True, slots=True)
class Section:
    """Records of one kind; the columns in `names` come first and tell them apart."""

    names: tuple[str, ...]
    rest: tuple[str, ...]

    def name_of(self, record: Record) -> Name:
        return record[: len(self.names)]


def _section(names: str, rest: str) -> Section:
    return Section(tuple(names.split()), tuple(rest.split()))


SECTIONS: dict[str, Section] = {
    "messages": _section(
        "platform id", "number place author name text at bot source reply_to edited deleted"
    ),  # `number` is the place in its channel
    "erased messages": _section("fingerprint", "at"),
    "memos": _section(
        "scope id",
        "kind text tags status confidence pinned audience guild channel source label created updated happened expires "
        "supersedes superseded_by hits used",
    ),  # `source` is the rest of the provenance, as far as it is not a default
    "tombstones": _section("scope fingerprint", "at"),
    "summaries": _section("session sequence", "text updated through"),  # without a text: it was cleared
    "exchanges": _section("guild at id", "channel channel_name author text expires"),
    "state": _section("name", "items"),
    "jobs": _section("id", "kind queue tenant payload state due attempts dedupe error"),  # what is claimed waits
    "events": _section("id", "kind at actor scope memo reason data"),
    "vector sets": _section("corpus model", "dims serving complete"),
    "memo vectors": _section("model scope id", "vector"),
    "message vectors": _section("model platform id", "vector"),
}
"""In the order in which they are written; what is taken out goes the other way round."""


class Page(NamedTuple):
    """Some records of a section, and where the next ones begin; None after the last."""

    records: list[Record]
    after: Cursor | None


class Archive(Protocol):
    """Reads and writes a store's content whole, section by section."""

    def identity(self) -> str:
        """Tells this store from every other one."""
        ...

    def count(self, section: str) -> int: ...
    def read(self, section: str, after: Cursor | None, limit: int) -> Page:
        """The next records in an order of the store's own; messages and memos of a scope as they were written."""
        ...

    def find(self, section: str, names: Sequence[Name]) -> dict[Name, Record]:
        """Those of these records that are there."""
        ...

    def write(self, section: str, records: Sequence[Record]) -> list[Record]:
        """Add records, or replace those of the same name; words, sizes and counts follow, vectors stay as they are.

        Returns what had to be left out: vectors whose row or set is not there.
        """
        ...

    def remove(self, section: str, names: Sequence[Name]) -> None:
        """Take records out; a row goes with its vectors, and so does a set."""
        ...

    def bookmark(self) -> str | None:
        """Where a copy into this store stands; not a part of its content."""
        ...

    def put_bookmark(self, text: str) -> None: ...


encode_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode
"""A value as JSON, in the one form that this has in records."""


@lru_cache(maxsize=4096)
def canonical_json(text: str) -> str:
    """JSON of another form in that of records."""
    return encode_json(json.loads(text))


def fingerprint(record: Record) -> int:
    """128 bits; records add up to a checksum that doesn't depend on their order."""
    return int.from_bytes(hashlib.blake2b(_encode(record).encode(), digest_size=16).digest())


def _print(vector: bytes) -> str:
    """JSON holds no bytes, and the print of a vector is shorter than its numbers."""
    return hashlib.blake2b(vector, digest_size=32).hexdigest()


_encode = json.JSONEncoder(separators=(",", ":"), default=_print).encode
