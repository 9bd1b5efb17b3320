"""The REST API: `/api/v1`, the routes of plug-ins, and their OpenAPI description."""

from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException

from recollect import plugins
from recollect.core.version import __version__
from recollect.faces.http.api import (
    events,
    jobs,
    memos,
    messages,
    people,
    privacy,
    relearn,
    search,
    sessions,
    stats,
    undo,
)
from recollect.faces.http.api.common import ROOT, Problem
from recollect.faces.http.idempotency import KEY_HEADER, MAX_KEY_CHARS

MODULES = (search, messages, undo, memos, people, sessions, relearn, jobs, events, stats, privacy)
_ABOUT = (
    "Long-term memory for chat assistants. Every request shows a token: `Authorization: Bearer …`; a reader's token "
    "can't change anything. Errors are problem details (RFC 9457). Lists go on with "
    "`next` of one answer as `cursor` of the next request. Ids may have any characters and go into the query. "
    "Times carry their zone. Unknown fields and parameters are refused."
)
_IDEMPOTENCY_KEY = {
    "name": KEY_HEADER,
    "in": "header",
    "required": False,
    "description": "Any text that is unique to this change. Sent again with the same key, it is answered as before and "
    "not made twice; the key counts for an hour, while the server runs.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS, "pattern": "^[!-~]+$"},
}
_BEARER = HTTPBearer(auto_error=False, scheme_name="bearer", description="The operator's or the reader's token.")


def install(app: FastAPI) -> None:
    """Add the routes and their OpenAPI document."""
    app.include_router(_routes())

    @app.get(f"{ROOT}/openapi.json", include_in_schema=False)
    async def openapi() -> JSONResponse:
        return JSONResponse(describe())

    del openapi  # registered with the app


@cache
def _routes() -> APIRouter:
    api = APIRouter(
        dependencies=[Depends(_BEARER), Depends(_require_json), Depends(_reject_unknown_parameters)],
        generate_unique_id_function=lambda route: route.name,
    )
    for module in MODULES:
        api.include_router(module.routes)
    for routes in plugins.load_all("routes"):
        api.include_router(routes)
    return api


@cache
def describe() -> dict[str, Any]:
    """The OpenAPI document of the API."""
    document = get_openapi(
        title="recollect",
        version=__version__,
        description=_ABOUT,
        routes=_routes().routes,
        separate_input_output_schemas=False,
    )
    for method, route in ((method, route) for routes in document["paths"].values() for method, route in routes.items()):
        route["summary"] = route.pop("description", route["summary"])
        if method != "get":
            route.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas["Problem"] = Problem.model_json_schema()
    return document


@cache
def _queries() -> dict[tuple[str, str], dict[str, bool]]:
    """The query parameters of each route, by method and path; and whether they may be repeated."""
    return {
        (method.upper(), path): {
            parameter["name"]: parameter["schema"].get("type") == "array"
            for parameter in route.get("parameters", ())
            if parameter["in"] == "query"
        }
        for path, methods in describe()["paths"].items()
        for method, route in methods.items()
    }


async def _require_json(request: Request) -> None:
    """A body of another type would be read as if it were absent."""
    headers = request.headers
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    has_body = headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
    is_json = media_type == "application/json" or (
        media_type.startswith("application/") and media_type.endswith("+json")
    )
    if has_body and not is_json and request.method not in ("GET", "HEAD"):
        raise HTTPException(415, "send the body as JSON, with the header 'Content-Type: application/json'")


async def _reject_unknown_parameters(request: Request) -> None:
    """A misspelled filter would otherwise be ignored, and of a repeated one only one value would count."""
    path = request.scope["route"].path
    allowed, params = _queries().get((request.method, path), {}), request.query_params
    unknown = sorted(params.keys() - allowed.keys())
    if unknown:
        raise HTTPException(
            422, f"there is no parameter {unknown[0]!r}; known are {', '.join(sorted(allowed)) or 'none'}"
        )
    for name in params:
        if not allowed[name] and len(params.getlist(name)) > 1:
            raise HTTPException(422, f"the parameter {name!r} is given more than once; it takes one value")
