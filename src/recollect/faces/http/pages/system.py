"""The installation: version, settings and where each comes from, models, the store and its backups."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from recollect.admin.system import ModelTest
from recollect.admin.tokens import IssuedToken
from recollect.core.errors import RecollectError
from recollect.faces.http.pages.context import PageContext, PageDep, after

router = APIRouter(include_in_schema=False)

Text = Annotated[str, Query(max_length=500)]


@router.get("/system")
async def system(request: Request, page: PageDep, part: Text = "", show: Text = "") -> HTMLResponse:
    return await render_system(request, page, part, show)


async def render_system(
    request: Request,
    page: PageContext,
    part: str = "",
    show: str = "",
    status: int = 200,
    /,
    *,
    tests: Sequence[ModelTest] | None = None,
    problem: str = "",
    issued: IssuedToken | None = None,
) -> HTMLResponse:
    """The page; with the models' test answers, an error, or a new token."""
    described, folded = await page.state.admin.system(), part.strip().lower()
    shown: list[Any] = [
        row
        for row in described.settings
        if (folded in row.name or folded in row.description.lower())
        and (folded or show == "all" or row.origin != "default")
    ]
    return page.render(
        request,
        "system.html",
        status,
        part="system_settings.html",
        system=described,
        filter=part,
        show=show,
        rows=shown,
        tests=tests,
        problem=problem,
        tokens=await page.state.admin.tokens.list(),
        issued=issued,
        worker=page.state.memory.worker.is_running,
        paused=await page.state.admin.paused_places(),
    )


@router.post("/system/test-models")
async def test_models(request: Request, page: PageDep) -> HTMLResponse:
    return await render_system(request, page, tests=await page.state.admin.test_models())


@router.post("/system/backup")
async def backup(request: Request, page: PageDep) -> Response:
    try:
        await page.state.admin.backup()
    except RecollectError as error:
        return await render_system(request, page, "", "", 503, problem=str(error))
    return after("/system", "backed_up")
