"""Conversations: their rolling summaries, how these changed, and beginning anew."""

from typing import Annotated

from fastapi import Query

from recollect.faces.http.api import records
from recollect.faces.http.api.common import CHANGING, READING, Limit, Name, Part, Wire, missing, problems, router
from recollect.faces.http.dependencies import AppStateDep

routes = router("sessions")
Which = Annotated[Name, Query(description="The conversation's name, as `/sessions` lists it.")]


class Sessions(Wire):
    sessions: list[str]


class Reset(Wire):
    session: Name


class ResetDone(Wire):
    session: str
    reset: bool


@routes.get("/sessions", responses=READING)
async def list_sessions(house: AppStateDep, part: Part = "", limit: Limit = 200) -> Sessions:
    """Conversations that have a summary, or had one, by name."""
    return Sessions(sessions=await house.office.sessions(part, limit))


@routes.get("/summary", responses=READING | problems(404))
async def get_summary(house: AppStateDep, session: Which) -> records.SummaryOut:
    """The rolling summary of a conversation."""
    current, _ = await house.office.summaries(session, 1)
    if current is None:
        raise missing(f"the conversation {session!r} has no summary")
    return records.summary(current)


@routes.get("/summary/history", responses=READING)
async def summary_history(house: AppStateDep, session: Which, limit: Limit = 20) -> records.SummaryHistory:
    """The summary of a conversation, and those before it."""
    current, earlier = await house.office.summaries(session, limit)
    older = [one for one in earlier if current is None or one.sequence != current.sequence]
    return records.SummaryHistory(
        current=None if current is None else records.summary(current), earlier=[records.summary(one) for one in older]
    )


@routes.post("/sessions/reset", responses=CHANGING)
async def reset_session(house: AppStateDep, given: Reset) -> ResetDone:
    """Clear the rolling summary of a conversation; work in flight can't bring it back."""
    return ResetDone(session=given.session, reset=await house.office.reset(given.session))
