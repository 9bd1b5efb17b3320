"""MCP servers to talk to: one in this process, and `recollect mcp` as a process of its own."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

import recollect
from recollect import AsyncMemory, Place
from recollect.faces.mcp.server import build
from tests import ground

ENVIRONMENT = {"RECOLLECT_EMBEDDER": "null", "PATH": os.environ["PATH"]}
PROGRAM = [sys.executable, "-m", "recollect"]


@pytest.fixture
async def memory() -> AsyncIterator[AsyncMemory]:
    async with recollect.AsyncMemory(ground.new(), embedder="null") as memory:
        yield memory


@asynccontextmanager
async def connected(memory: AsyncMemory, user: str = "ann", place: Place | None = None) -> AsyncIterator[Client]:
    async with Client(build(memory, user=user, place=place)) as client:
        yield client


def program(folder: Path, *args: str) -> StdioServerParameters:
    """`recollect mcp` on a store in this folder."""
    args = (*PROGRAM[1:], "--data-dir", str(folder), "mcp", *args)
    return StdioServerParameters(command=PROGRAM[0], args=[*args], env=environment(), cwd=folder)


def environment() -> dict[str, str]:
    return ENVIRONMENT | ground.environment()
