"""Searches for traces of erased content: in rows, word index, vectors, the bytes of the store, and files."""

import math
import re
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from recollect.core.ports import Corpus, Store, Tx
from recollect.core.state import OUTLASTING, StateKind, StateRow
from recollect.core.text import escape, query_words
from recollect.core.types import split_person
from recollect.privacy.inventory import Inventory, owned_memos
from recollect.privacy.receipt import Check
from recollect.privacy.target import ErasureTarget

SHARED_TABLES = ("memos", "messages")
"""Tables with people's own words: what they contain after an erasure is other people's."""
_MAX_SEARCHES, _MAX_NAMES = 5, 20
_MAX_KEYS = 100_000
"""How many erased rows are looked up in word index and vectors."""

Search = Callable[..., Awaitable[Sequence[Any]]]
FindInFiles = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[int]]]]


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of a probe: traces that should be gone, and apart from them what others said."""

    texts: int
    checks: tuple[Check, ...]
    mentions: Mapping[str, int]


async def probe(
    store: Store,
    target: ErasureTarget,
    inventory: Inventory,
    erased_at: datetime,
    search: Search,
    in_files: FindInFiles,
) -> Probe:
    """Search for samples of what was erased. Samples that others also said prove nothing, and are only counted."""
    samples = inventory.samples.chosen()
    stored = await store.find_traces(samples)
    in_file_counts = await in_files(samples)
    shared = _shared_tables(stored)
    private_tables = {name: counts for name, counts in stored.items() if name not in SHARED_TABLES}
    # What others said in the same words stays, so it proves nothing about what was erased.
    distinctive = [index for index in range(len(samples)) if not any(stored[name][index] for name in shared)]
    checks = [
        Check("rows", await store.read(lambda tx: _count_rows(tx, target, erased_at))),
        *await store.read(lambda tx: _check_state(tx, target)),
        Check("search", await _count_search_hits(search, target, [samples[index] for index in distinctive])),
        Check("word index", await store.read(lambda tx: _count_indexed(tx, inventory, samples))),
        Check("vectors", await store.read(lambda tx: _count_embedded(tx, inventory))),
        *_list_traces("store", private_tables, distinctive),
        *_list_traces("files", in_file_counts, distinctive),
    ]
    mentions = {f"the same words in {name}": sum(map(bool, stored[name])) for name in shared}
    return Probe(len(samples), tuple(checks), mentions | await _count_mentions(store, inventory))


def _shared_tables(stored: Mapping[str, Sequence[int]]) -> list[str]:
    return [name for name in SHARED_TABLES if name in stored]


def _list_traces(kind: str, places: Mapping[str, Sequence[int]], distinctive: Sequence[int]) -> list[Check]:
    """One check per place with traces; a single clean one if there are none."""
    totals = {name: sum(counts[index] for index in distinctive) for name, counts in places.items()}
    checks = [Check(f"{kind}: {name}", count) for name, count in sorted(totals.items()) if count]
    return checks or [Check(kind)]


async def _count_mentions(store: Store, inventory: Inventory) -> dict[str, int]:
    """How often other people's memos and messages name the target."""
    names = sorted(inventory.samples.names)[:_MAX_NAMES]
    stored = await store.find_traces(names)
    return {f"named in {name}": max(stored[name]) for name in _shared_tables(stored)}


def _count_rows(tx: Tx, target: ErasureTarget, erased_at: datetime) -> int:
    """Rows from before the erasure only: an erased person may have spoken again since."""
    memos = sum(memo.created <= erased_at for memo in owned_memos(tx, target))
    messages = (message for _, message in tx.messages.written_by(target.user, target.guild_id))
    return memos + sum(message.at <= erased_at for message in messages if target.includes(message))


