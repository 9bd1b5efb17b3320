"""Erase and export from the page: a survey, the name typed, a receipt; and files to take away."""

import json
import re
from html import unescape
from pathlib import Path

import pytest
from fastapi import FastAPI

from recollect import AsyncMemory
from recollect.core.types import Message, Origin, Place
from recollect.faces.http.auth import RevokedSessions, Sessions, Tokens
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import TOKENS
from tests.faces.http.visiting import hidden, text_of, visiting

DEV = Place("discord", "77", "701", name="dev", public=True)


@pytest.fixture
async def told(memory: AsyncMemory, clock: FakeClock) -> AsyncMemory:
    await memory.add(Message("1", "ann", DEV, "I collect porcelain otters", clock(), name="Ann"))
    await memory.remember("Collects porcelain otters", user="ann", place=DEV)
    await memory.remember("Plays the cello", user="ben", place=DEV)
    await memory.remember("The kiln is hot on Mondays", user="ben", place=DEV, lore=True)
    return memory


async def test_a_survey_counts_what_there_is(app: FastAPI, told: AsyncMemory):
    async with visiting(app) as visitor:
        page = text_of(await visitor.see("/erase", user="ann"))
        assert "What there is about Ann, user discord:ann" in page
        assert "memories 1" in page
        assert "messages 1" in page
        assert "There is nothing about user zed" in text_of(await visitor.see("/erase", user="zed"))


async def test_the_wrong_name_erases_nothing(app: FastAPI, told: AsyncMemory):
    async with visiting(app) as visitor:
        for typed in ("", "Ann", "ann", "discord:ann ", "discord:ben"):
            answer = await visitor.send("/erase", 422, user="discord:ann", typed=typed)
            assert "Nothing was erased" in answer.text
    assert (await told.show(user="ann")).total == 1


async def test_a_person_is_erased_with_a_receipt_that_can_be_downloaded(app: FastAPI, told: AsyncMemory):
    async with visiting(app) as visitor:
        page = await visitor.see("/erase", user="ann")
        assert "Type discord:ann to confirm" in text_of(page)
        done = await visitor.send("/erase", user=hidden(page, "user"), typed="discord:ann")
        page = await visitor.follow(done)
        assert "user discord:ann: erased, and nothing was found afterwards" in text_of(page)
        assert "otters" not in page
        link = re.search(r'href="(/erase/receipt\.json\?[^"]+)"', page)
        assert link
        file = await visitor.client.get(unescape(link[1]))
        assert file.headers["content-disposition"].startswith('attachment; filename="receipt.json"')
        receipt = json.loads(file.content)
        assert receipt["clean"] is True
        assert receipt["asked_by"] == "operator"
        assert receipt["erased"]["memos"] == 1
        assert "What there is about" not in await visitor.see("/erase", user="ann") or "memories" not in text_of(page)
    assert (await told.show(user="ann")).total == 0
    assert (await told.show(user="ben")).total == 1


async def test_a_guild_is_erased(app: FastAPI, told: AsyncMemory):
    async with visiting(app) as visitor:
        await visitor.send("/erase", guild="77", typed="77")
        assert "No server has lore yet" in await visitor.see("/lore")


async def test_a_receipt_that_was_not_made_here_is_not_shown(app: FastAPI, tmp_path: Path):
    theirs = Tokens("somebody-elses-token", "another-of-theirs")
    forged = Sessions(lambda: theirs, 60, RevokedSessions(tmp_path)).sign(b"{}")
    async with visiting(app) as visitor:
        for sealed in ("guessed", forged, f"{forged}x", "ä.ö"):
            assert "no such receipt" in await visitor.see("/erase/receipt", 404, of=sealed)


async def test_a_reader_exports_but_does_not_erase(app: FastAPI, told: AsyncMemory):
    async with visiting(app, TOKENS.reader) as visitor:
        assert "Erase it for good" not in await visitor.see("/erase", user="ann")
        await visitor.send("/erase", 403, user="ann", typed="ann")
        assert (await visitor.client.get("/export", params={"user": "ann"})).status_code == 200
    assert (await told.show(user="ann")).total == 1


async def test_export_downloads_one_file_per_person(app: FastAPI, told: AsyncMemory):
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/export", params={"user": "ann"})
        assert answer.headers["content-disposition"] == 'attachment; filename="recollect-discord_ann.json"'
        document = json.loads(answer.content)
        assert document["format"] == "recollect-export"
        assert [memo["text"] for memo in document["memos"]] == ["Collects porcelain otters"]
        assert [message["text"] for message in document["messages"]] == ["I collect porcelain otters"]
        durable = await visitor.client.get("/export", params={"user": "ann", "form": "durable"})
        assert durable.headers["content-disposition"] == 'attachment; filename="durable-discord_ann.json"'
        assert [item["text"] for item in json.loads(durable.content)["items"]] == ["Collects porcelain otters"]


async def test_a_person_is_exported_by_name_and_nobody_is_for_a_name_that_none_or_several_have(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    for user, name in (("310", "Ada"), ("311", "Bob"), ("312", "bob")):
        await memory.add(Message(user, user, DEV, "I collect walnuts", clock(), name=name))
        await memory.remember("Collects walnuts", user=user, place=DEV, message=user, origin=Origin.DISCORD)
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/export", params={"user": "ada"})
        assert answer.headers["content-disposition"] == 'attachment; filename="recollect-discord_310.json"'
        assert "2 people are called Bob: discord:311, discord:312" in await visitor.see("/export", 422, user="Bob")
        assert "Nobody is known by the id or name Zeno" in await visitor.see("/export", 404, user="Zeno")


async def test_a_name_that_several_have_is_not_taken_for_the_whole_guild(
    app: FastAPI, memory: AsyncMemory, clock: FakeClock
):
    for user in ("311", "312"):
        await memory.add(Message(user, user, DEV, "I collect walnuts", clock(), name="Bob"))
        await memory.remember("Collects walnuts", user=user, place=DEV, message=user, origin=Origin.DISCORD)
    async with visiting(app) as visitor:
        page = await visitor.see("/erase", user="Bob", guild="77")
        assert "2 people are called Bob" in text_of(page)
        assert "Erase it for good" not in page
        assert 'href="/erase?user=discord%3A311&amp;guild=77"' in page
        assert "user discord:311 in guild 77" in text_of(await visitor.see("/erase", user="311", guild="77"))


async def test_the_name_of_a_file_holds_nothing_odd(app: FastAPI, memory: AsyncMemory):
    odd = '../"x Set-Cookie: a=b🦦'
    await memory.remember("Likes tea", user=odd)
    async with visiting(app) as visitor:
        answer = await visitor.client.get("/export", params={"user": odd})
        assert answer.headers["content-disposition"] == 'attachment; filename="recollect-_x_Set-Cookie_a_b_.json"'
        assert "set-cookie" not in answer.headers
