"""Conversations: their summaries, and the history of these."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.admin.sessions import SessionDetails
from recollect.core.text import fold
from recollect.core.types import Summary
from recollect.faces.http.pages.context import PageDep, after
from recollect.faces.http.pages.diff import Piece, pieces
from recollect.faces.http.pages.format import GuildNames, describe_place, url

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50
MAX_NAMES_SEARCHED = 500
"""Conversations whose labels are searched."""
NEVER = datetime.min.replace(tzinfo=UTC)

Text = Annotated[str, Query(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class Session:
    name: str
    label: str
    """The label on the page."""
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class Version:
    """A summary, and its diff to the one before."""

    summary: Summary
    change: Sequence[Piece]


@router.get("/sessions")
async def sessions(request: Request, page: PageDep, part: Text = "") -> HTMLResponse:
    folded, admin = fold(part.strip()), page.state.admin
    names = await admin.sessions(part.strip(), PAGE_SIZE + 1)
    others = set(await admin.sessions(limit=MAX_NAMES_SEARCHED)) - {*names} if folded else set[str]()
    visible = [_session(details, page.guild_names) for details in await admin.describe_sessions(names)]
    labeled = [_session(details, page.guild_names) for details in await admin.describe_sessions(sorted(others))]
    visible += [session for session in labeled if folded in fold(session.label)]
    more = len(visible) > PAGE_SIZE
    visible = sorted(
        visible[:PAGE_SIZE],
        key=lambda session: session.summary.updated if session.summary else NEVER,
        reverse=True,
    )
    return page.render(request, "sessions.html", part="sessions_list.html", filter=part, sessions=visible, more=more)


def _session(details: SessionDetails, guilds: GuildNames) -> Session:
    """Labeled with its place; a DM with the person's name."""
    place = details.place
    named = replace(place, dm=details.person) if place and details.person else place
    return Session(details.name, describe_place(named, guilds) if named else details.name, details.summary)


@router.get("/session")
async def session(request: Request, page: PageDep, name: Text) -> HTMLResponse:
    current, earlier = await page.state.admin.summaries(name)
    (details,) = await page.state.admin.describe_sessions([name])
    return page.render(
        request, "session.html", session=_session(details, page.guild_names), versions=_versions(current, earlier)
    )


def _versions(current: Summary | None, earlier: Sequence[Summary]) -> list[Version]:
    by_sequence = {summary.sequence: summary for summary in (*([current] if current else []), *earlier)}
    ordered = sorted(by_sequence.values(), key=lambda summary: -summary.sequence)
    versions = [Version(new, pieces(old.text, new.text)) for new, old in pairwise(ordered)]
    return [*versions, Version(ordered[-1], [Piece("same", ordered[-1].text)])] if ordered else []


@router.post("/session/reset")
async def reset(page: PageDep, name: Annotated[str, Form(max_length=2_000)]) -> Response:
    is_reset = await page.state.admin.reset_summary(name)
    return after(url("/session", name=name), "reset" if is_reset else "empty")
