"""Clients that open connections and never finish a request: they are disconnected, and others are served."""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn

from recollect.faces.http.connection_limits import ConnectionLimiter, connection_limit
from recollect.faces.http.sockets import listen, set_unacked_timeout
from recollect.faces.http.uvicorn_server import Server

SOON = 0.2
"""Seconds that a request gets."""
PATIENCE = 10.0
GET = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nhalf"
Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]
App = Callable[[Any, Any, Any], Awaitable[None]]


@pytest.fixture(params=["h11", "httptools"])
def http(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return request.param


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Read the whole request, and say yes."""
    while (await receive()).get("more_body"):
        pass
    await say_yes(scope, receive, send)


async def say_yes(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"3")]})
    await send({"type": "http.response.body", "body": b"yes"})


class Held:
    """Answers when it is told to."""

    def __init__(self) -> None:
        self.asked = asyncio.Semaphore(0)
        self.goes_on = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.release()
        await self.goes_on.wait()
        await answer(scope, receive, send)


class Served:
    def __init__(self, port: int) -> None:
        self._port = port
        self._writers: list[asyncio.StreamWriter] = []

    async def connect(self, data: bytes = b"") -> Connection:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writers.append(writer)
        writer.write(data)
        return reader, writer

    async def close(self) -> None:
        for writer in self._writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in self._writers), return_exceptions=True)


@asynccontextmanager
async def served(
    http: str, limiter: ConnectionLimiter, app: App = answer, unread: float = 60.0, keep_alive: int = 60
) -> AsyncIterator[Served]:
    """The app behind this guard; uvicorn itself lets who is idle stay long enough."""
    listener = listen("127.0.0.1", 0)
    set_unacked_timeout(listener, unread)
    how: Any = {"http": http, "lifespan": "off", "log_config": None, "timeout_keep_alive": keep_alive}
    server = Server(uvicorn.Config(app, timeout_graceful_shutdown=1, **how), limiter)
    here = Served(listener.getsockname()[1])
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield here
    finally:
        await here.close()
        server.stop()
        await task


async def end_of(connection: Connection) -> bytes:
    """All that comes until the other side closes."""
    found = b""
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionResetError):
            while more := await connection[0].read(1 << 16):
                found += more
    return found


async def yes(connection: Connection) -> bool:
    async with asyncio.timeout(PATIENCE):
        return (await connection[0].readuntil(b"yes")).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("sent", [b"", b"G", GET[:-2], POST])
async def test_a_request_that_does_not_come_whole_in_time_is_given_up(http: str, sent: bytes):
    async with served(http, ConnectionLimiter(request_timeout=SOON)) as here:
        left = await end_of(await here.connect(sent))
        assert left.startswith(b"HTTP/1.1 408 ") or (sent == POST and b"200" not in left)


async def test_a_head_that_goes_on_and_on_is_given_up_too(http: str):
    async with served(http, ConnectionLimiter(request_timeout=SOON)) as here:
        reader, writer = await here.connect(GET[:-2])
        ended = asyncio.ensure_future(end_of((reader, writer)))
        while not ended.done():
            writer.write(b"x: y\r\n")
            await asyncio.wait({ended}, timeout=SOON / 4)
        assert b"408" in await ended


async def test_after_an_answer_the_next_request_has_the_same_deadline(http: str):
    async with served(http, ConnectionLimiter(request_timeout=SOON)) as here:
        connection = await here.connect(GET)
        assert await yes(connection)
        connection[1].write(GET)
        assert await yes(connection), "a second whole one is welcome"
        connection[1].write(GET[:9])
        assert b"408" in await end_of(connection)


async def test_a_body_that_nobody_waits_for_has_to_end_as_well(http: str):
    async with served(http, ConnectionLimiter(request_timeout=SOON), say_yes) as here:
        assert b"yes" in await end_of(await here.connect(POST))


async def test_half_a_request_behind_a_whole_one_has_a_deadline(http: str):
    async with served(http, ConnectionLimiter(request_timeout=SOON)) as here:
        assert (await end_of(await here.connect(GET + POST))).count(b"yes") == 1


async def test_an_answer_may_take_longer_than_a_request(http: str):
    held = Held()
    async with served(http, ConnectionLimiter(request_timeout=SOON), held) as here:
        asking = await here.connect(GET)
        await held.asked.acquire()
        await end_of(await here.connect())  # by now its deadline has passed
        held.goes_on.set()
        assert await yes(asking)


async def test_when_all_places_are_taken_the_longest_idle_gives_way_to_who_asks(
    http: str, caplog: pytest.LogCaptureFixture
):
    moment = [1000.0]
    async with served(http, ConnectionLimiter(3, 60, lambda: moment[0])) as here:
        idle = await here.connect(GET)
        assert await yes(idle), "it may ask again"
        slow = [await here.connect(GET[:9]) for _ in range(3)]
        assert await end_of(idle) == b""
        with caplog.at_level(logging.WARNING, "recollect.http"):
            caplog.clear()
            for _ in range(20):
                quick = await here.connect(GET)
                assert await yes(quick)
            assert len(caplog.messages) == 0, "one line was written already"
            moment[0] += 61
            await yes(await here.connect(GET))
            (line,) = caplog.messages
        assert "3 connections are open" in line
        for one in slow:
            assert await end_of(one) == b""


async def test_requests_under_way_never_give_way(http: str):
    held = Held()
    async with served(http, ConnectionLimiter(2, 60), held) as here:
        asking = [await here.connect(GET) for _ in range(2)]
        for _ in asking:
            await held.asked.acquire()
        assert b"503 Service Unavailable" in await end_of(await here.connect(GET))
        held.goes_on.set()
        assert [await yes(one) for one in asking] == [True, True]
        assert await yes(await here.connect(GET)), "there is room again"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux can tell")
async def test_a_client_that_reads_nothing_is_disconnected(http: str):
    gone = asyncio.Event()

    async def pour(scope: Any, receive: Any, send: Any) -> None:
        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        watching = asyncio.create_task(watch())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not gone.is_set():
            await send({"type": "http.response.body", "body": bytes(1 << 16), "more_body": True})
        await watching

    async with served(http, ConnectionLimiter(request_timeout=SOON), pour, unread=0.5) as here:
        _, writer = await here.connect(GET)
        writer.transport.pause_reading()  # pyright: ignore[reportAttributeAccessIssue] - a stream's transport has it
        async with asyncio.timeout(PATIENCE):
            await gone.wait()


def test_there_is_room_for_the_store_besides_all_connections():
    resource = pytest.importorskip("resource")
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert 0 < connection_limit() <= max(8, allowed // 2)
