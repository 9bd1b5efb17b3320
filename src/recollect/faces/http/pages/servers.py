"""Servers: names, channels and lore, and whether learning is paused there."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from recollect.faces.http.pages.context import PageDep

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=500)]


@router.get("/servers")
async def servers(request: Request, page: PageDep, guild: Text = "", part: Text = "") -> HTMLResponse:
    if guild:
        return page.render(request, "server.html", server=await page.state.admin.server(guild))
    servers = await page.state.admin.servers(part)
    return page.render(request, "servers.html", part="servers_list.html", filter=part, servers=servers)
