"""Embedders as a user of `recollect.open` meets them: a file store, and a server on this machine."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import recollect
from recollect.core.types import Place
from recollect.embedders import openai
from recollect.memory import AsyncMemory
from recollect.testing import embedding_server as served
from recollect.testing.embedding_server import EmbeddingServer, Request, numbers, status
from recollect.testing.store_contract.samples import vector_counts
from tests import ground
from tests.waiting import eventually

FACTS = ("API uses JWT tokens", "I like pizza with anchovies", "My cat is called Tom", "The office is in Berlin")


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[EmbeddingServer]:
    monkeypatch.setattr(openai, "RETRY_DELAYS_SECONDS", (0.0, 0.0))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    async with EmbeddingServer() as server:
        yield server


@pytest.fixture
def file(tmp_path: Path) -> str:
    return ground.at(tmp_path / "memory.db")


def dimensions(file: str) -> list[int]:
    """Of the vectors that the view `memories` shows to people with a database browser; 0 where there is none."""
    shown = [vector for (vector,) in ground.rows(file, "SELECT embedding FROM memories")]
    return [len(one) // 4 if isinstance(one, bytes) else len(one.split(",")) if one else 0 for one in shown]


async def texts(memory: AsyncMemory, query: str, **options: object) -> list[str]:
    return [found.text for found in await memory.search(query, user="ada", **options)]


async def sets(memory: AsyncMemory) -> dict[str, int]:
    return await memory.store.read(vector_counts)


async def has(memory: AsyncMemory, expected: dict[str, int]) -> None:
    async def same() -> bool:
        return await sets(memory) == expected

    await eventually(same)


@pytest.mark.acceptance("E17")
async def test_a_question_finds_what_shares_no_word_with_it(file: str):
    async with recollect.AsyncMemory(file, embedder="static") as memory:
        for fact in FACTS:
            await memory.remember(fact, user="ada")
        for ranker in ("unified", "rrf", "hybrid"):
            first, *_ = await memory.search("how to authenticate", user="ada", ranker=ranker)
            assert first.text == "API uses JWT tokens"
        first, *_ = await memory.search("how to authenticate", user="ada")
        assert (first.parts["vector"], first.parts["words"]) == (pytest.approx(1), 0)


@pytest.mark.acceptance("D36", "E34")
@pytest.mark.parametrize("profile", ["clanker", "devclaw"])
async def test_two_documents_ask_for_a_model_of_openai(
    file: str, server: EmbeddingServer, profile: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """The YAML key wins over the variable, the variable over the profile's model."""

    async def model(config: str | None = None) -> str:
        path = tmp_path / "recollect.yaml"
        path.write_text(config or "{}")
        async with recollect.AsyncMemory(file, config=path, profile=profile, embedder_base_url=server.url) as memory:
            await memory.remember(f"fact number {len(server.requests)} of many", user="ada")
        return server.requests[-1].model

    assert await model() == "text-embedding-3-small"
    monkeypatch.setenv("DEFAULT_MEMORY_EMBEDDING_MODEL", "text-embedding-3-large")
    assert await model() == "text-embedding-3-large"
    assert await model("memory: {embedding_model: text-embedding-ada-002}") == "text-embedding-ada-002"


async def test_a_change_of_model_is_not_noticed_by_who_searches(file: str, server: EmbeddingServer):
    complete = asyncio.Event()

    def behave(request: Request) -> served.Reply:
        if request.model == "old":
            return served.valid_vectors(request)
        waits = len(request.texts) > 1 and not complete.is_set()
        return served.held(complete, served.of_dims(8))(request) if waits else served.of_dims(8)(request)

    server.always(behave)
    async with recollect.AsyncMemory(file, embedder="openai:old", embedder_base_url=server.url) as memory:
        for fact in FACTS:
            await memory.remember(fact, user="ada")
    assert set(dimensions(file)) == {served.DIMS}

    async with recollect.AsyncMemory(file, embedder="openai:new", embedder_base_url=server.url) as memory:
        await eventually(lambda: any(request.model == "new" for request in server.requests))
        first, *_ = await memory.search("tom's cat", user="ada")
        assert (first.text, first.parts["vector"]) == ("My cat is called Tom", pytest.approx(1))
        assert server.requests[-1].model == "old"
        complete.set()
        await has(memory, {"openai:new": 4})
        first, *_ = await memory.search("the cat called tom", user="ada")
        assert (first.text, first.parts["vector"]) == ("My cat is called Tom", pytest.approx(1))
        assert server.requests[-1].model == "new"
    assert set(dimensions(file)) == {8}


