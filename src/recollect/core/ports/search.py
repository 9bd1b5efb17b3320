"""Records that describe searches of a store and its health."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

Vector = bytes
"""A unit vector as little-endian 32-bit floats: ready to store, and readable by numpy without a copy."""

Corpus = Literal["memos", "messages"]


class WordHit(NamedTuple):
    """A row that shares words with the query; the score is rough, without length normalization."""

    key: int
    score: float
    parts: Mapping[str, int]
    """The shared words, and in how many rows of the scopes each occurs; none if `max_rows` were asked for."""


@dataclass(frozen=True, slots=True)
class CorpusSample:
    """Statistics of a scope, from a sample of its newest rows."""

    size: int
    lengths: Sequence[int]
    """Length of each sampled row, in words."""
    speakers: Mapping[str, str]
    """Maps each author in the sample to their name."""


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one model; searches use the active set until another is complete."""

    model: str
    dims: int
    active: bool
    complete: bool = False
    """Has been complete once: only rows that were written since can lack a vector."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a search is restricted to, before ranking; an undated row passes every time window."""

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
    """One result of a store's health check."""

    check: str
    ok: bool
    detail: str = ""
    can_rebuild: bool = False
    """Whether rebuilding the index mends it, as the detail says."""
