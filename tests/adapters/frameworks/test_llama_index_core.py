"""Against the real LlamaIndex; run by `make test-adapters`."""

import pytest

pytest.importorskip("llama_index.core", reason="make test-adapters installs it")

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as LlamaMemory

from recollect import AsyncMemory, Memory, Place
from recollect.adapters.llama_index import RecollectBlock


async def test_the_block_tells_what_fits_and_learns_from_what_is_put_into_it():
    with Memory("sqlite://", embedder="null", model="local") as memory:
        memory.remember("Allergic to nuts", user="ann")
        block = RecollectBlock.of(memory, user="ann")
        chat = LlamaMemory.from_defaults(session_id="s", memory_blocks=[block])
        await chat.aput(ChatMessage(role="user", content="What should I eat?"))
        messages = await chat.aget()
        assert "Allergic to nuts" in " ".join(message.content or "" for message in messages)
        await block.aput(
            [ChatMessage(role="user", content="I live in Lisbon."), ChatMessage(role="assistant", content="Nice.")]
        )
        said = {hit.text for hit in memory.search("Lisbon nice", user="ann", over="messages")}
        assert said == {"I live in Lisbon.", "Nice."}


async def test_an_asynchronous_memory_works_too_and_a_user_is_needed():
    async with AsyncMemory("sqlite://", embedder="null", model="local") as memory:
        block = RecollectBlock.of(memory, user=7)
        assert await block.aget([ChatMessage(role="user", content="hi")]) == ""
        for user, place in ((None, None), ("ann", Place(dm="ben"))):
            with pytest.raises(ValueError):
                RecollectBlock.of(memory, user=user, place=place)
