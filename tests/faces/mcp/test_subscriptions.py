"""Clients hear of changes of the memory that they look at, whoever makes them, and of no others."""

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp.shared.subscriptions import ResourceUpdated

from recollect import AsyncMemory
from recollect.faces.mcp import subscriptions
from tests.faces.mcp.conftest import build, connected


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "POLL_INTERVAL_SECONDS", 0.01)


async def test_a_stream_tells_of_changes_of_one_persons_memory(memory: AsyncMemory):
    memo = (await memory.remember("I prefer tea over coffee", user="ann")).memo
    other = (await memory.remember("Bob keeps bees", user="bob")).memo
    watched = ["recollect://memory", *(f"recollect://memory/{each.id}" for each in (memo, other))]
    async with connected(memory) as client, asyncio.timeout(30):
        async with client.listen(resources_list_changed=True, resource_subscriptions=watched) as stream:
            await memory.update(other.id, "Bob keeps wasps", user="bob")
            await memory.update(memo.id, "I prefer green tea", user="ann")
            heard = [await anext(stream) for _ in range(3)]
        assert [each for each in heard if isinstance(each, ResourceUpdated)] == [
            ResourceUpdated("recollect://memory"),
            ResourceUpdated(f"recollect://memory/{memo.id}"),
        ]


@pytest.mark.filterwarnings("ignore:resources/(un)?subscribe is removed")
async def test_a_client_of_earlier_years_subscribes_to_a_resource(memory: AsyncMemory):
    updated: asyncio.Queue[str] = asyncio.Queue()

    async def note(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            updated.put_nowait(message.params.uri)

    async with Client(build(memory, user="ann"), mode="legacy", message_handler=note) as client, asyncio.timeout(30):
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.subscribe
        await client.subscribe_resource("recollect://memory")
        await memory.remember("Bob keeps bees", user="bob")
        memo = (await memory.remember("I prefer tea over coffee", user="ann")).memo
        assert await updated.get() == "recollect://memory"
        await client.subscribe_resource(f"recollect://memory/{memo.id}")
        await client.unsubscribe_resource("recollect://memory")
        await memory.update(memo.id, "I prefer green tea", user="ann")
        assert await updated.get() == f"recollect://memory/{memo.id}"
        assert updated.empty()
