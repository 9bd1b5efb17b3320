"""What every request passes: the host, its size, its token, its role; and what every answer carries."""

from collections.abc import AsyncIterator
from urllib.parse import urlencode

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.faces.http.app import create
from recollect.faces.http.auth import COOKIE, Role
from recollect.faces.http.middleware import MAX_BODY_BYTES, host_of
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, TOKENS, asking

NEW = {"user": "ann", "text": "Likes tea"}


@pytest.fixture
async def named(memory: AsyncMemory, clock: FakeClock) -> AsyncIterator[httpx.AsyncClient]:
    app = create(memory, TOKENS, clock=clock, names=["127.0.0.1", "::1", "memory.example.org"])
    async with asking(app, OPERATOR) as client:
        yield client


@pytest.mark.parametrize("host", ["memory.example.org", "MEMORY.example.org:443", "[::1]", "[::1]:8420", "127.0.0.1:1"])
async def test_a_request_for_a_known_name_is_let_in(named: httpx.AsyncClient, host: str):
    assert (await named.get("/api/v1/stats", headers={"host": host})).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "memory.example.org.evil.example", "", "::1", "[", "127.0.0.1.nip.io"]
)
async def test_a_request_for_another_name_is_refused_even_for_health(named: httpx.AsyncClient, host: str):
    for path in ("/api/v1/stats", "/health", "/login"):
        answer = await named.get(path, headers={"host": host})
        assert (answer.status_code, answer.headers["content-type"]) == (421, "application/problem+json")


def test_a_host_is_read_without_its_port():
    cases = {"a.b:1": "a.b", "A.B": "a.b", "[::1]:80": "::1", "[::1]": "::1", "": "", "1.2.3.4": "1.2.3.4"}
    assert {header: host_of(header) for header in cases} == cases


def test_a_malformed_or_repeated_host_is_none():
    for header in (
        "[::1",
        "[localhost]x.evil.example",
        "localhost:80@evil.example",
        "localhost:evil",
        "localhost, evil",
    ):
        assert host_of(header) == ""
    assert host_of("localhost", "evil.example") == host_of() == ""


async def test_a_body_that_is_too_large_is_refused_before_and_while_it_comes(client: httpx.AsyncClient):
    body = b'{"user": "ann", "text": "' + b"x" * MAX_BODY_BYTES + b'"}'
    whole = await client.post("/api/v1/memos", content=body, headers={"content-type": "application/json"})
    assert whole.status_code == 413

    async def drops() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 100_000):
            yield body[start : start + 100_000]

    slowly = await client.post("/api/v1/memos", content=drops(), headers={"content-type": "application/json"})
    assert (slowly.status_code, slowly.headers["content-type"]) == (413, "application/problem+json")


@pytest.mark.parametrize("length", ["-5", "abc", "1e9", "9" * 40, "٣"])
async def test_a_length_that_is_none_is_refused(app: FastAPI, length: str):
    async with asking(app, OPERATOR) as client:
        request = client.build_request("POST", "/api/v1/memos", json=NEW)
        request.headers["content-length"] = length.encode().decode("latin-1")
        assert (await client.send(request)).status_code == 413


async def test_every_answer_carries_the_headers_that_keep_browsers_safe(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
):
    answers = [
        await client.get("/api/v1/stats"),
        await client.get("/api/memory"),
        await client.get("/nowhere"),
        await stranger.get("/api/v1/stats"),
        await stranger.get("/health"),
    ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["referrer-policy"] == "no-referrer"


async def test_an_error_that_nobody_expected_tells_nothing_and_is_as_safe(app: FastAPI):
    @app.get("/api/v1/broken")
    async def broken() -> None:
        raise RuntimeError("secret words")

    async with asking(app, OPERATOR) as client:
        answer = await client.get("/api/v1/broken")
    assert answer.status_code == 500
    assert "secret words" not in answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("header", ["Bearer wrong", "Basic abc", "Bearer", "", "Bearer " + "ü" * 20, "bearer  "])
async def test_a_wrong_token_is_refused_and_told_how(stranger: httpx.AsyncClient, header: str):
    answer = await stranger.get("/api/v1/stats", headers={b"authorization": header.encode("latin-1")})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_after_a_few_wrong_tokens_an_address_waits_and_others_do_not(app: FastAPI):
    async with asking(app, {"Authorization": "Bearer wrong"}, address="198.51.100.1") as guesser:
        statuses = [(await guesser.get("/api/v1/stats")).status_code for _ in range(7)]
        assert statuses == [401] * 5 + [429] * 2
        answer = await guesser.get("/api/v1/stats")
        assert 0 < int(answer.headers["retry-after"]) <= 61
        right = await guesser.get("/api/v1/stats", headers=OPERATOR)
        assert right.status_code == 200, "what others guess from behind the same proxy keeps no right token out"
    async with asking(app, OPERATOR, address="198.51.100.2") as other:
        assert (await other.get("/api/v1/stats")).status_code == 200
        mistyped = await other.get("/api/v1/stats", headers={"Authorization": "Bearer wrong"})
        assert mistyped.status_code == 401, "guesses are counted for each address on its own"


async def test_a_token_in_the_query_is_none(stranger: httpx.AsyncClient):
    for name in ("token", "access_token", "authorization"):
        assert (await stranger.get("/api/v1/stats", params={name: TOKENS.operator})).status_code == 401


def signed_in(app: FastAPI, role: Role) -> tuple[dict[str, str], str]:
    """The cookie of a browser that signed in, and the token of its forms."""
    sessions = app.state.recollect.sessions
    session, cookie = sessions.begin(role)
    return {"cookie": f"{COOKIE}={cookie}"}, sessions.form_token(session)


async def test_a_browser_reads_with_its_cookie_and_changes_with_its_form_token(app: FastAPI):
    cookie, form = signed_in(app, Role.OPERATOR)
    async with asking(app, cookie) as browser:
        assert (await browser.get("/api/v1/stats")).status_code == 200
        for headers in ({}, {"x-form-token": "wrong"}, {"x-form-token": ""}):
            assert (await browser.post("/api/v1/memos", json=NEW, headers=headers)).status_code == 403
        forged = await browser.post("/api/v1/memos", content=urlencode(NEW), headers={"content-type": "text/plain"})
        assert forged.status_code == 403
        assert (await browser.post("/api/v1/memos", json=NEW, headers={"x-form-token": form})).status_code == 201


async def test_another_sessions_form_token_is_none(app: FastAPI):
    cookie, _ = signed_in(app, Role.OPERATOR)
    _, other = signed_in(app, Role.OPERATOR)
    async with asking(app, cookie) as browser:
        assert (await browser.post("/api/v1/memos", json=NEW, headers={"x-form-token": other})).status_code == 403


async def test_a_form_of_two_megabytes_is_refused_before_it_is_read(app: FastAPI):
    cookie, _ = signed_in(app, Role.OPERATOR)

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield b"a=" + b"x" * 100_000 + b"&"

    async with asking(app, cookie) as browser:
        headers = {"content-type": "application/x-www-form-urlencoded"}
        answer = await browser.post("/logout", content=endless(), headers=headers)
        assert answer.status_code == 413


async def test_a_stranger_with_a_browser_is_led_to_the_login_and_no_further(stranger: httpx.AsyncClient):
    answer = await stranger.get("/people?part=%FF&x=//evil.example", headers={"accept": "text/html"})
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/login?next=/people")
