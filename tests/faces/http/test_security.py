"""Nobody gets anything without a token, a reader changes nothing, and no token or text of a person is logged."""

import json
import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from starlette.routing import BaseRoute

from recollect import AsyncMemory, Place
from recollect.faces.http.api import describe
from recollect.faces.http.middleware import PUBLIC_PATHS, READER_PATHS
from tests.faces.http.conftest import OPERATOR, READER, TOKENS, asking

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "{{7*7}}${7*7}#{7*7}",
    "'; DROP TABLE memos; --",
    "../../etc/passwd\x00.md",
    "\u202etxt.exe\u2066",
    "Z̷̢̛͎a̶l̵g̴o̶",
    "\r\nSet-Cookie: a=b\r\n\r\n<html>",
    "%0d%0aLocation:%20//evil.example",
    "日本語 🏳️‍🌈 ‎",
]


def routes(found: list[BaseRoute], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route of an app, those of its routers too."""
    for route in found:
        inner: Any = getattr(route, "original_router", None)
        if inner is not None:
            yield from routes(inner.routes, prefix + route.include_context.prefix)  # type: ignore[attr-defined]
        else:
            methods = getattr(route, "methods", None) or {"GET"}
            yield from ((method, prefix + route.path) for method in methods)  # type: ignore[attr-defined]


def known(app: FastAPI) -> list[tuple[str, str]]:
    return sorted(set(routes(app.routes)))


def test_all_routes_are_found(app: FastAPI):
    found = known(app)
    assert len(found) > 40
    described = {(m.upper(), path) for path, methods in describe()["paths"].items() for m in methods}
    assert described <= set(found)


async def test_without_a_token_nothing_but_health_and_login_answers(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Collects porcelain otters", user="ann", place=Place(dm="ann"))
    async with asking(app) as stranger:
        for method, path in known(app):
            if path in PUBLIC_PATHS or path.startswith("/static"):
                continue
            for accept in ("*/*", "text/html"):
                answer = await stranger.request(method, path, headers={"accept": accept}, json={"user": "ann"})
                assert answer.status_code in (401, 303), (method, path)
                assert "otters" not in answer.text
                assert answer.status_code == 401 or answer.headers["location"].startswith("/login?next=/")


@pytest.mark.parametrize(
    "path", ["//api/v1/stats", "/api//v1/stats", "/static/../api/v1/stats", "/login/../api/v1/stats"]
)
@pytest.mark.parametrize("more", ["", "/", "%00", ";x=1", "%2e%2e/"])
async def test_no_spelling_of_a_path_gets_around_the_token(stranger: httpx.AsyncClient, path: str, more: str):
    request = stranger.build_request("GET", "/")
    request.url = request.url.copy_with(raw_path=(path + more).encode())
    answer = await stranger.send(request)
    assert answer.status_code in (401, 303, 404, 405)
    assert "memos" not in answer.text


async def test_a_reader_changes_nothing_whatever_it_sends(app: FastAPI, memory: AsyncMemory):
    await memory.remember("Likes tea", user="ann")
    before = await memory.store.read(lambda tx: tx.generation())
    async with asking(app, READER) as reader:
        for method, path in known(app):
            if method in ("GET", "HEAD", "OPTIONS") or path in (*PUBLIC_PATHS, *READER_PATHS):
                continue
            body = {"user": "ann", "confirm": "ann", "text": "x", "session": "x"}
            answer = await reader.request(method, path, json=body, params={"user": "ann", "id": "x"})
            assert answer.status_code == 403, (method, path)
            assert "reader" in answer.json()["detail"]
    assert await memory.store.read(lambda tx: tx.generation()) == before


async def test_reading_changes_nothing_either(app: FastAPI, memory: AsyncMemory):
    done = await memory.remember("Likes tea", user="ann")
    before = await memory.store.read(lambda tx: tx.events.list())
    params = {"user": "ann", "id": done.memo.id, "session": "local:dm:ann", "q": "tea"}
    document = describe()["paths"]
    async with asking(app, READER) as reader:
        for path, methods in document.items():
            if "get" not in methods or path.endswith("/stream"):
                continue
            takes = {one["name"] for one in methods["get"].get("parameters", ())}
            answer = await reader.get(path, params={name: value for name, value in params.items() if name in takes})
            assert answer.status_code in (200, 404), (path, answer.text)
    assert await memory.store.read(lambda tx: tx.events.list()) == before


async def test_a_reader_may_preview_a_prompt_and_survey_an_erasure(reader: httpx.AsyncClient):
    place = {"platform": "discord", "dm": "ann"}
    asked = await reader.post("/api/v1/context", json={"author": "ann", "place": place, "text": "hello"})
    assert asked.status_code == 200
    assert (await reader.post("/api/v1/erase/survey", json={"user": "ann"})).status_code == 200


@pytest.mark.slow
@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_comes_back_as_it_went_in_and_only_as_data(client: httpx.AsyncClient, text: str):
    user = "".join(char for char in text if char >= " ")
    refused = await client.post("/api/v1/memos", json={"user": text, "text": "Likes tea"})
    assert refused.status_code == (201 if user == text else 422), "no id has control characters"
    wrote = await client.post("/api/v1/memos", json={"user": user, "text": f"Says {text} often", "tags": [text]})
    assert wrote.status_code == 201
    memo = wrote.json()["memo"]
    page = await client.get("/api/v1/memos", params={"user": user, "part": "often"})
    assert page.headers["content-type"] == "application/json"
    assert page.json()["memos"][0]["id"] == memo["id"]
    missing = await client.get("/api/v1/memo", params={"user": user, "id": text})
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/problem+json")
    assert "set-cookie" not in missing.headers
    assert (await client.get("/api/v1/search", params={"q": text, "user": user})).status_code == 200
    assert (await client.get("/api/v1/export", params={"user": user})).json()["user"] == user


async def test_no_token_no_query_and_no_text_is_logged(
    app: FastAPI, memory: AsyncMemory, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    async with asking(app, OPERATOR) as client:
        await client.post("/api/v1/memos", json={"user": "ann-the-otter", "text": "Collects porcelain"})
        await client.get("/api/v1/memos", params={"user": "ann-the-otter", "part": "porcelain"})
        await client.get("/people", params={"part": "ann-the-otter"})
        await client.get("/ann-the-otter")
        await client.get("/api/v1/stats", headers={"Authorization": "Bearer a-wrong-token-0123456789"})
        await client.post("/api/v1/memos", content=b"{porcelain", headers={"content-type": "application/json"})
    ours = [record for record in caplog.records if record.name.startswith("recollect")]
    assert [record for record in ours if record.name == "recollect.http.access"]
    told = json.dumps([[record.getMessage(), getattr(record, "fields", {})] for record in ours])
    for secret in (TOKENS.operator, TOKENS.reader, "a-wrong-token", "ann-the-otter", "porcelain"):
        assert secret not in told


async def test_the_description_holds_no_secret_and_needs_a_token(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
):
    answer = await client.get("/api/v1/openapi.json")
    assert TOKENS.operator not in answer.text
    assert (await stranger.get("/api/v1/openapi.json")).status_code == 401
