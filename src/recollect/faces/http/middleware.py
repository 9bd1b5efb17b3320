"""Checks on every request: its host name, size, token and form token; and the headers of every response."""

import re
from collections.abc import Collection
from functools import partial
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.core.errors import StoreError
from recollect.faces.http.auth import COOKIE, Role, Session
from recollect.faces.http.connection_limits import MAX_HEADER_BYTES
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.headers import HEADERS
from recollect.faces.http.problems import problem

MAX_BODY_BYTES = 2_000_000
"""Largest accepted request body."""
TOO_LARGE_TEXT = f"a request may have {MAX_BODY_BYTES:,} bytes at most"
PUBLIC_PATHS = ("/health", "/ready", "/login")
"""Paths that need no token, besides the static files."""
MCP_PATH = "/mcp"
"""Path of MCP, which checks its users' tokens itself."""
STATIC = "/static/"
STREAM = "/stream"
"""The end of paths whose answers have no end; they can't be asked for by HEAD."""
METRICS_PATHS = ("/metrics", *PUBLIC_PATHS)
"""The paths that the metrics token opens."""
READER_PATHS = ("/logout", "/api/v1/context", "/api/v1/erase/survey")
"""Paths that a reader may post to: they change nothing that is remembered."""
FORM_FIELD = "form_token"
FORM_HEADER = "x-form-token"
MAX_LENGTH_DIGITS = 16
"""Digits of the largest content-length that is parsed."""
_HOST = re.compile(r"(?:\[([^\[\]]+)\]|([^\[\]:,\s]*))(?::[0-9]*)?")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
FORM_CONTENT_TYPE = "application/x-www-form-urlencoded"


class SecurityMiddleware:
    """Passes a request on with its role and session in `request.state`, or refuses it."""

    def __init__(self, app: ASGIApp, state: AppState, names: Collection[str] = ()) -> None:
        self._app = app
        self._state = state
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send_with_headers = _with_headers(send)
        if scope["method"] == "HEAD" and not scope["path"].endswith(STREAM):
            scope, send_with_headers = {**scope, "method": "GET"}, _without_body(send_with_headers)
        body = _Body(receive)
        try:
            refusal = await self._refusal(scope, body)
            await (self._app if refusal is None else refusal)(scope, body.receive, send_with_headers)
        except BodyTooLarge:
            await _body_too_large()(scope, receive, send_with_headers)

    async def _refusal(self, scope: Scope, body: "_Body") -> Response | None:
        """The response to a request that is refused; None to let it through."""
        headers, path = Headers(scope=scope), scope["path"]
        if self._names and host_of(*headers.getlist("host")) not in self._names:
            return problem(421, "this server is not known by that name; see the setting http.host_names")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            return problem(431, f"the headers of a request may have {MAX_HEADER_BYTES:,} bytes at most")
        if _declared_length(headers) > MAX_BODY_BYTES:
            return _body_too_large()
        if path == MCP_PATH:
            return None
        session = await self._session(headers)
        scope.setdefault("state", {})["session"] = session
        if path in PUBLIC_PATHS or path.startswith(STATIC):
            return None
        role = session.role if session else None
        if "authorization" in headers:
            try:
                session, (role, wait) = None, await self._bearer(scope, headers)
            except StoreError as error:
                return problem(503, f"the token can't be checked now: {error}")
            if wait:
                return problem(429, f"too many wrong tokens; wait {wait} seconds", {"retry-after": str(wait)})
        if role is None:
            return _unauthorized(scope, headers)
        if role is Role.METRICS and (path not in METRICS_PATHS or scope["method"] not in SAFE_METHODS):
            return problem(403, "this token reads /metrics and nothing else")
        if role is Role.USER:
            return problem(
                403, "this token opens one person's memory, by MCP at /mcp; take an operator's or a reader's here"
            )
        scope["state"]["role"] = role
        scope["state"]["is_current"] = partial(self._is_current, headers, role)
        return await self._forbidden_change(scope, headers, body, role, session)

    async def _is_current(self, headers: Headers, role: Role) -> bool:
        """Whether the token or session of a request is still valid: a stream may outlive it."""
        try:
            if "authorization" in headers:
                secret = headers["authorization"].partition(" ")[2].strip()
                return (await self._state.identify(secret))[0] is role
            session = await self._session(headers)
        except StoreError:
            return False
        return session is not None and session.role is role

    async def _forbidden_change(
        self, scope: Scope, headers: Headers, body: "_Body", role: Role, session: Session | None
    ) -> Response | None:
        """The response to a change that may not be made; None to allow it."""
        if scope["method"] in SAFE_METHODS:
            return None
        # Only sessions: a token in a header can't be sent by another site's form.
        if session is not None and not await self._has_form_token(headers, body, session):
            return problem(403, "this form is too old or was not sent from here; go back, reload and try again")
        if role is Role.READER and scope["path"] not in READER_PATHS:
            return problem(403, "a reader's token can't change anything; sign in with the operator's")
        return None

    async def _session(self, headers: Headers) -> Session | None:
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        session = self._state.sessions.read(cookie) if cookie else None
        if session is None or not session.token:
            return session
        try:
            return session if await self._state.admin.tokens.is_valid(session.token) else None
        except StoreError:  # the token can't be checked without the store, which has nothing to show either
            return None

    async def _bearer(self, scope: Scope, headers: Headers) -> tuple[Role | None, int]:
        """The role of a token, and the seconds to wait after wrong ones; others' guesses never block a valid token."""
        address, throttle = (scope.get("client") or ("",))[0], self._state.throttle
        scheme, _, token = headers["authorization"].partition(" ")
        # Checked before the throttle, so that guessing from the same address can't lock out who has the token.
        role, _ = await self._state.identify(token.strip()) if scheme.lower() == "bearer" else (None, None)
        if role is not None:
            throttle.succeeded(address)
            return role, 0
        return None, throttle.failed(address)

    async def _has_form_token(self, headers: Headers, body: "_Body", session: Session) -> bool:
        """Whether a page of this session sent it: browsers attach the cookie to any request, but not the form token."""
        form_token = headers.get(FORM_HEADER, "")
        if not form_token and headers.get("content-type", "").startswith(FORM_CONTENT_TYPE):
            fields = parse_qs((await body.read_all()).decode("utf-8", "replace"))
            form_token = fields.get(FORM_FIELD, [""])[0]
        return self._state.sessions.is_form_token(session, form_token)


