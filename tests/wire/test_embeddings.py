"""What leaves for an embedder under `clanker`, and what its vectors do to the ranking of a prompt and of a search."""

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from recollect.testing.embedding_server import EmbeddingServer, numbers
from recollect.testing.model_server import Says
from tests.faces.assistant.test_assistant import Talk, talking
from tests.scenes import DEV, GENERAL
from tests.waiting import eventually
from tests.wire.test_requests import block


@asynccontextmanager
async def embedding(**settings: Any) -> AsyncIterator[tuple[Talk, EmbeddingServer]]:
    async with EmbeddingServer() as server:
        embedder = {"embedder": "text-embedding-3-small", "embedder_base_url": server.url, **settings}
        async with talking(lambda _: Says("I see."), profile="clanker", **embedder) as talk:
            yield talk, server


def similarity(one: str, other: str) -> float:
    a, b = numbers(one), numbers(other)
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))


@pytest.mark.acceptance("D33", "D34")
async def test_a_message_of_three_characters_is_embedded_and_a_shorter_one_is_not() -> None:
    async with embedding() as (talk, server):
        await talk.stage.remember("I keep a cat")
        await talk.stage.memory.vectors.fill()
        await talk.ask("ca")
        await talk.ask("cat")
        assert [text for text in server.texts if len(text) <= 3] == ["cat"]
    async with embedding(embedder="null") as (talk, server):
        await talk.stage.remember("I keep a cat")
        await talk.ask("cat")
        assert server.texts == []
        assert "I keep a cat" in block(talk.server.requests[-1], "durable")


@pytest.mark.acceptance("D37")
async def test_missing_vectors_are_made_up_for_in_the_background_and_a_question_embeds_nothing_but_itself(
    tmp_path: Path,
) -> None:
    store = {"store": f"sqlite:///{tmp_path}/memory.db", "data_dir": str(tmp_path)}
    facts = [f"I keep cat {number}." for number in range(20)]
    async with embedding(embedder="null", **store) as (talk, _):
        await talk.stage.remember(*facts)
    async with embedding(**store) as (talk, server):
        await talk.ask("which cat do I keep?")
        await eventually(lambda: all(fact in str(server.texts) for fact in facts))
        assert await talk.stage.memory.vectors.fill() == 0, "none is missing any more"
        await talk.ask("and which cat sleeps?")
        asked = [request.texts for request in server.requests if "which cat" in str(request.texts)]
        assert all(len(texts) == 1 for texts in asked)
        assert ("and which cat sleeps?",) in asked
        assert sum(fact in text for fact in facts for text in server.texts) == 20


@pytest.mark.acceptance("D43", "D44", "D45", "D46", "D47", "D48")
async def test_a_search_weighs_meaning_words_confidence_age_and_channel_as_the_document_does() -> None:
    query = "prefers rust tools mostly"
    async with embedding() as (talk, server):
        await talk.stage.remember("Prefers Rust for command tools")
        await talk.stage.memory.vectors.fill()
        (payload,) = [text for text in server.texts if "Prefers Rust" in text]
        talk.stage.clock.advance(days=45, minutes=-1)
        (here,) = await talk.stage.memory.search(query, user="ann", place=DEV)
        (there,) = await talk.stage.memory.search(query, user="ann", place=GENERAL)
    assert here.parts == pytest.approx(
        {
            "semantic": 0.50 * similarity(query, payload),
            "lexical": 0.28 * 3 / 4,
            "confidence": 0.10,
            "recency": 0.07 / 2,
            "channel": 0.05,
        },
        abs=1e-3,
    )
    assert there.parts["channel"] == 0
    assert here.score == pytest.approx(sum(here.parts.values()))


@pytest.mark.acceptance("D49", "D50", "D51", "D52")
@pytest.mark.parametrize(
    ("embedder", "query", "is_found"),
    [
        ("text-embedding-3-small", "rust anvil hammer forge", True),  # a quarter of the words
        ("text-embedding-3-small", "rust anvil hammer forge smith", False),  # a fifth, and not much alike
        ("text-embedding-3-small", "the for on at it and a prefers command", True),  # alike
        ("null", "rust anvil hammer forge", True),
        ("null", "rust anvil hammer forge smith", False),
        ("null", "anvil", False),
    ],
)
async def test_a_strict_search_returns_nothing_that_does_not_pass_the_gate(
    embedder: str, query: str, is_found: bool
) -> None:
    async with embedding(embedder=embedder) as (talk, _):
        await talk.stage.remember("Prefers Rust for command tools and for on at it")
        await talk.stage.memory.vectors.fill()
        strict = await talk.stage.memory.search(query, user="ann", place=DEV, strict=True)
        loose = await talk.stage.memory.search(query, user="ann", place=DEV)
    assert bool(strict) == is_found
    assert len(loose) == 1
    if embedder == "null":
        assert "semantic" not in {name for name, part in loose[0].parts.items() if part}
