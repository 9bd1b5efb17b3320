"""The operator's verbs on memos: list, add, edit, pin, share, merge, retire, restore; and why each is there."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import AfterValidator, Field, StringConstraints
from starlette.exceptions import HTTPException

from recollect.core.changes import Add, Revise, Skip
from recollect.core.clock import from_ms, to_ms
from recollect.core.errors import BadInput
from recollect.core.outcomes import (
    AlreadyActive,
    Ambiguous,
    CannotRestore,
    NotFound,
    Refused,
    Remembered,
    Restored,
)
from recollect.core.types import Audience, Kind, Memo, Status, Subject
from recollect.faces import outcome_text
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    MAX_NAME_CHARS,
    MAX_TEXT_CHARS,
    PAGING,
    READING,
    Cursor,
    Limit,
    MemoId,
    Name,
    Number,
    Part,
    SeenVersion,
    SubjectDep,
    Time,
    Wire,
    known_subject,
    missing,
    next_cursor,
    position_after,
    problems,
    router,
)
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.http.problems import problem
from recollect.faces.outcome_text import describe_audience
from recollect.inputs import user_id

routes = router("memos")
NO_MEMO = problems(404)
CHANGED = CHANGING | problems(404, 409)
_AUDIENCE_TEXTS = {
    "dm": "in the person's direct messages only",
    "channel": "in one channel and in the person's direct messages",
    "guild": "in one guild",
    "everywhere": "wherever the person speaks",
}
_AUDIENCE_LEVELS = tuple(_AUDIENCE_TEXTS)

Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT_CHARS)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Tags = Annotated[list[Tag], Field(max_length=50)]


def _check_audience(text: str) -> str:
    if text.partition(":")[0].partition("?")[0] not in _AUDIENCE_LEVELS or (
        text != "everywhere" and not text.partition(":")[2]
    ):
        raise ValueError("an audience is everywhere, guild:<id>, channel:<guild>/<id> or dm:<user>")
    return text


AudienceText = Annotated[str, Field(max_length=2 * MAX_NAME_CHARS), AfterValidator(_check_audience)]


class NewMemo(Wire):
    user: Name | None = Field(None, description="Whom it is about.")
    guild: Name | None = Field(None, description="Or the guild whose lore it is.")
    text: Text
    kind: Kind | None = Field(None, description="Guessed from the text unless said.")
    tags: Tags = Field(default_factory=list)
    audience: AudienceText | None = Field(
        None,
        description="Who may hear it; unless said, the person alone. Lore is heard in its guild.",
    )
    pinned: bool = False
    happened: Time | None = Field(None, description="When what it tells of took place.")
    expires: Time | None = Field(None, description="Until when it holds.")
    said: Time | None = Field(None, description="When it was said, for what is told late; now unless given.")


class ChangeOut(Wire):
    done: str = Field(description="added, revised, retired or skipped.")
    reason: str
    memo: records.MemoOut | None


class RememberedOut(Wire):
    memo: records.MemoOut = Field(description="The memo that holds it now; an earlier one, if it said the same.")
    heard: str = Field(description="Who may hear it from now on, and how that is changed; for people.")
    changes: list[ChangeOut]


class Seen(Wire):
    version: Number | None = Field(None, description="Only if the memo has this version (else 409).")


class Correction(Seen):
    text: Text | None = None
    tags: Tags | None = None
    status: Literal[Status.ACTIVE] | None = Field(None, description="active restores it, as `/memo/restore` does.")


class Pinning(Seen):
    pinned: bool = True


class Sharing(Seen):
    audience: AudienceText


class RetiredOut(records.MemoOut):
    hidden_replies: int = Field(description="Replies of the assistant that repeat it, and are hidden too.")
    hidden_summary_lines: int = Field(description="Sentences of summaries that do.")


class RestoredOut(Wire):
    restored: bool = Field(description="False when it is in use already.")
    memo: records.MemoOut
    replaced: list[records.MemoOut] = Field(description="Memos that contradict it, and gave way to it.")
    archived: list[records.MemoOut] = Field(description="Memos that had to make room for it.")


class Merging(Wire):
    user: Name | None = None
    guild: Name | None = None
    keep: Name = Field(description="The id of the memo that stays.")
    others: Annotated[list[Name], Field(min_length=1, max_length=100)]
    text: Text | None = Field(None, description="Its words from now on; as they are unless said.")
    versions: Annotated[dict[Name, Number], Field(max_length=101)] | None = Field(
        None, description="By their ids: only if these memos have these versions (else 409)."
    )


@routes.get("/memos", responses=PAGING)
async def list_memos(
    state: AppStateDep,
    subject: SubjectDep,
    part: Part = "",
    kind: Annotated[list[Kind], Query(max_length=20, description="Only of these kinds.")] = [],  # noqa: B006 - FastAPI copies it
    status: Annotated[list[Status], Query(max_length=20, description="Only of these statuses.")] = [],  # noqa: B006 - FastAPI copies it
    limit: Limit = 50,
    cursor: Cursor = "",
) -> records.MemoPage:
    """A person's memos or a guild's lore, newest first."""
    listing = await state.admin.memos(subject, part, status, kind, limit + 1, after=_memo_after(cursor))
    page = listing.memos[:limit]
    more = next_cursor("memos", f"{to_ms(page[-1].updated)} {page[-1].key}") if len(listing.memos) > limit else None
    return records.MemoPage(memos=[records.from_memo(memo) for memo in page], total=listing.total, next=more)


def _memo_after(cursor: str) -> tuple[datetime, int] | None:
    updated, _, key = position_after("memos", cursor).partition(" ")
    try:
        return (from_ms(int(updated)), int(key)) if updated else None
    except (ValueError, OverflowError):
        raise HTTPException(400, "that cursor is none that this listing gave") from None


@routes.post("/memos", status_code=201, responses=CHANGING, response_model=RememberedOut)
async def create_memo(state: AppStateDep, body: NewMemo) -> RememberedOut | Response:
    """Add a memo; it is merged with existing ones, and secrets in it are redacted. What may not be remembered is
    answered with 422, and the reason.
    """
    subject = await known_subject(state, None if body.user is None else user_id(body.user), body.guild)
    outcome = await state.admin.add(
        subject,
        body.text,
        body.kind,
        body.tags,
        None if body.audience is None else Audience.parse(body.audience),
        body.pinned,
        body.happened,
        body.expires,
        body.said,
    )
    if isinstance(outcome, Refused):
        return problem(422, outcome_text.render_refused(outcome), reason=outcome.reason.name.lower())
    return _describe_remembered(outcome)


@routes.post("/memos/merge", responses=CHANGING | NO_MEMO)
async def merge_memos(state: AppStateDep, body: Merging) -> records.MemoOut:
    """Merge memos into one; one change, undone as one."""
    subject = await known_subject(state, body.user, body.guild)
    return records.from_memo(await state.admin.merge(subject, body.keep, body.others, body.text, body.versions))


@routes.get("/memo", responses=READING | NO_MEMO)
async def get_memo(state: AppStateDep, subject: SubjectDep, memo: MemoId, response: Response) -> records.MemoOut:
    """One memo of whatever status. Its version is also its ETag."""
    return _tagged(response, (await state.admin.memo_details(subject, memo)).memo)


@routes.patch("/memo", responses=CHANGED)
async def revise_memo(
    state: AppStateDep, subject: SubjectDep, memo: MemoId, body: Correction, seen: SeenVersion, response: Response
) -> records.MemoOut:
    """Change the text of a memo, its tags, or both; id and audience stay the same. With the status
    `active`, it is restored first.
    """
    if body.text is None and body.tags is None and body.status is None:
        raise BadInput("say what to change: text, tags, status, or several of them")
    version = _seen(body, seen)
    if body.status is not None:
        restored = (await _restore(state, subject, memo, version)).memo
        if body.text is None and body.tags is None:
            return _tagged(response, restored)
        version = None if version is None else restored.version
    return _tagged(response, await state.admin.update(subject, memo, body.text, body.tags, version))


@routes.delete("/memo", responses=CHANGED)
async def retire_memo(
    state: AppStateDep, subject: SubjectDep, memo: MemoId, seen: SeenVersion, response: Response
) -> RetiredOut:
    """Retire a memo, and keep it from being learned again; undoable."""
    outcome = await state.admin.retire(subject, memo, seen)
    retired = _tagged(response, outcome.memos[0]).model_dump()
    return RetiredOut(**retired, hidden_replies=outcome.replies, hidden_summary_lines=outcome.summary_lines)


@routes.post("/memo/restore", responses=CHANGED)
async def restore_memo(
    state: AppStateDep,
    subject: SubjectDep,
    memo: MemoId,
    seen: SeenVersion,
    response: Response,
    body: Seen | None = None,
) -> RestoredOut:
    """Bring back a memo that was forgotten, replaced, archived or undone, or has expired; whatever happened since. Can
    be undone.
    """
    outcome = await _restore(state, subject, memo, _seen(body, seen))
    is_restored = isinstance(outcome, Restored)
    replaced, archived = (outcome.replaced, outcome.archived) if is_restored else ((), ())
    return RestoredOut(
        restored=is_restored,
        memo=_tagged(response, outcome.memo),
        replaced=[records.from_memo(other) for other in replaced],
        archived=[records.from_memo(other) for other in archived],
    )


async def _restore(state: AppState, subject: Subject, memo: str, version: int | None) -> Restored | AlreadyActive:
    match await state.admin.restore(subject, memo, version):
        case Restored() | AlreadyActive() as outcome:
            return outcome
        case CannotRestore():
            raise HTTPException(409, "its message was deleted, or no longer says so: it can't be restored")
        case NotFound() | Ambiguous():
            raise missing(f"there is no memory {memo!r}")


@routes.post("/memo/pin", responses=CHANGED)
async def pin_memo(
    state: AppStateDep, subject: SubjectDep, memo: MemoId, body: Pinning, seen: SeenVersion, response: Response
) -> records.MemoOut:
    """Protect a memo from ever being evicted or superseded, or no longer."""
    return _tagged(response, await state.admin.pin(subject, memo, body.pinned, _seen(body, seen)))


@routes.post("/memo/share", responses=CHANGED)
async def share_memo(
    state: AppStateDep, subject: SubjectDep, memo: MemoId, body: Sharing, seen: SeenVersion, response: Response
) -> records.MemoOut:
    """Change the audience of a memo."""
    audience = Audience.parse(body.audience)
    return _tagged(response, await state.admin.share(subject, memo, audience, _seen(body, seen)))


def _seen(body: Seen | None, seen: int | None) -> int | None:
    return seen if body is None or body.version is None else body.version


def _tagged(response: Response, memo: Memo) -> records.MemoOut:
    response.headers["ETag"] = f'"{memo.version}"'
    return records.from_memo(memo)


@routes.get("/memo/history", responses=READING | NO_MEMO)
async def memo_history(state: AppStateDep, subject: SubjectDep, memo: MemoId) -> records.History:
    """What happened to a memo, newest first, with what it said before."""
    details = await state.admin.memo_details(subject, memo)
    return records.History(events=[records.from_event(event) for event in details.events])


@routes.get("/memo/why", responses=READING | NO_MEMO)
async def memo_why(state: AppStateDep, subject: SubjectDep, memo: MemoId) -> records.WhyOut:
    """Where a memo comes from: its source, its history, and the message that said it."""
    return records.from_details(await state.admin.memo_details(subject, memo))


def _describe_remembered(outcome: Remembered) -> RememberedOut:
    changes: list[ChangeOut] = []
    for change in outcome.changes:
        match change:
            case Add(memo=memo):
                changes.append(ChangeOut(done="added", reason=change.text, memo=records.from_memo(memo)))
            case Skip(memo=memo):
                changes.append(ChangeOut(done="skipped", reason=change.text, memo=memo and records.from_memo(memo)))
            case _:
                verb = "revised" if isinstance(change, Revise) else "retired"
                changes.append(ChangeOut(done=verb, reason=change.text, memo=records.from_memo(change.after)))
    return RememberedOut(memo=records.from_memo(outcome.memo), heard=_describe_audience(outcome.memo), changes=changes)


def _describe_audience(memo: Memo) -> str:
    hint = "" if memo.subject.is_lore else "; POST /api/v1/memo/share changes that"
    return f"It may be recalled {describe_audience(memo.audience, _AUDIENCE_TEXTS)}{hint}."
