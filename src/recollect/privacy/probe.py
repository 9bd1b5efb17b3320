"""Searches for what should be gone: in rows, word index and vectors, in every text and byte of the store, in files."""

import math
import re
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.core.ports import Corpus, Store, Tx
from recollect.core.text import escape, query_words
from recollect.privacy.inventory import Inventory, owned
from recollect.privacy.receipt import Check
from recollect.privacy.target import ErasureTarget
from recollect.recall import display_names as names_of_people
from recollect.recall.withheld import LIST

OTHERS = ("memos", "messages")
"""Places of a store where people's own words lie: after an erasure, other people's."""
PENDING = ("paused:", "erasing:", "planned:", "discord:mirror:", "discord:line:")
"""Lists that may name an erased person: that they want no learning, that this goes on, and messages on Discord that
the bot takes down when it looks next.
"""
OF_GUILDS = ("file:shortterm ", "files:guilds")
"""Lists of mirrored files that name guilds, which may be called like a person."""
_ASKED, _NAMES = 5, 20
_KEYS = 100_000
"""Rows of which index and vectors are looked at."""

Search = Callable[..., Awaitable[Sequence[Any]]]
FindInFiles = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[int]]]]


@dataclass(frozen=True, slots=True)
class Probe:
    """What a look found, apart by what should be gone and what others said."""

    texts: int
    checks: tuple[Check, ...]
    mentions: Mapping[str, int]


async def probe(
    store: Store, target: ErasureTarget, found: Inventory, at: datetime, search: Search, in_files: FindInFiles
) -> Probe:
    """Look for the samples of what was erased. Words that others said too prove nothing, and are only counted."""
    samples = found.samples.chosen()
    stored = await store.find_traces(samples)
    filed = await in_files(samples)
    distinct = [number for number in range(len(samples)) if not any(stored[name][number] for name in _others(stored))]
    checks = [
        Check("rows", await store.read(lambda tx: _rows(tx, target, at))),
        *await store.read(lambda tx: _noted(tx, target)),
        Check("search", await _searched(search, target, [samples[number] for number in distinct])),
        Check("word index", await store.read(lambda tx: _indexed(tx, found, samples))),
        Check("vectors", await store.read(lambda tx: _embedded(tx, found))),
        *_left("store", {name: counts for name, counts in stored.items() if name not in OTHERS}, distinct),
        *_left("files", filed, distinct),
    ]
    same = {f"the same words in {name}": sum(map(bool, stored[name])) for name in _others(stored)}
    return Probe(len(samples), tuple(checks), same | await _named(store, found))


def _others(stored: Mapping[str, Sequence[int]]) -> list[str]:
    return [name for name in OTHERS if name in stored]


def _left(kind: str, places: Mapping[str, Sequence[int]], distinct: Sequence[int]) -> list[Check]:
    """One check for all that is clean, and one for each place that is not."""
    found = {name: sum(counts[number] for number in distinct) for name, counts in places.items()}
    left = [Check(f"{kind}: {name}", count) for name, count in sorted(found.items()) if count]
    return left or [Check(kind)]


async def _named(store: Store, found: Inventory) -> dict[str, int]:
    """How often others' memos and messages name them."""
    names = sorted(found.samples.names)[:_NAMES]
    stored = await store.find_traces(names)
    return {f"named in {name}": max(stored[name]) for name in _others(stored)}


def _rows(tx: Tx, target: ErasureTarget, at: datetime) -> int:
    """Those of the time before: whoever was erased may speak again."""
    memos = sum(memo.created <= at for memo in owned(tx, target))
    return memos + sum(message.at <= at for _, message in tx.messages.written_by(target.user, target.guild))


def _noted(tx: Tx, target: ErasureTarget) -> list[Check]:
    """Lists and conversations that still name them, unless they spoke again meanwhile: then some may be new."""
    if tx.messages.written_by(target.user, target.guild, limit=1):
        return [Check("state")]
    names = [name for name in tx.state.names() if not name.startswith(PENDING)]
    called = (name for name in names if not name.startswith((names_of_people.LIST, *OF_GUILDS)))
    kept = {*filter(target.counts_in, names), *(name for name in called if _names(target, name))}
    items = (item for name in names for item in tx.state.items(name) if _is_theirs(target, name, item))
    sessions = [session for session in tx.summaries.sessions() if target.alone_in(session)]
    return [Check("state", len(kept) + sum(1 for _ in items)), Check("sessions", len(sessions))]


def _is_theirs(target: ErasureTarget, name: str, item: str) -> bool:
    """Statements that others forgot are their words, whatever stands in them."""
    return target.stands_in(name, item) or (not name.startswith((LIST, *OF_GUILDS)) and _names(target, item))


def _names(target: ErasureTarget, text: str) -> bool:
    """Whether a text holds the id of an erased person, and not that of a channel or guild called the same."""
    user = target.user if target.whole_user else None
    if not user or user not in text:
        return False
    ids = "|".join(map(re.escape, {user, escape(user, ":")}))
    found = re.finditer(rf"(?:^|(?<=[\s:\"\[/]))(?:{ids})(?=$|[\s:\"\],/])", text)
    return any(_is_a_person(text[: one.start()], text[one.end() :]) for one in found)


def _is_a_person(before: str, after: str) -> bool:
    if not before:  # a list called so, or a platform, unless it is all there is
        return not after or after.startswith(" ")
    place = before.endswith(("channel:", "thread:")) or after.startswith((":channel:", ":thread:"))
    return not place and (not before.endswith("/") or before.endswith("users/"))


async def _searched(search: Search, target: ErasureTarget, samples: Sequence[str]) -> int:
    """What a search by the person themselves still brings up."""
    if target.user is None:
        return 0
    left = 0
    for sample in samples[:_ASKED]:
        results = await search(sample, user=target.user)
        left += sum(sample in result.text for result in results)
    return left


def _indexed(tx: Tx, found: Inventory, samples: Sequence[str]) -> int:
    """Erased rows that can be found by their words."""
    left = 0
    for corpus, keys in _corpora(found):
        for sample in samples:
            hits = tx.index.words(corpus, sorted(found.scopes), query_words(sample), 50, among=keys)
            left += len({hit.key for hit in hits} - _present(tx, corpus, [hit.key for hit in hits]))
    return left


def _embedded(tx: Tx, found: Inventory) -> int:
    """Erased rows that still have a vector, of whatever model."""
    left = 0
    for corpus, keys in _corpora(found):
        for made in tx.index.vectors(corpus, counted=False):
            any_direction = struct.pack(f"<{made.dims}f", *([1 / math.sqrt(made.dims)] * made.dims))
            near = tx.index.nearest(corpus, sorted(found.scopes), made.model, any_direction, 1, also=keys, among=keys)
            left += len(near.keys() - _present(tx, corpus, list(near)))
    return left


def _corpora(found: Inventory) -> list[tuple[Corpus, frozenset[int]]]:
    each: list[tuple[Corpus, list[int]]] = [("memos", found.memo_keys), ("messages", found.message_keys)]
    return [(corpus, frozenset(keys[:_KEYS])) for corpus, keys in each if keys]


def _present(tx: Tx, corpus: Corpus, keys: Sequence[int]) -> set[int]:
    return set(tx.memos.fetch(keys) if corpus == "memos" else tx.messages.fetch(keys))
