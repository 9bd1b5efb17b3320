"""The model that learns and writes nothing."""

from datetime import UTC, datetime

from recollect import plugins
from recollect.core.ports import ExtractionInput, ExtractionResult, Model, ModelOptions
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
