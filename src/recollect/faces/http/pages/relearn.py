"""Learning from messages again: which ones, what that would change, and how far it is."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from recollect.admin.messages import Conversation
from recollect.admin.names import require_single
from recollect.core.changes import Step
from recollect.core.errors import BadInput, ModelError
from recollect.core.outcomes import NothingToRelearn, RelearnOutcome, RelearnPreview, RelearnRun
from recollect.core.sessions import parse_session
from recollect.core.types import Place, Subject, message_ref
from recollect.faces.http.pages.context import PageContext, PageDep
from recollect.faces.http.pages.format import url
from recollect.faces.outcome_text import render_relearning, render_step

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=2_000)]
Field = Annotated[str, Form(max_length=2_000)]
FIELDS = ("user", "session", "message", "since", "until", "degraded")


async def _selection(
    user: Field = "",
    session: Field = "",
    message: Field = "",
    since: Field = "",
    until: Field = "",
    degraded: Field = "",
) -> dict[str, str]:
    return {
        name: str(value) for name, value in zip(FIELDS, (user, session, message, since, until, degraded), strict=True)
    }


Fields = Annotated[dict[str, str], Depends(_selection)]


@router.get("/relearn")
async def relearning(
    request: Request, page: PageDep, user: Text = "", session: Text = "", message: Text = "", run: Text = ""
) -> HTMLResponse:
    progress = await page.state.admin.relearned(run) if run else None
    problem = f"There is no run {run}." if run and progress is None else ""
    fields = {"user": user, "session": session, "message": message}
    return await _render(request, page, fields, 404 if problem else 200, outcome=progress, problem=problem)


@router.post("/relearn/preview")
async def preview(request: Request, page: PageDep, fields: Fields) -> HTMLResponse:
    try:
        outcome = await _relearn(page, fields, dry_run=True)
    except BadInput as error:
        return await _render(request, page, fields, 422, problem=str(error))
    except ModelError as error:
        return await _render(
            request, page, fields, 503, problem=f"The model does not answer, and nothing was changed: {error}"
        )
    if isinstance(outcome, NothingToRelearn):
        return await _render(request, page, fields, 404, problem=outcome.detail)
    return await _render(request, page, fields, outcome=outcome)


@router.post("/relearn")
async def relearn(request: Request, page: PageDep, fields: Fields) -> Response:
    try:
        outcome = await _relearn(page, fields, dry_run=False)
    except BadInput as error:
        return await _render(request, page, fields, 422, problem=str(error))
    if isinstance(outcome, RelearnRun):
        return RedirectResponse(url("/relearn", run=outcome.id), 303)
    problem = outcome.detail if isinstance(outcome, NothingToRelearn) else ""
    return await _render(request, page, fields, 404, problem=problem)


async def _relearn(page: PageContext, fields: dict[str, str], *, dry_run: bool) -> RelearnOutcome:
    admin, user, session = page.state.admin, fields["user"].strip(), fields["session"].strip()
    conversation = parse_session(session) if session else None
    if session and conversation is None:
        raise BadInput(f"{session!r} is not a conversation")
    message = fields["message"].strip()
    target = await admin.find_message(message) if message else None
    return await admin.relearn(
        user=require_single(await admin.match_name(user)) if user else None,
        place=None if conversation is None else conversation.place,
        message=message_ref(target) if target else message or None,
        since=_day(fields["since"]),
        until=_day(fields["until"], after=timedelta(days=1)),
        degraded=bool(fields["degraded"]),
        dry_run=dry_run,
    )


def _day(typed: str, after: timedelta = timedelta()) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(typed), time(), UTC) + after if typed else None
    except (ValueError, OverflowError):
        raise BadInput(f"{typed!r} is not a day; write 2026-05-01") from None


async def _render(
    request: Request, page: PageContext, fields: dict[str, str], status: int = 200, /, **values: Any
) -> HTMLResponse:
    outcome: RelearnPreview | RelearnRun | None = values.pop("outcome", None)
    preview = outcome if isinstance(outcome, RelearnPreview) else None
    changes = preview.changes if preview else ()
    admin, people = page.state.admin, {subject.id for step in changes if (subject := _subject(step))}
    conversations = await admin.conversations()
    return page.render(
        request,
        "relearn.html",
        status,
        **{"problem": "", **values},
        part="relearn_progress.html",
        fields={name: fields.get(name, "") for name in FIELDS},
        places=_choices(conversations, fields.get("session", "")),
        preview=preview,
        progress=outcome if isinstance(outcome, RelearnRun) else None,
        lines=[] if outcome is None else render_relearning(outcome),
        changes=[(_subject(step), render_step(step)) for step in changes],
        names=await admin.profile_names({*people, *filter(None, [fields.get("user", "")])}),
    )


def _subject(step: Step) -> Subject | None:
    memo = step.after or step.before
    return memo.subject if memo else None


def _choices(conversations: Sequence[Conversation], session: str) -> dict[str, tuple[Place, str]]:
    """Conversations to choose from, with the name of the person of a DM; the chosen one is among them."""
    known = {item.place.session: (item.place, item.person) for item in conversations}
    chosen = parse_session(session) if session else None
    return known if chosen is None or session in known else {session: (chosen.place, ""), **known}
