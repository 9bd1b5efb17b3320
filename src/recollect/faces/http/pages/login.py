"""Signing in with a token, and out again."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from recollect.faces.http.auth import COOKIE
from recollect.faces.http.pages.context import PageDep, local_path

router = APIRouter(include_in_schema=False)

REJECTED_TEXT = "That is not one of the tokens. 'recollect serve --tokens' prints them."
MAX_TOKEN_CHARS = 500


@router.get("/login")
async def login(request: Request, page: PageDep) -> Response:
    target = local_path(request.query_params.get("next", "/"))
    if request.state.session is not None:
        return RedirectResponse(target, 303)
    return page.render(request, "login.html", target=target, problem="")


@router.post("/login")
async def sign_in(
    request: Request,
    page: PageDep,
    token: Annotated[str, Form(max_length=MAX_TOKEN_CHARS)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    state, address, target = page.state, request.client.host if request.client else "", local_path(next)
    if wait := state.throttle.wait(address):
        problem = f"Too many wrong tokens. Wait {wait} seconds, then try again."
        response = page.render(request, "login.html", 429, target=target, problem=problem)
        response.headers["retry-after"] = str(wait)
        return response
    role = state.tokens().role(token.strip())
    if role is None:
        state.throttle.record_failure(address)
        return page.render(request, "login.html", 403, target=target, problem=REJECTED_TEXT)
    _, cookie = state.sessions.begin(role)
    response = RedirectResponse(target, 303)
    lifetime, secure = int(state.memory.settings.http.session_lifetime), request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
    return response


@router.post("/logout")
async def logout(request: Request, page: PageDep) -> Response:
    if request.state.session is not None:
        page.state.sessions.end(request.state.session)
    response = RedirectResponse("/login?done=out", 303)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response
