"""Owners of memories: people, and guilds that have lore."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.admin.names import display_name
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Subject
from recollect.faces.http.pages.context import PageContext, PageDep
from recollect.learning.consent import is_paused

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50
MAX_NAMES_SEARCHED = 300
"""People whose names are searched."""

Text = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True, slots=True)
class Holder:
    subject: Subject
    memos: int
    name: str
    paused: bool


@router.get("/people")
async def people(request: Request, page: PageDep, part: Text = "", after: Text = "") -> HTMLResponse:
    part = part.strip()
    owners = list(await page.state.admin.people(part, after, PAGE_SIZE + 1))
    if part and not after and len(owners) <= PAGE_SIZE:
        owners += [owner for owner in await _find_by_name(page, part) if owner not in owners]
    return await _render_owners(request, page, owners, part)


async def _find_by_name(page: PageContext, part: str) -> list[tuple[Subject, int]]:
    """People whose name contains this, among the first MAX_NAMES_SEARCHED."""
    folded = fold(part)

    def read(tx: Tx) -> list[tuple[Subject, int]]:
        owners = tx.memos.owners(limit=MAX_NAMES_SEARCHED)
        return [owner for owner in owners if folded in fold(display_name(tx, owner[0]))][:PAGE_SIZE]

    return await page.state.memory.store.read(read)


async def guilds(request: Request, page: PageContext, part: str, after: str) -> HTMLResponse:
    """The lore page while no guild is chosen."""
    owners = await page.state.admin.guilds(part.strip(), after, PAGE_SIZE + 1)
    return await _render_owners(request, page, owners, part)


async def _render_owners(
    request: Request, page: PageContext, owners: Sequence[tuple[Subject, int]], part: str
) -> HTMLResponse:
    visible = owners[:PAGE_SIZE]
    holders = await page.state.memory.store.read(lambda tx: [_holder(tx, subject, count) for subject, count in visible])
    more = visible[-1][0].scope if len(owners) > PAGE_SIZE else ""
    return page.render(
        request,
        "people.html",
        part="people_list.html",
        filter=part,
        holders=holders,
        more=more,
        lore=request.url.path == "/lore",
    )


def _holder(tx: Tx, subject: Subject, count: int) -> Holder:
    return Holder(subject, count, display_name(tx, subject), not subject.is_lore and is_paused(tx, subject.id))
