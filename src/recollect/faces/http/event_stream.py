"""Follows the event log; a stream ends when the server stops, with the token or session, or after an hour."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress

from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.faces.http.dependencies import AppState

POLL_INTERVAL_SECONDS = 1.0
"""How often the log is polled."""
HEARTBEAT_SECONDS = 15.0
"""Silence after which an empty batch is sent: it detects clients that left, and keeps proxies from timing out."""
MAX_STREAM_SECONDS = 3600.0
"""A browser reconnects by itself, which checks its session again."""


async def follow(
    state: AppState, start: int, is_current: Callable[[], Awaitable[bool]]
) -> AsyncGenerator[tuple[int, Sequence[Event]]]:
    """Batches of events after `start`, each with the id of its last; an empty batch serves as heartbeat.

    Permission to listen is checked before each.
    """
    loop = asyncio.get_running_loop()
    started = last_sent = loop.time()
    async with state.streams:
        while not state.closing.is_set() and loop.time() - started < MAX_STREAM_SECONDS:
            events = await _read_newer(state, start)
            if events:
                start = events[-1].id
            if events or loop.time() - last_sent >= HEARTBEAT_SECONDS:
                if not await is_current():
                    return
                last_sent = loop.time()
                yield start, events
            if not events:
                await wait_for_next_poll(state.closing)


async def _read_newer(state: AppState, start: int) -> Sequence[Event]:
    """Events after `start`; none while the store can't answer, as the next poll asks again."""
    try:
        return await state.admin.events_after(start)
    except RecollectError:
        return []


async def wait_for_next_poll(closing: asyncio.Event) -> None:
    """Wait for a second, or until the server stops."""
    with suppress(TimeoutError):
        async with asyncio.timeout(POLL_INTERVAL_SECONDS):
            await closing.wait()
