"""Conversations: their summaries, and how these changed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.admin.names import called
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Place, Subject, Summary
from recollect.faces.http.pages import places
from recollect.faces.http.pages.context import At, after
from recollect.faces.http.pages.diff import Piece, pieces
from recollect.faces.http.pages.format import place, url

router = APIRouter(include_in_schema=False)

SHOWN = 50
LOOKED = 500
"""Conversations that are looked through for what they are called."""
NEVER = datetime.min.replace(tzinfo=UTC)

Text = Annotated[str, Query(max_length=2_000)]


@dataclass(frozen=True, slots=True)
class Talk:
    name: str
    label: str
    """What it is called on the page."""
    summary: Summary | None


@dataclass(frozen=True, slots=True)
class Version:
    """A summary, and how it came from the one before; without one all of it is new."""

    summary: Summary
    change: Sequence[Piece]


@router.get("/sessions")
async def sessions(request: Request, desk: At, part: Text = "") -> HTMLResponse:
    wanted, office = fold(part.strip()), desk.house.office
    names = await office.sessions(part.strip(), SHOWN + 1)
    others = set(await office.sessions(limit=LOOKED)) - {*names} if wanted else set[str]()
    talks, labelled = await desk.house.memory.store.read(lambda tx: (_talks(tx, names), _talks(tx, sorted(others))))
    talks += [talk for talk in labelled if wanted in fold(talk.label)]
    more = len(talks) > SHOWN
    talks = sorted(talks[:SHOWN], key=lambda talk: talk.summary.updated if talk.summary else NEVER, reverse=True)
    return desk.page(request, "sessions.html", part="sessions_list.html", asked=part, talks=talks, more=more)


def _talks(tx: Tx, names: Iterable[str]) -> list[Talk]:
    return [_talk(tx, name) for name in names]


def _talk(tx: Tx, name: str) -> Talk:
    where = places.parsed(name)
    return Talk(name, _label(tx, where) if where else name, tx.summaries.get(name))


def _label(tx: Tx, where: Place) -> str:
    """The place in words; a DM by what the person is called."""
    person = called(tx, Subject(where.dm)) if where.dm else ""
    return place(replace(where, dm=person) if person else places.resolved(tx, where))


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
