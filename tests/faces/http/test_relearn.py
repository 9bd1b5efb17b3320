"""Learning from messages again through the API, its client and the page."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory, Place
from recollect.client import ApiError, Client
from recollect.core.errors import ModelUnavailable
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.types import Message
from recollect.models.local import LocalModel
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel, propose_nothing
from tests.faces.http.conftest import BASE, TOKENS, opened
from tests.faces.http.visiting import hidden, text_of, visiting
from tests.scenes import AT_ONCE

DEV = Place("discord", "77", "701", name="dev", public=True)


@pytest.fixture
def model() -> FakeModel:
    return FakeModel(propose_nothing)


@pytest.fixture
async def memory(tmp_path: Path, clock: FakeClock, model: FakeModel) -> AsyncIterator[AsyncMemory]:
    """A memory that has learned nothing from what Ann said, with a model that now could."""
    async with opened(tmp_path, clock, model=model, run_worker=True, **AT_ONCE) as memory:
        await memory.add(Message("1", "ann", DEV, "I live in Lisbon", clock(), name="Ann"))
        assert await memory.worker.wait_idle(30)
        model.learns = LocalModel().extract
        yield memory


async def test_the_api_previews_starts_and_follows_it(client: httpx.AsyncClient, memory: AsyncMemory):
    shown = await client.post("/api/v1/relearn/preview", json={"user": "discord:ann"})
    assert shown.status_code == 200
    preview = shown.json()
    assert (preview["messages"], preview["tried"], preview["skipped"]) == (1, 1, {})
    assert [(step["change"], step["after"]["text"]) for step in preview["changes"]] == [("learned", "Lives in Lisbon")]
    assert (await memory.show(user="ann", place=DEV)).total == 0
    started = (await client.post("/api/v1/relearn", json={"session": DEV.session})).json()
    assert await memory.worker.wait_idle(30)
    done = (await client.get("/api/v1/relearn", params={"run": started["run"]})).json()
    assert (done["messages"], done["done"], done["changed"], done["over"]) == (1, 1, 1, True)
    assert (await client.post("/api/v1/relearn/preview", json={"everyone": True})).json()["changes"] == []
    undone = (await client.post("/api/v1/memos/undo", json={"user": "discord:ann"})).json()
    assert undone["undone"] is True


async def test_the_api_says_what_it_can_not_learn_from(
    client: httpx.AsyncClient, reader: httpx.AsyncClient, memory: AsyncMemory, model: FakeModel
):
    for path in ("/api/v1/relearn/preview", "/api/v1/relearn"):
        for body, status, words in (
            ({"message": "discord/99"}, 404, "there is no message"),
            ({"user": "discord:eve"}, 404, "there are no messages of discord:eve"),
            ({"since": "2100-01-01T00:00:00Z"}, 404, "there are no messages since 2100"),
            ({"degraded": True}, 404, "there are no messages"),
            ({}, 422, "say what to learn again"),
            ({"session": "nonsense"}, 422, "not a conversation"),
        ):
            answer = await client.post(path, json=body)
            assert answer.status_code == status, body
            assert words in answer.json()["detail"]
        assert (await reader.post(path, json={"everyone": True})).status_code == 403
    assert (await client.get("/api/v1/relearn", params={"run": "none"})).status_code == 404

    def dead(_: ExtractionInput) -> ExtractionResult:
        raise ModelUnavailable("the model can't be reached")

    model.learns = dead
    answer = await client.post("/api/v1/relearn/preview", json={"everyone": True})
    assert (answer.status_code, answer.json()["detail"]) == (503, "the model can't be reached")


async def test_the_client_relearns(app: FastAPI, memory: AsyncMemory):
    async with Client(BASE, TOKENS.operator, transport=httpx.ASGITransport(app)) as client:
        assert len((await client.preview_relearning(user="discord:ann"))["changes"]) == 1
        run = await client.relearn(user="discord:ann")
        assert await memory.worker.wait_idle(30)
        assert (await client.relearning(run["run"]))["changed"] == 1
        with pytest.raises(ApiError, match="there is no message"):
            await client.relearn(message="99")


async def test_the_page_shows_what_would_change_and_asks_before_it_learns(app: FastAPI, memory: AsyncMemory):
    async with visiting(app) as visitor:
        assert "/relearn?user=discord%3Aann" in await visitor.see("/people/memos", user="discord:ann")
        shown = await visitor.send("/relearn/preview", 200, user="discord:ann")
        assert "learned: [fact] Lives in Lisbon" in text_of(shown.text)
        assert (await memory.show(user="ann", place=DEV)).total == 0
        assert hidden(shown.text, "user") == "discord:ann"
        done = await visitor.send("/relearn", user=hidden(shown.text, "user"))
        assert await memory.worker.wait_idle(30)
        assert "Learned again from 1 of 1 message: 1 change" in text_of(await visitor.follow(done))
        assert (await memory.show(user="ann", place=DEV)).total == 1
        assert "no change" in text_of((await visitor.send("/relearn/preview", 200, user="discord:ann")).text)
        missing = await visitor.send("/relearn/preview", 404, message="99")
        assert "there is no message '99'" in text_of(missing.text)
        assert "not a day" in (await visitor.send("/relearn/preview", 422, since="soon")).text
        assert "say what to learn again" in (await visitor.send("/relearn/preview", 422)).text
    async with visiting(app, TOKENS.reader) as visitor:
        assert "Preview</button>" not in await visitor.see("/relearn")
