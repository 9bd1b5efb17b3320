"""The memos of a person, or the lore of a guild: listed, filtered as you type, and changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from recollect.admin.names import NameMatch, called, named
from recollect.core.changes import Skip
from recollect.core.errors import BadInput
from recollect.core.outcomes import CannotUndo, Undoable, Undone
from recollect.core.ports import Tx
from recollect.core.text import MAX_MEMO_CHARS
from recollect.core.types import EVERYWHERE, Audience, Kind, Status, Subject
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import At, PageContext, after, as_number, own, whom
from recollect.faces.http.pages.format import memos_url, url
from recollect.faces.http.pages.people import guilds
from recollect.learning.consent import is_paused
from recollect.memory import AsyncMemory

router = APIRouter(include_in_schema=False)

SHOWN = 25
CHANGES = ("memo.added", "memo.revised", "memo.retired", "memo.undone")

Text = Annotated[str, Query(max_length=500)]
Field = Annotated[str, Form(max_length=MAX_MEMO_CHARS * 2)]
Name = Annotated[str, Form(max_length=2_000)]
STATUSES = {
    "active": [Status.ACTIVE],
    "retired": [status for status in Status if status is not Status.ACTIVE],
    "all": [],
}
"""What the list may be narrowed to."""


@dataclass(frozen=True, slots=True)
class Filter:
    part: str
    kind: str
    status: str
    offset: int

    def query(self, offset: int) -> dict[str, object]:
        chosen = self.status if self.status != "active" else ""
        return {"part": self.part, "kind": self.kind, "status": chosen, "offset": offset or ""}


@router.get("/people/memos")
async def memos(
    request: Request, desk: At, user: Text, part: Text = "", kind: Text = "", status: Text = "active", offset: Text = ""
) -> Response:
    meant = await desk.house.office.meant(user) if user else None
    if meant and meant.several:
        return RedirectResponse(url("/people", part=user), 303)
    if meant and meant.id != user:
        return RedirectResponse(memos_url(Subject(meant.id)), 303)
    return await listed(request, desk, whom(user=user), _filter(part, kind, status, offset), meant=meant)


@router.get("/lore")
async def lore(
    request: Request,
    desk: At,
    guild: Text = "",
    part: Text = "",
    kind: Text = "",
    status: Text = "active",
    offset: Text = "",
) -> HTMLResponse:
    if not guild:
        return await guilds(request, desk, part, request.query_params.get("after", ""))
    return await listed(request, desk, whom(guild=guild), _filter(part, kind, status, offset))


def _filter(part: str, kind: str, status: str, offset: str) -> Filter:
    known = kind if kind in set(Kind) else ""
    return Filter(part.strip(), known, status if status in STATUSES else "active", as_number(offset) or 0)


async def listed(
    request: Request,
    desk: PageContext,
    subject: Subject,
    asked: Filter,
    problem: str = "",
    draft: str = "",
    meant: NameMatch | None = None,
) -> HTMLResponse:
    kinds = [Kind(asked.kind)] if asked.kind else []
    found = await desk.house.office.memos(subject, asked.part, STATUSES[asked.status], kinds, SHOWN, asked.offset)
    last = await last_change(desk, subject)

    def look(tx: Tx) -> tuple[str, bool, dict[str, str]]:
        paused = not subject.is_lore and is_paused(tx, subject.id)
        names = named(tx, {*(memo.source.actor for memo in found.memos), last.actor})
        return called(tx, subject), paused, names

    name, paused, names = await desk.house.memory.store.read(look)
    return desk.page(
        request,
        "memos.html",
        422 if problem else 200,
        part="memos_list.html",
        subject=subject,
        meant=meant,
        name=name,
        named=names,
        paused=paused,
        last=last,
        asked=asked,
        found=found,
        shown=SHOWN,
        kinds=[kind.value for kind in Kind],
        problem=problem,
        draft=draft,
    )


@dataclass(frozen=True, slots=True)
class Last:
    """The change that an undo would take back, or why it can't be."""

    offer: Undoable | None
    refused: str
    undone: Sequence[log_rows.Row]
    """What an undo has just taken back, as long as nothing has happened since."""

    @property
    def actor(self) -> str:
        return self.offer.actor if self.offer else ""

    def concerns(self, memo_id: str) -> bool:
        return self.offer is not None and any(one.before.id == memo_id for one in self.offer.reversals)


async def last_change(desk: PageContext, subject: Subject) -> Last:
    offer, events = await desk.house.office.undoable(subject), await desk.house.office.events(CHANGES, subject.scope)
    undone = list(takewhile(lambda event: event.data.get("undoes") == events[0].data.get("undoes", ""), events))
    rows = await desk.house.memory.store.read(lambda tx: log_rows.rows(tx, undone))
    if isinstance(offer, CannotUndo):
        return Last(None, offer.reason, rows)
    return Last(offer, "", rows)


async def changed(desk: PageContext, subject: Subject, memo_id: str, back: str, done: str) -> Response:
    """Back to where a memo was changed, with a way to take that back unless something else has happened since."""
    last = await last_change(desk, subject)
    is_ours = last.concerns(memo_id) and last.actor == desk.house.office.name
    return after(own(back, memos_url(subject)), done, last.offer.change if last.offer and is_ours else None)


@router.post("/memos/add")
async def add(
    request: Request,
    desk: At,
    user: Name = "",
    guild: Name = "",
    text: Field = "",
    kind: Name = "",
    heard: Name = "",
    pinned: Name = "",
) -> Response:
    subject = whom(user, guild)
    audience = None if subject.is_lore else {"dm": Audience("dm", subject.id), "everywhere": EVERYWHERE}.get(heard)
    chosen = kind if kind in set(Kind) else None
    try:
        done = await desk.house.office.add(subject, text, chosen, audience=audience, pinned=bool(pinned))
    except BadInput as error:
        return await listed(request, desk, subject, _filter("", "", "active", ""), str(error), text)
    _nudge(desk.house.memory)
    known = all(isinstance(change, Skip) for change in done.changes)
    if known:
        return after(memos_url(subject), "known")
    return await changed(desk, subject, done.memo.id, memos_url(subject), "added")


@router.post("/memos/pin")
async def pin(desk: At, memo: Name, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    subject = whom(user, guild)
    await desk.house.office.pin(subject, memo)
    return await changed(desk, subject, memo, back, "pinned")


@router.post("/memos/unpin")
async def unpin(desk: At, memo: Name, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    subject = whom(user, guild)
    await desk.house.office.pin(subject, memo, False)
    return await changed(desk, subject, memo, back, "unpinned")


@router.post("/memos/retire")
async def retire(desk: At, memo: Name, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    subject = whom(user, guild)
    await desk.house.office.retire(subject, memo)
    return await changed(desk, subject, memo, back, "retired")


@router.post("/memos/undo")
async def undo(desk: At, change: Name, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    """Take back the last change, if it is still the one that was looked at."""
    subject = whom(user, guild)
    done = await desk.house.office.undo(subject, as_number(change) or 0)
    return after(own(back, memos_url(subject)), "undone" if isinstance(done, Undone) else "meanwhile")


def _nudge(memory: AsyncMemory) -> None:
    memory.vectors.wake()
