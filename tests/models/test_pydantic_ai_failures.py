"""What goes wrong with a provider becomes the right error, or is salvaged; no key and no conversation leaks."""

import asyncio
import json
import logging
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ExtractionInput, ModelOptions
from recollect.core.types import Message, Place
from recollect.models.pydantic_ai import MAX_ANSWER_CHARS, PydanticAIModel
from recollect.testing.model_server import (
    Answer,
    CutOff,
    Garbage,
    ModelServer,
    Overlong,
    Request,
    Says,
    Slow,
    Status,
    WrongShape,
)
from tests.waiting import eventually

KEY = "sk-" + "not-a-real-key"
SECRET_WORDS = "my zebra is called Quentin"
PROVIDERS = [
    ("anthropic", "claude-haiku-4-5", "ANTHROPIC_API_KEY"),
    ("openai", "gpt-4o-mini", "OPENAI_API_KEY"),
    ("openai-responses", "gpt-4o-mini", "OPENAI_API_KEY"),
]
each_provider = pytest.mark.parametrize(
    ("provider", "name", "variable"), PROVIDERS, ids=[each[0] for each in PROVIDERS]
)
HEARING = ExtractionInput(
    [Message("m1", "ada", Place(dm="ada"), SECRET_WORDS, datetime(2026, 3, 1, 12, tzinfo=UTC))],
)
FACT = {"kind": "fact", "text": "Has a zebra called Quentin.", "tags": [], "evidence": SECRET_WORDS}
LEARNED = json.dumps({"upserts": [FACT], "deprecations": []})


@asynccontextmanager
async def opened(provider: str, name: str, server: ModelServer, timeout: float = 10) -> AsyncIterator[PydanticAIModel]:
    secrets = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    model = PydanticAIModel(provider, name, ModelOptions(server.url, secrets.get), timeout=timeout)
    try:
        yield model
    finally:
        await model.close()


async def failure(provider: str, name: str, answer: Answer, timeout: float = 10) -> ModelError:
    """The error that both kinds of request end in, which tells nothing that it should not."""
    async with ModelServer(answer) as server, opened(provider, name, server, timeout) as model:
        with pytest.raises(ModelError) as raised:
            await model.summarize(None, SECRET_WORDS, 100)
        told = "".join(traceback.format_exception(raised.value))
        assert KEY not in told
        assert "Quentin" not in told
        with pytest.raises(type(raised.value)):
            await model.extract(HEARING)
    return raised.value


@each_provider
@pytest.mark.parametrize("code", [408, 409, 429, 500, 502, 503, 529])
async def test_a_busy_or_broken_server_may_be_asked_again_later(provider: str, name: str, variable: str, code: int):
    answer = Status(code, f"{KEY} said {SECRET_WORDS}", retry_after=60)
    error = await failure(provider, name, answer)
    assert isinstance(error, ModelUnavailable)
    assert str(code) in str(error)


@each_provider
async def test_a_failing_server_is_asked_once_per_call(provider: str, name: str, variable: str):
    async with ModelServer(Status(500)) as server, opened(provider, name, server) as model:
        with pytest.raises(ModelUnavailable):
            await model.extract(HEARING)
        assert len(server.requests) == 1


@each_provider
@pytest.mark.parametrize("code", [401, 403])
async def test_a_wrong_key_names_the_variable_to_set(provider: str, name: str, variable: str, code: int):
    error = await failure(provider, name, Status(code, f"Incorrect API key provided: {KEY}"))
    assert not isinstance(error, ModelUnavailable)
    assert f"is {variable} set to a valid key" in str(error)


@each_provider
async def test_a_missing_model_is_named(provider: str, name: str, variable: str):
    error = await failure(provider, name, Status(404, f"no model for {SECRET_WORDS}"))
    assert not isinstance(error, ModelUnavailable)
    assert f"is there a model {provider}:{name}" in str(error)


@each_provider
@pytest.mark.parametrize("code", [400, 413, 422])
async def test_a_request_that_is_not_taken_is_not_sent_again(provider: str, name: str, variable: str, code: int):
    error = await failure(provider, name, Status(code, f"bad request: {SECRET_WORDS}"))
    assert not isinstance(error, ModelUnavailable)
    assert str(code) in str(error)


@each_provider
async def test_an_empty_account_is_told(provider: str, name: str, variable: str):
    error = await failure(provider, name, Status(429, "you exceeded your quota", error="insufficient_quota"))
    assert isinstance(error, ModelUnavailable)


@each_provider
@pytest.mark.parametrize("after", [0, 30, 200])
async def test_a_cut_connection_may_be_tried_again(provider: str, name: str, variable: str, after: int):
    error = await failure(provider, name, CutOff(after, Says("ok " * 200)))
    assert isinstance(error, ModelUnavailable)
    assert "hung up" in str(error)


