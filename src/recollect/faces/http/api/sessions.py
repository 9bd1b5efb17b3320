"""Conversations: their rolling summaries, the history of these, and resetting them."""

from typing import Annotated

from fastapi import Query

from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    PAGING,
    READING,
    Cursor,
    Limit,
    Name,
    Next,
    Part,
    Wire,
    missing,
    next_cursor,
    position_after,
    problems,
    router,
)
from recollect.faces.http.dependencies import AppStateDep

routes = router("sessions")
SessionName = Annotated[Name, Query(description="The conversation's name, as `/sessions` lists it.")]


class SessionsPage(Wire):
    sessions: list[str]
    next: Next


class Reset(Wire):
    session: Name


class ResetDone(Wire):
    session: str
    reset: bool


@routes.get("/sessions", responses=PAGING)
async def list_sessions(state: AppStateDep, part: Part = "", limit: Limit = 200, cursor: Cursor = "") -> SessionsPage:
    """Conversations that have a summary, by name."""
    sessions = await state.admin.sessions(part, limit, position_after("sessions", cursor))
    return SessionsPage(
        sessions=sessions, next=next_cursor("sessions", sessions[-1]) if len(sessions) == limit else None
    )


@routes.get("/summary", responses=READING | problems(404))
async def get_summary(state: AppStateDep, session: SessionName) -> records.SummaryOut:
    """The rolling summary of a conversation."""
    current, _ = await state.admin.summaries(session, 1)
    if current is None:
        raise missing(f"the conversation {session!r} has no summary")
    return records.from_summary(current)


@routes.get("/summary/history", responses=READING)
async def summary_history(state: AppStateDep, session: SessionName, limit: Limit = 20) -> records.SummaryHistory:
    """The summary of a conversation, and those before it."""
    current, earlier = await state.admin.summaries(session, limit)
    older = [summary for summary in earlier if current is None or summary.sequence != current.sequence]
    return records.SummaryHistory(
        current=None if current is None else records.from_summary(current),
        earlier=[records.from_summary(summary) for summary in older],
    )


@routes.post("/sessions/reset", responses=CHANGING)
async def reset_session(state: AppStateDep, body: Reset) -> ResetDone:
    """Clear the rolling summary of a conversation; work in flight can't bring it back."""
    return ResetDone(session=body.session, reset=await state.admin.reset_summary(body.session))
