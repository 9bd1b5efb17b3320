"""Learning from messages again: what that would change, starting it, and how far it is."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from recollect.core.errors import BadInput
from recollect.core.outcomes import NothingToRelearn, RelearnOutcome, RelearnPreview, RelearnRun
from recollect.core.sessions import parse_session
from recollect.faces.http.api import records
from recollect.faces.http.api.common import CHANGING, READING, SPELLING, Name, Time, Wire, missing, problems, router
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.outcome_text import render_step

routes = router("relearn")


class RelearnIn(Wire):
    """Which messages: those that match all that is given."""

    message: Name | None = Field(None, description="One message, as in discord/1042.")
    user: Name | None = Field(None, description=f"Whose messages: a person's id, {SPELLING}.")
    session: Name | None = Field(None, description="Those of a conversation, by its name in `/sessions`.")
    since: Time | None = Field(None, description="From then on.")
    until: Time | None = Field(None, description="Before then.")
    degraded: bool = Field(False, description="Only where the model gave no usable answer.")
    everyone: bool = Field(False, description="All messages, unless something else is said.")


class StepOut(Wire):
    change: str = Field(description="learned, revised, or no longer so.")
    before: records.MemoOut | None
    after: records.MemoOut | None


class RelearnPreviewOut(Wire):
    model: str = Field(description="Who would learn.")
    messages: int = Field(description="How many would be learned from.")
    tried: int = Field(description="From how many the preview learned: each may cost a call of the model.")
    degraded: int = Field(description="For how many of them the model gave no usable answer.")
    skipped: dict[str, int] = Field(description="How many are left alone, by the name of the reason.")
    changes: list[StepOut]


class RelearnOut(Wire):
    run: str
    messages: int
    done: int
    failed: int
    changed: int = Field(description="Changes of memos so far; an undo takes back those of one person.")
    skipped: dict[str, int] = Field(description="How many are left alone, by the name of the reason.")
    problem: str = Field(description="Why it does not go on, if so; what is left waits.")
    over: bool


@routes.post("/relearn/preview", responses=CHANGING | problems(404))
async def preview_relearning(state: AppStateDep, body: RelearnIn) -> RelearnPreviewOut:
    """What learning from messages again would change; nothing is changed."""
    outcome = await _relearn(state, body, dry_run=True)
    if not isinstance(outcome, RelearnPreview):
        raise missing(outcome.detail if isinstance(outcome, NothingToRelearn) else "")
    changes = [
        StepOut(
            change=render_step(step).partition(":")[0],
            before=None if step.before is None else records.from_memo(step.before),
            after=None if step.after is None else records.from_memo(step.after),
        )
        for step in outcome.changes
    ]
    return RelearnPreviewOut(
        model=outcome.model,
        messages=outcome.messages,
        tried=outcome.tried,
        degraded=outcome.degraded,
        skipped=_skipped(outcome),
        changes=changes,
    )


@routes.post("/relearn", responses=CHANGING | problems(404))
async def relearn(state: AppStateDep, body: RelearnIn) -> RelearnOut:
    """Learn from messages again, in the background; undoable."""
    outcome = await _relearn(state, body, dry_run=False)
    if not isinstance(outcome, RelearnRun):
        raise missing(outcome.detail if isinstance(outcome, NothingToRelearn) else "")
    return _to_wire(outcome)


@routes.get("/relearn", responses=READING | problems(404))
async def relearning(
    state: AppStateDep, run: Annotated[Name, Query(description="The id that starting it answered.")] = ""
) -> RelearnOut:
    """The progress of learning again."""
    progress = await state.admin.relearned(run)
    if progress is None:
        raise missing(f"there is no run {run!r}")
    return _to_wire(progress)


async def _relearn(state: AppState, body: RelearnIn, *, dry_run: bool) -> RelearnOutcome:
    session = None if body.session is None else parse_session(body.session)
    if body.session is not None and session is None:
        raise BadInput(f"{body.session!r} is not a conversation")
    return await state.admin.relearn(
        **body.model_dump(exclude={"session"}), place=session and session.place, dry_run=dry_run
    )


def _skipped(outcome: RelearnPreview | RelearnRun) -> dict[str, int]:
    return {reason.name.lower(): count for reason, count in outcome.skipped.items()}


def _to_wire(run: RelearnRun) -> RelearnOut:
    return RelearnOut(
        run=run.id,
        messages=run.messages,
        done=run.done,
        failed=run.failed,
        changed=run.changed,
        skipped=_skipped(run),
        problem=run.problem,
        over=run.is_over,
    )
