"""`python -m bench.web [--memos 100000] [--rate 200] [--seconds 60] [--processes 2]`: search and prompts over HTTP.

`recollect serve` runs as a process of its own on a filled store; requests are sent when they are due, whether earlier
ones are answered or not, and their time counts from then on. Half of them search, half ask for a prompt, each for
another person with 200 memos, in one of 20 channels.
"""

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import recollect
from bench.context.__main__ import BATCH, OF_ONE_USER, fill
from bench.material import questions, sentence
from recollect import Message, Place
from recollect.core.clock import now

TOKEN = "a-token-for-measuring-only"
CONNECTIONS = 64
WARM = 3.0
"""Seconds of requests that don't count: caches fill, and Python gets going."""
KINDS = ("search", "context")
PLACES = [Place("discord", "g1", f"w{number}", name=f"room-{number}", public=True) for number in range(20)]


@dataclass
class Timed:
    """What became of the requests of one kind."""

    times: list[float] = field(default_factory=list)
    errors: int = 0

    def row(self, seconds: float) -> dict[str, float]:
        times = sorted(self.times)
        at = {f"p{p}": round(times[min(len(times) - 1, len(times) * p // 100)], 2) for p in (50, 90, 95, 99)}
        return (
            {"requests": len(times), "errors": self.errors, "per_second": round(len(times) / seconds, 1)}
            | at
            | {"slowest": round(times[-1], 2)}
        )


class Connection:
    """One kept-alive connection that says no more than it has to: the server is what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> int:
        """The status of the answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        try:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, asyncio.IncompleteReadError):
            self._streams = None
            return 0
        return int(head[9:12])


@asynccontextmanager
async def serving(folder: str, processes: int) -> AsyncIterator[tuple[Process, int]]:
    """`recollect serve` on the store in this folder, and its port."""
    env = {"PATH": os.environ["PATH"], "RECOLLECT_HTTP_TOKEN": TOKEN, "RECOLLECT_MEMOS_MAX_ACTIVE": "none"}
    program = ["-m", "recollect", "serve", "--no-worker", "--port", "0", "--data-dir", folder]
    program += ["--processes", str(processes)]
    with (Path(folder) / "serve.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(sys.executable, *program, stderr=PIPE, env=env)
        assert process.stderr is not None
        line = b""
        while b"page and API at" not in line:
            line = await process.stderr.readline()
            assert line, "it ended"
        draining = asyncio.create_task(_drain(process.stderr, log))
        try:
            yield process, int(line.rsplit(b":", 1)[1])
        finally:
            process.terminate()
            await process.wait()
            await draining


async def _drain(stream: asyncio.StreamReader, log: Any) -> None:
    async for line in stream:
        log.write(line)


def requests(users: int, seed: int = 11) -> Any:
    """Endless requests, of both kinds in turn."""
    random_ = random.Random(seed)
    common = f"Host: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    for question in questions(seed):
        user, here = f"u{random_.randrange(users)}", random_.choice(PLACES)
        place = {"platform": here.platform, "guild": here.guild, "channel": here.channel, "public": True}
        query = urlencode({"q": question, "user": user, "limit": 10, **place})
        yield "search", f"GET /api/v1/search?{query} HTTP/1.1\r\n{common}\r\n".encode()
        body = json.dumps({"author": user, "place": place, "text": question}).encode()
        head = f"POST /api/v1/context HTTP/1.1\r\n{common}Content-Type: application/json\r\n"
        yield "context", f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def load(
    port: int, rate: float, seconds: float, users: int, progress: Progress
) -> tuple[dict[str, Timed], float]:
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(Connection(port))
    found = {kind: Timed() for kind in KINDS}
    task = progress.add_task(f"{rate:.0f} requests/s", total=int(rate * (seconds + WARM)))
    start, running = time.perf_counter() + 0.1, set[asyncio.Task[None]]()

    async def one(kind: str, request: bytes, due: float) -> None:
        connection = await free.get()
        status = await connection.ask(request)
        free.put_nowait(connection)
        if due >= start + WARM:
            found[kind].times.append((time.perf_counter() - due) * 1000)
            found[kind].errors += status != 200

    for number, (kind, request) in enumerate(islice(requests(users), int(rate * (seconds + WARM)))):
        due = start + number / rate
        if (wait := due - time.perf_counter()) > 0:
            await asyncio.sleep(wait)
        doing = asyncio.create_task(one(kind, request, due))
        running.add(doing)
        doing.add_done_callback(running.discard)
        progress.update(task, advance=1)
    await asyncio.gather(*running)
    return found, time.perf_counter() - start - WARM


async def filled(folder: str, given: argparse.Namespace, progress: Progress) -> None:
    if (Path(folder) / "memory.db").exists():
        return
    settings: dict[str, Any] = {"embedder": "static", "memos": {"max_active": None}, "data_dir": folder}
    async with recollect.AsyncMemory(f"sqlite:///{folder}/memory.db", run_worker=False, **settings) as memory:
        await fill(memory, given.memos, 0, progress)
        await talk(memory, given.messages)
        await memory.vectors.fill()


async def talk(memory: recollect.AsyncMemory, count: int) -> None:
    """Messages of many people in the channels of one guild, in turn."""
    random_, start = random.Random(3), now() - timedelta(seconds=count + 60)
    said = (
        Message(
            f"w{number}",
            f"u{random_.randrange(50)}",
            place,
            sentence(random_, number),
            start + timedelta(seconds=number),
        )
        for number, place in zip(range(count), cycle(PLACES), strict=False)
    )
    while batch := list(islice(said, BATCH)):
        await memory.store.write(lambda tx, batch=batch: [tx.messages.add(message) for message in batch])


async def measure(given: argparse.Namespace, progress: Progress) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = str(given.folder or temporary)
        await filled(folder, given, progress)
        async with serving(folder, given.processes) as (process, port):
            users = max(1, given.memos // OF_ONE_USER)
            found, took = await load(port, given.rate, given.seconds, users, progress)
            spent = cpu_seconds(process.pid)
    return {
        "memos": given.memos,
        "messages": given.messages,
        "rate": given.rate,
        "processes": given.processes,
        "seconds": round(took, 1),
        "server_cpu_seconds": spent,
        **{kind: timed.row(took) for kind, timed in found.items()},
    }


def cpu_seconds(pid: int) -> float | None:
    """What the server's first process has used of a processor so far; None where that can't be told."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return round((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 1)


def show(result: dict[str, Any]) -> None:
    table = Table(title=f"{result['rate']:.0f} requests/s on {result['memos']:,} memos", header_style="bold")
    columns = ("requests", "errors", "per_second", "p50", "p90", "p95", "p99", "slowest")
    for column in ("", *columns):
        table.add_column(column, justify="right" if column else "left")
    for kind in KINDS:
        table.add_row(kind, *(f"{result[kind][column]:,}" for column in columns))
    console = Console(width=110)
    console.print(table)
    console.print(f"times in ms; {result['processes']} processes, of which one took {result['server_cpu_seconds']} s")


def main() -> int:
    parser = argparse.ArgumentParser("bench.web", description=__doc__)
    parser.add_argument("--memos", type=int, default=100_000)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--rate", type=float, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=2, help="processes that answer")
    parser.add_argument("--folder", type=Path, help="where the store is kept for the next run")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with Progress(console=Console(stderr=True)) as progress:
        result = asyncio.run(measure(given, progress))
    show(result)
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    return 1 if any(result[kind]["errors"] for kind in KINDS) else 0


if __name__ == "__main__":
    sys.exit(main())
