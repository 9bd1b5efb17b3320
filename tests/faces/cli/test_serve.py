"""`recollect serve` and `recollect worker` as processes: they start, do their work, and stop in good order."""

import asyncio
import json
import os
import re
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import ground
from tests.doubles.discord.server import DiscordServer
from tests.faces.cli.conftest import ENVIRONMENT, Run
from tests.waiting import eventually

WAIT = 60.0


class Running:
    """A command that keeps running, and what it has said so far."""

    def __init__(self, process: Process) -> None:
        self.process, self.said = process, ""
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.said += line.decode()

    async def says(self, pattern: str) -> str:
        """What it says that fits, as soon as it does."""
        await eventually(lambda: bool(re.search(pattern, self.said)) or self.process.returncode is not None, WAIT)
        found = re.search(pattern, self.said)
        assert found, self.said
        return found.group()

    async def stop(self, how: signal.Signals = signal.SIGTERM) -> float:
        """Seconds that it takes to end as it should."""
        began = time.monotonic()
        self.process.send_signal(how)
        await asyncio.wait_for(self.process.wait(), WAIT)
        await self._reading
        assert self.process.returncode == 0, self.said
        assert "Traceback" not in self.said
        return time.monotonic() - began

    def log(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.said.splitlines() if line.startswith("{")]


@asynccontextmanager
async def started(*args: str, **env: str) -> AsyncIterator[Running]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "recollect", *args),
        stdout=PIPE,
        stderr=PIPE,
        env=ENVIRONMENT | ground.environment() | env,
    )
    running = Running(process)
    try:
        yield running
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def tokens(folder: Path) -> dict[str, str]:
    return json.loads((folder / "data" / "tokens.json").read_text())


def asking(url: str, folder: Path) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=url, headers={"Authorization": f"Bearer {tokens(folder)['operator']}"}, timeout=30
    )


async def address(running: Running) -> str:
    return (await running.says(r"page and API at (http://\S+)")).split()[-1]


MESSAGE = {
    "id": "m1",
    "author": "ann",
    "place": {"platform": "discord", "dm": "ann"},
    "text": "I live in Lisbon and I use Helix",
}


async def learned(client: httpx.AsyncClient) -> bool:
    found = (await client.get("/api/v1/memos", params={"user": "ann"})).json()
    return any("Lisbon" in memo["text"] for memo in found["memos"])


@pytest.mark.slow
async def test_page_api_and_learning_run_together_and_stop_within_seconds(folder: Path):
    async with started("serve", "--port", "0") as running:
        url = await address(running)
        async with asking(url, folder) as client:
            await eventually(lambda: _ready(client), WAIT)
            assert (await client.post("/api/v1/observe", json=MESSAGE)).json() == {"new": True}
            await eventually(lambda: learned(client), WAIT)
            page = await client.get("/", headers={"accept": "text/html"})
            assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
            async with client.stream("GET", "/api/v1/events/stream") as stream:
                await anext(stream.aiter_lines())
                assert await running.stop() < 15
        found = tokens(folder)
        assert found["operator"] not in running.said
        assert found["reader"] not in running.said
        requests = [line for line in running.log() if line["logger"] == "recollect.http.access"]
        assert {"method", "route", "status", "ms", "role", "client", "time", "level"} <= requests[0].keys()


async def _ready(client: httpx.AsyncClient) -> bool:
    return (await client.get("/ready")).status_code == 200


@pytest.mark.slow
async def test_without_its_worker_it_leaves_learning_to_one_of_its_own(folder: Path):
    async with started("serve", "--port", "0", "--no-worker") as serving:
        url = await address(serving)
        async with asking(url, folder) as client, started("worker", "--logs", "plain") as working:
            await working.says(r"jobs: 0 waiting, 0 running, 0 failed")
            await client.post("/api/v1/observe", json=MESSAGE)
            await eventually(lambda: learned(client), WAIT)
            assert (await client.get("/ready")).status_code == 200
            assert await working.stop(signal.SIGINT) < 15
            assert "asked to stop" in working.said
            await client.post("/api/v1/observe", json={**MESSAGE, "id": "m2"})
            assert (await client.get("/api/v1/jobs")).json()["counts"]["waiting"] > 0
            assert (await client.get("/metrics")).text.count("recollect_worker_running 0.0") == 1
        assert await serving.stop(signal.SIGINT) < 15


@pytest.mark.slow
async def test_a_port_in_use_is_told_in_one_line(folder: Path):
    async with started("serve", "--port", "0") as first:
        port = (await address(first)).rpartition(":")[2]
        async with started("serve", "--port", port) as second:
            assert await asyncio.wait_for(second.process.wait(), WAIT) == 2
            await second.says("is it running already")
            assert "Traceback" not in second.said
        await first.stop()


def test_the_tokens_are_shown_when_asked_for_and_nothing_is_served(cli: Run, folder: Path):
    shown = cli("serve", "--tokens")
    found = tokens(folder)
    assert shown.out.splitlines() == [f"{role:<9} {found[role]}" for role in ("operator", "reader", "metrics")]
    assert cli("--json", "serve", "--tokens").json == found
    chosen = cli("--json", "serve", "--tokens", RECOLLECT_HTTP_TOKEN="a-token-that-i-chose").json
    assert chosen == {**found, "operator": "a-token-that-i-chose"}


