"""Errors for people: the problem details that a program would get, as a page of ours."""

import json
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.faces.http import problems
from recollect.faces.http.headers import HEADERS
from recollect.faces.http.pages.context import PageContext

_PROGRAMS = ("/api/", "/metrics", "/health", "/ready")


def wants_page(scope: Scope) -> bool:
    """Whether a person asks with a browser, not a program."""
    accepts = Headers(scope=scope).get("accept", "")
    return "text/html" in accepts and not scope["path"].startswith(_PROGRAMS)


class Explained:
    """Turns problem details into a page on their way to a browser."""

    def __init__(self, app: ASGIApp, desk: PageContext) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not wants_page(scope):
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _Translator(self._desk, Request(scope), send))


class _Translator:
    """Holds back an answer that is a problem until all of it is there."""

    def __init__(self, desk: PageContext, request: Request, send: Send) -> None:
        self._desk, self._request, self._send = desk, request, send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_problem(message):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._translate(self._start)

    async def _translate(self, start: Message) -> None:
        page = explained(self._desk, self._request, start["status"], json.loads(self._body))
        headers = MutableHeaders(scope=start)
        headers["content-type"] = page.headers["content-type"]
        headers["content-length"] = page.headers["content-length"]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": page.body})


def _is_problem(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(problems.TYPE)


def explained(desk: PageContext, request: Request, status: int, problem: dict[str, Any]) -> Response:
    title, detail = str(problem.get("title", "")), str(problem.get("detail", ""))
    return desk.page(request, "error.html", status, status=status, title=title, detail=detail)


def install(app: FastAPI, desk: PageContext) -> None:
    app.add_middleware(Explained, desk=desk)

    async def broken(request: Request, error: Exception) -> Response:
        """What nobody foresaw: this is answered outside of everything else, so it gets its headers here."""
        answer = await problems.broken(request, error)
        if not wants_page(request.scope):
            return answer
        page = explained(desk, request, HTTPStatus.INTERNAL_SERVER_ERROR, json.loads(bytes(answer.body)))
        page.headers.update(HEADERS)
        return page

    app.add_exception_handler(Exception, broken)
