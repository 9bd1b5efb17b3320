"""Attacks on the web server, against a real one on this machine: guesses, forged senders, floods, a leaked token."""

import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect.admin.tokens import Role
from recollect.faces.http.middleware import METRICS_PATHS
from tests.faces.http.conftest import METRICS, OPERATOR, TOKENS, Served, serving
from tests.faces.http.test_security import known
from tests.faces.http.visiting import PAGE, hidden

MEGABYTE = 1 << 20
EVIL = {"origin": "https://evil.example", "sec-fetch-site": "cross-site", "referer": "https://evil.example/"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as served:
        yield served


def browser(served: Served, **how: Any) -> httpx.Client:
    return httpx.Client(base_url=served.url, headers=PAGE, timeout=30, **how)


def sign_in(client: httpx.Client, token: str) -> httpx.Response:
    form_token = hidden(client.get("/login").text, "form_token")
    return client.post("/login", data={"token": token, "form_token": form_token})


@pytest.mark.slow
def test_failed_logins_never_lock_the_operator_out(served: Served):
    """Neither by guessing from the same address, nor from the API, nor through forms of other sites."""
    with browser(served) as guesser, browser(served) as operator, httpx.Client(base_url=served.url) as program:
        waits = [int(sign_in(guesser, f"guess-{number}").headers.get("retry-after", 0)) for number in range(12)]
        assert waits == [0] * 5 + [2, 4, 8, 16, 32, 64, 128]
        for _ in range(20):
            wrong = program.get("/api/v1/stats", headers={"Authorization": "Bearer wrong"})
            assert (wrong.status_code, int(wrong.headers["retry-after"]) >= 256) == (429, True)
            answer = operator.post("/login", data={"token": "wrong"}, headers=EVIL)
            assert (answer.status_code, "retry-after" in answer.headers) == (403, False)
        assert program.get("/api/v1/stats", headers=OPERATOR).status_code == 200
        assert sign_in(operator, TOKENS.operator).status_code == 303
        assert operator.get("/people").status_code == 200


def test_no_other_site_signs_a_browser_in(served: Served):
    """An attacker's account would be a trap: what the operator does there, the attacker sees."""
    with browser(served) as victim, browser(served) as attacker:
        form_token = hidden(attacker.get("/login").text, "form_token")
        for cookies in ({}, {"recollect_login": ""}, {"recollect_login": "x" * 500}):
            victim.cookies.update(cookies)
            data = {"token": TOKENS.operator, "form_token": form_token}
            assert victim.post("/login", data=data, headers=EVIL).status_code == 403
        assert victim.get("/people", follow_redirects=False).status_code == 303


def test_forwarded_headers_of_strangers_change_nothing(served: Served):
    """Without a configured proxy, nobody says who they are or that a connection is encrypted, not from here either."""
    forged = {"X-Forwarded-Proto": "https", "Forwarded": "for=192.0.2.1;proto=https"}
    with browser(served) as guesser:
        assert "; secure" not in guesser.get("/login", headers=forged).headers["set-cookie"].lower()
        waits: list[int] = []
        for number in range(8):
            headers = {**forged, "X-Forwarded-For": f"198.51.100.{number}", "Authorization": "Bearer wrong"}
            waits.append(int(guesser.get("/api/v1/stats", headers=headers).headers.get("retry-after", 0)))
        assert waits == [0] * 5 + [2, 4, 8], "a new address in each header is still one source"


def test_a_configured_proxy_is_believed(tmp_path: Path):
    with serving(tmp_path, http={"trusted_proxies": ["127.0.0.0/8"]}) as served, browser(served) as proxy:
        waits: list[int] = []
        for number in range(8):
            headers = {"X-Forwarded-For": f"6.6.6.6, 198.51.100.{number}", "Authorization": "Bearer wrong"}
            waits.append(int(proxy.get("/api/v1/stats", headers=headers).headers.get("retry-after", 0)))
        assert waits == [0] * 8
        cookie = proxy.get("/login", headers={"X-Forwarded-Proto": "https"}).headers["set-cookie"]
        assert "; secure" in cookie.lower()


def flood(served: Served, beginning: bytes, piece: bytes, limit: int) -> tuple[int, bytes]:
    """How many bytes a connection took before it was closed, and what it said."""
    host, port = served.url.removeprefix("http://").split(":")
    sent, answer = 0, b""
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        try:
            connection.sendall(beginning)
            while sent < limit:
                connection.sendall(piece)
                sent += len(piece)
        except OSError:
            pass
        try:
            connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(4096):
                answer += part
        except OSError:
            pass
    return sent, answer


HEADER = b"x-filler-%d: " % 1 + b"a" * 4000 + b"\r\n"
FLOODS = {
    "many headers": (b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\n", HEADER),
    "one long header": (b"GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx: ", b"a" * 8192),
    "a long request line": (b"GET /", b"a" * 8192),
    "no request at all": (b"", b"\r\n" * 4096),
    "trailers": (
        b"POST /login HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n",
        HEADER,
    ),
}


@pytest.mark.parametrize("kind", FLOODS)
def test_a_flood_of_headers_is_refused_early(served: Served, kind: str):
    beginning, piece = FLOODS[kind]
    sent, answer = flood(served, beginning, piece, 40 * MEGABYTE)
    assert sent < 24 * MEGABYTE, "buffers of the system included"
    assert not answer.startswith(b"HTTP/1.1 200")
    if kind == "many headers" and answer:
        assert answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
    assert httpx.get(f"{served.url}/health").status_code == 200


def test_headers_that_arrive_at_once_are_measured_too(served: Served):
    with httpx.Client(base_url=served.url) as client:
        assert client.get("/health", headers={"x": "a" * 20_000}).status_code == 200
        assert client.get("/health", headers={"x": "a" * 40_000}).status_code in (400, 431)


def test_a_long_body_is_refused_before_it_is_read(served: Served):
    head = (
        b"POST /api/v1/observe HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer %s\r\n" % TOKENS.operator.encode()
    )
    _, answer = flood(served, head + b"content-length: 1099511627776\r\n\r\n{", b"", 0)
    assert answer.startswith(b"HTTP/1.1 413")
    chunk = b"10000\r\n" + b"a" * 65536 + b"\r\n"
    sent, _ = flood(served, head + b"transfer-encoding: chunked\r\n\r\n", chunk, 40 * MEGABYTE)
    assert sent < 24 * MEGABYTE


def test_the_metrics_token_reads_numbers_and_nothing_else(served: Served):
    with httpx.Client(base_url=served.url, headers=METRICS) as scraper:
        metrics = scraper.get("/metrics")
        assert (metrics.status_code, scraper.get("/health").status_code) == (200, 200)
        assert "recollect_jobs" in metrics.text
        for method, route in known(served.app):
            if route not in METRICS_PATHS and not route.startswith("/static"):
                answer = scraper.request(method, re.sub(r"\{[^}]+\}", "1", route))
                assert answer.status_code == 403, (method, route)
    with httpx.Client(base_url=served.url) as stranger:
        assert stranger.get("/metrics").status_code == 401


def test_lore_keeps_its_audience_and_a_deletion_says_what_else_it_hides(served: Served):
    """On the pages and in the API alike."""
    place = {"platform": "web", "guild": "g", "channel": "c", "public": True}
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=OPERATOR) as client, browser(served) as operator:
        sign_in(operator, TOKENS.operator)
        guild = {"guild": "web~g"}
        lore = client.post("/memos", json={**guild, "text": "The release is on Friday"}).json()["memo"]
        for audience in ("everywhere", "guild:elsewhere", "dm:eve"):
            answer = client.post("/memo/share", params={**guild, "id": lore["id"]}, json={"audience": audience})
            assert (answer.status_code, "can't be chosen" in answer.text) == (422, True)
        page = operator.get("/memo", params={**guild, "memo": lore["id"]})
        form = {**guild, "memo": lore["id"], "audience": "everywhere", "form_token": hidden(page.text, "form_token")}
        assert "can&#39;t be chosen" in operator.post("/memo/share", data=form).text
        (kept,) = client.get("/memos", params=guild).json()["memos"]
        assert kept["audience"] == lore["audience"]

        said = {"id": "1", "author": "ann", "place": place, "text": "I live in Lisbon", "name": "Ann"}
        client.post("/observe", json=said)
        client.post("/observe", json={**said, "id": "2", "text": "where do I live?"})
        reply = {"id": "3", "author": "bot", "bot": True, "reply_to": "2", "place": place}
        client.post("/observe", json={**reply, "text": "You live in Lisbon."})
        memo = client.post("/memos", json={"user": "web:ann", "text": "I live in Lisbon"}).json()["memo"]
        gone = client.request("DELETE", "/memo", params={"user": "web:ann", "id": memo["id"]}).json()
        assert (gone["status"], gone["hidden_replies"], gone["hidden_summary_lines"]) == ("deprecated", 1, 0)


def test_an_answer_is_not_repeated_after_something_in_it_was_deleted_or_forgotten(served: Served):
    """By an idempotency key: neither the words, nor the change a second time."""
    place = {"platform": "web", "guild": "g", "channel": "c", "public": True}
    said = {"id": "1", "author": "ann", "place": place, "text": "I live in Lisbon", "name": "Ann"}
    asked = {"author": "ann", "place": place, "text": "where do I live?"}
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=OPERATOR) as client:
        client.post("/observe", json=said)
        assert "Lisbon" in client.post("/context", json=asked, headers={"Idempotency-Key": "ask"}).text
        change = {"user": "web:ann", "text": "I keep bees in Graz"}
        kept = client.post("/memos", json=change, headers={"Idempotency-Key": "bees"})
        assert client.post("/memos", json=change, headers={"Idempotency-Key": "bees"}).json() == kept.json()

        client.post("/observe/deleted", json={"platform": "web", "id": "1"})
        assert "Lisbon" not in client.post("/context", json=asked, headers={"Idempotency-Key": "ask"}).text
        client.request("DELETE", "/memo", params={"user": "web:ann", "id": kept.json()["memo"]["id"]})
        again = client.post("/memos", json=change, headers={"Idempotency-Key": "bees"})
        assert (again.status_code, "bees" in again.text) == (409, False)
        assert "bees" not in client.get("/memos", params={"user": "web:ann", "status": "active"}).text


@pytest.mark.parametrize("how", ["token", "session"])
def test_a_stream_of_the_log_ends_with_the_token_or_session_that_opened_it(served: Served, how: str):
    issued = served.run(lambda memory: served.app.state.recollect.admin.tokens.create(Role.READER))
    with browser(served) as page, httpx.Client(base_url=served.url, timeout=30) as program:
        if how == "session":
            sign_in(page, issued.secret)
        url = "/journal/stream" if how == "session" else "/api/v1/events/stream"
        listener = page if how == "session" else program
        headers = {} if how == "session" else {"Authorization": f"Bearer {issued.secret}"}
        with listener.stream("GET", url, headers=headers) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 2000"
            served.run(lambda memory: served.app.state.recollect.admin.tokens.revoke(issued.token.id))
            served.run(lambda memory: memory.remember("I keep bees in Graz", user="ann"))
            assert not [line for line in lines if line.startswith(("data:", "event:"))], "and it has ended"
