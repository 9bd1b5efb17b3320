"""A tool to call, on a memory whose clock moves on with every call."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import AsyncMemory, Place
from recollect.faces.tool.dispatcher import Answer, MemoryTool
from recollect.testing.clock import FakeClock
from tests import ground


class Agent:
    """Calls the tool as one user in one place."""

    def __init__(self, memory: AsyncMemory, clock: FakeClock, user: str, place: Place | None) -> None:
        self.memory = memory
        self.clock = clock
        self.user = user
        self.tool = MemoryTool(memory, user=user, place=place)

    def of(self, user: str, place: Place | None = None) -> "Agent":
        return Agent(self.memory, self.clock, user, place)

    async def call(self, arguments: object) -> Answer:
        self.clock.advance(minutes=1)
        return await self.tool.call(arguments)

    async def __call__(self, action: str, **given: Any) -> Answer:
        answer = await self.call({"action": action, **given})
        assert answer.ok, answer.text
        return answer

    async def error(self, action: object, **given: Any) -> str:
        answer = await self.call({"action": action, **given})
        assert not answer.ok
        assert answer.text == f"error: {answer.data['error']}"
        return answer.text

    async def save(self, content: str, category: str = "fact", **given: Any) -> str:
        """Save, and give the memory's id."""
        return (await self("save", content=content, category=category, **given)).data["memory"]["id"]

    async def found(self, query: str, **given: Any) -> list[str]:
        return [each["content"] for each in (await self("search", query=query, **given)).data["results"]]

    async def listed(self, category: str = "fact", **given: Any) -> list[str]:
        return [each["content"] for each in (await self("list", category=category, **given)).data["memories"]]


BOTH_PROFILES = pytest.mark.parametrize("agent", ["unified", "devclaw"], indirect=True)


@asynccontextmanager
async def opened(path: Path | None = None, **settings: Any) -> AsyncIterator[Agent]:
    clock = FakeClock()
    settings = {"embedder": "null", **settings}
    async with recollect.AsyncMemory(ground.at(path) if path else ground.new(), clock=clock, **settings) as memory:
        yield Agent(memory, clock, "ann", None)


@pytest.fixture
async def agent(request: pytest.FixtureRequest) -> AsyncIterator[Agent]:
    """An agent under the default profile, or the one that a test asks for (`BOTH_PROFILES`)."""
    async with opened(profile=getattr(request, "param", "unified")) as agent:
        yield agent
