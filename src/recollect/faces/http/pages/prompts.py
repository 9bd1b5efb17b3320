"""Prompts as they were sent to the chat model, if `keep_prompts` is set: the list, and single ones."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from recollect.faces.http.pages.context import PageDep

router = APIRouter(include_in_schema=False)


@router.get("/prompts")
async def prompts(
    request: Request, page: PageDep, prompt_id: Annotated[str, Query(alias="id", max_length=100)] = ""
) -> HTMLResponse:
    admin, keeps = page.state.admin, page.state.memory.settings.keep_prompts
    chosen = await admin.sent_prompt(prompt_id) if prompt_id else None
    if prompt_id and chosen is None:
        raise HTTPException(
            404,
            "this prompt is not kept any more: something that it may quote was deleted or erased, "
            "or newer ones took its place",
        )
    shown = [chosen] if chosen else await admin.sent_prompts()
    names = await admin.profile_names({prompt.user for prompt in shown})
    return page.render(request, "prompts.html", chosen=chosen, prompts=shown, names=names, keeps=keeps)
