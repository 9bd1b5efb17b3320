"""The operator's pages: templates, a style sheet and one small script; no build step, nothing from elsewhere."""

from os import stat_result
from typing import Any

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from recollect.faces.http.dependencies import AppState
from recollect.faces.http.pages import (
    context,
    erase,
    errors,
    jobs,
    log,
    login,
    memo,
    memos,
    overview,
    people,
    rejected,
    search,
    sessions,
)

_PARTS = (login, overview, people, memos, memo, search, sessions, log, rejected, jobs, erase)


class _Files(StaticFiles):
    """Our own files, which change their address with their content."""

    def file_response(self, full_path: Any, stat_result: stat_result, scope: Any, status_code: int = 200) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["cache-control"] = "private, max-age=86400"
        return answer


def install(app: FastAPI) -> None:
    """Add the routes."""
    house: AppState = app.state.house
    app.state.desk = context.make(house)
    for part in _PARTS:
        app.include_router(part.router)
    app.mount("/static", _Files(directory=context.STATIC), name="static")
    errors.install(app, app.state.desk)
