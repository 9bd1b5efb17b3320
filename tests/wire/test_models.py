"""Which model is asked for what, as the servers of the models see it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

from recollect import AsyncMemory
from recollect.app import make_model
from recollect.core.errors import ConfigError
from recollect.core.types import Message, Place
from recollect.faces.assistant.assistant import Assistant
from recollect.settings import load, wiring
from recollect.testing.clock import START
from recollect.testing.model_server import ModelServer, Request, Says
from tests.journeys.test_documents import is_extraction, is_summary

HAIKU = "anthropic:claude-haiku-4-5"
BOTH = {"ANTHROPIC_API_KEY": "a-key", "OPENAI_API_KEY": "a-key"}


def models(env: dict[str, str], **settings: Any) -> tuple[str, str, str]:
    loaded = load(env, **settings).settings
    return loaded.model, loaded.extraction.model, loaded.summary.model


@pytest.mark.acceptance("W9", "A59", "B2", "B58", "B63")
@pytest.mark.parametrize("profile", ["unified", "discoclaw", "dnam"])
def test_learning_and_summaries_use_the_cheap_model_of_the_main_models_provider(profile: str) -> None:
    of = partial(models, profile=profile)
    assert of({**BOTH, "RECOLLECT_MODEL": "opus"})[1:] == (HAIKU, HAIKU)
    assert of({**BOTH, "RECOLLECT_MODEL": "openai:gpt-5"})[1:] == ("openai:gpt-5-mini",) * 2
    assert of({**BOTH, "RECOLLECT_MODEL": "openai:gpt-5-nano"})[1:] == ("openai:gpt-5-nano",) * 2
    assert of({}) == ("local",) * 3
    own = {"RECOLLECT_MODEL": "openai:llama", "RECOLLECT_MODEL_BASE_URL": "http://localhost:1/v1"}
    assert of(own) == ("openai:llama",) * 3
    assert of({**own, "RECOLLECT_SUMMARY_MODEL": "haiku"})[2] == "openai:llama"


@pytest.mark.acceptance("W9")
def test_haiku_is_what_is_at_hand_and_the_start_says_which() -> None:
    openai = {"OPENAI_API_KEY": "a-key"}
    assert models({**openai, "RECOLLECT_MODEL": "haiku"}) == ("openai:gpt-5-mini",) * 3
    named = load({**openai, "RECOLLECT_MODEL": "openai:gpt-5", "DISCOCLAW_SUMMARY_MODEL": "haiku"}, profile="discoclaw")
    assert named.settings.summary.model == "openai:gpt-5-mini"
    assert named.warnings == ("summary.model is haiku; without ANTHROPIC_API_KEY that is openai:gpt-5-mini here.",)
    assert wiring.describe_models(named.settings) == (
        "openai:gpt-5; openai:gpt-5-mini learns, openai:gpt-5-mini summarizes"
    )
    assert load({"RECOLLECT_SUMMARY_MODEL": "haiku"}).settings.summary.model == "local"


@pytest.mark.acceptance("W9")
@pytest.mark.parametrize("alias", ["sonnet", "Opus"])
def test_another_alias_works_or_is_refused_at_start(alias: str) -> None:
    assert models({**BOTH, "RECOLLECT_MODEL": alias})[0].startswith(f"anthropic:claude-{alias.lower()}")
    with pytest.raises(ConfigError, match="ANTHROPIC_API_KEY is not set"):
        load({"RECOLLECT_MODEL": alias})
    with pytest.raises(ConfigError, match="RECOLLECT_EXTRACTION_MODEL"):
        load({"RECOLLECT_EXTRACTION_MODEL": alias})


async def turn(**models: Any) -> None:
    """One turn of a chat, and the learning and summarizing that follow from it."""
    settings = load(None, store="sqlite:///:memory:", embedder="null", summary__every_n_turns=1, **models)
    async with AsyncMemory.from_settings(settings) as memory:
        model: Any = make_model(settings.settings.model, "")
        message = Message("m1", "ann", Place(dm="ann"), "I live in Lisbon", START)
        assistant = Assistant(memory, model)
        reply = await assistant.reply(message)
        await assistant.record_reply(reply.text, message, "r1")
        assert await memory.worker.wait_idle(20)
        await model.close()


@pytest.fixture
async def servers(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[ModelServer, ModelServer]]:
    """Anthropic's and OpenAI's."""
    async with ModelServer(Says("I see.")) as anthropic, ModelServer(Says("I see.")) as openai:
        for name, value in {**BOTH, "ANTHROPIC_BASE_URL": anthropic.root, "OPENAI_BASE_URL": openai.url}.items():
            monkeypatch.setenv(name, value)
        yield anthropic, openai


@pytest.mark.acceptance("W9")
async def test_two_servers_see_who_replies_and_who_learns(servers: tuple[ModelServer, ModelServer]) -> None:
    anthropic, openai = servers
    for main in ("opus", "openai:gpt-5"):
        await turn(model=main)
    assert _by_purpose(anthropic.requests) == {True: {"claude-opus-4-5"}, False: {"claude-haiku-4-5"}}
    assert _by_purpose(openai.requests) == {True: {"gpt-5"}, False: {"gpt-5-mini"}}


@pytest.mark.acceptance("W9")
async def test_each_task_is_for_the_model_that_is_set_for_it(servers: tuple[ModelServer, ModelServer]) -> None:
    anthropic, openai = servers
    await turn(model="openai:talker", extraction__model="openai:learner", summary__model="openai:writer")
    assert {request.model for request in openai.requests if request.tools} == {"talker"}
    assert {request.model for request in openai.requests if is_extraction(request)} == {"learner"}
    assert {request.model for request in openai.requests if is_summary(request)} == {"writer"}
    await turn(model="openai:talker", extraction__model="haiku")
    assert {request.model for request in anthropic.requests if is_extraction(request)} == {"claude-haiku-4-5"}
    assert not [request for request in anthropic.requests if is_summary(request)]


def _by_purpose(requests: list[Request]) -> dict[bool, set[str]]:
    """The models that replied, with tools, and those that learned and summarized, without."""
    return {
        replies: {request.model for request in requests if bool(request.tools) is replies} for replies in (True, False)
    }
