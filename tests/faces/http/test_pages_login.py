"""Signing in and out: cookies, rate limit, and where one is led afterwards."""

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.faces.http.app import create
from recollect.faces.http.pages.context import local_path
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import TOKENS, asking
from tests.faces.http.visiting import PAGE, hidden, visiting


async def test_a_stranger_is_led_to_the_login_page_and_back_to_what_they_wanted(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        sent = await stranger.get("/people/memos", params={"user": "a/b ?%2F🦦"})
        assert sent.status_code == 303
        login = await stranger.get(sent.headers["location"])
        assert login.status_code == 200
        wanted = hidden(login.text, "next")
        done = await stranger.post("/login", data={"token": TOKENS.operator, "next": wanted})
        assert done.status_code == 303
        page = await stranger.get(done.headers["location"])
        assert page.status_code == 200
        assert "a/b ?%2F🦦" in page.text


async def test_the_cookie_is_for_this_site_alone_and_no_script_can_read_it(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        done = await stranger.post("/login", data={"token": TOKENS.operator})
    cookie = done.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age=43200" in cookie
    assert TOKENS.operator.lower() not in cookie


async def test_behind_https_the_cookie_never_travels_without(app: FastAPI):
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="https://memory.example") as client:
        done = await client.post("/login", data={"token": TOKENS.operator})
    assert "; Secure" in done.headers["set-cookie"]


async def test_a_wrong_token_is_told_and_opens_nothing(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        answer = await stranger.post("/login", data={"token": "not-a-token-of-ours"})
        assert answer.status_code == 403
        assert "not one of the tokens" in answer.text
        assert "not-a-token-of-ours" not in answer.text
        assert "set-cookie" not in answer.headers
        assert (await stranger.get("/")).status_code == 303


async def test_after_a_few_wrong_tokens_an_address_has_to_wait_even_with_the_right_one(app: FastAPI):
    async with asking(app, PAGE) as guesser, asking(app, PAGE, address="203.0.113.8") as other:
        for guess in range(5):
            assert (await guesser.post("/login", data={"token": f"guess-{guess}"})).status_code == 403
        refused = await guesser.post("/login", data={"token": TOKENS.operator})
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 61
        assert "Wait" in refused.text
        assert (await other.post("/login", data={"token": TOKENS.operator})).status_code == 303


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "javascript:alert(1)",
        "/\t/evil.example",
        "/\n/evil.example",
        "/a\\..\\evil",
        "evil.example",
        "",
    ],
)
async def test_nobody_is_led_elsewhere_after_signing_in(app: FastAPI, path: str):
    async with asking(app, PAGE) as stranger:
        done = await stranger.post("/login", data={"token": TOKENS.operator, "next": path})
    assert done.headers["location"] == "/"


def test_a_path_of_ours_is_kept_with_its_query():
    assert local_path("/people/memos?user=a%2Fb&part=x") == "/people/memos?user=a%2Fb&part=x"
    assert local_path("//evil.example", "/people") == "/people"


async def test_who_is_signed_in_needs_no_login_page(app: FastAPI):
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/login", params={"next": "/jobs"})
        assert answer.headers["location"] == "/jobs"


@pytest.mark.parametrize("token", [TOKENS.operator, TOKENS.reader])
async def test_signing_out_ends_it(app: FastAPI, token: str):
    async with visiting(app, token) as visitor:
        done = await visitor.send("/logout")
        assert "signed out" in (await visitor.client.get(done.headers["location"])).text
        assert (await visitor.client.get("/")).status_code == 303


async def test_signing_out_needs_the_form_token_too(app: FastAPI):
    async with visiting(app) as visitor:
        assert (await visitor.client.post("/logout")).status_code == 403
        assert (await visitor.client.get("/")).status_code == 200


async def test_a_cookie_that_was_copied_before_signing_out_opens_nothing_after(app: FastAPI):
    async with visiting(app) as visitor:
        copied = dict(visitor.client.cookies)
        await visitor.send("/logout")
    async with asking(app, PAGE) as thief:
        thief.cookies.update(copied)
        assert (await thief.get("/people")).status_code == 303


async def test_signing_out_counts_in_every_process_that_serves_the_same_data(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    async with visiting(app) as visitor, asking(create(memory, TOKENS, clock=clock), PAGE) as elsewhere:
        elsewhere.cookies.update(visitor.client.cookies)
        assert (await elsewhere.get("/people")).status_code == 200
        await visitor.send("/logout")
        assert (await elsewhere.get("/people")).status_code == 303
