"""The operator's pages: templates, a style sheet and one small script; no build step, no external resources."""

from os import stat_result
from typing import Any

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from recollect.faces.http.dependencies import AppState
from recollect.faces.http.pages import (
    bulk,
    context,
    docs,
    erase,
    errors,
    jobs,
    log,
    login,
    memo,
    memos,
    messages,
    overview,
    people,
    prompts,
    rejected,
    relearn,
    search,
    servers,
    sessions,
    system,
    tokens,
)

_PAGES = (
    login,
    overview,
    people,
    servers,
    memos,
    memo,
    bulk,
    search,
    prompts,
    messages,
    sessions,
    log,
    rejected,
    jobs,
    relearn,
    erase,
    system,
    tokens,
    docs,
)


class _StaticFiles(StaticFiles):
    """Static files; their URLs change with their content, so browsers may cache them."""

    def file_response(self, full_path: Any, stat_result: stat_result, scope: Any, status_code: int = 200) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = "private, max-age=86400"
        return response


def install(app: FastAPI) -> None:
    """Add the routes."""
    state: AppState = app.state.recollect
    app.state.pages = context.create(state)
    for module in _PAGES:
        app.include_router(module.router)
    app.mount("/static", _StaticFiles(directory=context.STATIC), name="static")
    errors.install(app, app.state.pages)
