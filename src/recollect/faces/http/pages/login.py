"""Signing in with a token, and out again."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from recollect.faces.http.auth import COOKIE
from recollect.faces.http.pages.context import At, own

router = APIRouter(include_in_schema=False)

WRONG = "That is not one of the tokens. 'recollect serve --tokens' prints them."
_LONGEST = 500


@router.get("/login")
async def login(request: Request, desk: At) -> Response:
    wanted = own(request.query_params.get("next", "/"))
    if request.state.session is not None:
        return RedirectResponse(wanted, 303)
    return desk.page(request, "login.html", wanted=wanted, problem="")


@router.post("/login")
async def sign_in(
    request: Request,
    desk: At,
    token: Annotated[str, Form(max_length=_LONGEST)] = "",
    next: Annotated[str, Form(max_length=2_000)] = "/",
) -> Response:
    house, address, wanted = desk.house, request.client.host if request.client else "", own(next)
    if wait := house.guesses.wait(address):
        told = f"Too many wrong tokens. Wait {wait} seconds, then try again."
        page = desk.page(request, "login.html", 429, wanted=wanted, problem=told)
        page.headers["retry-after"] = str(wait)
        return page
    role = house.tokens().role(token.strip())
    if role is None:
        house.guesses.note(address)
        return desk.page(request, "login.html", 403, wanted=wanted, problem=WRONG)
    _, cookie = house.sessions.begin(role)
    answer = RedirectResponse(wanted, 303)
    lifetime, secure = int(house.memory.settings.http.session_lifetime), request.url.scheme == "https"
    answer.set_cookie(COOKIE, cookie, max_age=lifetime, httponly=True, samesite="strict", secure=secure)
    return answer


@router.post("/logout")
async def logout(request: Request, desk: At) -> Response:
    if request.state.session is not None:
        desk.house.sessions.end(request.state.session)
    answer = RedirectResponse("/login?done=out", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer
