"""Errors as problem details (RFC 9457): a title and a sentence that says what to do, never a traceback."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import Match

from recollect.core.errors import (
    BadInput,
    ModelError,
    RecollectError,
    StoreBusy,
    StoreError,
    UnknownMemo,
    VersionConflict,
)
from recollect.faces.http.headers import HEADERS

log = logging.getLogger("recollect.http")

TYPE = "application/problem+json"
_STATUS: list[tuple[type[RecollectError], int]] = [
    (UnknownMemo, 404),
    (BadInput, 422),
    (StoreBusy, 503),
    (StoreError, 503),
    (ModelError, 503),
]
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
MAX_ERRORS = 20
"""Wrong fields named in one response."""


class _ProblemResponse(JSONResponse):
    """In ASCII, as an invalid value that is quoted may contain a lone surrogate."""

    media_type = TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return _ProblemResponse(body, status, dict(headers or {}))


def install(app: FastAPI) -> None:
    """Answer every error of this app with problem details."""
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(VersionConflict, _on_conflict)
    app.add_exception_handler(RecollectError, _on_recollect_error)
    app.add_exception_handler(Exception, on_unexpected_error)


async def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - that is what it is installed for
    detail = str(error.detail)
    if detail == HTTPStatus(error.status_code).phrase and request.url.path.startswith("/api/"):
        detail = f"there is no {request.method} {request.url.path}; /docs lists what there is"
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        return problem(error.status_code, detail, {"Allow": ", ".join(_methods(request))})
    return problem(error.status_code, detail, error.headers)


def _methods(request: Request) -> list[str]:
    """What a path can be asked for; the router names only the methods of the first route that has it."""
    scopes = ({**request.scope, "method": method} for method in _METHODS)
    routes = request.app.routes
    return [scope["method"] for scope in scopes if any(route.matches(scope)[0] is Match.FULL for route in routes)]


async def _on_invalid_request(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - that is what it is installed for
    faults = error.errors()
    if any(item["type"] == "json_invalid" for item in faults):
        return problem(400, "the body is not JSON: " + str(faults[0].get("ctx", {}).get("error", "it can't be read")))
    # A parameter that two parts of a route read is missing once.
    places = dict.fromkeys((".".join(map(str, item["loc"])), str(item["msg"])) for item in faults)
    errors = [{"where": where, "why": why} for where, why in list(places)[:MAX_ERRORS]]
    detail = "; ".join(f"{item['where']}: {item['why']}" for item in errors[:3])
    return problem(422, detail or "the request can't be read", errors=errors)


async def _on_conflict(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, VersionConflict)  # noqa: S101 - that is what it is installed for
    return problem(409, str(error), {"ETag": f'"{error.version}"'}, version=error.version)


async def _on_recollect_error(_: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("a request failed: %s", error)
    return problem(status, str(error), {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None)


async def on_unexpected_error(_: Request, error: Exception) -> JSONResponse:
    log.error("a request failed", exc_info=error)
    return problem(
        500, "something went wrong here; the log has more", HEADERS
    )  # answered outside the middleware that adds them
