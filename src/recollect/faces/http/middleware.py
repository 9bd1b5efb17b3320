"""What every request passes: the host it is addressed to, its size, its token; and the headers of every answer."""

from collections.abc import Collection
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.faces.http.auth import COOKIE, Role, Session
from recollect.faces.http.dependencies import AppState
from recollect.faces.http.headers import HEADERS
from recollect.faces.http.problems import problem

LONGEST = 2_000_000
"""Bytes of a request's body."""
_TOO_LONG = f"a request may have {LONGEST:,} bytes at the most"
OPEN = ("/health", "/ready", "/login")
"""Paths that need no token, besides the page's own files."""
STATIC = "/static/"
FOR_READERS = ("/logout", "/api/v1/context", "/api/v1/erase/survey")
"""What a reader may send, too: it changes nothing that is remembered."""
FORM_FIELD = "form_token"
FORM_HEADER = "x-form-token"
_DIGITS = 16
"""No length has more."""
_READING = ("GET", "HEAD", "OPTIONS")
_FORM = "application/x-www-form-urlencoded"


class SecurityMiddleware:
    """Lets a request through with its role and session in `request.state`, or answers it."""

    def __init__(self, app: ASGIApp, house: AppState, names: Collection[str] = ()) -> None:
        self._app = app
        self._house = house
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answering = _with_headers(send)
        body = _Body(receive)
        try:
            refusal = await self._refusal(scope, body)
            await (self._app if refusal is None else refusal)(scope, body.receive, answering)
        except TooLong:
            await _too_long()(scope, receive, answering)

    async def _refusal(self, scope: Scope, body: "_Body") -> Response | None:
        """The answer to a request that is not let through."""
        headers, path = Headers(scope=scope), scope["path"]
        if self._names and host_of(headers.get("host", "")) not in self._names:
            return problem(421, "this server is not known by that name; see the setting http.host_names")
        if _announced(headers) > LONGEST:
            return _too_long()
        session = self._session(headers)
        scope.setdefault("state", {})["session"] = session
        if path in OPEN or path.startswith(STATIC):
            return None
        role = session.role if session else None
        if "authorization" in headers:
            session, (role, wait) = None, self._bearer(scope, headers)
            if wait:
                return problem(429, "too many wrong tokens; wait a minute", {"retry-after": str(wait)})
        if role is None:
            return _wrong_host(scope, headers)
        scope["state"]["role"] = role
        return await self._unlawful(scope, headers, body, role, session)

    async def _unlawful(
        self, scope: Scope, headers: Headers, body: "_Body", role: Role, session: Session | None
    ) -> Response | None:
        """The answer to a change that may not be made."""
        if scope["method"] in _READING:
            return None
        if session is not None and not await self._is_ours(headers, body, session):
            return problem(403, "this form is too old or was not sent from here; go back, reload and try again")
        if role is Role.READER and scope["path"] not in FOR_READERS:
            return problem(403, "a reader's token can't change anything; sign in with the operator's")
        return None

    def _session(self, headers: Headers) -> Session | None:
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        return self._house.sessions.read(cookie) if cookie else None

    def _bearer(self, scope: Scope, headers: Headers) -> tuple[Role | None, int]:
        """The role of a token, and how long a guesser has to wait; others' guesses keep no right token out."""
        address, guesses = (scope.get("client") or ("",))[0], self._house.guesses
        scheme, _, token = headers["authorization"].partition(" ")
        role = self._house.tokens().role(token.strip()) if scheme.lower() == "bearer" else None
        if role is not None:
            return role, 0
        wait = guesses.wait(address)
        if not wait:
            guesses.note(address)
        return None, wait

    async def _is_ours(self, headers: Headers, body: "_Body", session: Session) -> bool:
        """Whether a page of this session sent it: browsers send the cookie with everything, but not this."""
        given = headers.get(FORM_HEADER, "")
        if not given and headers.get("content-type", "").startswith(_FORM):
            fields = parse_qs((await body.whole()).decode("utf-8", "replace"))
            given = fields.get(FORM_FIELD, [""])[0]
        return self._house.sessions.is_form_token(session, given)


class TooLong(HTTPException):
    """The body goes on and on. FastAPI lets this kind of error pass, and would call any other a bad request."""

    def __init__(self) -> None:
        super().__init__(413, _TOO_LONG)


class _Body:
    """A request's body, no longer than allowed, that may be looked at before the app reads it."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._read: list[Message] = []
        self._length = 0

    async def whole(self) -> bytes:
        more = True
        while more:
            message = await self._next()
            self._read.append(message)
            more = message.get("more_body", False)
        return b"".join(message.get("body", b"") for message in self._read)

    async def receive(self) -> Message:
        return self._read.pop(0) if self._read else await self._next()

    async def _next(self) -> Message:
        message = await self._receive()
        self._length += len(message.get("body", b""))
        if self._length > LONGEST:
            raise TooLong
        return message


def host_of(header: str) -> str:
    """The host that a request is addressed to, without its port: `[::1]:8420` is `::1`."""
    name = header.strip().lower()
    return name[1:].partition("]")[0] if name.startswith("[") else name.partition(":")[0]


def _announced(headers: Headers) -> int:
    """Bytes that a request says it has; too many, for what is no number."""
    length = headers.get("content-length") or "0"
    is_number = length.isascii() and length.isdecimal() and len(length) < _DIGITS
    return int(length) if is_number else LONGEST + 1


def _wrong_host(scope: Scope, headers: Headers) -> Response:
    """A person is asked to sign in, a program for a token."""
    if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
        wanted = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
        return RedirectResponse(f"/login?next={quote(wanted, safe='/')}", 303)
    told = "show your token as 'Authorization: Bearer …'; 'recollect serve --tokens' prints it"
    return problem(401, told, {"www-authenticate": 'Bearer realm="recollect"'})


def _too_long() -> Response:
    return problem(413, _TOO_LONG)


def _with_headers(send: Send) -> Send:
    async def answering(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return answering


def session_of(request: Request) -> Session | None:
    """The session of the browser that asks, if it has one."""
    return request.state.session
