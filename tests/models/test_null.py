"""The model that learns and writes nothing."""

from datetime import UTC, datetime

from recollect import plugins
from recollect.core.ports import ChatModel, ExtractionInput, ExtractionResult, HasNotice, Model, ModelOptions
from recollect.core.types import Message, Place


async def test_without_a_model_nothing_is_learned_and_nothing_is_written():
    model: Model = plugins.load("models", "null", ModelOptions())
    said = Message("m", "ann", Place(dm="ann"), "I live in Berlin", datetime(2026, 11, 15, tzinfo=UTC))
    assert model.name == "null"
    assert await model.extract(ExtractionInput([said])) == ExtractionResult()
    assert (await model.summarize("Before.", "[Ann]: I live in Berlin", 100)).text == ""
    assert (await model.shorten("Before.", 3)).text == ""
    assert await model.consolidate([]) == ExtractionResult()
    await model.close()


def test_only_a_language_model_can_chat_and_only_the_local_model_has_a_notice():
    options = ModelOptions()
    null, local, claude = (
        plugins.load("models", spec, options) for spec in ("null", "local", "pydantic_ai:anthropic:claude-haiku-4-5")
    )
    assert [isinstance(model, HasNotice) for model in (null, local, claude)] == [False, True, False]
    assert [isinstance(model, ChatModel) for model in (null, local, claude)] == [False, False, True]