class BodyTooLarge(HTTPException):
    """The body is too large. An HTTPException, as FastAPI would turn any other error into a 400."""

    def __init__(self) -> None:
        super().__init__(413, TOO_LARGE_TEXT)


class _Body:
    """A size-limited request body that can be read before the app reads it."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._buffered: list[Message] = []
        self._length = 0

    async def read_all(self) -> bytes:
        more = True
        while more:
            message = await self._next()
            self._buffered.append(message)
            more = message.get("more_body", False)
        return b"".join(message.get("body", b"") for message in self._buffered)

    async def receive(self) -> Message:
        return self._buffered.pop(0) if self._buffered else await self._next()

    async def _next(self) -> Message:
        message = await self._receive()
        self._length += len(message.get("body", b""))
        if self._length > MAX_BODY_BYTES:
            raise BodyTooLarge
        return message


def host_of(*lines: str) -> str:
    """The host of a `Host` header, without its port: `[::1]:8420` is `::1`. Empty unless there is one, well formed."""
    found = _HOST.fullmatch(lines[0].strip().lower()) if len(lines) == 1 else None
    return "" if found is None else found[1] or found[2]


def _declared_length(headers: Headers) -> int:
    """The declared content length; over the limit where it is not a number."""
    length = headers.get("content-length") or "0"
    is_number = length.isascii() and length.isdecimal() and len(length) < MAX_LENGTH_DIGITS
    return int(length) if is_number else MAX_BODY_BYTES + 1


def _unauthorized(scope: Scope, headers: Headers) -> Response:
    """A browser is redirected to the login page, a program is asked for a token."""
    if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
        target = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        return RedirectResponse(f"/login?next={quote(target, safe='/')}", 303)
    detail = "show your token as 'Authorization: Bearer …'; 'recollect serve --tokens' prints it"
    return problem(401, detail, {"www-authenticate": 'Bearer realm="recollect"'})


def _body_too_large() -> Response:
    return problem(413, TOO_LARGE_TEXT)


def _without_body(send: Send) -> Send:
    """The answer to HEAD: that to GET, without its body."""

    async def send_start(message: Message) -> None:
        await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

    return send_start


def _with_headers(send: Send) -> Send:
    """Adds the security headers to every response."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
