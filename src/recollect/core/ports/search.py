"""What a store says about its rows when it is searched or examined."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Vector = bytes
"""A vector of unit length as little-endian 32-bit floats: ready to store, and numpy reads it without a copy."""

Corpus = Literal["memos", "messages"]


@dataclass(frozen=True, slots=True)
class WordHit:
    """A row that shares words with the query; the score is rough: it knows no lengths."""

    key: int
    score: float
    parts: Mapping[str, int]
    """The words that it shares, and in how many rows of the scopes each stands."""


@dataclass(frozen=True, slots=True)
class CorpusSample:
    """What kind of texts a scope holds, from a sample of its newest rows."""

    size: int
    lengths: Sequence[int]
    """Words of each sampled row."""
    speakers: Mapping[str, str]
    """Author to name, of those who speak in the sample."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one model; searches use the set that serves until another is complete."""

    model: str
    dims: int
    size: int
    active: bool
    complete: bool = False
    """It has been complete; what was written since is known, and no other row can lack a vector."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is narrowed to, before ranking; an undated row passes every time window."""

    kinds: Collection[str] = ()
    tags: Collection[str] = ()
    guild: str | None = None
    channel: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def is_empty(self) -> bool:
        return self == Filters()


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One result of a store's self-examination."""

    check: str
    ok: bool
    detail: str = ""
