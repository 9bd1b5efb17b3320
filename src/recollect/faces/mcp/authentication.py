"""The user and place of a request over HTTP: those that its token is bound to.

The official SDK lets a session be used only with the token that began it. Tokens are issued by hand (`recollect tokens
create`), so there is no authorization server, and none is announced.
"""

import json
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken as PresentedToken

from recollect.admin.tokens import AccessToken, AccessTokens, Role
from recollect.core.errors import StoreError
from recollect.core.types import Place
from recollect.faces.http.auth import LoginThrottle

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_METADATA_PATH = "/.well-known/"
_MISSING_TEXT = "show a token as 'Authorization: Bearer rcl_…'; 'recollect tokens create --as USER' makes one"
_WRONG_TEXT = "this token is unknown, expired or revoked; 'recollect tokens create --as USER' makes a new one"
_ROLE_TEXT = "this token is for the REST API or the page; MCP takes one for a user: 'recollect tokens create --as USER'"


@dataclass(frozen=True, slots=True)
class Principal:
    """A person's memory as seen from a place."""

    user: str
    place: Place | None = None


class _Person(AuthenticatedUser):
    """The user of a request, in the SDK's form and in ours."""

    def __init__(self, token: AccessToken, user: str) -> None:
        # The secret itself goes no further: nothing behind this needs it.
        super().__init__(PresentedToken(token=token.reference, client_id=token.id, scopes=[], subject=user))
        self.principal = Principal(user, token.place)


def principal_of(request: Any) -> Principal | None:
    """The user and place of an HTTP request's token; None without one, and over standard streams."""
    user = None if request is None else request.scope.get("user")
    return user.principal if isinstance(user, _Person) else None


class TokenMiddleware:
    """Lets requests with a valid token through, and others only if none `is_required`."""

    def __init__(self, app: App, tokens: AccessTokens, is_required: Callable[[], Awaitable[bool]]) -> None:
        self._app, self._tokens, self._is_required = app, tokens, is_required
        self._throttle = LoginThrottle()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(_METADATA_PATH):
            # Clients that look for an authorization server get 404 here, not 401.
            await self._app(scope, receive, send)
            return
        try:
            refusal = await self._authenticate(scope)
        except StoreError as error:
            refusal = 503, f"the token can't be checked now: {error}"
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(send, *refusal)

    async def _authenticate(self, scope: Scope) -> tuple[int, str] | None:
        """Put the user into the scope; returns status and text of a refusal."""
        header = next((value for name, value in scope["headers"] if name == b"authorization"), None)
        if header is None:
            return (401, _MISSING_TEXT) if await self._is_required() else None
        scheme, _, secret = header.decode("latin-1").partition(" ")
        token = await self._tokens.check(secret.strip()) if scheme.lower() == "bearer" else None
        address = (scope.get("client") or ("",))[0]
        if token is None:
            wait = self._throttle.failed(address)
            return (429, f"too many wrong tokens; wait {wait} seconds") if wait else (401, _WRONG_TEXT)
        self._throttle.succeeded(address)
        if token.role is not Role.USER or token.user is None:
            return 403, _ROLE_TEXT
        scope["user"] = _Person(token, token.user)
        return None


async def _refuse(send: Send, status: int, text: str) -> None:
    error = {401: "invalid_token", 403: "insufficient_scope"}.get(status, "temporarily_unavailable")
    body = json.dumps({"error": error, "error_description": text}, ensure_ascii=False).encode()
    challenge = f'Bearer realm="recollect", error="{error}"'.encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status in (401, 403):
        headers.append((b"www-authenticate", challenge))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
