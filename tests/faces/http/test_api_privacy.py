"""Handing out and erasing through the API."""

import httpx
import pytest

from recollect import AsyncMemory, Place
from recollect.core.types import Message, Summary
from recollect.testing.clock import FakeClock

DM = Place("discord", dm="ann")
DEV = Place("discord", "g1", "c-dev", name="dev", public=True)


@pytest.fixture(autouse=True)
async def told(memory: AsyncMemory, clock: FakeClock) -> None:
    await memory.add(Message("m1", "ann", DM, "I collect porcelain otters", clock(), "Ann"))
    await memory.remember("Collects porcelain otters", user="ann", place=DM, message="m1")
    await memory.remember("Likes rainy mornings", user="bob", place=Place("discord", dm="bob"))


async def test_export_returns_one_document_per_person(client: httpx.AsyncClient):
    answer = await client.get("/api/v1/export", params={"user": "ann"})
    document = answer.json()
    assert answer.headers["content-disposition"] == 'attachment; filename="export.json"'
    assert [memo["text"] for memo in document["memos"]] == ["Collects porcelain otters"]
    assert [message["text"] for message in document["messages"]] == ["I collect porcelain otters"]
    assert "rainy" not in answer.text
    assert (await client.get("/api/v1/export")).status_code == 422


async def test_erasing_needs_the_name_exactly_and_gives_a_receipt(client: httpx.AsyncClient, memory: AsyncMemory):
    survey = (await client.post("/api/v1/erase/survey", json={"user": "ann"})).json()
    assert (survey["counts"]["memos"], survey["counts"]["messages"], survey["confirm"]) == (1, 1, "discord:ann")
    for wrong in ("Ann", "ann", "discord:ann ", "discord:bob"):
        answer = await client.post("/api/v1/erase", json={"user": "discord:ann", "confirm": wrong})
        assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
    bare = await client.post("/api/v1/erase", json={"user": "ann", "confirm": "ann"})
    assert (bare.status_code, "say discord:ann" in bare.json()["detail"]) == (422, True)
    assert len((await memory.show(user="ann", place=DM)).memos) == 1
    receipt = (await client.post("/api/v1/erase", json={"user": "discord:ann", "confirm": survey["confirm"]})).json()
    assert receipt["clean"] is True
    assert receipt["asked_by"] == "operator"
    assert (receipt["erased"]["memos"], receipt["erased"]["messages"]) == (1, 1)
    assert "otters" not in str(receipt)
    gone = await client.get("/api/v1/export", params={"user": "ann"})
    assert "porcelain" not in gone.text
    assert len((await memory.show(user="bob", place=Place("discord", dm="bob"))).memos) == 1


@pytest.mark.slow
async def test_a_guild_is_erased_by_its_name(client: httpx.AsyncClient, memory: AsyncMemory):
    await memory.remember("The otter is our mascot", user="ann", place=DEV, lore=True)
    receipt = (await client.post("/api/v1/erase", json={"guild": "g1", "confirm": "g1"})).json()
    assert (receipt["guild"], receipt["erased"]["memos"]) == ("g1", 1)
    assert (await client.get("/api/v1/memos", params={"guild": "g1"})).json()["total"] == 0


async def test_erase_requires_a_person_or_guild(client: httpx.AsyncClient):
    for path, body in (("/erase/survey", {}), ("/erase", {"confirm": "x"}), ("/erase/survey", {"user": "__lore__"})):
        assert (await client.post(f"/api/v1{path}", json=body)).status_code == 422


async def test_whoever_is_in_a_summary_is_erased_and_its_audience_stays(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    await memory.remember("Collects walnuts", user="ann", place=DEV)
    text = "Ann collects walnuts. Bob opens the kiln."
    summary = Summary(DEV.session, text, 1, clock(), clock(), DEV.audience)
    await memory.store.write(lambda tx: tx.summaries.save(summary))
    whom = {"user": "discord:ann", "confirm": "discord:ann"}
    assert (await client.post("/api/v1/erase", json=whom)).json()["clean"] is True
    left = await memory.store.read(lambda tx: tx.summaries.get(DEV.session))
    assert left is None or ("walnuts" not in left.text and left.audience == DEV.audience)


@pytest.mark.parametrize("platform", ["discord", "irc", "local"])
async def test_a_deletion_in_a_dm_of_any_platform_reaches_the_reply(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock, platform: str
):
    place = {"platform": platform, "dm": "cay"}
    said = {"id": "m7", "author": "cay", "place": place, "text": "I collect porcelain otters"}
    reply = {"id": "m8", "author": "bot", "place": place, "bot": True}
    await client.post("/api/v1/observe", json=said)
    clock.advance(seconds=5)
    text = "You collect porcelain otters. The weather is nice."
    await client.post("/api/v1/observe", json={**reply, "text": text})
    await client.post("/api/v1/observe/deleted", json={"platform": platform, "id": "m7"})
    left = await memory.store.read(lambda tx: tx.messages.get(platform, "m8"))
    assert left is not None
    assert left.text == "The weather is nice."
