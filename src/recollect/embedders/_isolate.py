"""Isolates texts that an embedder refuses, so that the rest of the batch is still embedded.

When a batch is refused, a harmless probe text shows whether the texts are to blame. If so, the batch is bisected down
to the refused text; that one is shortened, and finally gets a zero vector: it is found by word search only.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence

from recollect.core.errors import EmbedderError
from recollect.core.ports import Vector
from recollect.embedders._vectors import zero_vector

log = logging.getLogger("recollect.embedders")

PROBE_TEXT = "hello"
SAFE_TEXT_CHARS = 400
"""A text this short is not refused for its length by any model."""

Embed = Callable[[Sequence[str]], Awaitable[list[Vector]]]


class TextsRefused(EmbedderError):
    """The embedder works, but apparently does not accept these texts."""


async def embed_with_isolation(embed: Embed, texts: Sequence[str]) -> list[Vector]:
    """Embed the texts; raises what `embed` raises, unless individual texts are to blame."""
    try:
        return await embed(texts)
    except TextsRefused as refusal:
        try:
            probe_vectors = await embed([PROBE_TEXT])
        except EmbedderError:
            raise refusal from None
        return await _bisect(embed, texts, zero_vector(len(probe_vectors[0]) // 4))


async def _bisect(embed: Embed, texts: Sequence[str], fallback: Vector) -> list[Vector]:
    if len(texts) == 1:
        return [await _embed_single(embed, texts[0], fallback)]
    half = len(texts) // 2
    first = await _embed_or_bisect(embed, texts[:half], fallback)
    return first + await _embed_or_bisect(embed, texts[half:], fallback)


async def _embed_or_bisect(embed: Embed, texts: Sequence[str], fallback: Vector) -> list[Vector]:
    try:
        return await embed(texts)
    except TextsRefused:
        return await _bisect(embed, texts, fallback)


async def _embed_single(embed: Embed, text: str, fallback: Vector) -> Vector:
    for length in _lengths(len(text)):
        try:
            return (await embed([text[:length]]))[0]
        except TextsRefused:
            continue
    log.warning("a text of %d characters can't be embedded; it is found by word search only", len(text))
    return fallback


def _lengths(length: int) -> Iterator[int]:
    """The whole length, then half of it and so on, down to SAFE_TEXT_CHARS."""
    while length > SAFE_TEXT_CHARS:
        yield length
        length = max(SAFE_TEXT_CHARS, length // 2)
    yield length