def _check_state(tx: Tx, target: ErasureTarget) -> list[Check]:
    """State and sessions that still name the target, unless they spoke again since: then some may be new."""
    if any(target.includes(message) for _, message in tx.messages.written_by(target.user, target.guild_id)):
        return [Check("state")]
    person = target.user if target.is_whole_user else None
    naming = [] if person is None else tx.state.naming(split_person(person)[1])
    rows = {*tx.state.owned_by(target.owner), *(row for row in naming if person and _is_about(person, row))}
    remaining = [row for row in rows if row.kind not in OUTLASTING]
    sessions = [session for session in tx.summaries.sessions() if target.owns_session(session)]
    return [Check("state", len(remaining)), Check("sessions", len(sessions))]


def _is_about(person: str, row: StateRow) -> bool:
    """Whether a record names a person, though it may not be theirs. A guild's id may equal theirs, and withheld
    statements of others are other people's words.
    """
    bare = split_person(person)[1]
    if row.kind in (StateKind.WITHHELD, StateKind.WITHHELD_IN_GUILD) or row.owner.guild_id == bare:
        return False
    if row.owner.person_id not in (None, person) and split_person(row.owner.person_id)[1] == bare:
        return False  # of the person with this id on another platform
    return _names_person(bare, row.key) or _names_person(bare, row.item)


def _names_person(person: str, text: str) -> bool:
    """Whether a text contains the id of a person, and not an equal id of a channel or guild."""
    ids = "|".join(map(re.escape, {person, escape(person, ":")}))
    matches = re.finditer(rf"(?:^|(?<=[\s:\"\[/]))(?:{ids})(?=$|[\s:\"\],/])", text)
    return any(_is_a_person(text[: match.start()], text[match.end() :]) for match in matches)


def _is_a_person(before: str, after: str) -> bool:
    if not before:  # at the start it is the name of a list or platform, unless it stands alone
        return not after or after.startswith(" ")
    is_place = before.endswith(("channel:", "thread:")) or after.startswith((":channel:", ":thread:"))
    return not is_place and (not before.endswith("/") or before.endswith("users/"))


async def _count_search_hits(search: Search, target: ErasureTarget, samples: Sequence[str]) -> int:
    """Hits with erased text in a search by the person themselves."""
    if target.user is None:
        return 0
    count = 0
    for sample in samples[:_MAX_SEARCHES]:
        results = await search(sample, user=target.user)
        count += sum(sample in result.text for result in results)
    return count


def _count_indexed(tx: Tx, inventory: Inventory, samples: Sequence[str]) -> int:
    """Erased rows that are still in the word index."""
    count = 0
    for corpus, keys in _corpora(inventory):
        for sample in samples:
            hits = tx.index.words(corpus, sorted(inventory.scopes), query_words(sample), 50, candidates=keys)
            count += len({hit.key for hit in hits} - _existing(tx, corpus, [hit.key for hit in hits]))
    return count


def _count_embedded(tx: Tx, inventory: Inventory) -> int:
    """Erased rows that still have a vector, of any model."""
    count = 0
    for corpus, keys in _corpora(inventory):
        for vector_set in tx.index.vectors(corpus):
            dims = vector_set.dims
            # Any query serves: only whether a row has a vector is asked, not how near it is.
            any_direction = struct.pack(f"<{dims}f", *([1 / math.sqrt(dims)] * dims))
            scopes = sorted(inventory.scopes)
            nearest = tx.index.nearest(corpus, scopes, vector_set.model, any_direction, 1, also=keys, candidates=keys)
            count += len(nearest.keys() - _existing(tx, corpus, list(nearest)))
    return count


def _corpora(inventory: Inventory) -> list[tuple[Corpus, frozenset[int]]]:
    keys_by_corpus: list[tuple[Corpus, list[int]]] = [
        ("memos", inventory.memo_keys),
        ("messages", inventory.message_keys),
    ]
    return [(corpus, frozenset(keys[:_MAX_KEYS])) for corpus, keys in keys_by_corpus if keys]


def _existing(tx: Tx, corpus: Corpus, keys: Sequence[int]) -> set[int]:
    return set(tx.memos.fetch(keys) if corpus == "memos" else tx.messages.fetch(keys))
