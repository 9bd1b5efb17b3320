"""A process is killed in the middle of its work; whatever it had acknowledged is there afterwards."""

import asyncio
import random
import subprocess
import time
from pathlib import Path

import pytest

from recollect.testing.store_contract.samples import ADA, CHANNEL, find, texts_of
from tests.stores.opening import faults, opened, start

WRITERS = 6

WRITE = """
run = sys.argv[2]

def work(tx, name):
    tx.memos.put(make_memo(f"fact {name}", tags=("kept",)), ("model", unit_vector(1, 2, 3)))
    tx.messages.add(make_message(f"said {name}", id=name))

async def writer(number):
    for n in range(1_000_000):
        name = f"r{run}w{number}n{n}"
        await store.write(lambda tx: work(tx, name))
        say_aloud(name)

await asyncio.gather(*(writer(number) for number in range(int(sys.argv[3]))))
"""

REINDEX = """
say_aloud("ready")
while True:
    await store.reindex(lambda done, total: say_aloud("step", done, total))
"""

CREATE = """
say_aloud("made")
await put(store, make_memo("made"))
say_aloud("stored")
"""


def acknowledged_until_killed(process: subprocess.Popen[str], lines: int, delay: float) -> list[str]:
    """Read so many lines, wait a moment, kill; returns all lines that were printed before the end."""
    assert process.stdout is not None
    seen = [process.stdout.readline() for _ in range(lines)]
    time.sleep(delay)  # the blow should fall anywhere within a write
    process.kill()
    seen += process.stdout.readlines()
    process.wait()
    process.stdout.close()
    if process.stderr is not None:
        process.stderr.close()
    return [line.strip() for line in seen if line.endswith("\n")]


async def kill_writers(path: Path, rounds: int, seed: int) -> None:
    dice = random.Random(seed)
    kept: set[str] = set()
    for number in range(rounds):
        process = start(WRITE, path, str(number), str(dice.choice([1, WRITERS])))
        lines, delay = dice.randint(1, 60), dice.random() * 0.004
        names = await asyncio.to_thread(acknowledged_until_killed, process, lines, delay)
        assert len(names) >= lines
        kept |= set(names)
        await assert_kept(path, kept)


async def assert_kept(path: Path, names: set[str]) -> None:
    async with opened(path) as store:
        facts = {text.removeprefix("fact ") for text in await texts_of(store)}
        said = await store.read(lambda tx: tx.messages.recent(CHANNEL, 1_000_000))
        assert names <= facts
        assert facts == {message.id for message in said}  # a unit is there as a whole or not at all
        assert len(await find(store, "kept", limit=1_000_000)) == min(len(facts), 4_000)
        for name in random.Random(len(names)).sample(sorted(names), min(len(names), 20)):
            assert await find(store, name) == [f"fact {name}"]
            assert await find(store, name, [CHANNEL.stream], "messages") == [f"said {name}"]
        assert await store.read(lambda tx: tx.index.size([ADA.scope])) == len(facts)
        assert not faults(await store.check_health())


@pytest.mark.acceptance("B76")
async def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path):
    await kill_writers(tmp_path / "memory.db", rounds=5, seed=1)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_a_writer_killed_fifty_times_loses_nothing_it_acknowledged(tmp_path: Path):
    await kill_writers(tmp_path / "memory.db", rounds=50, seed=2)


@pytest.mark.slow
async def test_a_killed_rebuild_of_the_index_is_finished_by_the_next(tmp_path: Path):
    path = tmp_path / "memory.db"
    writer = start(WRITE, path, "0", "64")
    names = await asyncio.to_thread(acknowledged_until_killed, writer, 1_200, 0)
    for seed in range(3):
        rebuild = start(REINDEX, path)
        await asyncio.to_thread(acknowledged_until_killed, rebuild, 2 + seed, seed / 1_000)
        await assert_kept(path, set(names))
    async with opened(path) as store:
        assert await store.reindex() > 0
    await assert_kept(path, set(names))


@pytest.mark.slow
async def test_a_process_killed_while_it_makes_the_file_does_no_harm(tmp_path: Path):
    dice = random.Random(3)
    body = CREATE.replace("say_aloud", "print")
    for number in range(4):
        path = tmp_path / f"{number}.db"
        process = start(body, path)
        while not path.exists() and process.poll() is None:  # noqa: ASYNC110 - nothing else tells
            await asyncio.sleep(0)
        await asyncio.to_thread(acknowledged_until_killed, process, 0, dice.random() * 0.01)
        async with opened(path) as store:
            assert set(await texts_of(store)) <= {"made"}
            assert not faults(await store.check_health())
