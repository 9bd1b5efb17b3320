"""Signing in and out: cookies, rate limit, and where one is led afterwards."""

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.faces.http.app import create
from recollect.faces.http.auth import COOKIE
from recollect.faces.http.pages.context import local_path
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import TOKENS, asking
from tests.faces.http.visiting import PAGE, hidden, signing_in, visiting


async def test_a_stranger_is_led_to_the_login_page_and_back_to_what_they_wanted(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        sent = await stranger.get("/people/memos", params={"user": "a/b ?%2F🦦"})
        assert sent.status_code == 303
        login = await stranger.get(sent.headers["location"])
        assert login.status_code == 200
        wanted = hidden(login.text, "next")
        done = await signing_in(stranger, TOKENS.operator, next=wanted)
        assert done.status_code == 303
        page = await stranger.get(done.headers["location"])
        assert page.status_code == 200
        assert "a/b ?%2F🦦" in page.text


async def test_the_cookie_is_for_this_site_alone_and_no_script_can_read_it(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        done = await signing_in(stranger, TOKENS.operator)
    cookie = next(cookie for cookie in done.headers.get_list("set-cookie") if cookie.startswith(COOKIE)).lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age=43200" in cookie
    assert TOKENS.operator.lower() not in cookie


async def test_behind_https_the_cookie_never_travels_without(app: FastAPI):
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="https://memory.example") as client:
        form = await client.get("/login")
        done = await signing_in(client, TOKENS.operator)
    assert "; Secure" in form.headers["set-cookie"]
    assert "; Secure" in done.headers.get_list("set-cookie")[0]


async def test_a_wrong_token_is_told_and_opens_nothing(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        answer = await signing_in(stranger, "not-a-token-of-ours")
        assert answer.status_code == 403
        assert "not one of the tokens" in answer.text
        assert "not-a-token-of-ours" not in answer.text
        assert COOKIE not in answer.headers.get("set-cookie", "")
        assert (await stranger.get("/")).status_code == 303


async def test_guessers_wait_longer_and_longer_and_the_right_token_always_works(app: FastAPI):
    async with asking(app, PAGE) as guesser, asking(app, PAGE, address="203.0.113.8") as other:
        for guess in range(5):
            assert (await signing_in(guesser, f"guess-{guess}")).status_code == 403
        refused = [await signing_in(guesser, f"guess-{guess}") for guess in range(4)]
        assert {answer.status_code for answer in refused} == {429}
        assert [int(answer.headers["retry-after"]) for answer in refused] == [2, 4, 8, 16]
        assert "Wait 2 seconds" in refused[0].text
        assert (await signing_in(other, "a-first-wrong-one")).status_code == 403
        assert (await signing_in(guesser, TOKENS.operator)).status_code == 303, "nobody is locked out"


async def test_the_form_of_another_site_neither_signs_in_nor_counts(app: FastAPI):
    async with asking(app, PAGE) as browser, asking(app, PAGE) as elsewhere:
        stolen = hidden((await elsewhere.get("/login")).text, "form_token")
        await browser.get("/login")
        for form_token in ("", "wrong", stolen):
            for token in (TOKENS.operator, *["wrong"] * 6):
                answer = await browser.post("/login", data={"token": token, "form_token": form_token})
                assert answer.status_code == 403
                assert "Try again" in answer.text
                assert COOKIE not in answer.headers.get("set-cookie", "")
        assert (await signing_in(browser, "a-first-wrong-one")).status_code == 403, "none of these was counted"
        assert (await signing_in(browser, TOKENS.operator)).status_code == 303


async def test_the_metrics_token_signs_nobody_in(app: FastAPI):
    async with asking(app, PAGE) as stranger:
        answer = await signing_in(stranger, TOKENS.metrics)
        assert answer.status_code == 403
        assert "reads /metrics" in answer.text


@pytest.mark.slow
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
async def test_sign_in_redirects_only_to_local_paths(app: FastAPI, path: str):
    async with asking(app, PAGE) as stranger:
        done = await signing_in(stranger, TOKENS.operator, next=path)
    assert done.headers["location"] == "/"


def test_a_path_of_ours_is_kept_with_its_query():
    assert local_path("/people/memos?user=a%2Fb&part=x") == "/people/memos?user=a%2Fb&part=x"
    assert local_path("//evil.example", "/people") == "/people"


async def test_the_login_page_redirects_a_signed_in_visitor(app: FastAPI):
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
