"""Who has memories: people, and guilds that have lore."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.names import called
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Subject
from recollect.faces.http.pages.context import At, PageContext
from recollect.learning.consent import is_paused

router = APIRouter(include_in_schema=False)

SHOWN = 50
NAMED = 300
"""People whose names are looked through."""

Text = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, slots=True)
class Holder:
    subject: Subject
    memos: int
    name: str
    paused: bool


@router.get("/people")
async def people(request: Request, desk: At, part: Text = "", after: Text = "") -> HTMLResponse:
    part = part.strip()
    found = list(await desk.house.office.people(part, after, SHOWN + 1))
    if part and not after and len(found) <= SHOWN:
        found += [one for one in await _called(desk, part) if one not in found]
    return await _listed(request, desk, found, part)


async def _called(desk: PageContext, part: str) -> list[tuple[Subject, int]]:
    """People whose name contains this, among as many as are looked at quickly."""
    wanted = fold(part)

    def look(tx: Tx) -> list[tuple[Subject, int]]:
        return [one for one in tx.memos.owners(limit=NAMED) if wanted in fold(called(tx, one[0]))][:SHOWN]

    return await desk.house.memory.store.read(look)


async def guilds(request: Request, desk: PageContext, part: str, after: str) -> HTMLResponse:
    """The page of lore, as long as no guild is chosen."""
    found = await desk.house.office.guilds(part.strip(), after, SHOWN + 1)
    return await _listed(request, desk, found, part)


async def _listed(request: Request, desk: PageContext, found: Sequence[tuple[Subject, int]], part: str) -> HTMLResponse:
    here = found[:SHOWN]
    holders = await desk.house.memory.store.read(lambda tx: [_holder(tx, subject, count) for subject, count in here])
    more = here[-1][0].scope if len(found) > SHOWN else ""
    return desk.page(
        request,
        "people.html",
        part="people_list.html",
        asked=part,
        holders=holders,
        more=more,
        lore=request.url.path == "/lore",
    )


def _holder(tx: Tx, subject: Subject, count: int) -> Holder:
    return Holder(subject, count, called(tx, subject), not subject.is_lore and is_paused(tx, subject.id))