@each_provider
@pytest.mark.parametrize(
    "answer",
    [
        Garbage(),
        Garbage(SECRET_WORDS.encode(), "text/html"),
        WrongShape(),
        WrongShape([SECRET_WORDS]),
        WrongShape(None),
        WrongShape(f"{KEY} {SECRET_WORDS}"),
        WrongShape({"choices": [], "content": None, "output": None, "usage": 1}),
        WrongShape({"choices": [{"message": None}], "content": [{"type": "text"}], "output": [{"type": "message"}]}),
        WrongShape({"choices": "x", "content": "x", "output": "x"}),
    ],
    ids=lambda answer: repr(answer)[:50],
)
async def test_an_answer_of_another_shape_is_an_error(provider: str, name: str, variable: str, answer: Answer):
    error = await failure(provider, name, answer)
    assert isinstance(error, ModelUnavailable)
    assert "not what its protocol says" in str(error)


@each_provider
@pytest.mark.acceptance("B28")
async def test_a_server_that_hangs_is_given_up(provider: str, name: str, variable: str):
    error = await failure(provider, name, Slow(asyncio.Event()), timeout=0.2)
    assert isinstance(error, ModelUnavailable)
    assert "did not answer in time" in str(error)


@each_provider
async def test_a_dead_server_is_named(provider: str, name: str, variable: str):
    async with ModelServer() as server, opened(provider, name, server) as model:
        await server.stop()
        with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:\d+ can't be reached"):
            await model.extract(HEARING)
        await server.start()
        assert (await model.summarize(None, "x", 100)).text == "ok"


@each_provider
async def test_a_refusal_is_an_error_that_asking_again_does_not_help(provider: str, name: str, variable: str):
    error = await failure(provider, name, Says("I can't help with that.", stop="refusal"))
    assert not isinstance(error, ModelUnavailable)
    assert "refused" in str(error)


@each_provider
async def test_after_trouble_all_is_well_again(provider: str, name: str, variable: str):
    script: list[Answer] = [Status(429), CutOff(10), Garbage(), WrongShape(), Says(LEARNED)]
    async with ModelServer(script) as server, opened(provider, name, server) as model:
        for _ in range(4):
            with pytest.raises(ModelUnavailable):
                await model.extract(HEARING)
        assert len((await model.extract(HEARING)).proposals) == 1


@each_provider
async def test_json_in_prose_and_fences_is_salvaged(provider: str, name: str, variable: str):
    wrapped = f"Sure! Here it is:\n```json\n{LEARNED}\n```\nAnything else?"
    async with ModelServer(Says(wrapped)) as server, opened(provider, name, server) as model:
        assert [each.text for each in (await model.extract(HEARING)).proposals] == ["Has a zebra called Quentin."]


@each_provider
async def test_prose_teaches_nothing_and_is_reported(provider: str, name: str, variable: str):
    async with ModelServer(Says("I have nothing to say in JSON.")) as server, opened(provider, name, server) as model:
        found = await model.extract(HEARING)
    assert found.proposals == ()
    assert found.problems
    assert "nothing to say" not in " ".join(found.problems)


@each_provider
async def test_a_megabyte_is_cut_and_reported(provider: str, name: str, variable: str):
    async with ModelServer(Overlong(1_000_000)) as server, opened(provider, name, server) as model:
        assert len((await model.summarize(None, "x", 100)).text) <= MAX_ANSWER_CHARS
        found = await model.extract(HEARING)
    assert found.proposals == ()
    assert "the answer was far too long" in found.problems


@each_provider
async def test_an_answer_cut_off_at_its_limit_is_reported(provider: str, name: str, variable: str):
    cut = LEARNED[: -len('"deprecations": []}')] + '"depre'
    async with ModelServer(Says(cut, stop="length")) as server, opened(provider, name, server) as model:
        assert "the answer was cut off at its limit" in (await model.extract(HEARING)).problems


@each_provider
async def test_a_cancelled_request_stays_cancelled(provider: str, name: str, variable: str):
    async with ModelServer(Slow(asyncio.Event())) as server, opened(provider, name, server) as model:
        asked = asyncio.create_task(model.extract(HEARING))
        await eventually(lambda: bool(server.requests))
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked


@each_provider
async def test_the_key_is_in_no_log(provider: str, name: str, variable: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    async with ModelServer([Says(LEARNED), Status(500, f"oh, {KEY}")]) as server:
        async with opened(provider, name, server) as model:
            await model.extract(HEARING)
            with pytest.raises(ModelUnavailable):
                await model.extract(HEARING)
            assert KEY not in repr(model.__dict__)
        assert not any(KEY in value for request in server.requests for value in request.headers.values())
    lines = [(record.name, record.getMessage()) for record in caplog.records]
    assert not [name for name, line in lines if KEY in line]
    assert not [name for name, line in lines if name.startswith("recollect") and "Quentin" in line]


async def test_a_password_in_the_address_is_not_repeated():
    model = PydanticAIModel("openai", "m", ModelOptions("http://ada:hunter2@127.0.0.1:9/v1"))
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9") as raised:
        await model.summarize(None, "x", 100)
    assert "hunter2" not in "".join(traceback.format_exception(raised.value))
    await model.close()


async def test_closing_leaves_no_connection_open_and_waits_for_nobody():
    seen: list[Any] = []

    def note(request: Request) -> Says:
        seen.append(request.path)
        return Says("ok")

    async with ModelServer(note) as server:
        for provider, name, _ in PROVIDERS:
            async with opened(provider, name, server) as model:
                await model.summarize(None, "x", 100)
                client = await model.client()
            assert client.provider
            assert client.provider.client._client.is_closed
    assert len(seen) == 3
