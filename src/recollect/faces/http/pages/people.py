"""Owners of memories: people, and guilds that have lore; and pausing what is learned from a person."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.faces.http.pages.context import PageContext, PageDep, after, local_path

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 50

Text = Annotated[str, Query(max_length=500)]
Field = Annotated[str, Form(max_length=2_000)]


@router.get("/people")
async def people(
    request: Request, page: PageDep, part: Text = "", start: Annotated[str, Query(alias="after", max_length=500)] = ""
) -> HTMLResponse:
    return await _render_owners(request, page, part.strip(), start)


@router.post("/people/pause")
async def pause(page: PageDep, user: Field, back: Field = "") -> Response:
    await page.state.admin.pause(user)
    return after(local_path(back, "/people"), "paused")


@router.post("/people/resume")
async def resume(page: PageDep, user: Field, back: Field = "") -> Response:
    await page.state.admin.resume(user)
    return after(local_path(back, "/people"), "resumed")


async def guilds(request: Request, page: PageContext, part: str, start: str) -> HTMLResponse:
    """The lore page while no guild is chosen."""
    return await _render_owners(request, page, part, start, lore=True)


async def _render_owners(
    request: Request, page: PageContext, part: str, start: str, *, lore: bool = False
) -> HTMLResponse:
    owners = await page.state.admin.owner_page(part.strip(), start, PAGE_SIZE, lore=lore)
    return page.render(
        request,
        "people.html",
        part="people_list.html",
        filter=part,
        holders=owners.owners,
        more=owners.after,
        lore=lore,
    )
