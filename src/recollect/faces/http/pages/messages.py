"""Messages: conversations, a transcript with what was learned from each line, and one message in its context."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from recollect.admin.messages import Conversation, Transcript
from recollect.admin.places import guild_places
from recollect.core.errors import BadInput
from recollect.core.sessions import parse_session
from recollect.core.types import Message, Place
from recollect.faces.http.pages.context import PageContext, PageDep, after, local_path
from recollect.faces.http.pages.format import describe_place, url

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50

Text = Annotated[str, Query(max_length=2_000)]
Field = Annotated[str, Form(max_length=2_000)]


@router.get("/messages")
async def messages(
    request: Request, page: PageDep, session: Text = "", find: Text = "", before: Text = "", later: Text = ""
) -> Response:
    if find.strip():
        message = await page.state.admin.find_message(find)
        if message is not None:
            return RedirectResponse(url("/message", platform=message.place.platform, id=message.id), 303)
    if session:
        return await _render_session(request, page, session, _time(before), _time(later))
    conversations = await page.state.admin.conversations()
    return page.render(
        request,
        "messages.html",
        404 if find.strip() else 200,
        servers=_by_server(conversations),
        find=find,
    )


def _by_server(conversations: Sequence[Conversation]) -> dict[str, list[Conversation]]:
    servers: dict[str, list[Conversation]] = {}
    for conversation in conversations:
        servers.setdefault(conversation.place.guild_key or "", []).append(conversation)
    return servers


async def _render_session(
    request: Request, page: PageContext, name: str, before: datetime | None, later: datetime | None
) -> HTMLResponse:
    session = parse_session(name)
    if session is None:
        raise BadInput(f"{name!r} is not a conversation")
    transcript = await page.state.admin.transcript(session.place, before=before, after=later, limit=PAGE_SIZE)
    return await _render(request, page, transcript)


@router.get("/message")
async def message(request: Request, page: PageDep, platform: Text, id: Text) -> HTMLResponse:
    message = await page.state.admin.message(platform, id)
    if message is None:
        raise HTTPException(404, "that message is not known, or no longer")
    return await _render(request, page, await page.state.admin.around(message), message)


async def _render(
    request: Request, page: PageContext, transcript: Transcript, chosen: Message | None = None
) -> HTMLResponse:
    guild = transcript.place.guild_key or ""
    days = [(day, list(lines)) for day, lines in groupby(transcript.lines, lambda line: line.message.at.date())]
    lines = transcript.lines
    return page.render(
        request,
        "transcript.html",
        transcript=transcript,
        place=transcript.place,
        days=days,
        chosen=chosen,
        title=await _title(page, transcript.place),
        session=transcript.place.session,
        guild=guild,
        before=lines[0].message.at.isoformat() if lines and not transcript.is_first else "",
        later=lines[-1].message.at.isoformat() if lines and not transcript.is_last else "",
    )


async def _title(page: PageContext, place: Place) -> str:
    names = await page.state.admin.profile_names([place.person] if place.person else [])
    return describe_place(replace(place, dm=names.get(place.person or "") or place.dm), page.guild_names)


@router.post("/places/pause")
async def pause(page: PageDep, session: Field = "", guild: Field = "", back: Field = "") -> Response:
    for place in _places(session, guild):
        await page.state.admin.pause_place(place)
    return after(local_path(back, "/messages"), "paused")


@router.post("/places/resume")
async def resume(page: PageDep, session: Field = "", guild: Field = "", back: Field = "") -> Response:
    for place in _places(session, guild):
        await page.state.admin.resume_place(place)
    return after(local_path(back, "/messages"), "resumed")


def _places(session: str, guild: str) -> list[Place]:
    if guild:
        return guild_places(guild)
    conversation = parse_session(session)
    if conversation is None:
        raise BadInput("say which conversation, or which server")
    return [conversation.place]


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    return time if time is not None and time.tzinfo is not None else None
