"""Errors as pages: the problem details that a program would get, rendered for a browser."""

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

API_PATHS = ("/api/", "/metrics", "/health", "/ready")


def wants_page(scope: Scope) -> bool:
    """Whether a browser asks for a page, not a program for data."""
    accepts = Headers(scope=scope).get("accept", "")
    return "text/html" in accepts and not scope["path"].startswith(API_PATHS)


class ErrorPages:
    """Middleware that turns problem details into a page for browsers."""

    def __init__(self, app: ASGIApp, page: PageContext) -> None:
        self._app = app
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not wants_page(scope):
            await self._app(scope, receive, send)
            return
        await self._app(scope, receive, _ErrorPageSender(self._page, Request(scope), send))


class _ErrorPageSender:
    """Holds back a problem response until it is complete, then sends a page."""

    def __init__(self, page: PageContext, request: Request, send: Send) -> None:
        self._page, self._request, self._send = page, request, send
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
                await self._send_page(self._start)

    async def _send_page(self, start: Message) -> None:
        response = render_error(self._page, self._request, start["status"], json.loads(self._body))
        headers = MutableHeaders(scope=start)
        headers["content-type"] = response.headers["content-type"]
        headers["content-length"] = response.headers["content-length"]
        await self._send(start)
        await self._send({"type": "http.response.body", "body": response.body})


def _is_problem(start: Message) -> bool:
    return Headers(raw=start["headers"]).get("content-type", "").startswith(problems.TYPE)


def render_error(page: PageContext, request: Request, status: int, problem: dict[str, Any]) -> Response:
    title, detail = str(problem.get("title", "")), str(problem.get("detail", ""))
    return page.render(request, "error.html", status, status=status, title=title, detail=detail)


def install(app: FastAPI, page: PageContext) -> None:
    app.add_middleware(ErrorPages, page=page)

    async def on_unexpected_error(request: Request, error: Exception) -> Response:
        """Answers unexpected errors; outside the middleware, so it adds the headers itself."""
        response = await problems.on_unexpected_error(request, error)
        if not wants_page(request.scope):
            return response
        error_page = render_error(page, request, HTTPStatus.INTERNAL_SERVER_ERROR, json.loads(bytes(response.body)))
        error_page.headers.update(HEADERS)
        return error_page

    app.add_exception_handler(Exception, on_unexpected_error)
