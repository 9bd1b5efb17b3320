"""What holds for the whole API: cursors, statuses, HEAD, keys of changes, messages, and places that are paused."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.core.types import Message, Place
from recollect.faces.http.app import create
from recollect.privacy.target import ErasureTarget
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, TOKENS, asking, opened

DEV = {
    "platform": "discord",
    "guild": "g1",
    "channel": "c1",
    "name": "dev",
    "public": True,
    "guild_name": "Repair café",
}
SESSION = "discord:g1:channel:c1"


def said(number: int, text: str, author: str = "42", **more: Any) -> dict[str, Any]:
    return {"id": str(number), "author": author, "text": text, "place": DEV, **more}


async def test_a_wrong_cursor_is_refused_and_never_taken_for_the_first_page(client: httpx.AsyncClient):
    await client.post("/api/v1/memos", json={"user": "ann", "text": "Likes tea"})
    paths = ("people", "guilds", "memos", "events", "jobs", "sessions", "messages")
    for path in paths:
        more = {"user": "ann"} if path == "memos" else {}
        for cursor in ("rubbish", "!!", "é", "bWVtb3MAeA", "cGVvcGxlAA", "ZXZlbnRzAHg"):
            answer = await client.get(f"/api/v1/{path}", params={"cursor": cursor, **more})
            assert answer.status_code == 400, (path, cursor, answer.text)
        assert (await client.get(f"/api/v1/{path}", params=more)).status_code == 200


async def test_each_kind_of_invalid_request_has_its_status(client: httpx.AsyncClient):
    async def status(method: str, path: str, **how: Any) -> tuple[int, str]:
        answer = await client.request(method, f"/api/v1{path}", **how)
        assert answer.headers["content-type"] == "application/problem+json", answer.text
        return answer.status_code, answer.json()["detail"]

    json_type = {"content-type": "application/json"}
    assert (await status("POST", "/observe", content=b'{"id": ', headers=json_type))[0] == 400
    form = {"content-type": "application/x-www-form-urlencoded"}
    code, why = await status("POST", "/observe", content=b"id=1", headers=form)
    assert code == 415
    assert "application/json" in why
    code, why = await status("GET", "/search", params={"q": "tea"})
    assert (code, why) == (422, "query.user: Field required"), "a missing field is told once"
    both = said(1, "hi") | {"place": {"dm": "42", "guild": "g1"}}
    code, why = await status("POST", "/observe", json=both)
    assert code == 422
    assert "not both" in why
    assert "/docs" in (await status("GET", "/nothing"))[1]
    assert (await status("GET", "/message", params={"id": "none"}))[0] == 404


async def test_head_answers_as_get_without_the_body(client: httpx.AsyncClient, stranger: httpx.AsyncClient):
    for path in ("/api/v1/people", "/api/v1/stats", "/people", "/health"):
        got, asked = await client.get(path), await client.head(path)
        assert (asked.status_code, asked.content) == (200, b"")
        assert asked.headers["content-type"] == got.headers["content-type"]
    assert (await client.head("/api/v1/events/stream")).status_code == 405
    assert (await stranger.head("/api/v1/people")).status_code == 401


async def test_a_wrong_method_is_told_every_right_one(client: httpx.AsyncClient):
    refused = await client.put("/api/v1/memo", params={"user": "ann", "id": "x"}, json={})
    assert refused.status_code == 405
    assert {"GET", "PATCH", "DELETE"} <= set(refused.headers["allow"].split(", "))


async def test_a_change_that_is_sent_again_with_its_key_is_made_once(client: httpx.AsyncClient, app: FastAPI):
    for text in ("Likes tea", "Plays the cello"):
        await client.post("/api/v1/memos", json={"user": "ann", "text": text})
    key = {"Idempotency-Key": "take-back-1"}
    first, second = await asyncio.gather(
        *(client.post("/api/v1/memos/undo", json={"user": "ann"}, headers=key) for _ in range(2))
    )
    assert first.json() == second.json()
    assert [answer.headers.get("idempotency-replayed") for answer in (first, second)].count("true") == 1
    assert (await client.get("/api/v1/memos", params={"user": "ann", "status": "active"})).json()["total"] == 1
    other = await client.post("/api/v1/memos/undo", json={"user": "bob"}, headers=key)
    assert other.status_code == 422
    assert (await client.post("/api/v1/memos/undo", json={}, headers={"Idempotency-Key": "x" * 300})).status_code == 422
    wrong = [await client.post("/api/v1/memos", json={"text": "x"}, headers={"Idempotency-Key": "w"}) for _ in "ab"]
    assert [answer.status_code for answer in wrong] == [422, 422]
    assert wrong[1].headers.get("idempotency-replayed") == "true"
    async with asking(app, {"Authorization": "Bearer a-readers-token-0123456789"}) as reader:
        answer = await reader.post("/api/v1/memos/undo", json={"user": "ann"}, headers=key)
    assert answer.status_code == 403, "another's key brings nothing"
    await client.post("/api/v1/erase", json={"user": "ann", "confirm": "ann"})
    again = await client.post("/api/v1/memos/undo", json={"user": "ann"}, headers=key)
    assert "idempotency-replayed" not in again.headers, "nothing of an erased person is held"
    key["Idempotency-Key"] = "bakes"
    said = [await client.post("/api/v1/memos", json={"user": "bob", "text": "Bakes"}, headers=key) for _ in "ab"]
    assert said[1].headers.get("idempotency-replayed") == "true"
    await app.state.recollect.memory.privacy.erase(ErasureTarget("bob"), asked_by="operator")  # by another process
    again = await client.post("/api/v1/memos", json={"user": "bob", "text": "Bakes"}, headers=key)
    assert "idempotency-replayed" not in again.headers


async def test_messages_are_told_in_one_request_and_listed_by_place_person_and_time(
    client: httpx.AsyncClient, clock: FakeClock
):
    year_ago = clock() - timedelta(days=365)
    talk = [
        said(number, f"line {number}", "42" if number % 2 else "43", name="Ann" if number % 2 else "Ben")
        | {"at": (year_ago + timedelta(minutes=number // 2)).isoformat()}
        for number in range(1, 8)
    ]
    assert (await client.post("/api/v1/messages", json={"messages": talk})).json() == {"added": 7, "messages": 7}
    assert (await client.post("/api/v1/messages", json={"messages": talk[:2]})).json()["added"] == 0
    broken = [said(20, "new"), said(21, "bad") | {"author": " "}]
    assert (await client.post("/api/v1/messages", json={"messages": broken})).status_code == 422

    async def pages(**params: Any) -> list[list[str]]:
        found, cursor = list[list[str]](), ""
        while cursor is not None:
            page = (await client.get("/api/v1/messages", params={**params, "cursor": cursor})).json()
            found.append([message["id"] for message in page["messages"]])
            cursor = page["next"]
        return found

    def whole(pages: list[list[str]]) -> str:
        return "".join(number for page in pages for number in page)

    assert whole(await pages(session=SESSION)) == "1234567"
    assert whole(await pages(session=SESSION, limit=2)) == "1234567", "those of one minute stay together"
    assert sorted(whole(await pages(session=SESSION, limit=3, order="newest"))) == list("1234567")
    assert whole(await pages(session=SESSION, order="newest", limit=1))[:1] in "67"
    assert whole(await pages(user="discord:43", limit=2)) == "246"
    assert whole(await pages(guild="g1", limit=3)) == "1234567"
    since, until = ((year_ago + timedelta(minutes=number)).isoformat() for number in (1, 3))
    assert whole(await pages(since=since, until=until)) == "2345"
    assert whole(await pages(session=SESSION, since=since, until=until, limit=1)) == "2345"
    assert whole(await pages(session=SESSION, user="discord:42", limit=1)) == "1357"
    assert (await client.get("/api/v1/messages", params={"order": "newest"})).status_code == 422
    assert (await client.get("/api/v1/messages", params={"session": "nonsense"})).status_code == 422
    await client.post("/api/v1/observe/deleted", json={"platform": "discord", "id": "1"})
    assert whole(await pages(session=SESSION)) == "234567"
    details = (await client.get("/api/v1/message", params={"platform": "discord", "id": "2"})).json()
    assert (details["message"]["text"], details["memos"], details["refused"]) == ("line 2", [], [])
    assert (await client.get("/api/v1/message", params={"platform": "discord", "id": "1"})).status_code == 404
    await client.post("/api/v1/memos", json={"guild": "g1", "text": "The otter is our mascot"})
    guilds = (await client.get("/api/v1/guilds", params={"part": "REPAIR"})).json()["guilds"]
    assert [(guild["guild"], guild["name"], guild["memos"]) for guild in guilds] == [("g1", "Repair café", 1)]


async def test_what_is_told_late_bears_the_time_at_which_it_was_said(client: httpx.AsyncClient, clock: FakeClock):
    year_ago = (clock() - timedelta(days=365)).isoformat()
    memo = (await client.post("/api/v1/memos", json={"user": "ann", "text": "Likes tea", "said": year_ago})).json()
    assert memo["memo"]["created"][:10] == memo["memo"]["updated"][:10] == year_ago[:10]


async def test_a_message_without_a_name_takes_none_away(client: httpx.AsyncClient, clock: FakeClock):
    for number, name in ((1, "Ann"), (2, ""), (3, "Bo"), (4, "")):
        await client.post(
            "/api/v1/observe", json=said(number, f"line {number}", "42" if number < 3 else "43", name=name)
        )
        clock.advance(minutes=1)
    elsewhere = DEV | {"channel": "c2", "name": "kitchen"}
    await client.post("/api/v1/observe", json=said(5, "line 5") | {"place": elsewhere})
    clock.advance(minutes=1)
    for place, lines in ((DEV, ("[Ann]: line 2", "[Bo]: line 4")), (elsewhere, ("[Ann]: line 5",))):
        asked = {"author": "42", "text": "What did we say?", "place": place}
        prompt = (await client.post("/api/v1/context", json=asked)).json()["text"]
        assert all(line in prompt for line in lines), prompt


async def test_a_retired_memo_is_restored_by_its_status(client: httpx.AsyncClient):
    memo = (await client.post("/api/v1/memos", json={"user": "ann", "text": "Likes tea"})).json()["memo"]
    which = {"user": "ann", "id": memo["id"]}
    await client.delete("/api/v1/memo", params=which)
    await client.post("/api/v1/memos", json={"user": "ann", "text": "Plays the cello"})
    patch = {"status": "active", "text": "Likes green tea"}
    assert (await client.patch("/api/v1/memo", params=which, json=patch | {"version": 1})).status_code == 409
    restored = await client.patch("/api/v1/memo", params=which, json=patch)
    assert (restored.json()["status"], restored.json()["text"]) == ("active", "Likes green tea")
    assert (await client.patch("/api/v1/memo", params=which, json={"status": "deprecated"})).status_code == 422


@pytest.mark.parametrize("which", [{"session": SESSION}, {"guild": "g1"}])
async def test_paused_places_and_people_are_not_learned_from(tmp_path: Path, which: dict[str, str], clock: FakeClock):
    async with (
        opened(tmp_path, clock, run_worker=True) as memory,
        asking(create(memory, TOKENS, clock=clock), OPERATOR) as client,
    ):
        await _pause_and_resume(client, memory, which, clock)


async def _pause_and_resume(
    client: httpx.AsyncClient, memory: AsyncMemory, which: dict[str, str], clock: FakeClock
) -> None:
    async def known() -> list[str]:
        await memory.worker.wait_idle(30)
        listed = (await client.get("/api/v1/memos", params={"user": "discord:42", "status": "active"})).json()
        return [memo["text"] for memo in listed["memos"]]

    async def told(number: str, text: str, channel: str = "c1") -> None:
        place = Place("discord", "g1", channel, name="dev", public=True)
        await memory.add(Message(number, "42", place, text, clock(), "Ann"))
        clock.advance(hours=1)

    assert (await client.post("/api/v1/places/pause", json=which)).json() == {"learning": False, "changed": True}
    assert (await client.post("/api/v1/places/pause", json=which)).json()["changed"] is False
    await told("1", "I live in Lisbon.")
    assert await known() == []
    await told("2", "I am allergic to nuts.", "c2")
    assert await known() == ([] if "guild" in which else ["Is allergic to nuts"])
    assert (await client.post("/api/v1/places/resume", json=which)).json() == {"learning": True, "changed": True}
    await told("3", "I play the cello.")
    assert "Plays the cello" in await known()
    assert not any("Lisbon" in text for text in await known())
    assert (await client.post("/api/v1/places/pause", json={})).status_code == 422
