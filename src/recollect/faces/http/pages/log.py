"""The log by day, followed live if wanted; what was said, where that is kept; and one message with what rests on it."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from recollect.core.ports import Tx
from recollect.core.types import Memo, Message, Provenance
from recollect.faces.http.event_stream import follow
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import At, PageContext, as_number
from recollect.faces.http.problems import problem
from recollect.transfer.mirror import daily_log, disk

router = APIRouter(include_in_schema=False)

SHOWN = 100
DAYS = 60
AROUND = 4
"""Messages shown before one."""

Text = Annotated[str, Query(max_length=2_000)]
Chosen = Annotated[list[str], Query(max_length=len(log_rows.KINDS))]


@router.get("/journal")
async def journal_page(
    request: Request,
    desk: At,
    kind: Chosen = [],  # noqa: B006 - FastAPI copies it
    day: Text = "",
    before: Text = "",
) -> HTMLResponse:
    chosen, kinds = _kinds(kind)
    start, moment = as_number(before), _day(day)

    def look(tx: Tx) -> tuple[list[log_rows.Row], int]:
        until = start or (_first_after(tx, moment + timedelta(days=1)) if moment else None)
        events = tx.events.list(limit=SHOWN + 1, before=until, kinds=kinds)
        newest = tx.events.list(limit=1)
        return log_rows.rows(tx, events), newest[0].id if newest else 0

    rows, newest = await desk.house.memory.store.read(look)
    folder = desk.house.memory.settings.mirror.dir
    files = await asyncio.to_thread(daily_log.days, folder)
    return desk.page(
        request,
        "log.html",
        part="log_rows.html",
        days=_by_day(rows[:SHOWN]),
        more=rows[SHOWN - 1].event.id if len(rows) > SHOWN else None,
        groups=list(log_rows.KINDS),
        chosen=chosen,
        day=day if moment else "",
        newest=newest,
        first=start is None and moment is None,
        files=[path.stem for path in files[::-1][:DAYS]],
    )


def _kinds(groups: Collection[str]) -> tuple[list[str], list[str]]:
    """The groups that are known, and the kinds of events in them."""
    chosen = [group for group in log_rows.KINDS if group in groups]
    return chosen, [kind for group in chosen for kind in log_rows.KINDS[group]]


def _day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC) if text else None
    except ValueError:
        return None


def _first_after(tx: Tx, moment: datetime) -> int:
    """The number of the first event from this moment on: numbers grow with time, so halving finds it."""
    newest = tx.events.list(limit=1)
    low, high = 0, newest[0].id if newest else 0
    while low < high:
        middle = (low + high + 1) // 2
        found = tx.events.list(limit=1, before=middle + 1)
        if found and found[0].at < moment:
            low = middle
        else:
            high = middle - 1
    return low + 1


def _by_day(rows: Sequence[log_rows.Row]) -> list[tuple[date, list[log_rows.Row]]]:
    return [(day, list(found)) for day, found in groupby(rows, lambda row: row.event.at.date())]


@router.get("/journal/stream")
async def stream(
    request: Request,
    desk: At,
    kind: Chosen = [],  # noqa: B006 - FastAPI copies it
    after: Text = "",
) -> Response:
    """What is written to the log from now on, as rows of the page."""
    if desk.house.streams.locked():
        return problem(503, "too many pages follow the log already", {"retry-after": "30"})
    _, kinds = _kinds(kind)
    last = as_number(request.headers.get("last-event-id", "")) or as_number(after) or 0
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_follow(desk, kinds, last), headers=headers, media_type="text/event-stream")


async def _follow(desk: PageContext, kinds: Collection[str], last: int) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    async for seen, events in follow(desk.house, last):
        wanted = [event for event in events if not kinds or event.kind in kinds]
        rows = await desk.house.memory.store.read(lambda tx, wanted=wanted: log_rows.rows(tx, wanted))
        for row in rows:
            lines = desk.fragment("log_row.html", row=row, named={}).splitlines()
            told = "".join(f"data: {line}\n" for line in lines if line.strip())
            yield f"id: {row.event.id}\nevent: row\n{told}\n".encode("utf-8", "replace")
        yield f"id: {seen}\n: still here\n\n".encode()


@router.get("/journal/day")
async def day_file(request: Request, desk: At, day: Text) -> HTMLResponse:
    """What people said on one day, from the file that is kept of it."""
    folder = desk.house.memory.settings.mirror.dir
    paths = {path.stem: path for path in await asyncio.to_thread(daily_log.days, folder)}
    if day not in paths:
        raise HTTPException(404, "there is no journal of that day; files.keep says which files are kept")
    text = (await asyncio.to_thread(disk.read, paths[day]) or b"").decode("utf-8", "replace")
    return desk.page(request, "day.html", day=day, entries=daily_log.entries(text))


@router.get("/message")
async def message(request: Request, desk: At, platform: Text, id: Text) -> HTMLResponse:
    def look(tx: Tx) -> tuple[Message, list[Message], list[Memo]]:
        said = tx.messages.get(platform, id)
        if said is None:
            raise HTTPException(404, "that message is not in the journal, or no longer")
        return said, tx.messages.recent(said.place, AROUND, before=said.at), tx.memos.from_message(platform, id)

    said, earlier, memos = await desk.house.memory.store.read(look)
    where = said.place
    source = Provenance(
        platform=platform, guild=where.guild, channel=where.channel, thread=where.thread, message=said.id
    )
    return desk.page(request, "message.html", message=said, earlier=earlier, memos=memos, source=source)
