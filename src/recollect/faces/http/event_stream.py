"""The log as it is written, for whoever stays and listens: ends when the server stops, or after an hour."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.faces.http.dependencies import AppState

PAUSE = 1.0
"""Seconds between two looks at the log."""
SIGN_OF_LIFE = 15.0
"""Seconds of silence after which nothing is told, too: who has left is noticed, proxies keep waiting."""
LONGEST = 3600.0
"""Seconds after which it ends; a browser comes back by itself, with a session that still counts."""


async def follow(house: AppState, start: int) -> AsyncGenerator[tuple[int, Sequence[Event]]]:
    """What was written after this event, and the number of the last; now and then nothing, as a sign of life."""
    loop = asyncio.get_running_loop()
    began = said = loop.time()
    async with house.streams:
        while not house.closing.is_set() and loop.time() - began < LONGEST:
            found = await _newer(house, start)
            if found:
                start = found[-1].id
            if found or loop.time() - said >= SIGN_OF_LIFE:
                said = loop.time()
                yield start, found
            if not found:
                await _moment(house.closing)


async def _newer(house: AppState, start: int) -> Sequence[Event]:
    """A store that can't answer just now is asked again."""
    try:
        return await house.office.newer(start)
    except RecollectError:
        return []


async def _moment(closing: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(PAUSE):
            await closing.wait()
