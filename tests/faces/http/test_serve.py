"""Where the server may listen, what it calls itself, and how it ends."""

import asyncio
import socket
import time
from pathlib import Path

import httpx
import pytest

from recollect.core.errors import BadInput, ConfigError
from recollect.faces.http.app import create
from recollect.faces.http.serve import load_or_create_tokens, names_of, serve
from recollect.faces.http.sockets import address, is_loopback, listen
from recollect.settings import Settings, load
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, TOKENS, opened

CHOSEN = "a-token-that-somebody-chose"
ANYWHERE = "0.0.0.0"


def settings(folder: Path, **http: object) -> Settings:
    return load({}, data_dir=str(folder), http=http).settings


def test_on_this_machine_tokens_are_made_at_the_first_start(tmp_path: Path):
    _, made = load_or_create_tokens("127.0.0.1", settings(tmp_path), None)
    _, again = load_or_create_tokens("127.0.0.1", settings(tmp_path), None)
    assert (made, again) == (True, False)


def test_elsewhere_it_is_refused_without_a_token_and_none_is_made(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"no token yet.*recollect serve --tokens"):
        load_or_create_tokens(ANYWHERE, settings(tmp_path, host_names=["memory.example.org"]), None)
    assert not (tmp_path / "tokens.json").exists()


def test_elsewhere_it_is_refused_when_others_can_read_the_tokens(tmp_path: Path):
    found = settings(tmp_path, host_names=["memory.example.org"])
    load_or_create_tokens("127.0.0.1", found, None)
    (tmp_path / "tokens.json").chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        load_or_create_tokens(ANYWHERE, found, CHOSEN)


def test_elsewhere_it_is_refused_without_a_name_and_says_why(tmp_path: Path):
    with pytest.raises(ConfigError, match=r"http\.host_names.*point here"):
        load_or_create_tokens(ANYWHERE, settings(tmp_path), CHOSEN)


def test_elsewhere_it_is_allowed_with_a_token_and_a_name(tmp_path: Path):
    found = settings(tmp_path, host_names=["memory.example.org"])
    tokens, _ = load_or_create_tokens(ANYWHERE, found, CHOSEN)
    assert tokens.operator == CHOSEN
    load_or_create_tokens(ANYWHERE, found, None)  # by now there are tokens, and only we can read them


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.4", False),
        ("example.org", False),
        ("localhost.evil.example", False),
    ],
)
def test_is_loopback_accepts_loopback_hosts_only(host: str, is_ours: bool):
    assert is_loopback(host) is is_ours


def test_names_of_lists_host_names_without_wildcards(tmp_path: Path):
    found = settings(tmp_path, host_names=["Memory.Example.org"])
    assert names_of("0.0.0.0", found) == {"127.0.0.1", "localhost", "::1", "memory.example.org"}
    assert "192.168.1.4" in names_of("192.168.1.4", found)


def test_a_port_in_use_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadInput, match=f"port {port}: .*in use; is it running already"):
            listen("127.0.0.1", port)


async def test_small_answers_do_not_wait_for_more_to_send():
    with listen("127.0.0.1", 0) as listener:
        accepted: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def look(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            sock = writer.get_extra_info("socket")
            accepted.set_result(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(look, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            assert await asyncio.wait_for(accepted, 5)
            writer.close()


async def test_an_open_stream_does_not_keep_the_server_from_stopping(tmp_path: Path, clock: FakeClock):
    async with opened(tmp_path, clock) as memory:
        app, stop, listener = create(memory, TOKENS, clock=clock), asyncio.Event(), listen("127.0.0.1", 0)
        url = address(listener)
        serving = asyncio.create_task(serve(app, listener, stop))
        async with httpx.AsyncClient(headers=OPERATOR) as client:
            async with client.stream("GET", f"{url}/api/v1/events/stream") as answer:
                lines = answer.aiter_lines()
                assert await anext(lines) == "retry: 2000"
                began = time.monotonic()
                stop.set()
                assert [line async for line in lines if line] == [], "the stream ends"
            await asyncio.wait_for(serving, 5)
        assert time.monotonic() - began < 5


async def test_a_request_that_is_under_way_is_answered_before_the_server_stops(tmp_path: Path, clock: FakeClock):
    async with opened(tmp_path, clock) as memory:
        app, stop, listener = create(memory, TOKENS, clock=clock), asyncio.Event(), listen("127.0.0.1", 0)
        reached, goes_on = asyncio.Event(), asyncio.Event()

        @app.get("/api/v1/slow")
        async def slow() -> dict[str, str]:
            reached.set()
            await goes_on.wait()
            return {"answer": "late"}

        url = address(listener)
        serving = asyncio.create_task(serve(app, listener, stop))
        async with httpx.AsyncClient(headers=OPERATOR) as client:
            asked = asyncio.create_task(client.get(f"{url}/api/v1/slow"))
            await reached.wait()
            stop.set()
            await app.state.recollect.closing.wait()
            goes_on.set()
            assert (await asked).json() == {"answer": "late"}
        await asyncio.wait_for(serving, 5)


async def test_the_server_does_not_say_what_it_is_made_of(tmp_path: Path, clock: FakeClock):
    async with opened(tmp_path, clock) as memory:
        app, stop, listener = create(memory, TOKENS, clock=clock), asyncio.Event(), listen("127.0.0.1", 0)
        serving = asyncio.create_task(serve(app, listener, stop))
        async with httpx.AsyncClient() as client:
            answer = await client.get(f"{address(listener)}/health")
        stop.set()
        await serving
    assert "server" not in answer.headers
