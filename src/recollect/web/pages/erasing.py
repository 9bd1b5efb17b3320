"""All that is known of a person or a guild: handed out, or taken out for good with a receipt."""

import json
import re
import secrets
from collections import OrderedDict
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from recollect.files.exporting import durable
from recollect.privacy import Receipt, Target, encoded, from_receipt
from recollect.web.pages.desk import At, Desk
from recollect.web.pages.words import url

router = APIRouter(include_in_schema=False)

KEPT = 50
"""Receipts that can still be shown; they hold counts alone, and are gone when the process ends."""
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


class Receipts:
    """The last receipts, each under a name that can't be guessed."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Receipt] = OrderedDict()

    def keep(self, receipt: Receipt) -> str:
        name = secrets.token_urlsafe(16)
        self._kept[name] = receipt
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> Receipt:
        if name not in self._kept:
            raise HTTPException(404, "that receipt is no longer here; the journal has its counts, under 'Erased'")
        return self._kept[name]


@router.get("/erase")
async def survey(request: Request, desk: At, user: Text = "", guild: Text = "") -> HTMLResponse:
    return await _survey(request, desk, user, guild)


async def _survey(request: Request, desk: Desk, user: str, guild: str, problem: str = "") -> HTMLResponse:
    target = Target(user or None, guild or None) if user or guild else None
    found = await desk.house.memory.privacy.survey(target) if target else None
    return desk.page(
        request,
        "erase.html",
        422 if problem else 200,
        user=user,
        guild=guild,
        target=target,
        survey=found,
        sorts=SORTS,
        name=user or guild,
        problem=problem,
    )


@router.post("/erase")
async def erase(request: Request, desk: At, user: Name = "", guild: Name = "", typed: Name = "") -> Response:
    target = Target(user or None, guild or None)
    if typed != (user or guild):
        told = "Nothing was erased: the name that you typed is not the one above."
        return await _survey(request, desk, user, guild, told)
    receipt = await desk.house.memory.privacy.erase(target, asked_by=desk.house.office.name)
    name = _receipts(request).keep(receipt)
    return RedirectResponse(url("/erase/receipt", id=name), 303)


@router.get("/erase/receipt")
async def receipt(request: Request, desk: At, id: Text) -> HTMLResponse:
    return desk.page(request, "receipt.html", receipt=_receipts(request).get(id), id=id, sorts=SORTS)


@router.get("/erase/receipt.json")
async def receipt_file(request: Request, id: Text) -> Response:
    found = from_receipt(_receipts(request).get(id))
    data = (json.dumps(found, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
    return _file(data, f"receipt-{id[:8]}.json")


@router.get("/export")
async def export(desk: At, user: Text = "", guild: Text = "", form: Text = "json") -> Response:
    target, privacy = Target(user or None, guild or None), desk.house.memory.privacy
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", user or guild)[:60]
    if form == "durable":
        return _file(durable(await privacy.memos(target)), f"durable-{name}.json")
    return _file(encoded(await privacy.export(target)), f"recollect-{name}.json")


def _file(data: bytes, name: str) -> Response:
    return Response(
        data, media_type="application/json", headers={"content-disposition": f'attachment; filename="{name}"'}
    )


def _receipts(request: Request) -> Receipts:
    return request.app.state.receipts
