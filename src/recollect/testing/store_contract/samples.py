"""Records for the contract's tests, and short ways to write and look things up."""

import math
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from recollect.core.ports import Corpus, Store, Tx, Vector
from recollect.core.text import digest, query_words
from recollect.core.types import Kind, Memo, Message, Place, Subject
from recollect.testing.clock import START

ADA = Subject("ada")
BEN = Subject("ben")
GUILD_LORE = Subject.lore("guild-1")

CHANNEL = Place("discord", guild="guild-1", channel="general", name="general", public=True)
THREAD = replace(CHANNEL, thread="thread-1")
OTHER = replace(CHANNEL, channel="random", name="random")
DM = Place("discord", dm="ada")


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def make_memo(text: str, subject: Subject = ADA, **changes: Any) -> Memo:
    memo = Memo(f"durable-{digest(text)[:12]}", subject, Kind.FACT, text, START, START)
    return replace(memo, **changes)


def make_message(text: str, place: Place = CHANNEL, seconds: float = 0, **changes: Any) -> Message:
    message = Message(digest(text)[:12], "ada", place, text, at(seconds))
    return replace(message, **changes)


def unit_vector(*numbers: float) -> Vector:
    length = math.sqrt(sum(number * number for number in numbers)) or 1.0
    return struct.pack(f"<{len(numbers)}f", *(number / length for number in numbers))


async def put(store: Store, *memos: Memo) -> list[int]:
    """Store memos in one unit of work; returns their keys."""
    return await store.write(lambda tx: [tx.memos.put(memo) for memo in memos])


async def say(store: Store, *messages: Message) -> dict[str, int]:
    """Store messages in one unit of work; returns the key of each id."""

    await store.write(lambda tx: [tx.messages.add(message) for message in messages])
    streams = list(dict.fromkeys(message.place.stream for message in messages))
    return await store.read(
        lambda tx: {
            message.id: key for key, message in tx.messages.fetch(tx.index.recent("messages", streams, 10_000)).items()
        }
    )


async def find(
    store: Store, query: str, scopes: Sequence[str] = (ADA.scope,), corpus: Corpus = "memos", limit: int = 10
) -> list[str]:
    """Texts that share words with the query, best first."""

    def texts(keys: list[int], records: dict[int, Any]) -> list[str]:
        return [records[key].text for key in keys]

    hits = await store.read(lambda tx: tx.index.words(corpus, scopes, query_words(query), limit))
    keys = [hit.key for hit in hits]
    if corpus == "memos":
        return texts(keys, await store.read(lambda tx: dict(tx.memos.fetch(keys))))
    return texts(keys, await store.read(lambda tx: dict(tx.messages.fetch(keys))))


async def texts_of(store: Store, subject: Subject = ADA) -> list[str]:
    return await store.read(lambda tx: [memo.text for memo in tx.memos.list(subject)])


def vector_counts(tx: Tx, corpus: Corpus = "memos") -> dict[str, int]:
    """How many vectors each model has."""
    page = tx.archive.read(f"{corpus[:-1]} vectors", None, 100_000)
    return dict(Counter(record[0] for record in page.records))
