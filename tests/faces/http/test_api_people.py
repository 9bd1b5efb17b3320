"""People, guilds, conversations and learning through the API."""

from datetime import datetime

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory, Place
from recollect.core.ports import Usage
from recollect.core.types import Message, Summary
from recollect.learning.budget import TokenBudget
from recollect.testing.clock import FakeClock
from tests.faces.http.visiting import text_of, visiting

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)


async def test_people_and_guilds_are_listed_page_by_page(client: httpx.AsyncClient, memory: AsyncMemory):
    for user in ("ann", "bob", "cay"):
        await memory.remember("Likes tea", user=user)
    await memory.remember("The otter is our mascot", user="ann", place=DEV, lore=True)
    first = (await client.get("/api/v1/people", params={"limit": 2})).json()
    assert [(one["user"], one["name"], one["memos"]) for one in first["people"]] == [("ann", "", 1), ("bob", "", 1)]
    rest = (await client.get("/api/v1/people", params={"limit": 2, "cursor": first["next"]})).json()
    assert ([one["user"] for one in rest["people"]], rest["next"]) == (["cay"], None)
    guilds = (await client.get("/api/v1/guilds")).json()
    assert [(one["guild"], one["memos"]) for one in guilds["guilds"]] == [("g1", 1)]
    found = (await client.get("/api/v1/people", params={"part": "O"})).json()["people"]
    assert [one["user"] for one in found] == ["bob"]


async def test_learning_from_someone_is_paused_and_resumed(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    async def learns() -> bool:
        return (await client.get("/api/v1/people/learning", params={"user": "ann"})).json()["learning"]

    assert await learns()
    done = await client.post("/api/v1/people/pause", json={"user": "ann"})
    assert done.json() == {"user": "ann", "learning": False, "changed": True}
    assert not await learns()
    again = await client.post("/api/v1/people/pause", json={"user": "ann"})
    assert again.json()["changed"] is False
    await client.post("/api/v1/people/resume", json={"user": "ann"})
    assert await learns()
    assert [(event.kind, event.actor) for event in await memory.log(user="ann")] == [
        ("learning.resumed", "operator"),
        ("learning.paused", "operator"),
    ]
    assert (await client.post("/api/v1/people/pause", json={"user": "__lore__"})).status_code == 422


@pytest.fixture
async def summarised(memory: AsyncMemory, clock: FakeClock) -> str:
    for number, text in enumerate(("They plan a trip.", "They plan a trip to Oslo."), 1):
        summary = Summary(DEV.session, text, number, clock())
        await memory.store.write(lambda tx, summary=summary: tx.summaries.save(summary))
        clock.advance(minutes=1)
    return DEV.session


async def test_a_conversations_summary_its_past_and_its_reset(
    client: httpx.AsyncClient, summarised: str, memory: AsyncMemory
):
    which = {"session": summarised}
    assert (await client.get("/api/v1/sessions", params={"part": "C-DEV"})).json()["sessions"] == [summarised]
    assert (await client.get("/api/v1/summary", params=which)).json()["text"] == "They plan a trip to Oslo."
    history = (await client.get("/api/v1/summary/history", params=which)).json()
    assert history["current"]["sequence"] == 2
    assert [one["text"] for one in history["earlier"]] == ["They plan a trip."]
    assert (await client.post("/api/v1/sessions/reset", json=which)).json()["reset"] is True
    assert (await client.get("/api/v1/summary", params=which)).status_code == 404
    assert (await client.post("/api/v1/sessions/reset", json=which)).json()["reset"] is False
    (event,) = (await client.get("/api/v1/events", params={"kind": "summary.reset"})).json()["events"]
    assert event["actor"] == "operator"


async def test_stats_say_how_things_stand(client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock):
    await memory.remember("Likes tea", user="ann")
    await memory.add(Message("m1", "ann", DEV, "hello there", clock()))
    found = (await client.get("/api/v1/stats", params={"days": 3})).json()
    assert (found["memos"], found["messages"]) == (1, 1)
    assert [day["learned"] for day in found["days"]] == [0, 0, 1]
    assert found["jobs"]["waiting"] > 0
    assert found["cost"] == {"calls": 0, "input": 0, "output": 0}
    assert found["learning_paused"] == []


async def test_stats_and_overview_say_whose_budget_is_spent(
    app: FastAPI, client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    limit = TokenBudget(memory.settings.extraction.daily_tokens)
    await memory.store.write(lambda tx: limit.spend(tx, "discord:g1", Usage(1, 3_000_000, 5), clock()))
    assert (await client.get("/api/v1/stats")).json()["learning_paused"] == ["discord:g1"]
    async with visiting(app) as visitor:
        assert "Learning paused: budget of discord:g1" in text_of(await visitor.see("/"))
        clock.advance(days=1)
        assert "Learning paused" not in text_of(await visitor.see("/"))
    assert (await client.get("/api/v1/stats")).json()["learning_paused"] == []


async def test_people_were_last_seen_when_they_last_said_something_not_when_something_was_learned(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    said = clock()
    await memory.add(Message("1", "42", Place("discord", "7", "8", public=True), "hello", said, name="Bob"))
    clock.advance(days=3)
    await memory.remember("Likes tea", user="discord:42")
    await memory.remember("Likes coffee", user="ana")
    answer = (await client.get("/api/v1/people")).json()
    seen = {person["user"]: person["seen"] for person in answer["people"]}
    assert datetime.fromisoformat(seen["discord:42"]) == said
    assert seen["ana"] is None
    await memory.message_deleted("discord", "1")
    assert (await client.get("/api/v1/people")).json()["people"][-1]["seen"] is None
