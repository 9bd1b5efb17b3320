"""Export and erasure of everything about a person or a guild."""

import json
import re
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from recollect.admin.erasures import NotConfirmed
from recollect.admin.names import require_single
from recollect.core.types import Subject
from recollect.faces.http.pages.context import PageContext, PageDep
from recollect.faces.http.pages.format import url
from recollect.privacy.receipt import receipt_from_json, receipt_to_json
from recollect.privacy.target import ErasureTarget

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=2_000)]
Name = Annotated[str, Form(max_length=2_000)]
SignedReceipt = Annotated[str, Query(max_length=20_000)]


@router.get("/erase")
async def preview(request: Request, page: PageDep, user: Text = "", guild: Text = "") -> HTMLResponse:
    return await _render_preview(request, page, user, guild)


async def _render_preview(
    request: Request, page: PageContext, typed: str, guild: str, problem: str = ""
) -> HTMLResponse:
    match = await page.state.admin.match_name(typed) if typed else None
    user = match.id if match else ""
    is_ambiguous = match is not None and bool(match.matches)
    target = ErasureTarget(user or None, guild or None) if (user or guild) and not is_ambiguous else None
    display_name = (await page.state.admin.profile(Subject(user))).name if user else ""
    preview = await page.state.admin.preview_erasure(target) if target else None
    return page.render(
        request,
        "erase.html",
        422 if problem else 200,
        user=user,
        typed=typed,
        match=match,
        display_name=display_name,
        guild=guild,
        target=target,
        preview=preview,
        name=user or guild,
        problem=problem,
        erasures=await page.state.admin.erasures(),
    )


@router.post("/erase")
async def erase(request: Request, page: PageDep, user: Name = "", guild: Name = "", typed: Name = "") -> Response:
    person = await page.state.admin.resolve(user, changes=True) if user else None
    outcome = await page.state.admin.erase(ErasureTarget(person, guild or None), typed)
    if isinstance(outcome, NotConfirmed):
        problem = "Nothing was erased: the name that you typed is not the one above."
        return await _render_preview(request, page, user, guild, problem)
    signed = page.state.sessions.sign(json.dumps(receipt_to_json(outcome.receipt)).encode())
    return RedirectResponse(url("/erase/receipt", of=signed), 303)


@router.get("/erase/receipt")
async def receipt(request: Request, page: PageDep, of: SignedReceipt) -> HTMLResponse:
    return page.render(
        request,
        "receipt.html",
        receipt=receipt_from_json(_verified_receipt(page, of)),
        of=of,
    )


@router.get("/erase/receipt.json")
async def receipt_file(page: PageDep, of: SignedReceipt) -> Response:
    data = json.dumps(_verified_receipt(page, of), ensure_ascii=False, indent=2) + "\n"
    return _file(data.encode("utf-8", "replace"), "receipt.json")


def _verified_receipt(page: PageContext, of: str) -> dict[str, Any]:
    """The receipt that this URL carries: it is stored nowhere else."""
    data = page.state.sessions.verify(of)
    if data is None:
        raise HTTPException(
            404, "there is no such receipt; the list on the page 'Erase & export' has the counts of each"
        )
    return json.loads(data)


@router.get("/export")
async def export(page: PageDep, user: Text = "", guild: Text = "", form: Text = "json") -> Response:
    admin = page.state.admin
    if user:
        match = await admin.match_name(user)
        if not match.is_known and not match.matches:
            raise HTTPException(404, f"nobody is known by the id or name {user}")
        user = require_single(match)
    target = ErasureTarget(user or None, guild or None)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", user or guild)[:60]
    if form == "durable":
        return _file(await admin.export_durable(target), f"durable-{name}.json")
    return _file(await admin.export(target), f"recollect-{name}.json")


def _file(data: bytes, name: str) -> Response:
    return Response(
        data, media_type="application/json", headers={"content-disposition": f'attachment; filename="{name}"'}
    )
