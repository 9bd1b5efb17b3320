"""What the tests of SQLite files share: opening a store, running a script beside it, comparing files."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recollect.core.ports import HealthCheck
from recollect.stores.sqlite import SQLiteStore, create

PREAMBLE = """
import asyncio, sys
from recollect.core.errors import *
from recollect.stores.sqlite import create
from recollect.testing.store_contract.samples import *

def say_aloud(*words):
    print(*words, flush=True)

async def main(store):
{body}

async def run():
    store = create("sqlite:///" + sys.argv[1])
    try:
        await main(store)
    finally:
        await store.close()

asyncio.run(run())
"""


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SQLiteStore]:
    store = create(f"sqlite:///{path}")
    try:
        yield store
    finally:
        await store.close()


def script(body: str) -> str:
    """A program that opens the store named by its first argument and runs these lines on it."""
    lines = (f"    {line}" for line in body.strip("\n").splitlines())
    return PREAMBLE.format(body="\n".join(lines))


def start(body: str, path: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", script(body), str(path), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


async def finished(process: subprocess.Popen[str]) -> list[str]:
    """The lines that a program printed; it must have ended well."""
    out, err = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0, err
    return out.splitlines()


def faults(findings: list[HealthCheck]) -> dict[str, str]:
    return {finding.check: finding.detail for finding in findings if not finding.ok}
