"""The dashboard's routes of document D."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from recollect import AsyncMemory, Place
from recollect.core.types import Audience
from recollect.faces.http.app import create
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, TOKENS, asking, opened

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)
GENERAL = Place("discord", "g1", "c-general", name="general", public=True)
ELSEWHERE = Place("discord", "g2", "c-lobby", name="lobby", public=True)


async def facts(client: httpx.AsyncClient, **params: Any) -> dict[str, Any]:
    answer = await client.get("/api/memory/search", params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def texts(client: httpx.AsyncClient, **params: Any) -> list[str]:
    return [one["fact"] for one in (await facts(client, guildId="g1", **params))["results"]]


@pytest.mark.acceptance("D61")
@pytest.mark.parametrize("profile", ["unified", "clanker"])
async def test_the_snapshot_comes_as_markdown(tmp_path: Path, clock: FakeClock, profile: str):
    async with (
        opened(tmp_path, clock, profile=profile) as memory,
        asking(create(memory, TOKENS, clock=clock), OPERATOR) as client,
    ):
        await memory.remember("Prefers tea <b>strong</b>", user="ann", place=DEV)
        await memory.remember("The otter is our mascot", user="ann", place=DEV, lore=True)
        answer = await client.get("/api/memory")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"
    for part in ("## People", "## Ongoing lore", "## Recent journal highlights", "## Source daily logs"):
        assert part in answer.text
    assert "Prefers tea" in answer.text
    assert "The otter is our mascot" in answer.text


async def test_a_dashboard_that_asks_for_json_gets_the_snapshot_in_it(client: httpx.AsyncClient):
    answer = await client.get("/api/memory", headers={"accept": "application/json"})
    assert answer.json()["markdown"] == (await client.get("/api/memory")).text


@pytest.mark.acceptance("D62")
@pytest.mark.parametrize("profile", ["unified", "clanker"])
async def test_a_refresh_makes_the_file_anew_and_returns_it(tmp_path: Path, clock: FakeClock, profile: str):
    async with opened(tmp_path, clock, profile=profile, mirror__files=["snapshot"]) as memory:
        app = create(memory, TOKENS, clock=clock)
        async with asking(app, OPERATOR) as client:
            await memory.remember("Prefers tea", user="ann", place=DEV)
            file = tmp_path / "memory" / "MEMORY.md"
            assert not file.exists()
            answer = await client.post("/api/memory/refresh")
            assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
            assert "Prefers tea" in answer.text
            assert file.read_text("utf-8") == answer.text
            await memory.forget("tea", user="ann", place=DEV)
            again = await client.post("/api/memory/refresh")
            assert "Prefers tea" not in again.text
            assert file.read_text("utf-8") == again.text


@pytest.mark.acceptance("D42", "D63")
@pytest.mark.parametrize("profile", ["clanker", "unified"])
async def test_a_guilds_active_facts_are_searched_strictly_and_no_other_guilds(
    tmp_path: Path, clock: FakeClock, profile: str
):
    async with (
        opened(tmp_path, clock, profile=profile) as memory,
        asking(create(memory, TOKENS, clock=clock), OPERATOR) as client,
    ):
        here = Audience("guild", "g1", "g1")
        await memory.remember("Drinks tea at noon", user="ann", place=DEV, audience=here)
        await memory.remember("Sells tea cups", user="bob", place=GENERAL, audience=here)
        await memory.remember("The tea kettle is haunted", user="ann", place=DEV, lore=True)
        await memory.remember("Grows tea in secret", user="ann", place=ELSEWHERE)
        await memory.remember("Hates tea with milk", user="bob", place=DEV)
        await memory.forget("milk", user="bob", place=DEV)
        assert sorted(await texts(client, q="tea")) == [
            "Drinks tea at noon",
            "Sells tea cups",
            "The tea kettle is haunted",
        ]
        assert await texts(client, q="quantum chromodynamics") == [], "nothing is relevant"
        assert (await facts(client, q="tea", guildId="g2"))["results"][0]["fact"] == "Grows tea in secret"
        assert (await facts(client, q="tea", guildId="g3"))["results"] == []


@pytest.mark.acceptance("D42", "D63")
async def test_the_limit_is_clamped_from_1_to_24_and_the_channel_is_a_hint(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    for number in range(30):
        place = DEV if number % 2 else GENERAL
        await memory.remember(f"Tea number {number}", user=f"u{number % 3}", place=place)
    for asked, given in ((-5, 1), (0, 1), (1, 1), (24, 24), (1000, 24)):
        found = await facts(client, q="tea", guildId="g1", limit=asked)
        assert (len(found["results"]), found["limit"]) == (given, given)
    hinted = await facts(client, q="tea", guildId="g1", channelId="c-dev", limit=24)
    channels = [one["channel_id"] for one in hinted["results"]]
    assert channels[0] == "c-dev"
    assert "c-general" in channels


@pytest.mark.acceptance("D63")
async def test_the_answer_has_the_words_of_the_document(client: httpx.AsyncClient, memory: AsyncMemory):
    await memory.remember("Drinks tea at noon", user="ann", place=DEV, kind="preference", message="m1")
    found = await facts(client, q=" tea ", guildId="g1", channelId="c-dev")
    (fact,) = found.pop("results")
    assert found == {"queryText": "tea", "guildId": "g1", "channelId": "c-dev", "limit": 10}
    assert fact["subject"] == "ann"
    assert (fact["fact"], fact["fact_type"]) == ("Drinks tea at noon", "preference")
    assert (fact["guild_id"], fact["channel_id"], fact["source_message_id"]) == ("g1", "c-dev", "m1")
    assert sum(fact["parts"].values()) == pytest.approx(fact["score"])


@pytest.mark.parametrize("params", [{}, {"q": "tea"}, {"guildId": "g1"}, {"q": " ", "guildId": "g1"}])
async def test_without_a_question_or_a_guild_nothing_is_found(client: httpx.AsyncClient, params: dict[str, str]):
    found = await facts(client, **params)
    assert (found["results"], found["limit"]) == ([], 0)


async def test_guilds_of_two_platforms_with_one_id_are_two(client: httpx.AsyncClient, memory: AsyncMemory):
    await memory.remember("Drinks tea at noon", user="ann", place=DEV)
    await memory.remember("Drinks tea at night", user="ann", place=Place("slack", "g1", "c", public=True))
    assert await texts(client, q="tea") == ["Drinks tea at noon"]
    slack = await facts(client, q="tea", guildId="slack~g1")
    assert [one["fact"] for one in slack["results"]] == ["Drinks tea at night"]
