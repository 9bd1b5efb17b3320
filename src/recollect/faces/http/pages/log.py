"""The event log by day and live; daily logs of what was said; and one message with the memos that come from it."""

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
from recollect.faces.http.pages.context import PageContext, PageDep, as_number
from recollect.faces.http.problems import problem
from recollect.transfer.mirror import daily_log, disk

router = APIRouter(include_in_schema=False)

MAX_ROWS = 100
MAX_DAY_FILES = 60
MAX_EARLIER_MESSAGES = 4
"""Messages shown before the one that is looked at."""

Text = Annotated[str, Query(max_length=2_000)]
KindGroups = Annotated[list[str], Query(max_length=len(log_rows.KINDS))]


@router.get("/journal")
async def journal_page(
    request: Request,
    page: PageDep,
    kind: KindGroups = [],  # noqa: B006 - FastAPI copies it
    day: Text = "",
    before: Text = "",
) -> HTMLResponse:
    chosen, kinds = _kinds(kind)
    before_id, until_day = as_number(before), _day(day)

    def read(tx: Tx) -> tuple[list[log_rows.Row], int]:
        until = before_id or (_first_after(tx, until_day + timedelta(days=1)) if until_day else None)
        events = tx.events.list(limit=MAX_ROWS + 1, before=until, kinds=kinds)
        newest = tx.events.list(limit=1)
        return log_rows.rows(tx, events), newest[0].id if newest else 0

    rows, newest = await page.state.memory.store.read(read)
    folder = page.state.memory.settings.mirror.dir
    files = await asyncio.to_thread(daily_log.days, folder)
    return page.render(
        request,
        "log.html",
        part="log_rows.html",
        days=_by_day(rows[:MAX_ROWS]),
        more=rows[MAX_ROWS - 1].event.id if len(rows) > MAX_ROWS else None,
        groups=list(log_rows.KINDS),
        chosen=chosen,
        day=day if until_day else "",
        newest=newest,
        first=before_id is None and until_day is None,
        files=[path.stem for path in files[::-1][:MAX_DAY_FILES]],
    )


def _kinds(groups: Collection[str]) -> tuple[list[str], list[str]]:
    """The known groups among these, and the kinds of events in them."""
    chosen = [group for group in log_rows.KINDS if group in groups]
    return chosen, [kind for group in chosen for kind in log_rows.KINDS[group]]


def _day(text: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC) if text else None
    except ValueError:
        return None


def _first_after(tx: Tx, time: datetime) -> int:
    """The id of the first event from this time on, by binary search, as ids grow with time."""
    newest = tx.events.list(limit=1)
    low, high = 0, newest[0].id if newest else 0
    while low < high:
        middle = (low + high + 1) // 2
        events = tx.events.list(limit=1, before=middle + 1)
        if events and events[0].at < time:
            low = middle
        else:
            high = middle - 1
    return low + 1


def _by_day(rows: Sequence[log_rows.Row]) -> list[tuple[date, list[log_rows.Row]]]:
    return [(day, list(group)) for day, group in groupby(rows, lambda row: row.event.at.date())]


@router.get("/journal/stream")
async def stream(
    request: Request,
    page: PageDep,
    kind: KindGroups = [],  # noqa: B006 - FastAPI copies it
    after: Text = "",
) -> Response:
    """New events of the log, as rows of the page."""
    if page.state.streams.locked():
        return problem(503, "too many pages follow the log already", {"retry-after": "30"})
    _, kinds = _kinds(kind)
    last = as_number(request.headers.get("last-event-id", "")) or as_number(after) or 0
    headers = {"x-accel-buffering": "no"}
    return StreamingResponse(_follow(page, kinds, last), headers=headers, media_type="text/event-stream")


async def _follow(page: PageContext, kinds: Collection[str], last: int) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    async for last_id, events in follow(page.state, last):
        matching = [event for event in events if not kinds or event.kind in kinds]
        rows = await page.state.memory.store.read(lambda tx, matching=matching: log_rows.rows(tx, matching))
        for row in rows:
            lines = page.render_fragment("log_row.html", row=row, names={}).splitlines()
            data = "".join(f"data: {line}\n" for line in lines if line.strip())
            yield f"id: {row.event.id}\nevent: row\n{data}\n".encode("utf-8", "replace")
        yield f"id: {last_id}\n: still here\n\n".encode()


@router.get("/journal/day")
async def day_file(request: Request, page: PageDep, day: Text) -> HTMLResponse:
    """What people said on one day, from its daily log."""
    folder = page.state.memory.settings.mirror.dir
    paths = {path.stem: path for path in await asyncio.to_thread(daily_log.days, folder)}
    if day not in paths:
        raise HTTPException(404, "there is no journal of that day; the setting mirror.files says which files are kept")
    text = (await asyncio.to_thread(disk.read, paths[day]) or b"").decode("utf-8", "replace")
    return page.render(request, "day.html", day=day, entries=daily_log.entries(text))


@router.get("/message")
async def message(request: Request, page: PageDep, platform: Text, id: Text) -> HTMLResponse:
    def read(tx: Tx) -> tuple[Message, list[Message], list[Memo]]:
        target = tx.messages.get(platform, id)
        if target is None:
            raise HTTPException(404, "that message is not in the journal, or no longer")
        return (
            target,
            tx.messages.recent(target.place, MAX_EARLIER_MESSAGES, before=target.at),
            tx.memos.from_message(platform, id),
        )

    target, earlier, memos = await page.state.memory.store.read(read)
    place = target.place
    source = Provenance(
        platform=platform, guild=place.guild, channel=place.channel, thread=place.thread, message=target.id
    )
    return page.render(request, "message.html", message=target, earlier=earlier, memos=memos, source=source)
