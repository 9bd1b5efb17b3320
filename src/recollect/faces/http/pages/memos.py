"""The memos of a person, or the lore of a guild: listing, filtering and changing them."""

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from recollect.admin.names import NameMatch
from recollect.core.changes import Skip
from recollect.core.errors import BadInput, VersionConflict
from recollect.core.outcomes import AlreadyActive, CannotUndo, Redone, Refused, Restored, Undoable, Undone
from recollect.core.text import MAX_MEMO_CHARS
from recollect.core.types import EVERYWHERE, Audience, Kind, Status, Subject
from recollect.faces import outcome_text
from recollect.faces.http.pages import log_rows
from recollect.faces.http.pages.context import (
    PageContext,
    PageDep,
    after,
    as_number,
    find_subject,
    local_path,
    seen_version,
)
from recollect.faces.http.pages.format import memo_url, memos_url, url
from recollect.faces.http.pages.people import guilds

router = APIRouter(include_in_schema=False)

PAGE_SIZE = 25

Text = Annotated[str, Query(max_length=500)]
Field = Annotated[str, Form(max_length=MAX_MEMO_CHARS * 2)]
Name = Annotated[str, Form(max_length=2_000)]
Versions = Annotated[list[str], Form(max_length=100)]
STATUSES = {
    "active": [Status.ACTIVE],
    "retired": [status for status in Status if status not in (Status.ACTIVE, Status.PENDING)],
    "all": [],
}
"""Choices of the status filter."""


@dataclass(frozen=True, slots=True)
class Filter:
    part: str
    kind: str
    status: str
    offset: int

    def query(self, offset: int) -> dict[str, object]:
        status = self.status if self.status != "active" else ""
        return {"part": self.part, "kind": self.kind, "status": status, "offset": offset or ""}


@router.get("/people/memos")
async def memos(
    request: Request,
    page: PageDep,
    user: Text,
    part: Text = "",
    kind: Text = "",
    status: Text = "active",
    offset: Text = "",
) -> Response:
    match = await page.state.admin.match_name(user) if user else None
    if match and match.matches:
        return RedirectResponse(url("/people", part=user), 303)
    if match and match.id != user:
        filters = _filter(part, kind, status, offset)
        return RedirectResponse(memos_url(Subject(match.id), **filters.query(filters.offset)), 303)
    return await render_list(
        request, page, await find_subject(page, user=user), _filter(part, kind, status, offset), match=match
    )


@router.get("/lore")
async def lore(
    request: Request,
    page: PageDep,
    guild: Text = "",
    part: Text = "",
    kind: Text = "",
    status: Text = "active",
    offset: Text = "",
) -> HTMLResponse:
    if not guild:
        return await guilds(request, page, part, request.query_params.get("after", ""))
    return await render_list(request, page, await find_subject(page, guild=guild), _filter(part, kind, status, offset))


def _filter(part: str, kind: str, status: str, offset: str) -> Filter:
    kind_or_any = kind if kind in set(Kind) else ""
    return Filter(part.strip(), kind_or_any, status if status in STATUSES else "active", as_number(offset) or 0)


async def render_list(
    request: Request,
    page: PageContext,
    subject: Subject,
    filter: Filter,
    problem: str = "",
    draft: str = "",
    match: NameMatch | None = None,
) -> HTMLResponse:
    kinds = [Kind(filter.kind)] if filter.kind else []
    listing = await page.state.admin.memos(
        subject, filter.part, STATUSES[filter.status], kinds, PAGE_SIZE, filter.offset
    )
    last = await last_change(page, subject)
    profile = await page.state.admin.profile(subject, {*(memo.source.actor for memo in listing.memos), last.actor})
    return page.render(
        request,
        "memos.html",
        422 if problem else 200,
        part="memos_list.html",
        subject=subject,
        match=match,
        name=profile.name,
        names=profile.names,
        paused=profile.paused,
        contradicting=len(await page.state.admin.contradictions(subject)),
        last=last,
        filter=filter,
        listing=listing,
        page_size=PAGE_SIZE,
        kinds=[kind.value for kind in Kind],
        problem=problem,
        draft=draft,
    )


@dataclass(frozen=True, slots=True)
class LastChange:
    """The change that an undo would revert, or why it can't."""

    offer: Undoable | None
    refused: str
    undone: Sequence[log_rows.Row]
    """What an undo has just reverted, as long as nothing has happened since."""

    @property
    def actor(self) -> str:
        return self.offer.actor if self.offer else ""

    def concerns(self, memo_id: str) -> bool:
        return self.offer is not None and concerns(self.offer, memo_id)


def concerns(offer: Undoable, memo_id: str) -> bool:
    return any(reversal.before.id == memo_id for reversal in offer.reversals)


async def last_change(page: PageContext, subject: Subject) -> LastChange:
    last = await page.state.admin.last_change(subject)
    rows = log_rows.rows(last.undone)
    if isinstance(last.offer, CannotUndo):
        return LastChange(None, last.offer.text, rows)
    return LastChange(last.offer, "", rows)


