"""Export and erasure of everything about a person or a guild."""

from typing import Annotated

from fastapi import Depends, Query, Response
from pydantic import Field

from recollect.admin.erasures import NotConfirmed, confirmation
from recollect.faces.http.api.common import CHANGING, READING, Name, Wire, problems, router
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.http.problems import problem
from recollect.privacy.receipt import preview_to_json, receipt_to_json
from recollect.privacy.target import ErasureTarget

routes = router("privacy")
_DOCUMENT = {
    200: {
        "description": "All memos with their history, messages, summaries, short-term entries and the log.",
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}


async def _person(state: AppState, user: str | None, *, changes: bool) -> str | None:
    return None if user is None else await state.admin.resolve(user, changes=changes)


async def _target(
    state: AppStateDep,
    user: Annotated[Name | None, Query(description="A person.")] = None,
    guild: Annotated[Name | None, Query(description="A guild, or what the person left there.")] = None,
) -> ErasureTarget:
    return ErasureTarget(await _person(state, user, changes=False), guild)


class Targeted(Wire):
    user: Name | None = None
    guild: Name | None = Field(None, description="A guild, or what the user left there.")


class ErasurePreviewOut(Wire):
    user: str | None
    guild: str | None
    counts: dict[str, int]
    files: list[str]
    confirm: str = Field(description="What has to be sent as `confirm` to erase it.")


class Erasing(Targeted):
    confirm: Name = Field(description="The name, exactly as the survey says it.")


class Searched(Wire):
    where: str
    found: int


class Probe(Wire):
    texts: int
    places: list[Searched]


class ReceiptOut(Wire):
    user: str | None
    guild: str | None
    asked_by: str
    at: str
    seconds: float
    clean: bool = Field(description="Whether the search afterwards found nothing.")
    erased: dict[str, int]
    probe: Probe
    mentions: dict[str, int]
    notes: list[str]


@routes.get("/export", responses=READING | _DOCUMENT, response_class=Response)
async def export(state: AppStateDep, target: Annotated[ErasureTarget, Depends(_target)]) -> Response:
    """Everything about a person or a guild as one document."""
    headers = {"content-disposition": 'attachment; filename="export.json"'}
    return Response(await state.admin.export(target), 200, headers, "application/json")


@routes.post("/erase/survey", responses=CHANGING)
async def preview_erasure(state: AppStateDep, body: Targeted) -> ErasurePreviewOut:
    """What erasing would remove; changes nothing."""
    target = ErasureTarget(await _person(state, body.user, changes=False), body.guild)
    preview = await state.admin.preview_erasure(target)
    return ErasurePreviewOut(**preview_to_json(preview), confirm=confirmation(target))


@routes.post("/erase", responses=CHANGING | problems(409), response_model=ReceiptOut)
async def erase(state: AppStateDep, body: Erasing) -> ReceiptOut | Response:
    """Remove everything about a person or a guild for good, search for leftovers, and return a receipt."""
    target = ErasureTarget(await _person(state, body.user, changes=True), body.guild)
    outcome = await state.admin.erase(target, body.confirm)
    if isinstance(outcome, NotConfirmed):
        return problem(409, "nothing was erased: confirm has to be the name, exactly as the survey says it")
    return ReceiptOut(**receipt_to_json(outcome.receipt))
