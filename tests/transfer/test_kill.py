"""An import that is killed in the middle, and done again: nothing is lost, nothing is there twice."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from recollect.privacy.target import ErasureTarget
from tests import ground
from tests.transfer.moving import export, import_, opened

DYING = """
import asyncio, os, signal, sys
from pathlib import Path

import recollect
from recollect import plugins
from recollect.transfers import import_destination
from recollect.core.clock import from_ms
from recollect.core.ports.format import Owner
from recollect.transfer.importing.run import run_import
from recollect.transfer.importing.convert import ImportOptions

address, path, after = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])


def items():
    for number, item in enumerate(plugins.load("formats", "jsonl").read(path, Owner("ann"))):
        if number == after:
            os.kill(os.getpid(), signal.SIGKILL)
        yield item


async def main():
    data = path.parent / "data"
    async with recollect.AsyncMemory(address, embedder="null", run_worker=False, data_dir=data) as memory:
        target = import_destination(memory.engine, "root", Owner("ann"))
        await run_import(target, items(), ImportOptions("recollect", from_ms(0)))


asyncio.run(main())
"""
MESSAGE = (
    '{{"type":"message","id":"m{0}","author":"ann","at":"2024-01-01T00:00:00Z","place":{{"dm":"ann"}},"text":"hi {0}"}}'
)
MEMO = '{{"type":"memo","user":"ann","text":"I own boat {0}","created":"2024-01-01T00:00:00Z"}}'


def lines(path: Path, number: int) -> Path:
    records = (line.format(one) for one in range(number) for line in (MESSAGE, MEMO))
    path.write_text('{"format":"recollect","version":1}\n' + "\n".join(records) + "\n")
    return path


@pytest.mark.slow
async def test_an_import_that_was_killed_again_and_again_ends_as_one_that_was_not(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", 400)
    for after in (250, 550):
        address = ground.at(tmp_path / "killed" / "memory.db")
        (tmp_path / "killed").mkdir(exist_ok=True)
        dying = await asyncio.create_subprocess_exec(sys.executable, "-c", DYING, address, path, str(after))
        assert await dying.wait() == -signal.SIGKILL
    unlimited = {"memos": {"max_active": None}}
    async with opened(tmp_path / "killed", **unlimited) as memory:
        report = await import_(memory, path)
        again = await import_(memory, path)
        killed = await export(memory, ErasureTarget("ann"))
        secret = await memory.store.read(lambda tx: tx.fingerprints.secret)
    async with opened(tmp_path / "whole", **unlimited) as memory:
        await memory.store.write(lambda tx: tx.archive.put_secret(secret))  # so that ids are the same
        await import_(memory, path)
        whole = await export(memory, ErasureTarget("ann"))
    assert (report.new, report.same, report.left_out) == (400, 400, 0)
    assert (again.new, again.changed, again.same) == (0, 0, 800)
    assert killed == whole
