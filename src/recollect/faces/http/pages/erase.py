"""All that is known of a person or a guild: handed out, or taken out for good with a receipt."""

import json
import re
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from recollect.admin.names import Names, require_one
from recollect.faces.http.pages.context import At, PageContext
from recollect.faces.http.pages.format import url
from recollect.privacy.export import encoded
from recollect.privacy.receipt import from_receipt, to_receipt
from recollect.privacy.target import ErasureTarget
from recollect.transfer.mirror.export import durable

router = APIRouter(include_in_schema=False)

SORTS = {
    "memos": "memories",
    "messages": "messages",
    "replies": "replies to them",
    "exchanges": "short-term entries",
    "summaries": "summaries",
    "jobs": "jobs",
    "counters": "lists of what waits",
    "unsigned": "lore entries without their author",
    "events": "lines of the log",
    "files": "files, and lines of files",
}

Text = Annotated[str, Query(max_length=2_000)]
Name = Annotated[str, Form(max_length=2_000)]
Sealed = Annotated[str, Query(max_length=20_000)]


@router.get("/erase")
async def survey(request: Request, desk: At, user: Text = "", guild: Text = "") -> HTMLResponse:
    return await _survey(request, desk, user, guild)


async def _survey(request: Request, desk: PageContext, typed: str, guild: str, problem: str = "") -> HTMLResponse:
    meant = await desk.house.office.meant(typed) if typed else None
    user = meant.id if meant else ""
    asks = meant is not None and bool(meant.several)
    target = ErasureTarget(user or None, guild or None) if (user or guild) and not asks else None
    called = await desk.house.memory.store.read(lambda tx: Names(tx)(user)) if user else ""
    found = await desk.house.memory.privacy.preview(target) if target else None
    return desk.page(
        request,
        "erase.html",
        422 if problem else 200,
        user=user,
        typed=typed,
        meant=meant,
        called=called,
        guild=guild,
        target=target,
        survey=found,
        sorts=SORTS,
        name=user or guild,
        problem=problem,
    )


@router.post("/erase")
async def erase(request: Request, desk: At, user: Name = "", guild: Name = "", typed: Name = "") -> Response:
    target = ErasureTarget(user or None, guild or None)
    if typed != (user or guild):
        told = "Nothing was erased: the name that you typed is not the one above."
        return await _survey(request, desk, user, guild, told)
    receipt = await desk.house.memory.privacy.erase(target, asked_by=desk.house.office.name)
    sealed = desk.house.sessions.sign(json.dumps(from_receipt(receipt)).encode())
    return RedirectResponse(url("/erase/receipt", of=sealed), 303)


@router.get("/erase/receipt")
async def receipt(request: Request, desk: At, of: Sealed) -> HTMLResponse:
    return desk.page(request, "receipt.html", receipt=to_receipt(_unsealed(desk, of)), of=of, sorts=SORTS)


@router.get("/erase/receipt.json")
async def receipt_file(desk: At, of: Sealed) -> Response:
    data = json.dumps(_unsealed(desk, of), ensure_ascii=False, indent=2) + "\n"
    return _file(data.encode("utf-8", "replace"), "receipt.json")


def _unsealed(desk: PageContext, of: str) -> dict[str, Any]:
    """The receipt that this address carries: it is kept nowhere else."""
    found = desk.house.sessions.verify(of)
    if found is None:
        raise HTTPException(404, "there is no such receipt; the journal has the counts of each, under 'Erased'")
    return json.loads(found)


@router.get("/export")
async def export(desk: At, user: Text = "", guild: Text = "", form: Text = "json") -> Response:
    privacy = desk.house.memory.privacy
    if user:
        meant = await desk.house.office.meant(user)
        if not meant.known and not meant.several:
            raise HTTPException(404, f"nobody is known by the id or name {user}")
        user = require_one(meant)
    target = ErasureTarget(user or None, guild or None)
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", user or guild)[:60]
    if form == "durable":
        return _file(durable(await privacy.memos(target)), f"durable-{name}.json")
    return _file(encoded(await privacy.export(target)), f"recollect-{name}.json")


def _file(data: bytes, name: str) -> Response:
    return Response(
        data, media_type="application/json", headers={"content-disposition": f'attachment; filename="{name}"'}
    )
