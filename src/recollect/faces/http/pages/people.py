"""Owners of memories: people, and guilds that have lore."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.faces.http.pages.context import PageContext, PageDep

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50

Text = Annotated[str, Query(max_length=500)]


@router.get("/people")
async def people(request: Request, page: PageDep, part: Text = "", after: Text = "") -> HTMLResponse:
    return await _render_owners(request, page, part.strip(), after)


async def guilds(request: Request, page: PageContext, part: str, after: str) -> HTMLResponse:
    """The lore page while no guild is chosen."""
    return await _render_owners(request, page, part, after, lore=True)


async def _render_owners(
    request: Request, page: PageContext, part: str, after: str, *, lore: bool = False
) -> HTMLResponse:
    owners = await page.state.admin.owner_page(part.strip(), after, PAGE_SIZE, lore=lore)
    return page.render(
        request,
        "people.html",
        part="people_list.html",
        filter=part,
        holders=owners.owners,
        more=owners.after,
        lore=lore,
    )
