"""Memos by the operator's hand: list, write down, correct, pin, share, merge, retire, undo; and why each is there."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Response
from pydantic import AfterValidator, Field, StringConstraints

from recollect.core.changes import Add, Revise, Skip
from recollect.core.errors import BadInput
from recollect.core.outcomes import CannotUndo, Remembered
from recollect.core.types import Audience, Kind, Memo, Status
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    LONGEST_NAME,
    LONGEST_TEXT,
    READING,
    Limit,
    MemoId,
    Name,
    Number,
    Offset,
    Part,
    Time,
    Whose,
    Wire,
    problems,
    router,
    subject_of,
)
from recollect.faces.http.dependencies import AppStateDep
from recollect.faces.http.problems import problem

routes = router("memos")
NO_MEMO = problems(404)
_HEARD = {
    "dm": "in the person's direct messages only",
    "channel": "in one channel and in the person's direct messages",
    "guild": "in one guild",
    "everywhere": "wherever the person speaks",
}
_LEVELS = tuple(_HEARD)

Text = Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Tags = Annotated[list[Tag], Field(max_length=50)]


def _audience(text: str) -> str:
    if text.partition(":")[0] not in _LEVELS or (text != "everywhere" and not text.partition(":")[2]):
        raise ValueError("an audience is everywhere, guild:<id>, channel:<guild>/<id> or dm:<user>")
    return text


Hearing = Annotated[str, Field(max_length=2 * LONGEST_NAME), AfterValidator(_audience)]


class NewMemo(Wire):
    user: Name | None = Field(None, description="Whom it is about.")
    guild: Name | None = Field(None, description="Or the guild whose lore it is.")
    text: Text
    kind: Kind | None = Field(None, description="Guessed from the text unless said.")
    tags: Tags = Field(default_factory=list)
    audience: Hearing | None = Field(
        None,
        description="Who may hear it; unless said, the person alone. Lore is heard in its guild.",
    )
    pinned: bool = False
    happened: Time | None = None
    expires: Time | None = None


class ChangeOut(Wire):
    done: str = Field(description="added, revised, retired or skipped.")
    reason: str
    memo: records.MemoOut | None


class Written(Wire):
    memo: records.MemoOut = Field(description="The memo that holds it now; an earlier one, if it said the same.")
    heard: str = Field(description="Who may hear it from now on, and how that is changed; for people.")
    changes: list[ChangeOut]


class Correction(Wire):
    text: Text | None = None
    tags: Tags | None = None


class Pinning(Wire):
    pinned: bool = True


class Sharing(Wire):
    audience: Hearing


class Merging(Wire):
    user: Name | None = None
    guild: Name | None = None
    keep: Name = Field(description="The id of the memo that stays.")
    others: Annotated[list[Name], Field(min_length=1, max_length=100)]
    text: Text | None = Field(None, description="Its words from now on; as they are unless said.")


class Undoing(Wire):
    user: Name | None = None
    guild: Name | None = None
    change: Number | None = Field(None, description="Only if the last change is still this one; 409 otherwise.")


class UndoneOut(Wire):
    undone: bool = Field(description="False when there was nothing to take back.")
    restored: list[records.MemoOut]
    removed: list[records.MemoOut]


class UndoableOut(Wire):
    change: int | None = Field(description="What to send as `change`; null when the last change can't be undone.")
    at: datetime | None
    actor: str
    restored: list[records.MemoOut] = Field(description="Memos as they would be again.")
    removed: list[records.MemoOut] = Field(description="Memos that would go.")
    refused: str = Field(description="Why the last change can't be undone; empty when it can, or there is none.")


@routes.get("/memos", responses=READING)
async def list_memos(
    house: AppStateDep,
    whose: Whose,
    part: Part = "",
    kind: Annotated[list[Kind], Query(max_length=20, description="Only of these kinds.")] = [],  # noqa: B006 - FastAPI copies it
    status: Annotated[list[Status], Query(max_length=20, description="Only of these statuses.")] = [],  # noqa: B006 - FastAPI copies it
    limit: Limit = 50,
    offset: Offset = 0,
) -> records.MemoPage:
    """A person's memos or a guild's lore, newest first."""
    found = await house.office.memos(whose, part, status, kind, limit, offset)
    return records.MemoPage(
        memos=[records.memo(one) for one in found.memos], total=found.total, limit=limit, offset=offset
    )


@routes.post("/memos", status_code=201, responses=CHANGING)
async def create_memo(house: AppStateDep, given: NewMemo) -> Written:
    """Write down a memo; it is merged with what is known, and secrets in it are cut out."""
    subject = subject_of(given.user, given.guild)
    done = await house.office.add(
        subject,
        given.text,
        given.kind,
        given.tags,
        None if given.audience is None else Audience.parse(given.audience),
        given.pinned,
        given.happened,
        given.expires,
    )
    return _written(done)


@routes.post("/memos/merge", responses=CHANGING | NO_MEMO)
async def merge_memos(house: AppStateDep, given: Merging) -> records.MemoOut:
    """Let one memo stand for others; one change, undone as one."""
    subject = subject_of(given.user, given.guild)
    return records.memo(await house.office.merge(subject, given.keep, given.others, given.text))


@routes.get("/memos/undo", responses=READING)
async def get_undoable(house: AppStateDep, whose: Whose) -> UndoableOut:
    """The change that an undo would take back now, and what that would do."""
    offer = await house.office.undoable(whose)
    if offer is None or isinstance(offer, CannotUndo):
        reason = "" if offer is None else offer.reason
        return UndoableOut(change=None, at=None, actor="", restored=[], removed=[], refused=reason)
    return UndoableOut(
        change=offer.change,
        at=offer.at,
        actor=offer.actor,
        restored=[records.memo(one) for one in offer.restored],
        removed=[records.memo(one) for one in offer.removed],
        refused="",
    )


@routes.post("/memos/undo", responses=CHANGING | problems(409), response_model=UndoneOut)
async def undo(house: AppStateDep, given: Undoing) -> UndoneOut | Response:
    """Take back the last change of someone's memory, whoever made it; again for the one before. One that can't be
    undone is refused, and nothing older is taken back in its place.
    """
    done = await house.office.undo(subject_of(given.user, given.guild), given.change)
    if isinstance(done, CannotUndo):
        return problem(409, done.reason)
    restored, removed = ((), ()) if done is None else (done.restored, done.removed)
    return UndoneOut(
        undone=done is not None,
        restored=[records.memo(one) for one in restored],
        removed=[records.memo(one) for one in removed],
    )


@routes.get("/memo", responses=READING | NO_MEMO)
async def get_memo(house: AppStateDep, whose: Whose, memo: MemoId) -> records.MemoOut:
    """One memo of whatever status."""
    return records.memo((await house.office.story(whose, memo)).memo)


@routes.patch("/memo", responses=CHANGING | NO_MEMO)
async def revise_memo(house: AppStateDep, whose: Whose, memo: MemoId, given: Correction) -> records.MemoOut:
    """Give a memo other words, other tags, or both; it stays the same memo, heard by the same people."""
    if given.text is None and given.tags is None:
        raise BadInput("say what to change: text, tags, or both")
    return records.memo(await house.office.update(whose, memo, given.text, given.tags))


@routes.delete("/memo", responses=CHANGING | NO_MEMO)
async def retire_memo(house: AppStateDep, whose: Whose, memo: MemoId) -> records.MemoOut:
    """Take a memo out of use, and keep it from being learned again; can be undone."""
    return records.memo(await house.office.retire(whose, memo))


@routes.post("/memo/pin", responses=CHANGING | NO_MEMO)
async def pin_memo(house: AppStateDep, whose: Whose, memo: MemoId, given: Pinning) -> records.MemoOut:
    """Keep a memo from ever giving way to others, or no longer."""
    return records.memo(await house.office.pin(whose, memo, given.pinned))


@routes.post("/memo/share", responses=CHANGING | NO_MEMO)
async def share_memo(house: AppStateDep, whose: Whose, memo: MemoId, given: Sharing) -> records.MemoOut:
    """Let a memo be heard by others than before."""
    return records.memo(await house.office.share(whose, memo, Audience.parse(given.audience)))


@routes.get("/memo/history", responses=READING | NO_MEMO)
async def memo_history(house: AppStateDep, whose: Whose, memo: MemoId) -> records.History:
    """What happened to a memo, newest first, with what it said before."""
    story = await house.office.story(whose, memo)
    return records.History(events=[records.event(one) for one in story.events])


@routes.get("/memo/why", responses=READING | NO_MEMO)
async def memo_why(house: AppStateDep, whose: Whose, memo: MemoId) -> records.WhyOut:
    """Why a memo is what it is: its source, its past, and the message that said it."""
    return records.why(await house.office.story(whose, memo))


def _written(done: Remembered) -> Written:
    changes: list[ChangeOut] = []
    for change in done.changes:
        match change:
            case Add(memo=memo, reason=reason):
                changes.append(ChangeOut(done="added", reason=reason, memo=records.memo(memo)))
            case Skip(memo=memo, reason=reason):
                changes.append(ChangeOut(done="skipped", reason=reason, memo=memo and records.memo(memo)))
            case _:
                word = "revised" if isinstance(change, Revise) else "retired"
                changes.append(ChangeOut(done=word, reason=change.reason, memo=records.memo(change.after)))
    return Written(memo=records.memo(done.memo), heard=_heard(done.memo), changes=changes)


def _heard(memo: Memo) -> str:
    how = "" if memo.subject.is_lore else "; POST /api/v1/memo/share changes that"
    return f"It may be recalled {_HEARD[memo.audience.level]}{how}."
