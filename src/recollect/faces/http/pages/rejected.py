"""What the guards kept out of memory, and why."""

from collections import Counter
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.overview import REFUSED
from recollect.core.ports import Tx
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import At, as_number

router = APIRouter(include_in_schema=False)

LOOKED = 1_000
"""Newest refusals that are counted by reason."""
SHOWN = 50

Text = Annotated[str, Query(max_length=500)]


@router.get("/refused")
async def refused(request: Request, desk: At, reason: Text = "", before: Text = "") -> HTMLResponse:
    start = as_number(before)

    def look(tx: Tx) -> tuple[Counter[str], list[log_rows.Row], int]:
        newest = tx.events.list(kinds=[REFUSED], limit=LOOKED)
        events = newest if start is None else tx.events.list(kinds=[REFUSED], limit=LOOKED, before=start)
        wanted = [event for event in events if reason in ("", event.reason)]
        counted = tx.events.counts().get(REFUSED)
        return (
            Counter(event.reason for event in newest),
            log_rows.rows(tx, wanted[: SHOWN + 1]),
            counted[0] if counted else 0,
        )

    reasons, rows, total = await desk.house.memory.store.read(look)
    return desk.page(
        request,
        "rejected.html",
        reasons=reasons.most_common(),
        most=max(reasons.values(), default=1),
        rows=rows[:SHOWN],
        more=rows[SHOWN - 1].event.id if len(rows) > SHOWN else None,
        reason=reason,
        total=total,
        looked=LOOKED,
    )
