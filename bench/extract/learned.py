"""What a memory has learned once it has heard some messages: through the public object, with any model it can use."""

import tempfile
from collections.abc import Iterable, Sequence
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
            # A small server answers one request after the other: asked for all at once, most time out in its queue.
            for part in [[message] for message in heard] if base_url else [heard]:
                await _learn(memory, part)
            learned: list[Learned] = []
            for speaker, place in {(message.author, message.place): None for message in heard}:
                listing = await memory.list(user=speaker, place=place, statuses=[Status.ACTIVE], limit=MAX_MEMOS)
                learned += [Learned(memo.source.message or "", speaker, memo.kind, memo.text) for memo in listing.memos]
    return list(dict.fromkeys(learned))


async def _learn(memory: AsyncMemory, messages: Sequence[Message]) -> None:
    for message in messages:
        await memory.add(message)
    for place in {message.place: None for message in messages}:
        await memory.flush(place)
    for message in messages:
        await memory.wait_learned(message, LEARN_TIMEOUT_S)
