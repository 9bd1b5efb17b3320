"""`recollect mcp` as programs meet it: a process that talks over its pipes, or over HTTP on loopback."""

import asyncio
import json
import re
import signal
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from tests.faces.mcp.conftest import PROGRAM, environment, program
from tests.faces.mcp.test_server import asked, read, said, uris

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


async def started(folder: Path, *args: str) -> Process:
    command = [*PROGRAM, "--data-dir", str(folder), "mcp", *args]
    return await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment(), cwd=folder
    )


@asynccontextmanager
async def served(folder: Path, *args: str) -> AsyncIterator[tuple[Process, str]]:
    """A server over HTTP on a free port, and its address; it has to end cleanly when it is asked to."""
    process = await started(folder, "--http", "--port", "0", *args)
    assert process.stderr is not None
    try:
        line = ""
        while " at http" not in line:
            line = (await process.stderr.readline()).decode()
            assert line, "it ended"
        yield process, line.split()[-1]
    finally:
        if process.returncode is None:
            process.terminate()
    out, err = await process.communicate()
    refused = [line for line in err.splitlines() if line.startswith(b"recollect: warning: Invalid ")]
    assert (process.returncode, out, err.splitlines()) == (0, b"", refused)


async def finished(process: Process) -> tuple[bytes, bytes]:
    async with asyncio.timeout(20):
        return await process.communicate()


class TestStandardStreams:
    async def test_the_official_client_saves_finds_reads_and_asks(self, tmp_path: Path):
        async with Client(program(tmp_path, "--as", "ann")) as client:
            await said(client, "save_memory", content="The API uses JWT", category="fact")
            assert "The API uses JWT" in await said(client, "search_memory", query="JWT")
            assert "saved by an agent for ann" in await read(client, (await uris(client))[0])
            assert "The API uses JWT" in await asked(client)
        async with Client(program(tmp_path, "--as", "ann"), mode="legacy") as again:
            assert "The API uses JWT" in await said(again, "list_memories", category="fact")

    @pytest.mark.slow
    async def test_whose_memory_and_where_is_said_by_the_command_line_alone(self, tmp_path: Path):
        async with Client(program(tmp_path, "--as", "bob")) as bob:
            await said(bob, "save_memory", content="Bob keeps bees", category="fact")
        async with Client(program(tmp_path, "--as", "ann", "--in", "acme/#dev")) as ann:
            tried = await ann.call_tool("search_memory", {"query": "bees", "user": "bob", "place": "dm"})
            assert tried.is_error
            assert "Bob" not in await said(ann, "search_memory", query="bees")
            await said(ann, "save_memory", content="The beta ships on Friday", category="event")
            assert "in #dev" in await read(ann, (await uris(ann))[0])

    @pytest.mark.slow
    async def test_nothing_but_the_protocol_is_printed_and_end_of_input_ends_it(self, tmp_path: Path):
        process = await started(tmp_path, "--debug")
        out, _ = await process.communicate(json.dumps(HELLO).encode() + b"\nnonsense\n")
        messages = [json.loads(line) for line in out.splitlines()]
        assert messages[0]["result"]["serverInfo"]["name"] == "recollect"
        assert all(message["jsonrpc"] == "2.0" for message in messages)
        assert process.returncode == 0

    @pytest.mark.slow
    @pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
    async def test_a_signal_ends_it_cleanly_while_its_input_is_open(self, tmp_path: Path, sent: signal.Signals):
        process = await started(tmp_path)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        assert b"recollect" in await process.stdout.readline()
        process.send_signal(sent)
        async with asyncio.timeout(20):
            assert await process.wait() == 0
        assert await process.stderr.read() == b""  # type: ignore[union-attr]

    @pytest.mark.slow
    @pytest.mark.sqlite
    async def test_the_guides_configuration_starts_it(self, tmp_path: Path):
        guide = (Path(__file__).parents[3] / "docs" / "guide" / "mcp.md").read_text("utf-8")
        (block,) = re.findall(r"^```json\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
        entry = json.loads(block)["mcpServers"]["memory"]
        assert (entry["command"], list(entry["env"])) == ("recollect", ["RECOLLECT_DATA_DIR"])
        env = environment() | {"RECOLLECT_DATA_DIR": str(tmp_path / "data")}
        server = StdioServerParameters(command=PROGRAM[0], args=[*PROGRAM[1:], *entry["args"]], env=env, cwd=tmp_path)
        async with Client(server) as client:
            await said(client, "save_memory", content="The API uses JWT", category="fact")
        assert (tmp_path / "data" / "memory.db").exists()

    async def test_a_wrong_call_is_told_on_the_error_stream(self, tmp_path: Path):
        process = await started(tmp_path, "--in", "a/b/c/d")
        out, err = await finished(process)
        assert (process.returncode, out) == (2, b"")
        assert b"is not a place" in err


class TestHttp:
    async def test_the_official_client_saves_and_finds(self, tmp_path: Path):
        async with served(tmp_path, "--as", "ann") as (_, address):
            assert address.startswith("http://127.0.0.1:")
            for mode in ("auto", "legacy"):
                async with Client(address, mode=mode) as client:
                    await said(client, "save_memory", content="The API uses JWT", category="fact")
                    assert "The API uses JWT" in await said(client, "search_memory", query="JWT")
                    assert "saved by an agent for ann" in await read(client, (await uris(client))[0])

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ({"host": "evil.example"}, 421),
            ({"host": "127.0.0.1.evil.example:8765"}, 421),
            ({"origin": "http://evil.example"}, 403),
            ({"origin": "null"}, 403),
            ({}, 200),
        ],
    )
    async def test_a_web_page_can_not_reach_it_by_another_name(
        self, tmp_path: Path, headers: dict[str, str], status: int
    ):
        accepted = {"accept": "application/json, text/event-stream", **headers}
        async with served(tmp_path) as (_, address), httpx2.AsyncClient() as web:
            assert (await web.post(address, json=HELLO, headers=accepted)).status_code == status

    @pytest.mark.slow
    async def test_another_name_can_be_allowed(self, tmp_path: Path):
        headers = {"accept": "application/json, text/event-stream", "host": "memory.internal"}
        async with served(tmp_path, "--name", "memory.internal") as (_, address), httpx2.AsyncClient() as web:
            assert (await web.post(address, json=HELLO, headers=headers)).status_code == 200

    @pytest.mark.slow
    async def test_the_server_stops_cleanly_with_a_connected_client(self, tmp_path: Path):
        async with served(tmp_path) as (process, address), Client(address) as client:
            await said(client, "list_memories")
            process.terminate()
            async with asyncio.timeout(20):
                assert await process.wait() == 0

    @pytest.mark.slow
    async def test_a_port_that_is_taken_is_told_in_one_line(self, tmp_path: Path):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            process = await started(tmp_path, "--http", "--port", str(port))
            _, err = await finished(process)
        assert process.returncode == 2
        assert err.decode().startswith(f"recollect: can't listen at 127.0.0.1 port {port}: ")
        assert b"Traceback" not in err