def test_it_refuses_to_be_reached_by_others_before_anybody_decided_how(cli: Run, folder: Path):
    told = cli("serve", "--host", "0.0.0.0", code=1).err
    assert "no token yet" in told
    assert not (folder / "data" / "tokens.json").exists()
    chosen = {"RECOLLECT_HTTP_TOKEN": "a-token-that-i-chose"}
    assert "http.host_names" in cli("serve", "--host", "0.0.0.0", code=1, **chosen).err
    assert "fewer than 16" in cli("serve", code=1, RECOLLECT_HTTP_TOKEN="short").err


async def test_with_a_token_and_a_name_it_listens_elsewhere_and_answers_to_that_name_alone(folder: Path):
    chosen = {"RECOLLECT_HTTP_TOKEN": "a-token-that-i-chose", "RECOLLECT_HTTP_HOST_NAMES": "memory.example.org"}
    async with started("serve", "--host", "0.0.0.0", "--port", "0", **chosen) as running:
        port = (await address(running)).rpartition(":")[2]
        headers = {"Authorization": "Bearer a-token-that-i-chose"}
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
            for host, status in (("memory.example.org", 200), ("evil.example", 421)):
                assert (await client.get("/api/v1/stats", headers={"host": host})).status_code == status
        await running.stop()
        assert "a-token-that-i-chose" not in running.said


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_json_is_not_for_commands_that_keep_running(cli: Run, command: str):
    assert "--logs json" in cli("--json", command, code=2).err


def test_the_bot_needs_its_token(cli: Run):
    assert "DISCORD_TOKEN is not set" in cli("serve", "--discord", "--port", "0", code=1).err


@pytest.mark.slow
async def test_the_bot_runs_in_the_same_process(folder: Path):
    async with DiscordServer() as server:
        ada = server.world.user("ada")
        lab = server.world.guild("Lab", ada)
        dev = server.world.text(lab, "dev")
        env = {
            "DISCORD_TOKEN": server.token,
            "RECOLLECT_DISCORD_API_BASE_URL": server.api,
            "RECOLLECT_DISCORD_GATEWAY_URL": server.gateway,
            "RECOLLECT_DISCORD_ALLOWED_USERS": "*",
        }
        async with started("serve", "--port", "0", "--discord", **env) as running:
            url = await address(running)
            await server.connected(WAIT)
            await server.say(ada, dev, "!memory remember I like green tea")
            told = [(await server.next_message(dev, WAIT)).content for _ in range(2)]
            assert told[0].startswith("I remember what people tell me")
            assert told[1].partition("\n")[0] == 'Remembered: "I like green tea"'
            async with asking(url, folder) as client:
                found = (await client.get("/api/v1/memos", params={"user": str(ada.id)})).json()
                assert [memo["text"] for memo in found["memos"]] == ["I like green tea"]
            assert await running.stop() < 20
            assert server.token not in running.said


@pytest.mark.slow
async def test_a_refused_discord_token_ends_all_of_it_and_is_told(folder: Path):
    async with DiscordServer() as server:
        env = {
            "DISCORD_TOKEN": "a-wrong-token",
            "RECOLLECT_DISCORD_API_BASE_URL": server.api,
            "RECOLLECT_DISCORD_GATEWAY_URL": server.gateway,
        }
        async with started("serve", "--port", "0", "--discord", **env) as running:
            assert await asyncio.wait_for(running.process.wait(), WAIT) == 1
            await running.says("Discord refuses the token")
            assert "Traceback" not in running.said


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
async def test_at_the_first_start_on_a_terminal_the_token_is_shown_once(folder: Path):
    first, second = await _on_a_terminal(), await _on_a_terminal()
    assert tokens(folder)["operator"] in first
    assert tokens(folder)["reader"] not in first
    assert tokens(folder)["operator"] not in second


async def _on_a_terminal() -> str:
    """What somebody at a terminal sees until it is up, and then stopped."""
    ours, theirs = os.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "recollect", "serve", "--port", "0"), stdout=theirs, stderr=theirs, env=ENVIRONMENT
    )
    os.close(theirs)
    seen, loop = bytearray(), asyncio.get_running_loop()

    def read() -> None:
        try:
            seen.extend(os.read(ours, 4096))
        except OSError:  # the other end is closed
            loop.remove_reader(ours)

    loop.add_reader(ours, read)
    try:
        await eventually(lambda: b"--tokens" in seen, WAIT)
        process.terminate()
        await asyncio.wait_for(process.wait(), WAIT)
    finally:
        loop.remove_reader(ours)
        os.close(ours)
    return seen.decode()


def children(running: Running) -> list[int]:
    pid = running.process.pid
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_several_processes_answer_at_one_port_and_end_together(folder: Path):
    async with started("serve", "--processes", "3", "--port", "0") as running:
        url = await address(running)
        await eventually(lambda: len(children(running)) == 2, WAIT)
        siblings = children(running)
        for _ in range(5):
            async with asking(url, folder) as client:
                await eventually(lambda client=client: _ready(client), WAIT)
                assert (await client.get("/api/v1/memos", params={"user": "ann"})).status_code == 200
        await running.stop()
    for pid in siblings:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
async def test_when_one_of_several_processes_dies_all_end_so_that_they_are_started_anew(folder: Path):
    async with started("serve", "--processes", "2", "--port", "0") as running:
        await address(running)
        await eventually(lambda: len(children(running)) == 1, WAIT)
        os.kill(children(running)[0], signal.SIGKILL)
        await asyncio.wait_for(running.process.wait(), WAIT)
        assert running.process.returncode == 1
        assert "has ended" in running.said
