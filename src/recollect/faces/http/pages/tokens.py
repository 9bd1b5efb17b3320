"""Access tokens, over the same table as the command line: create, rotate and revoke; each secret is shown once."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from recollect.faces.http.auth import Role
from recollect.faces.http.pages import system
from recollect.faces.http.pages.context import PageDep, after, as_number

router = APIRouter(include_in_schema=False)

MAX_DAYS = 3_650
ROLES = (Role.OPERATOR, Role.READER, Role.METRICS)
"""A user's token is bound to a person and a place: the command line makes those."""

Field = Annotated[str, Form(max_length=500)]


@router.post("/system/tokens")
async def create(request: Request, page: PageDep, role: Field, label: Field = "", days: Field = "") -> HTMLResponse:
    chosen = next((known for known in ROLES if known.value == role), None)
    if chosen is None:
        raise HTTPException(422, "choose a role for the token")
    lifetime = as_number(days)
    if days.strip() and not (lifetime and lifetime <= MAX_DAYS):
        raise HTTPException(422, f"a token lasts for 1 to {MAX_DAYS} days, or has no end if that is left empty")
    issued = await page.state.admin.tokens.create(
        chosen, label, lifetime=None if lifetime is None else timedelta(days=lifetime)
    )
    return await system.render_system(request, page, issued=issued)


@router.post("/system/tokens/rotate")
async def rotate(request: Request, page: PageDep, token: Field) -> HTMLResponse:
    issued = await page.state.admin.tokens.rotate(token)
    if issued is None:
        raise HTTPException(404, "there is no such token any more")
    return await system.render_system(request, page, issued=issued)


@router.post("/system/tokens/revoke")
async def revoke(page: PageDep, token: Field) -> Response:
    if await page.state.admin.tokens.revoke(token) is None:
        raise HTTPException(404, "there is no such token any more")
    return after("/system", "revoked")
