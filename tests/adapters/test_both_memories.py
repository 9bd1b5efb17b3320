"""The adapters take a `Memory` as well as an `AsyncMemory`, so that programs without `await` can use them."""

import asyncio
from pathlib import Path

import pytest
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

from recollect import AsyncMemory, Memory
from recollect.adapters.langgraph import RecollectStore
from recollect.adapters.langgraph.messages import request_messages
from recollect.adapters.pydantic_ai import LongTermMemory, memory_toolset
from recollect.core.errors import BadInput


def test_a_memory_without_await_serves_agents_without_await(tmp_path: Path):
    with Memory(tmp_path / "memory.db", embedder="null", model="local") as memory:
        agent = Agent(TestModel(call_tools=[]), capabilities=[LongTermMemory(memory, user=42)])
        asyncio.run(agent.run("I live in Lisbon."))  # as `run_sync`, on a loop of its own
        memory.flush()
        assert [hit.text for hit in memory.search("Lisbon", user="42")] == ["Lives in Lisbon"]
        tool = Agent(TestModel(), toolsets=[memory_toolset(memory, user=42)])
        assert "save needs" in asyncio.run(tool.run("hi")).output
        store = RecollectStore(memory)
        store.put(("memories", "42"), "pet", {"text": "I own a cat"})
        assert store.get(("memories", "42"), "pet").value == {"text": "I own a cat"}
        assert len(asyncio.run(store.asearch(("memories", "42")))) == 2
        system, turn = asyncio.run(request_messages(memory, "Where do I live?", user=42))
        assert (system.type, "Lives in Lisbon" in turn.text) == ("system", True)


def test_what_is_no_memory_or_has_no_loop_is_refused_by_name():
    for make in (
        lambda: LongTermMemory("memory.db", user="ann").get_toolset(),  # type: ignore[arg-type]
        lambda: RecollectStore("memory.db"),  # type: ignore[arg-type]
        lambda: RecollectStore(AsyncMemory("sqlite://")),
    ):
        with pytest.raises(BadInput, match="memory="):
            make()
