"""The API's description as a page to try it on: Swagger UI from an installed package, nothing from elsewhere."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException

from recollect.faces.http.pages.context import PageDep

router = APIRouter(include_in_schema=False)

PACKAGE = "fastapi_offline"
"""The package with the files; it is not imported."""
FILES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
)
"""Swagger UI sets styles on its elements."""


@cache
def _folder() -> Path | None:
    spec = find_spec(PACKAGE)
    folders = spec.submodule_search_locations if spec else None
    return Path(next(iter(folders))) / "static" if folders else None


@router.get("/docs")
async def docs(request: Request, page: PageDep) -> HTMLResponse:
    values: dict[str, Any] = {"has_viewer": _folder() is not None}
    response = page.render(request, "docs.html", **values)
    response.headers["content-security-policy"] = POLICY
    return response


@router.get("/docs/{name}")
async def file(name: str) -> Response:
    folder = _folder()
    if folder is None or name not in FILES:
        raise HTTPException(404, "there is no such file")
    return FileResponse(folder / name, media_type=FILES[name], headers={"cache-control": "private, max-age=86400"})


@router.get("/openapi.json")
async def description() -> Response:
    """Where tools look for it first."""
    return RedirectResponse("/api/v1/openapi.json", 307)
