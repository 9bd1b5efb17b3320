"""Undoing the last change of someone's memory, and redoing it."""

from datetime import datetime

from fastapi import Response
from pydantic import Field

from recollect.core.outcomes import CannotUndo
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    READING,
    Name,
    Number,
    SubjectDep,
    Wire,
    known_subject,
    problems,
    router,
)
from recollect.faces.http.dependencies import AppStateDep
from recollect.faces.http.problems import problem

routes = router("memos")


class Undoing(Wire):
    user: Name | None = None
    guild: Name | None = None
    change: Number | None = Field(None, description="This one, if its memos did not change since (else 409).")


class Redoing(Wire):
    user: Name | None = None
    guild: Name | None = None


class RedoneOut(Wire):
    redone: bool = Field(description="False when there was nothing to redo, or something was changed since.")
    restored: list[records.MemoOut]
    removed: list[records.MemoOut]


class UndoneOut(Wire):
    undone: bool = Field(description="False when there was nothing to take back.")
    restored: list[records.MemoOut]
    removed: list[records.MemoOut]


class UndoableOut(Wire):
    change: int | None = Field(description="What to send as `change`; null when it can't be undone.")
    at: datetime | None
    actor: str
    restored: list[records.MemoOut] = Field(description="Memos as they would be again.")
    removed: list[records.MemoOut] = Field(description="Memos that would go.")
    refused: str = Field(description="Why it can't be undone; empty when it can, or there is no change.")


@routes.get("/memos/undo", responses=READING)
async def get_undoable(state: AppStateDep, subject: SubjectDep, change: Number | None = None) -> UndoableOut:
    """The change that an undo would take back now, the last one or the given one, and what that would do."""
    offer = await state.admin.undoable(subject, change)
    if offer is None or isinstance(offer, CannotUndo):
        reason = "" if offer is None else offer.text
        return UndoableOut(change=None, at=None, actor="", restored=[], removed=[], refused=reason)
    return UndoableOut(
        change=offer.change,
        at=offer.at,
        actor=offer.actor,
        restored=[records.from_memo(memo) for memo in offer.restored],
        removed=[records.from_memo(memo) for memo in offer.removed],
        refused="",
    )


@routes.post("/memos/undo", responses=CHANGING | problems(409), response_model=UndoneOut)
async def undo(state: AppStateDep, body: Undoing) -> UndoneOut | Response:
    """Undo the last change of someone's memory, no matter who made it; call again for the one before. A change that
    can't be undone is refused, and nothing older is undone in its place.
    """
    outcome = await state.admin.undo(await known_subject(state, body.user, body.guild), body.change)
    if isinstance(outcome, CannotUndo):
        return problem(409, outcome.text)
    restored, removed = ((), ()) if outcome is None else (outcome.restored, outcome.removed)
    return UndoneOut(
        undone=outcome is not None,
        restored=[records.from_memo(memo) for memo in restored],
        removed=[records.from_memo(memo) for memo in removed],
    )


@routes.post("/memos/redo", responses=CHANGING | problems(409), response_model=RedoneOut)
async def redo(state: AppStateDep, body: Redoing) -> RedoneOut | Response:
    """Take back the last undo of someone's memory, if nothing was changed since."""
    outcome = await state.admin.redo(await known_subject(state, body.user, body.guild))
    if isinstance(outcome, CannotUndo):
        return problem(409, outcome.text)
    restored, removed = ((), ()) if outcome is None else (outcome.restored, outcome.removed)
    return RedoneOut(
        redone=outcome is not None,
        restored=[records.from_memo(memo) for memo in restored],
        removed=[records.from_memo(memo) for memo in removed],
    )
