"""A memory behind the web app: asked in this process, or served on a free port of this machine."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest
from fastapi import FastAPI

import recollect
from recollect import AsyncMemory
from recollect.faces.http.app import create
from recollect.faces.http.auth import Tokens
from recollect.faces.http.serve import serve
from recollect.faces.http.sockets import address, listen
from recollect.testing.clock import FakeClock
from tests import ground

T = TypeVar("T")

TOKENS = Tokens("the-operators-token-0123456789", "a-readers-token-0123456789", "the-metrics-token-0123456789")
OPERATOR = {"Authorization": f"Bearer {TOKENS.operator}"}
METRICS = {"Authorization": f"Bearer {TOKENS.metrics}"}
READER = {"Authorization": f"Bearer {TOKENS.reader}"}
BASE = "http://127.0.0.1:8420"


@asynccontextmanager
async def opened(folder: Path, clock: FakeClock, **settings: Any) -> AsyncIterator[AsyncMemory]:
    """A memory in this folder, offline; it learns in the background only when told that it `works`."""
    said = {"embedder": "null", "run_worker": False, "data_dir": str(folder), **settings}
    async with recollect.AsyncMemory(ground.at(folder / "memory.db"), clock=clock, **said) as memory:
        yield memory


def asking(app: FastAPI, headers: dict[str, str] | None = None, **how: Any) -> httpx.AsyncClient:
    """A client of an app in this process."""
    address = how.pop("address", "203.0.113.7")
    transport = httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 50000))
    return httpx.AsyncClient(transport=transport, base_url=BASE, headers=headers, **how)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def memory(tmp_path: Path, clock: FakeClock) -> AsyncIterator[AsyncMemory]:
    async with opened(tmp_path, clock) as memory:
        yield memory


@pytest.fixture
def app(memory: AsyncMemory, clock: FakeClock) -> FastAPI:
    return create(memory, TOKENS, clock=clock)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """With the operator's token."""
    async with asking(app, OPERATOR) as client:
        yield client


@pytest.fixture
async def reader(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """With the reader's token."""
    async with asking(app, READER) as client:
        yield client


@pytest.fixture
async def stranger(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """Without a token."""
    async with asking(app) as client:
        yield client


@dataclass(frozen=True)
class Served:
    """An app that listens on a port of this machine, with its memory in a thread of its own."""

    url: str
    app: FastAPI
    memory: AsyncMemory
    clock: FakeClock
    loop: asyncio.AbstractEventLoop
    tokens: Tokens = TOKENS

    def run(self, work: Callable[[AsyncMemory], Awaitable[T]]) -> T:
        """Do something with the memory, where it lives, and wait for it."""

        async def doing() -> T:
            return await work(self.memory)

        return asyncio.run_coroutine_threadsafe(doing(), self.loop).result(60)


@contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Served]:
    """Serve the memory of this folder until the block ends."""
    ready, answers = threading.Event(), list[tuple[Served, asyncio.Event]]()

    async def live() -> None:
        clock, stop, listener = FakeClock(), asyncio.Event(), listen("127.0.0.1", 0)
        async with opened(folder, clock, **settings) as memory:
            app = create(memory, TOKENS, clock=clock)
            answers.append((Served(address(listener), app, memory, clock, asyncio.get_running_loop()), stop))
            await serve(app, listener, stop, lambda _: ready.set())

    def run() -> None:
        try:
            asyncio.run(live())
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="served")
    thread.start()
    ready.wait(30)
    assert answers, "the server did not start"
    served, stop = answers[0]
    try:
        yield served
    finally:
        served.loop.call_soon_threadsafe(stop.set)
        thread.join(30)
        assert not thread.is_alive(), "the server did not stop"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as served:
        yield served
