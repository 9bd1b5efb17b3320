"""Tells clients when a person's memory has changed, whoever changed it: the log is followed while someone listens.

Clients of the protocol since 2026 hold a stream open (`listen`); earlier ones subscribe to single resources of their
connection. Each follows the log for one person, so nobody hears of another's changes.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated

from recollect.core.errors import RecollectError
from recollect.core.types import Subject
from recollect.faces.tool.toolset import URI_PREFIX as SCHEME
from recollect.memory import AsyncMemory

ALL_MEMORIES = SCHEME.removesuffix("/")
"""The resource that has all memories."""
EARLIER_SCHEME = "memory://"
"""Prefix of a memory's address in earlier versions; still accepted."""
POLL_INTERVAL_SECONDS = 1.0
MAX_EVENTS = 500
_STATE = "recollect.subscriptions"


async def listen(
    memory: AsyncMemory,
    person: str,
    context: ServerRequestContext[Any],
    params: types.SubscriptionsListenRequestParams,
) -> types.SubscriptionsListenResult:
    """Serve one stream of changes, until the client leaves."""
    bus = InMemorySubscriptionBus()
    position = await memory.timeline.last_event_id()

    async def publish() -> None:
        async for uris in _changes(memory, person, position):
            await bus.publish(ResourcesListChanged())
            for uri in uris:
                await bus.publish(ResourceUpdated(uri))

    task = asyncio.create_task(publish(), name="recollect-mcp-stream")
    try:
        return await ListenHandler(bus)(context, params)
    finally:
        task.cancel()


async def subscribe(memory: AsyncMemory, person: str, session: ServerSession, uri: str) -> None:
    """Notify this connection from now on when the resource changes."""
    connection = _connection(session)
    watched: set[str] | None = connection.state.get(_STATE)
    # One follower per connection, however many resources it watches.
    if watched is not None:
        watched.add(uri)
        return
    watched = connection.state[_STATE] = {uri}
    position = await memory.timeline.last_event_id()

    async def notify() -> None:
        async for uris in _changes(memory, person, position):
            for changed in [each for each in uris if each in watched]:
                await connection.notify("notifications/resources/updated", {"uri": changed})

    connection.exit_stack.callback(asyncio.create_task(notify(), name="recollect-mcp-subscription").cancel)


def unsubscribe(session: ServerSession, uri: str) -> None:
    _connection(session).state.get(_STATE, set[str]()).discard(uri)


def _connection(session: ServerSession) -> Connection:
    """The object that lives as long as the connection; the SDK creates a session per request."""
    return session._connection  # pyright: ignore[reportPrivateUsage] there is no other way to it


async def _changes(memory: AsyncMemory, person: str, position: int) -> AsyncIterator[list[str]]:
    """The resources that changed in this person's memory after a position in the log, as they change."""
    scope = Subject(person).scope
    while True:
        try:
            events = await memory.timeline.events_after(position, MAX_EVENTS)
        except RecollectError:  # the store is away: the next round asks again
            events = []
        if events:
            position = events[-1].id
        memos = dict.fromkeys(event.memo for event in events if event.scope == scope and event.memo)
        if memos:
            yield [ALL_MEMORIES, *(SCHEME + quote(memo, safe="") for memo in memos)]
        # A full page means that more are waiting.
        if len(events) < MAX_EVENTS:
            await asyncio.sleep(POLL_INTERVAL_SECONDS)
