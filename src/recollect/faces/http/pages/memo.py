"""One memo with its source, audience and history; editing, sharing and merging."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from recollect.core.errors import BadInput, VersionConflict
from recollect.core.types import EVERYWHERE, Audience, Memo, Subject
from recollect.faces.http.pages.context import (
    PageContext,
    PageDep,
    after,
    as_number,
    find_subject,
    seen_versions,
)
from recollect.faces.http.pages.diff import steps
from recollect.faces.http.pages.format import GuildNames, describe_audience, memo_url, memos_url, subject_query, url
from recollect.faces.http.pages.memos import Field, Name, Versions, last_change, redirect_after_change

router = APIRouter(include_in_schema=False)

MIN_MERGED_MEMOS = 2
MAX_MERGED_MEMOS = 20
"""Limits on how many memos are merged at once."""

OUTDATED = 'It was changed since you opened it, and now says: "{}". Your own words are below; save them to replace it.'
OUTDATED_MERGE = 'One of them was changed since you opened this, and now says: "{}". Nothing was done; look again.'

Text = Annotated[str, Query(max_length=2_000)]
MemoIds = Annotated[list[str], Query(max_length=MAX_MERGED_MEMOS)]


@router.get("/memo")
async def memo(request: Request, page: PageDep, id: Text, user: Text = "", guild: Text = "") -> HTMLResponse:
    return await render_memo(request, page, await find_subject(page, user, guild), id)


async def render_memo(
    request: Request,
    page: PageContext,
    subject: Subject,
    memo_id: str,
    problem: str = "",
    draft: str | None = None,
    status: int = 422,
) -> HTMLResponse:
    details = await page.state.admin.memo_details(subject, memo_id)
    actors = {details.memo.source.actor, *(event.actor for event in details.events)}
    profile = await page.state.admin.profile(subject, actors)
    return page.render(
        request,
        "memo.html",
        status if problem else 200,
        subject=subject,
        name=profile.name,
        names=profile.names,
        memo=details.memo,
        message=details.message,
        steps=steps(details.memo, details.events),
        audiences=_audiences(details.memo, page.guild_names),
        last=await last_change(page, subject),
        problem=problem,
        draft=details.memo.text if draft is None else draft,
    )


def _audiences(memo: Memo, guilds: GuildNames) -> dict[str, str]:
    """Audiences that can be chosen for a memo, by the value that a form sends."""
    choices = [memo.audience, EVERYWHERE, Audience("dm", memo.subject.id)]
    if memo.source.heard is not None:
        choices.append(memo.source.heard)
        if memo.source.heard.guild:
            choices.append(Audience("guild", memo.source.heard.guild, memo.source.heard.guild))
    return {str(audience): describe_audience(audience, guilds=guilds) for audience in choices}


@router.post("/memo/revise")
async def revise(
    request: Request,
    page: PageDep,
    memo: Name,
    user: Name = "",
    guild: Name = "",
    text: Field = "",
    tags: Name = "",
    version: Name = "",
) -> Response:
    subject, admin = await find_subject(page, user, guild, changes=True), page.state.admin
    before = (await admin.memo_details(subject, memo)).memo
    new_tags = tuple(dict.fromkeys(filter(None, (tag.strip().lower() for tag in tags.split(",")))))
    try:
        revised = await admin.update(subject, memo, text, new_tags, as_number(version))
    except VersionConflict as error:
        return await render_memo(request, page, subject, memo, OUTDATED.format(error.text), text, 409)
    except BadInput as error:
        if not before.active:
            raise
        return await render_memo(request, page, subject, memo, str(error), text)
    if revised == before:
        return after(memo_url(subject, memo), "unchanged")
    return await redirect_after_change(page, subject, memo, memo_url(subject, memo), "revised")


@router.post("/memo/share")
async def share(
    page: PageDep, memo: Name, audience: Name, user: Name = "", guild: Name = "", version: Name = ""
) -> Response:
    subject, admin = await find_subject(page, user, guild, changes=True), page.state.admin
    before = (await admin.memo_details(subject, memo)).memo
    if audience not in _audiences(before, page.guild_names):
        raise BadInput("that audience can't be chosen for this memory")
    try:
        await admin.share(subject, memo, Audience.parse(audience), as_number(version))
    except VersionConflict:
        return after(memo_url(subject, memo), "outdated")
    return await redirect_after_change(page, subject, memo, memo_url(subject, memo), "shared")


@router.post("/memos/pick")
async def pick(
    page: PageDep,
    pick: Annotated[list[str], Form(max_length=MAX_MERGED_MEMOS)] = [],  # noqa: B006 - FastAPI copies it
    user: Name = "",
    guild: Name = "",
) -> Response:
    """Several memos were selected: show them side by side."""
    return RedirectResponse(url("/merge", **subject_query(await find_subject(page, user, guild)), pick=pick), 303)


@router.get("/merge")
async def choose(
    request: Request,
    page: PageDep,
    pick: MemoIds = [],  # noqa: B006 - FastAPI copies it
    user: Text = "",
    guild: Text = "",
) -> HTMLResponse:
    return await _render_merge(request, page, await find_subject(page, user, guild), pick)


async def _render_merge(
    request: Request,
    page: PageContext,
    subject: Subject,
    picked: list[str],
    problem: str = "",
    draft: str | None = None,
    status: int = 422,
) -> HTMLResponse:
    memos = await page.state.admin.active_memos(subject, picked)
    return page.render(
        request,
        "merge.html",
        status if problem else 200,
        subject=subject,
        name=(await page.state.admin.profile(subject)).name,
        memos=memos,
        enough=len(memos) >= MIN_MERGED_MEMOS,
        problem=problem,
        draft=draft if draft is not None else (memos[0].text if memos else ""),
    )


@router.post("/memos/merge")
async def merge(
    request: Request,
    page: PageDep,
    keep: Name,
    pick: Annotated[list[str], Form(max_length=MAX_MERGED_MEMOS)],
    user: Name = "",
    guild: Name = "",
    text: Field = "",
    version: Versions = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    subject = await find_subject(page, user, guild, changes=True)
    try:
        await page.state.admin.merge(subject, keep, pick, text.strip() or None, seen_versions(version))
    except VersionConflict as error:
        problem = OUTDATED_MERGE.format(error.text)
        return await _render_merge(request, page, subject, pick, problem, text, 409)
    except BadInput as error:
        return await _render_merge(request, page, subject, pick, str(error), text)
    merged_id = next(memo_id for memo_id in pick if memo_id != keep)
    return await redirect_after_change(page, subject, merged_id, memos_url(subject), "merged")