async def test_with_a_dead_server_words_are_left_and_recovery_heals(
    file: str, server: EmbeddingServer, caplog: pytest.LogCaptureFixture
):
    await server.stop()
    async with recollect.AsyncMemory(file, embedder="openai:m", embedder_base_url=server.url) as memory:
        for fact in FACTS:
            await memory.remember(fact, user="ada")
        assert (await texts(memory, "called Tom"))[0] == "My cat is called Tom"
        await eventually(lambda: "can't be reached" in caplog.text)
        assert (await texts(memory, "office in Berlin"))[0] == "The office is in Berlin"
        assert await sets(memory) == {}
        await server.start()
        await has(memory, {"openai:m": 4})
        first, *_ = await memory.search("the cat Tom", user="ada")
        assert first.parts["vector"] == pytest.approx(1)
    assert dimensions(file) == [served.DIMS] * 4


@pytest.mark.slow
async def test_a_server_that_hangs_delays_a_search_by_a_second_and_closing_by_five(file: str, server: EmbeddingServer):
    async with recollect.AsyncMemory(file, embedder="openai:m", embedder_base_url=server.url) as memory:
        await memory.remember(FACTS[2], user="ada")
        await has(memory, {"openai:m": 1})
        server.always(served.held(asyncio.Event()))
        began = time.monotonic()
        assert await texts(memory, "is there a cat") == [FACTS[2]]
        await memory.remember(FACTS[3], user="ada")
    assert time.monotonic() - began < 10


async def test_a_chain_falls_back_to_what_works_here(file: str, server: EmbeddingServer):
    server.always(status(401))
    async with recollect.AsyncMemory(file, embedder="openai:m,static", embedder_base_url=server.url) as memory:
        await eventually(lambda: memory.vectors.model == "static:wordllama-256")
        for fact in FACTS:
            await memory.remember(fact, user="ada")
        await has(memory, {"static:wordllama-256": 4})
        first, *_ = await memory.search("how to authenticate", user="ada")
        assert (first.text, first.parts["vector"]) == (FACTS[0], pytest.approx(1))
        server.always(served.valid_vectors)
        await has(memory, {"openai:m": 4})


@pytest.mark.acceptance("D33")
async def test_vectors_change_the_order_and_nothing_else(tmp_path: Path):
    channel = Place("discord", guild="g", channel="c", public=True)

    async def tell(embedder: str) -> tuple[list[str], list[str], bool]:
        async with recollect.AsyncMemory(ground.at(tmp_path / f"{embedder}.db"), embedder=embedder) as memory:
            for fact in FACTS:
                await memory.remember(fact, user="ada", place=channel)
            shown = [memo.text for memo in (await memory.show(user="ada", place=channel)).memos]
            found = await memory.search("my cat in the office", user="ada", place=channel)
            forgotten = await memory.forget("pizza", user="ada", place=channel)
            return shown, sorted(one.text for one in found if one.parts["words"]), bool(forgotten)

    assert await tell("static") == await tell("null")


async def test_one_query_embeds_one_text_however_many_rows_lack_a_vector(file: str, server: EmbeddingServer):
    async with recollect.AsyncMemory(file, embedder="null") as memory:
        for number in range(20):
            await memory.remember(f"{number} is the number of thing {number * 7}", user="ada")
    release = asyncio.Event()
    server.next(served.held(release))
    async with recollect.AsyncMemory(file, embedder="openai:m", embedder_base_url=server.url) as memory:
        await eventually(lambda: len(server.requests) == 1)
        await texts(memory, "which number")
        release.set()
        await has(memory, {"openai:m": 20})
        await texts(memory, "which number")
        assert [len(request.texts) for request in server.requests] == [20, 1]


async def test_the_numbers_of_a_text_are_those_of_its_words():
    assert numbers("Cat, cat!") == numbers("cat cat")
