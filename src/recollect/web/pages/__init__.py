"""The operator's pages: templates, a style sheet and one small script; no build step, nothing from elsewhere."""

from os import stat_result
from typing import Any

from fastapi import FastAPI
from starlette.responses import Response
from starlette.staticfiles import StaticFiles

from recollect.web.house import House
from recollect.web.pages import (
    asking,
    desk,
    erasing,
    errors,
    jobs,
    journal,
    memo,
    memos,
    overview,
    people,
    refused,
    sessions,
    signing,
)

_PARTS = (signing, overview, people, memos, memo, asking, sessions, journal, refused, jobs, erasing)


class _Files(StaticFiles):
    """Our own files, which change their address with their content."""

    def file_response(self, full_path: Any, stat_result: stat_result, scope: Any, status_code: int = 200) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        answer.headers["cache-control"] = "private, max-age=86400"
        return answer


def install(app: FastAPI) -> None:
    """Add the routes."""
    house: House = app.state.house
    app.state.desk = desk.make(house)
    for part in _PARTS:
        app.include_router(part.router)
    app.mount("/static", _Files(directory=desk.STATIC), name="static")
    errors.install(app, app.state.desk)
