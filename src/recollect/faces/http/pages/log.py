"""The event log by day and live, and daily logs of what was said."""

from collections.abc import AsyncGenerator, Collection, Sequence
from datetime import UTC, date, datetime, time
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from recollect.faces.http.event_stream import follow
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import PageContext, PageDep, as_number
from recollect.faces.http.problems import problem

router = APIRouter(include_in_schema=False)

MAX_ROWS = 100
MAX_DAY_FILES = 60

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
    log = await page.state.admin.log_page(kinds, until_day, before_id, MAX_ROWS + 1)
    rows = log_rows.rows(log.entries, page.guild_names)
    return page.render(
        request,
        "log.html",
        part="log_rows.html",
        days=_by_day(rows[:MAX_ROWS]),
        more=rows[MAX_ROWS - 1].event.id if len(rows) > MAX_ROWS else None,
        groups=list(log_rows.KINDS),
        chosen=chosen,
        day=day if until_day else "",
        newest=log.newest,
        first=before_id is None and until_day is None,
        files=(await page.state.admin.daily_logs())[:MAX_DAY_FILES],
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
    return StreamingResponse(_follow(request, page, kinds, last), headers=headers, media_type="text/event-stream")


async def _follow(request: Request, page: PageContext, kinds: Collection[str], last: int) -> AsyncGenerator[bytes]:
    yield b"retry: 2000\n\n"
    async for last_id, events in follow(page.state, last, request.state.is_current):
        matching = [event for event in events if not kinds or event.kind in kinds]
        for row in log_rows.rows(await page.state.admin.describe_events(matching), page.guild_names):
            lines = page.render_fragment("log_row.html", row=row, names={}).splitlines()
            data = "".join(f"data: {line}\n" for line in lines if line.strip())
            yield f"id: {row.event.id}\nevent: row\n{data}\n".encode("utf-8", "replace")
        yield f"id: {last_id}\n: still here\n\n".encode()


@router.get("/journal/day")
async def day_file(request: Request, page: PageDep, day: Text) -> HTMLResponse:
    """What people said on one day, from its daily log."""
    entries = await page.state.admin.daily_log(day)
    if entries is None:
        raise HTTPException(404, "there is no journal of that day; the setting mirror.files says which files are kept")
    return page.render(request, "day.html", day=day, entries=entries)
