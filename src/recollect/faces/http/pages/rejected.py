"""Proposals that the guards rejected, and why."""

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.overview import REFUSED_KIND
from recollect.core.ports import Tx
from recollect.core.reasons import decode_reason
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import PageDep, as_number

router = APIRouter(include_in_schema=False)

MAX_COUNTED = 1_000
"""Newest rejections that are counted by reason."""
PAGE_SIZE = 50

Text = Annotated[str, Query(max_length=500)]


@router.get("/refused")
async def refused(request: Request, page: PageDep, reason: Text = "", before: Text = "") -> HTMLResponse:
    before_id, wanted = as_number(before), decode_reason(reason)

    def read(tx: Tx) -> tuple[Counter[str], list[log_rows.Row], int]:
        newest = tx.events.list(kinds=[REFUSED_KIND], limit=MAX_COUNTED)
        events = (
            newest if before_id is None else tx.events.list(kinds=[REFUSED_KIND], limit=MAX_COUNTED, before=before_id)
        )
        matching = [event for event in events if not reason or (event.reason, event.detail) == wanted]
        count = tx.events.counts().get(REFUSED_KIND)
        return (
            Counter(event.text for event in newest),
            log_rows.rows(tx, matching[: PAGE_SIZE + 1]),
            count[0] if count else 0,
        )

    reasons, rows, total = await page.state.memory.store.read(read)
    return page.render(
        request,
        "rejected.html",
        reasons=reasons.most_common(),
        max_count=max(reasons.values(), default=1),
        rows=rows[:PAGE_SIZE],
        more=rows[PAGE_SIZE - 1].event.id if len(rows) > PAGE_SIZE else None,
        reason=reason,
        total=total,
        max_counted=MAX_COUNTED,
    )
