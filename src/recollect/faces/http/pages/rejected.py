"""Proposals that the guards rejected, and why."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.log import MAX_REFUSALS_COUNTED
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import PageDep, as_number

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50

Text = Annotated[str, Query(max_length=500)]


@router.get("/refused")
async def rejected_page(request: Request, page: PageDep, reason: Text = "", before: Text = "") -> HTMLResponse:
    refusals = await page.state.admin.refusals(reason, as_number(before), PAGE_SIZE + 1)
    rows = log_rows.rows(refusals.entries)
    return page.render(
        request,
        "rejected.html",
        reasons=sorted(refusals.reasons.items(), key=lambda item: -item[1]),
        max_count=max(refusals.reasons.values(), default=1),
        rows=rows[:PAGE_SIZE],
        more=rows[PAGE_SIZE - 1].event.id if len(rows) > PAGE_SIZE else None,
        reason=reason,
        total=refusals.total,
        max_counted=MAX_REFUSALS_COUNTED,
    )
