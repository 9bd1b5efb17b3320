"""Signing in with a token, and out again.

The sign-in form carries a token of its own, so that no other site can sign a browser in, or try tokens through it.
"""

import secrets
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from recollect.faces.http.auth import COOKIE, LOGIN_COOKIE, Role
from recollect.faces.http.pages.context import PageContext, PageDep, local_path

router = APIRouter(include_in_schema=False)

REJECTED_TEXT = "That is not one of the tokens. 'recollect serve --tokens' prints them."
NO_PAGES_TEXT = {
    Role.METRICS: "That token reads /metrics and nothing else. Sign in with the operator's or the reader's.",
    Role.USER: "That token opens one person's memory, by MCP. Sign in with the operator's or the reader's.",
}
STALE_TEXT = "This form was too old, or not sent from here. Try again."
MAX_TOKEN_CHARS = 500
MAX_NONCE_CHARS = 64


@router.get("/login")
async def login(request: Request, page: PageDep) -> Response:
    target = local_path(request.query_params.get("next", "/"))
    if request.state.session is not None:
        return RedirectResponse(target, 303)
    return _form(request, page, target)


@router.post("/login")
async def sign_in(
    request: Request,
    page: PageDep,
    token: Annotated[str, Form(max_length=MAX_TOKEN_CHARS)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "/",
    form_token: Annotated[str, Form(max_length=MAX_TOKEN_CHARS)] = "",
) -> Response:
    state, address, target = page.state, request.client.host if request.client else "", local_path(next)
    if not state.sessions.is_login_token(_nonce(request), form_token):
        return _form(request, page, target, 403, STALE_TEXT)
    role, access_token = await state.identify(token.strip())
    if role is None and (wait := state.throttle.failed(address)):
        problem = f"Too many wrong tokens. Wait {wait} seconds before the next try; the right token works at once."
        response = _form(request, page, target, 429, problem)
        response.headers["retry-after"] = str(wait)
        return response
    if role is None or role not in (Role.OPERATOR, Role.READER):
        return _form(request, page, target, 403, NO_PAGES_TEXT[role] if role else REJECTED_TEXT)
    state.throttle.succeeded(address)
    _, cookie = state.sessions.begin(role, access_token)
    response = RedirectResponse(target, 303)
    lifetime, secure = int(state.memory.settings.http.session_lifetime), request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
    response.delete_cookie(LOGIN_COOKIE, path="/login", httponly=True, samesite="strict")
    return response


def _form(request: Request, page: PageContext, target: str, status: int = 200, problem: str = "") -> Response:
    """The sign-in form, with a token that only works together with this browser's cookie."""
    nonce = _nonce(request) or secrets.token_urlsafe(16)
    login_token = page.state.sessions.login_token(nonce)
    response = page.render(request, "login.html", status, target=target, problem=problem, login_token=login_token)
    is_secure = request.url.scheme == "https"
    response.set_cookie(LOGIN_COOKIE, nonce, path="/login", httponly=True, samesite="strict", secure=is_secure)
    return response


def _nonce(request: Request) -> str:
    nonce = request.cookies.get(LOGIN_COOKIE, "")
    return nonce if nonce.isascii() and len(nonce) <= MAX_NONCE_CHARS else ""


@router.post("/logout")
async def logout(request: Request, page: PageDep) -> Response:
    if request.state.session is not None:
        page.state.sessions.end(request.state.session)
    response = RedirectResponse("/login?done=out", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response
