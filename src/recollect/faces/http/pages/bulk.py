"""Changes of several memos at once, and memos that contradict each other, side by side."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.admin.bulk import MAX_AT_ONCE, BulkOutcome
from recollect.core.errors import BadInput, VersionConflict
from recollect.core.types import EVERYWHERE, Audience, AudienceLevel, Subject
from recollect.faces.http.pages.context import PageContext, PageDep, after, find_subject, local_path, seen_versions
from recollect.faces.http.pages.format import memos_url, subject_query, url
from recollect.faces.http.pages.memos import Name, Versions, redirect_after_change

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=2_000)]
Ids = Annotated[list[str], Form(max_length=MAX_AT_ONCE)]
DONE = {"forget": "forgotten", "restore": "restored_many", "share": "shared", "tag": "tagged"}
"""What can be done with several memos, and the notice that says so."""


@router.post("/memos/bulk")
async def change_several(
    page: PageDep,
    action: Name,
    pick: Ids = [],  # noqa: B006 - FastAPI copies it
    user: Name = "",
    guild: Name = "",
    heard: Name = "",
    tags: Name = "",
    back: Name = "",
    version: Versions = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    subject = await find_subject(page, user, guild, changes=True)
    target = local_path(back, memos_url(subject))
    try:
        outcome = await _change(page, subject, action, pick, heard, tags, seen_versions(version))
    except VersionConflict:
        return after(target, "outdated")
    if not outcome.changed:
        return await redirect_after_change(page, subject, "", target, "nothing")
    done = "some" if outcome.skipped else DONE[action]
    return await redirect_after_change(page, subject, outcome.changed[0], target, done)


async def _change(
    page: PageContext,
    subject: Subject,
    action: str,
    memo_ids: list[str],
    heard: str,
    tags: str,
    versions: dict[str, int],
) -> BulkOutcome:
    admin = page.state.admin
    match action:
        case "forget":
            return await admin.retire_many(subject, memo_ids, versions)
        case "restore":
            return await admin.restore_many(subject, memo_ids, versions)
        case "share":
            audience = EVERYWHERE if heard == "everywhere" else Audience(AudienceLevel.DM, subject.id)
            return await admin.share_many(subject, memo_ids, audience, versions)
        case "tag":
            return await admin.tag_many(subject, memo_ids, tags.split(","), versions)
        case _:
            raise BadInput("choose what to do with the ticked memories")


@router.get("/contradictions")
async def contradictions(request: Request, page: PageDep, user: Text = "", guild: Text = "") -> HTMLResponse:
    subject = await find_subject(page, user, guild)
    profile = await page.state.admin.profile(subject)
    pairs = await page.state.admin.contradictions(subject)
    return page.render(request, "contradictions.html", subject=subject, name=profile.name, pairs=pairs)


@router.post("/contradictions")
async def settle_contradiction(
    page: PageDep,
    keep: Name,
    other: Name,
    user: Name = "",
    guild: Name = "",
    version: Versions = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """One of two memos is true: the other gives way to it."""
    subject = await find_subject(page, user, guild, changes=True)
    target = url("/contradictions", **subject_query(subject))
    try:
        await page.state.admin.merge(subject, keep, [other], versions=seen_versions(version))
    except VersionConflict:
        return after(target, "outdated")
    return await redirect_after_change(page, subject, other, target, "settled")
