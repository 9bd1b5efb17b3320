"""The event log: pages of it, newest first, and a live stream by server-sent events."""

import json
from collections.abc import AsyncGenerator, Collection
from typing import Annotated

from fastapi import Header, Query, Request
from fastapi.responses import StreamingResponse
from starlette.responses import Response

from recollect.core.events import Event
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    MAX_INTEGER,
    PAGING,
    READING,
    Cursor,
    Limit,
    Name,
    next_cursor,
    number_after,
    problems,
    router,
)
from recollect.faces.http.dependencies import MAX_STREAMS, AppState, AppStateDep
from recollect.faces.http.event_stream import follow
from recollect.faces.http.problems import problem

routes = router("events")
Kinds = Annotated[list[Name], Query(max_length=50, description="Only of these kinds, as memo.added.")]
Scope = Annotated[Name | None, Query(description="Only of this scope, as user:<id>, lore:<guild> or a session.")]

_EVENT_STREAM = {
    200: {
        "description": "One event for each line of the log.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@routes.get("/events", responses=PAGING)
async def list_events(
    state: AppStateDep,
    kind: Kinds = [],  # noqa: B006 - FastAPI copies it
    scope: Scope = None,
    limit: Limit = 100,
    cursor: Cursor = "",
) -> records.EventPage:
    """The log, newest first."""
    events = await state.admin.events(kind, scope, limit, number_after("events", cursor))
    return records.EventPage(
        events=[records.from_event(event) for event in events],
        next=next_cursor("events", events[-1].id) if len(events) == limit else None,
    )


@routes.get("/events/stream", responses=READING | problems(503) | _EVENT_STREAM, response_class=StreamingResponse)
async def stream_events(
    request: Request,
    state: AppStateDep,
    kind: Kinds = [],  # noqa: B006 - FastAPI copies it
    scope: Scope = None,
    last_event_id: Annotated[
        int | None, Header(ge=0, le=MAX_INTEGER, description="Go on after this event, as browsers do by themselves.")
    ] = None,
    after: Annotated[int | None, Query(ge=0, le=MAX_INTEGER, description="The same, for the first time.")] = None,
) -> Response:
    """The log as it is written: each event with its id, its kind as the event's name, and the line as JSON."""
    start = last_event_id if last_event_id is not None else after
    if state.streams.locked():
        return problem(503, f"{MAX_STREAMS} streams are open already", {"retry-after": "30"})
    if start is None:
        newest = await state.admin.events(limit=1)
        start = newest[0].id if newest else 0
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(
        _stream(request, state, start, kind, scope), headers=headers, media_type="text/event-stream"
    )


async def _stream(
    request: Request, state: AppState, start: int, kinds: Collection[str], scope: str | None
) -> AsyncGenerator[str]:
    yield "retry: 2000\n\n"
    async for last_id, events in follow(state, start, request.state.is_current):
        for event in events:
            if (not kinds or event.kind in kinds) and scope in (None, event.scope):
                yield _render_event(event)
        yield f"id: {last_id}\n: still here\n\n"


def _render_event(event: Event) -> str:
    """One server-sent event; JSON has no line breaks, and kinds contain none."""
    data = records.from_event(event).model_dump(mode="json")
    return f"id: {event.id}\nevent: {event.kind}\ndata: {json.dumps(data)}\n\n"
