"""What a memory has learned once it has heard some messages: through the public object, with any model it can use."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from recollect import AsyncMemory
from recollect.core.types import Message, Status

LEARN_TIMEOUT_S = 600.0
"""How long one message may take: a small model on a slow machine answers in minutes."""

MAX_MEMOS = 10_000
"""Of one speaker: all there are."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One memo, and the message that it came from."""

    message: str
    speaker: str
    kind: str
    text: str


async def learn(messages: Iterable[Message], model: str, base_url: str = "") -> list[Learned]:
    """Add every message to an empty memory, wait until it has learned, and list what it holds about each speaker."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"data_dir": folder, "embedder": "null", "model_base_url": base_url}
        async with AsyncMemory(
            Path(folder) / "memory.db", model=model, summary={"enabled": False}, **settings
        ) as memory:
            heard = list(messages)
            for message in heard:
                await memory.add(message)
            for place in {message.place: None for message in heard}:
                await memory.flush(place)
            for message in heard:
                await memory.wait_learned(message, LEARN_TIMEOUT_S)
            learned: list[Learned] = []
            for speaker, place in {(message.author, message.place): None for message in heard}:
                listing = await memory.list(user=speaker, place=place, statuses=[Status.ACTIVE], limit=MAX_MEMOS)
                learned += [Learned(memo.source.message or "", speaker, memo.kind, memo.text) for memo in listing.memos]
    return list(dict.fromkeys(learned))
