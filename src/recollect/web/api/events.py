"""The log: pages of it, newest first, and as it is written, by server-sent events."""

import asyncio
import json
from collections.abc import AsyncGenerator, Collection
from contextlib import suppress
from typing import Annotated

from fastapi import Header, Query
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from recollect.errors import RecollectError
from recollect.types import Event
from recollect.web.api import models
from recollect.web.api.base import LARGEST, READING, Limit, Name, problems, router
from recollect.web.house import STREAMS, House, In
from recollect.web.problems import problem

routes = router("events")
Kinds = Annotated[list[Name], Query(max_length=50, description="Only of these kinds, as memo.added.")]
Scope = Annotated[Name | None, Query(description="Only of this scope, as user:<id>, lore:<guild> or a session.")]

PAUSE = 1.0
"""Seconds between two looks at the log."""
SIGN_OF_LIFE = 15.0
"""Seconds of silence after which a line without meaning is sent: who has left is noticed, proxies keep waiting."""
LONGEST = 3600.0
"""Seconds after which a stream ends; a browser comes back by itself, with a session that still counts."""
_EVENT_STREAM = {
    200: {
        "description": "One event for each line of the log.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@routes.get("/events", responses=READING)
async def list_events(
    house: In,
    kind: Kinds = [],  # noqa: B006 - FastAPI copies it
    scope: Scope = None,
    before: Annotated[int | None, Query(ge=0, le=LARGEST, description="Only what came before this event.")] = None,
    limit: Limit = 100,
) -> models.EventPage:
    """The log, newest first."""
    found = await house.office.events(kind, scope, limit, before)
    return models.EventPage(
        events=[models.event(one) for one in found], before=found[-1].id if len(found) == limit else None
    )


@routes.get("/events/stream", responses=READING | problems(503) | _EVENT_STREAM, response_class=StreamingResponse)
async def stream_events(
    house: In,
    kind: Kinds = [],  # noqa: B006 - FastAPI copies it
    scope: Scope = None,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=LARGEST, description="Go on after this event, as browsers do by themselves.")
    ] = None,
    after: Annotated[int | None, Query(ge=0, le=LARGEST, description="The same, for the first time.")] = None,
) -> Response:
    """The log as it is written: each event with its id, its kind as the event's name, and the line as JSON."""
    start = last_event_id if last_event_id is not None else after
    if house.streams.locked():
        return problem(503, f"{STREAMS} streams are open already", {"retry-after": "30"})
    if start is None:
        newest = await house.office.events(limit=1)
        start = newest[0].id if newest else 0
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_stream(house, start, kind, scope), headers=headers, media_type="text/event-stream")


async def _stream(house: House, start: int, kinds: Collection[str], scope: str | None) -> AsyncGenerator[str]:
    loop = asyncio.get_running_loop()
    began = said = loop.time()
    async with house.streams:
        yield "retry: 2000\n\n"
        while not house.closing.is_set() and loop.time() - began < LONGEST:
            found = await _newer(house, start)
            for event in found:
                start = event.id
                if (not kinds or event.kind in kinds) and scope in (None, event.scope):
                    said = loop.time()
                    yield _told(event)
            if loop.time() - said >= SIGN_OF_LIFE:
                said = loop.time()
                yield f"id: {start}\n: still here\n\n"
            if not found:
                await _moment(house.closing)


async def _newer(house: House, start: int) -> list[Event]:
    """What a store says that can't answer just now is asked again."""
    try:
        return await house.office.newer(start)
    except RecollectError:
        return []


async def _moment(closing: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(PAUSE):
            await closing.wait()


def _told(event: Event) -> str:
    """One event on the wire; JSON has no line breaks, and kinds are ours."""
    data = models.event(event).model_dump(mode="json")
    return f"id: {event.id}\nevent: {event.kind}\ndata: {json.dumps(data)}\n\n"