async def redirect_after_change(page: PageContext, subject: Subject, memo_id: str, back: str, done: str) -> Response:
    """Redirect back to where a memo was changed, with an undo button unless something else has happened since."""
    offer = await page.state.admin.undoable(subject)
    change: int | None = None
    if isinstance(offer, Undoable) and offer.actor == page.state.admin.name and concerns(offer, memo_id):
        change = offer.change
    return after(local_path(back, memos_url(subject)), done, change)


@router.post("/memos/add")
async def add(
    request: Request,
    page: PageDep,
    user: Name = "",
    guild: Name = "",
    text: Field = "",
    kind: Name = "",
    heard: Name = "",
    pinned: Name = "",
) -> Response:
    subject = await find_subject(page, user, guild, changes=True)
    audience = None if subject.is_lore else {"dm": Audience("dm", subject.id), "everywhere": EVERYWHERE}.get(heard)
    chosen_kind = kind if kind in set(Kind) else None
    try:
        outcome = await page.state.admin.add(subject, text, chosen_kind, audience=audience, pinned=bool(pinned))
    except BadInput as error:
        return await render_list(request, page, subject, _filter("", "", "active", ""), str(error), text)
    if isinstance(outcome, Refused):
        refusal = f"{outcome_text.render_refused(outcome)}."
        return await render_list(request, page, subject, _filter("", "", "active", ""), refusal, text)
    is_known = all(isinstance(change, Skip) for change in outcome.changes)
    if is_known:
        return after(memos_url(subject), "known")
    return await redirect_after_change(page, subject, outcome.memo.id, memos_url(subject), "added")


@dataclass(frozen=True, slots=True)
class ChosenMemo:
    """The memo that a form changes, as the page showed it."""

    subject: Subject
    id: str
    version: int | None
    back: str


async def choose_memo(
    page: PageDep,
    memo: Name,
    user: Name = "",
    guild: Name = "",
    back: Name = "",
    version: Versions = [],  # noqa: B006 - FastAPI copies it
) -> ChosenMemo:
    subject = await find_subject(page, user, guild, changes=True)
    return ChosenMemo(subject, memo, seen_version(version, memo), back)


Chosen = Annotated[ChosenMemo, Depends(choose_memo)]


@router.post("/memos/pin")
async def pin(page: PageDep, memo: Chosen) -> Response:
    change = page.state.admin.pin(memo.subject, memo.id, version=memo.version)
    return await _redirect_unless_outdated(page, memo, change, "pinned")


@router.post("/memos/unpin")
async def unpin(page: PageDep, memo: Chosen) -> Response:
    change = page.state.admin.pin(memo.subject, memo.id, False, memo.version)
    return await _redirect_unless_outdated(page, memo, change, "unpinned")


@router.post("/memos/retire")
async def retire(page: PageDep, memo: Chosen) -> Response:
    change = page.state.admin.retire(memo.subject, memo.id, memo.version)
    return await _redirect_unless_outdated(page, memo, change, "retired")


async def _redirect_unless_outdated(
    page: PageContext, memo: ChosenMemo, change: Coroutine[None, None, object], done: str
) -> Response:
    try:
        await change
    except VersionConflict:
        return after(memo_url(memo.subject, memo.id), "outdated")
    return await redirect_after_change(page, memo.subject, memo.id, memo.back, done)


@router.post("/memos/restore")
async def restore(page: PageDep, memo: Chosen) -> Response:
    """Bring a retired memo back, whatever happened since."""
    try:
        outcome = await page.state.admin.restore(memo.subject, memo.id, memo.version)
    except VersionConflict:
        return after(memo_url(memo.subject, memo.id), "outdated")
    if isinstance(outcome, Restored):
        done = "replacing" if outcome.replaced or outcome.archived else "restored"
        return await redirect_after_change(page, memo.subject, memo.id, memo.back, done)
    done = "active" if isinstance(outcome, AlreadyActive) else "unsupported"
    return after(local_path(memo.back, memos_url(memo.subject)), done)


@router.post("/memos/redo")
async def redo(page: PageDep, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    """Take back the undo that the page has just reported."""
    subject = await find_subject(page, user, guild, changes=True)
    outcome = await page.state.admin.redo(subject)
    return after(local_path(back, memos_url(subject)), "redone" if isinstance(outcome, Redone) else "not_redone")


@router.post("/memos/undo")
async def undo(page: PageDep, change: Name, user: Name = "", guild: Name = "", back: Name = "") -> Response:
    """Undo the change that the page showed, if its memos were not changed since."""
    subject = await find_subject(page, user, guild, changes=True)
    outcome = await page.state.admin.undo(subject, as_number(change) or 0)
    return after(local_path(back, memos_url(subject)), "undone" if isinstance(outcome, Undone) else "meanwhile")
