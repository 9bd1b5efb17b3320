"""One text that an embedder refuses must not keep the others from being embedded.

When a batch is refused, a harmless text tells whether the texts are to blame. If so the batch is halved until
the culprit stands alone; that one is shortened, and in the end gets a vector of zeros: found by words alone.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence

from recollect.core.errors import EmbedderError
from recollect.core.ports import Vector
from recollect.embedders._vectors import zeros

log = logging.getLogger("recollect.embedders")

HARMLESS = "hello"
SHORT = 400
"""Characters that every model can read: a text this short is not refused for its length."""

Embed = Callable[[Sequence[str]], Awaitable[list[Vector]]]


class Refused(EmbedderError):
    """The embedder works but did not take these texts, as far as one can tell."""


async def salvaged(embed: Embed, texts: Sequence[str]) -> list[Vector]:
    """Embed the texts; raises what `embed` raises unless single texts are to blame."""
    try:
        return await embed(texts)
    except Refused as refusal:
        try:
            harmless = await embed([HARMLESS])
        except EmbedderError:
            raise refusal from None
        return await _apart(embed, texts, zeros(len(harmless[0]) // 4))


async def _apart(embed: Embed, texts: Sequence[str], hopeless: Vector) -> list[Vector]:
    if len(texts) == 1:
        return [await _alone(embed, texts[0], hopeless)]
    half = len(texts) // 2
    return [*await _part(embed, texts[:half], hopeless), *await _part(embed, texts[half:], hopeless)]


async def _part(embed: Embed, texts: Sequence[str], hopeless: Vector) -> list[Vector]:
    try:
        return await embed(texts)
    except Refused:
        return await _apart(embed, texts, hopeless)


async def _alone(embed: Embed, text: str, hopeless: Vector) -> Vector:
    for length in _lengths(len(text)):
        try:
            return (await embed([text[:length]]))[0]
        except Refused:
            continue
    log.warning("a text of %d characters can't be embedded; it is found by words alone", len(text))
    return hopeless


def _lengths(length: int) -> Iterator[int]:
    """The whole length, then half of it and so on, down to SHORT."""
    while length > SHORT:
        yield length
        length = max(SHORT, length // 2)
    yield length
