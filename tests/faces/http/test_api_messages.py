"""Assistants in other languages: what was said goes in, prompts and search results come out."""

from typing import Any

import httpx
import pytest

from recollect import EVERYWHERE, AsyncMemory, Place
from recollect.testing.clock import FakeClock

DEV = {"platform": "discord", "guild": "g1", "channel": "c-dev", "name": "dev", "public": True}
RANKERS = {"unified", "recency", "overlap", "hybrid", "rrf"}


def said(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {"id": f"m{number}", "author": "ann", "name": "Ann", "place": DEV, "text": text, **more}


async def post(client: httpx.AsyncClient, path: str, body: Any) -> dict[str, Any]:
    answer = await client.post(f"/api/v1{path}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def get(client: httpx.AsyncClient, path: str, **params: Any) -> dict[str, Any]:
    answer = await client.get(f"/api/v1{path}", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_message_counts_once(client: httpx.AsyncClient):
    assert await post(client, "/observe", said(1, "We deploy with Terraform")) == {"new": True}
    assert await post(client, "/observe", said(1, "We deploy with Terraform")) == {"new": False}
    found = await get(client, "/search", q="terraform", user="ann", over="messages", **_where())
    assert [one["message"]["text"] for one in found["results"]] == ["We deploy with Terraform"]


async def test_an_edit_and_a_deletion_reach_the_message(client: httpx.AsyncClient, clock: FakeClock):
    await post(client, "/observe", said(1, "We deploy with Terraform"))
    clock.advance(minutes=1)
    which = {"platform": "discord", "id": "m1"}
    assert await post(client, "/observe/edited", {**which, "text": "We deploy with Ansible"}) == {"changed": True}
    found = await get(client, "/search", q="ansible", user="ann", over="messages", **_where())
    assert len(found["results"]) == 1
    assert await post(client, "/observe/deleted", which) == {"changed": True}
    assert await post(client, "/observe/deleted", which) == {"changed": False}
    assert await get(client, "/search", q="ansible", user="ann", over="messages", **_where()) == {"results": []}


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": "2025-03-01T12:00:00"},
        {"author": ""},
        {"author": "__lore__"},
        {"place": {"platform": "discord"}},
        {"place": {**DEV, "galaxy": "far"}},
        {"id": ""},
        {"text": "x" * 100_001},
        {"mood": "good"},
    ],
)
async def test_a_message_that_can_not_be_one_is_refused(client: httpx.AsyncClient, wrong: dict[str, Any]):
    answer = await client.post("/api/v1/observe", json=said(1, "hello") | wrong)
    assert answer.status_code == 422, answer.text


async def test_a_prompt_tells_its_text_its_budgets_and_the_reason_of_each_line(
    client: httpx.AsyncClient, memory: AsyncMemory
):
    await memory.remember("Prefers tea over coffee", user="discord:ann", audience=EVERYWHERE)
    await memory.remember("The otter is our mascot", user="ann", place=_place(), lore=True)
    asked = {"author": "ann", "place": DEV, "text": "which drink do I prefer?"}
    prompt = await post(client, "/context", asked)
    assert "Prefers tea over coffee" in prompt["text"]
    assert "".join(block["text"] for block in prompt["blocks"]) == prompt["text"]
    sections = {section["name"]: section for section in prompt["sections"]}
    durable = sections["durable"]
    assert durable["used"] <= durable["limit"]
    assert durable["left_out"] == 0
    assert all(line["reason"] for section in prompt["sections"] for line in section["lines"])
    assert prompt["missing"] == []


async def test_a_prompt_for_a_place_holds_nothing_that_may_not_be_heard_there(
    client: httpx.AsyncClient, memory: AsyncMemory
):
    dm = Place("discord", dm="ann")
    await memory.remember("Has a secret crush", user="ann", place=dm, audience=dm.audience)
    asked = {"author": "ann", "text": "what do you know of me?"}
    assert "crush" not in (await post(client, "/context", {**asked, "place": DEV}))["text"]
    own = {"platform": "discord", "dm": "ann"}
    assert "crush" in (await post(client, "/context", {**asked, "place": own}))["text"]


async def test_a_preview_stores_nothing(client: httpx.AsyncClient, memory: AsyncMemory):
    before = await memory.store.read(lambda tx: tx.generation())
    await post(client, "/context", {"author": "ann", "place": DEV, "text": "I like rain"})
    assert await memory.store.read(lambda tx: tx.generation()) == before


async def test_search_takes_scores_apart_and_every_ranker_can_be_asked(client: httpx.AsyncClient, memory: AsyncMemory):
    for text in ("Likes green tea", "Works at Acme", "Owns a tea shop"):
        await memory.remember(text, user="ann")
    found = (await get(client, "/search", q="tea", user="ann", ranker="hybrid"))["results"]
    assert {one["memo"]["text"] for one in found} == {"Likes green tea", "Owns a tea shop"}
    assert sum(found[0]["parts"].values()) == pytest.approx(found[0]["score"])
    side_by_side = (await get(client, "/search/rankers", q="tea", user="ann"))["rankers"]
    assert side_by_side.keys() == RANKERS
    assert all(results for results in side_by_side.values())
    assert await get(client, "/search", q="quantum", user="ann", ranker="hybrid", strict=True) == {"results": []}


async def test_search_is_narrowed_by_kind_tag_and_time(client: httpx.AsyncClient, memory: AsyncMemory):
    await memory.remember("Likes tea", user="ann", kind="preference", tags=["drinks"])
    await memory.remember("Sells tea", user="ann", kind="fact")
    for params, count in (({"kind": "fact"}, 1), ({"tag": "drinks"}, 1), ({"kind": ["fact", "preference"]}, 2)):
        assert len((await get(client, "/search", q="tea", user="ann", **params))["results"]) == count, params
    unzoned = await client.get("/api/v1/search", params={"q": "tea", "user": "ann", "since": "2025-01-01T00:00:00"})
    assert unzoned.status_code == 422


def _place() -> Place:
    return Place(**DEV)


def _where() -> dict[str, Any]:
    return {name: value for name, value in DEV.items() if name != "name"}


async def test_a_prompt_that_is_only_looked_at_counts_as_no_use(client: httpx.AsyncClient, memory: AsyncMemory):
    for number in range(40):  # more than fit, so that they are searched
        text = f"I like tea number {number} with {'much ' * 30}milk"
        await memory.remember(text, user="discord:ann", audience=EVERYWHERE)
    asked = {"author": "ann", "place": DEV, "text": "which tea do I like?"}
    await post(client, "/context", {**asked, "trial": True})
    assert not memory.engine.usage._pending
    await post(client, "/context", {**asked, "text": "which tea do I like most?"})
    assert memory.engine.usage._pending
