"""One memo: what it says, the words it came from, who may hear it, and all that happened to it; two made into one."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from recollect.admin.names import called, named
from recollect.core.errors import BadInput
from recollect.core.ports import Tx
from recollect.core.types import EVERYWHERE, Audience, Memo, Subject
from recollect.faces.http.pages.context import At, PageContext, after, whom
from recollect.faces.http.pages.diff import steps
from recollect.faces.http.pages.format import heard, memo_url, memos_url, url, whose
from recollect.faces.http.pages.memos import Field, Name, changed, last_change

router = APIRouter(include_in_schema=False)

FEWEST = 2
MOST = 20
"""Memos that are merged at one go."""

Text = Annotated[str, Query(max_length=2_000)]
Picked = Annotated[list[str], Query(max_length=MOST)]


@router.get("/memo")
async def memo(request: Request, desk: At, id: Text, user: Text = "", guild: Text = "") -> HTMLResponse:
    return await shown(request, desk, whom(user, guild), id)


async def shown(
    request: Request, desk: PageContext, subject: Subject, memo_id: str, problem: str = "", draft: str | None = None
) -> HTMLResponse:
    story = await desk.house.office.story(subject, memo_id)
    actors = {story.memo.source.actor, *(event.actor for event in story.events)}
    name, names = await desk.house.memory.store.read(lambda tx: (called(tx, subject), named(tx, actors)))
    return desk.page(
        request,
        "memo.html",
        422 if problem else 200,
        subject=subject,
        name=name,
        named=names,
        memo=story.memo,
        message=story.message,
        steps=steps(story.memo, story.events),
        audiences=_audiences(story.memo),
        last=await last_change(desk, subject),
        problem=problem,
        draft=story.memo.text if draft is None else draft,
    )


def _audiences(memo: Memo) -> dict[str, str]:
    """Who could hear a memo from now on, by the name that a form sends: nobody whom it doesn't concern."""
    choices = [memo.audience, EVERYWHERE, Audience("dm", memo.subject.id)]
    if memo.source.heard is not None:
        choices.append(memo.source.heard)
        if memo.source.heard.guild:
            choices.append(Audience("guild", memo.source.heard.guild, memo.source.heard.guild))
    return {str(one): heard(one) for one in choices}


@router.post("/memo/revise")
async def revise(
    request: Request, desk: At, memo: Name, user: Name = "", guild: Name = "", text: Field = "", tags: Name = ""
) -> Response:
    subject, office = whom(user, guild), desk.house.office
    before = (await office.story(subject, memo)).memo
    wanted = tuple(dict.fromkeys(filter(None, (tag.strip().lower() for tag in tags.split(",")))))
    try:
        revised = await office.update(subject, memo, text, wanted)
    except BadInput as error:
        if not before.active:
            raise
        return await shown(request, desk, subject, memo, str(error), text)
    if revised == before:
        return after(memo_url(subject, memo), "unchanged")
    return await changed(desk, subject, memo, memo_url(subject, memo), "revised")


@router.post("/memo/share")
async def share(desk: At, memo: Name, audience: Name, user: Name = "", guild: Name = "") -> Response:
    subject, office = whom(user, guild), desk.house.office
    before = (await office.story(subject, memo)).memo
    if subject.is_lore or audience not in _audiences(before):
        raise BadInput("that audience can't be chosen for this memory")
    await office.share(subject, memo, Audience.parse(audience))
    return await changed(desk, subject, memo, memo_url(subject, memo), "shared")


@router.post("/memos/pick")
async def pick(
    pick: Annotated[list[str], Form(max_length=MOST)] = [],  # noqa: B006 - FastAPI copies it
    user: Name = "",
    guild: Name = "",
) -> Response:
    """Several memos were ticked; show them beside each other."""
    return RedirectResponse(url("/merge", **whose(whom(user, guild)), pick=pick), 303)


@router.get("/merge")
async def choose(
    request: Request,
    desk: At,
    pick: Picked = [],  # noqa: B006 - FastAPI copies it
    user: Text = "",
    guild: Text = "",
) -> HTMLResponse:
    return await _choice(request, desk, whom(user, guild), pick)


async def _choice(
    request: Request,
    desk: PageContext,
    subject: Subject,
    picked: list[str],
    problem: str = "",
    draft: str | None = None,
) -> HTMLResponse:
    def look(tx: Tx) -> tuple[list[Memo], str]:
        found = [tx.memos.get(subject, memo_id) for memo_id in dict.fromkeys(picked)]
        return [memo for memo in found if memo is not None and memo.active], called(tx, subject)

    memos, name = await desk.house.memory.store.read(look)
    return desk.page(
        request,
        "merge.html",
        422 if problem else 200,
        subject=subject,
        name=name,
        memos=memos,
        enough=len(memos) >= FEWEST,
        problem=problem,
        draft=draft if draft is not None else (memos[0].text if memos else ""),
    )


@router.post("/memos/merge")
async def merge(
    request: Request,
    desk: At,
    keep: Name,
    pick: Annotated[list[str], Form(max_length=MOST)],
    user: Name = "",
    guild: Name = "",
    text: Field = "",
) -> Response:
    subject = whom(user, guild)
    try:
        await desk.house.office.merge(subject, keep, pick, text.strip() or None)
    except BadInput as error:
        return await _choice(request, desk, subject, pick, str(error), text)
    gone = next(memo_id for memo_id in pick if memo_id != keep)
    return await changed(desk, subject, gone, memos_url(subject), "merged")
