"""The REST API: `/api/v1` for programs, the routes of plug-ins, and the description of all of them."""

from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from recollect import plugins
from recollect.core.version import __version__
from recollect.faces.http.api import events, jobs, memos, messages, people, privacy, search, sessions, stats
from recollect.faces.http.api.common import ROOT, Problem

PARTS = (search, messages, memos, people, sessions, jobs, events, stats, privacy)
_ABOUT = (
    "Long-term memory for chat assistants. Every request shows a token: `Authorization: Bearer …`; a reader's token "
    "can't change anything. Errors are problem details (RFC 9457). Ids may have any characters and go into the query. "
    "Times carry their zone. Unknown fields and parameters are refused."
)
_BEARER = HTTPBearer(auto_error=False, scheme_name="bearer", description="The operator's or the reader's token.")


def install(app: FastAPI) -> None:
    """Add the routes, and what describes them."""
    app.include_router(_routes())

    @app.get(f"{ROOT}/openapi.json", include_in_schema=False)
    async def openapi() -> JSONResponse:
        return JSONResponse(describe())

    del openapi  # the app has it


@cache
def _routes() -> APIRouter:
    own = APIRouter(
        dependencies=[Depends(_BEARER), Depends(_only_known)], generate_unique_id_function=lambda route: route.name
    )
    for part in PARTS:
        own.include_router(part.routes)
    for routes in plugins.load_all("routes"):
        own.include_router(routes)
    return own


@cache
def describe() -> dict[str, Any]:
    """The description of the API, as OpenAPI has it."""
    document = get_openapi(
        title="recollect",
        version=__version__,
        description=_ABOUT,
        routes=_routes().routes,
        separate_input_output_schemas=False,
    )
    for route in (route for methods in document["paths"].values() for route in methods.values()):
        route["summary"] = route.pop("description", route["summary"])
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    return document


@cache
def _queries() -> dict[tuple[str, str], dict[str, bool]]:
    """The query parameters that each route knows, by method and path; and whether they may be given more than once."""
    return {
        (method.upper(), path): {
            one["name"]: one["schema"].get("type") == "array"
            for one in route.get("parameters", ())
            if one["in"] == "query"
        }
        for path, methods in describe()["paths"].items()
        for method, route in methods.items()
    }


async def _only_known(request: Request) -> None:
    """A misspelt filter would otherwise be none, and of two values one would count and nobody know which."""
    path = request.scope["route"].path
    known, given = _queries().get((request.method, path), {}), request.query_params
    unknown = sorted(given.keys() - known.keys())
    if unknown:
        raise HTTPException(
            422, f"there is no parameter {unknown[0]!r}; known are {', '.join(sorted(known)) or 'none'}"
        )
    for name in given:
        if not known[name] and len(given.getlist(name)) > 1:
            raise HTTPException(422, f"the parameter {name!r} is given more than once; it takes one value")
