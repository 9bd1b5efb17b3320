"""Conversations: their summaries, and how these changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.ports import Tx
from recollect.types import Place, Summary
from recollect.web.pages import places
from recollect.web.pages.desk import At, after
from recollect.web.pages.difference import Piece, pieces
from recollect.web.pages.words import url

router = APIRouter(include_in_schema=False)

SHOWN = 50

Text = Annotated[str, Query(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class Talk:
    name: str
    place: Place | None
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class Version:
    """A summary, and how it came from the one before; without one all of it is new."""

    summary: Summary
    change: Sequence[Piece]


@router.get("/sessions")
async def sessions(request: Request, desk: At, part: Text = "") -> HTMLResponse:
    names = await desk.house.office.sessions(part.strip(), SHOWN + 1)
    talks = await desk.house.memory.store.read(lambda tx: [_talk(tx, name) for name in names[:SHOWN]])
    talks.sort(key=lambda talk: talk.summary.updated.timestamp() if talk.summary else 0.0, reverse=True)
    more = len(names) > SHOWN
    return desk.page(request, "sessions.html", part="sessions_list.html", asked=part, talks=talks, more=more)


def _talk(tx: Tx, name: str) -> Talk:
    where = places.parsed(name)
    return Talk(name, places.resolved(tx, where) if where else None, tx.summaries.get(name))


@router.get("/session")
async def session(request: Request, desk: At, name: Text) -> HTMLResponse:
    now, before = await desk.house.office.summaries(name)
    talk = await desk.house.memory.store.read(lambda tx: _talk(tx, name))
    versions = _versions(now, before)
    return desk.page(request, "session.html", talk=talk, versions=versions)


def _versions(now: Summary | None, before: Sequence[Summary]) -> list[Version]:
    every = {one.sequence: one for one in (*([now] if now else []), *before)}
    ordered = sorted(every.values(), key=lambda one: -one.sequence)
    found = [Version(new, pieces(old.text, new.text)) for new, old in pairwise(ordered)]
    return [*found, Version(ordered[-1], [Piece("same", ordered[-1].text)])] if ordered else []


@router.post("/session/reset")
async def reset(desk: At, name: Annotated[str, Form(max_length=2_000)]) -> Response:
    done = await desk.house.office.reset(name)
    return after(url("/session", name=name), "reset" if done else "empty")
