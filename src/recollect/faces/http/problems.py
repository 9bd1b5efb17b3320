"""Errors as problem details (RFC 9457): a title, a sentence that says what to do, never a trace."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from recollect.core.errors import BadInput, RecollectError, StoreBusy, StoreError, UnknownMemo
from recollect.faces.http.headers import HEADERS

log = logging.getLogger("recollect.http")

TYPE = "application/problem+json"
_STATUS: list[tuple[type[RecollectError], int]] = [
    (UnknownMemo, 404),
    (BadInput, 422),
    (StoreBusy, 503),
    (StoreError, 503),
]
_SHOWN = 20
"""Wrong fields that are named at the most."""


class _Answer(JSONResponse):
    """In ASCII: what a request says wrong may be half a character, and is told all the same."""

    media_type = TYPE

    def render(self, content: Any) -> bytes:
        return json.dumps(content).encode()


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any) -> JSONResponse:
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    return _Answer(body, status, dict(headers or {}))


def install(app: FastAPI) -> None:
    """Let every error of this app be answered so."""
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(RecollectError, _ours)
    app.add_exception_handler(Exception, broken)


async def _refused(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101 - that is what it is installed for
    return problem(error.status_code, str(error.detail), error.headers)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - that is what it is installed for
    wrong = [{"where": ".".join(map(str, one["loc"])), "why": one["msg"]} for one in error.errors()[:_SHOWN]]
    told = "; ".join(f"{one['where']}: {one['why']}" for one in wrong[:3])
    return problem(422, told or "the request can't be read", errors=wrong)


async def _ours(_: Request, error: Exception) -> JSONResponse:
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        log.warning("a request failed: %s", error)
    return problem(status, str(error), {"Retry-After": "5"} if status == HTTPStatus.SERVICE_UNAVAILABLE else None)


async def broken(_: Request, error: Exception) -> JSONResponse:
    log.error("a request failed", exc_info=error)
    return problem(500, "something went wrong here; the log has more", HEADERS)  # no one else adds them
