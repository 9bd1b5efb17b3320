"""`python -m bench.store [--rounds N] [--json FILE]`: writes of our store and of a script by hand, in turn.

Machines are noisy, so both do the same work alternately in one run and the ratio is what counts.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.baseline import Row, Script, row_of
from bench.material import DIMS, START, memos
from recollect import plugins
from recollect.core.events import Event
from recollect.core.ports import Store
from recollect.core.types import Memo

SINGLE, BATCH, WRITERS, USERS = 200, 2_000, 64, 100
GOALS = {"single": 0.8, "64 writers": 5.0, "batch": 0.7}


def write(memo: Memo, vector: bytes):
    def work(tx):
        tx.memos.put(memo, ("bench", vector))
        tx.events.add(Event("memo.added", START, memo.subject.id, memo.subject.scope, memo.id))

    return work


def write_all(batch: list[tuple[Memo, bytes]]):
    def work(tx):
        for memo, vector in batch:
            write(memo, vector)(tx)

    return work


async def one_by_one(store: Store, batch: list[tuple[Memo, bytes]]) -> None:
    for memo, vector in batch:
        await store.write(write(memo, vector))


async def at_once(store: Store, batch: list[tuple[Memo, bytes]]) -> None:
    waiting = iter(batch)

    async def writer() -> None:
        for memo, vector in waiting:
            await store.write(write(memo, vector))

    await asyncio.gather(*(writer() for _ in range(WRITERS)))


async def rate(count: int, work) -> float:
    start = time.perf_counter()
    result = work()
    if asyncio.iscoroutine(result):
        await result
    return count / (time.perf_counter() - start)


def rows(batch: list[tuple[Memo, bytes]]) -> list[tuple[Row, bytes]]:
    return [(row_of(memo), vector) for memo, vector in batch]


async def measure(folder: Path, rounds: int) -> tuple[dict[str, dict[str, list[float]]], dict[str, float]]:
    store: Store = plugins.load("stores", f"sqlite:///{folder}/ours.db")
    script = Script(folder / "script.db", DIMS)
    rates: dict[str, dict[str, list[float]]] = {name: {"script": [], "recollect": []} for name in GOALS}
    supply = memos(10_000_000, USERS)
    for number in range(rounds + 1):  # the first one warms up
        single, many = list(islice(supply, SINGLE)), list(islice(supply, BATCH))
        more = list(islice(supply, BATCH))
        single_rows, many_rows, more_rows = map(rows, (single, many, more))
        script_single = await rate(SINGLE, lambda rows=single_rows: [script.save(*row) for row in rows])
        ours_single = await rate(SINGLE, lambda single=single: one_by_one(store, single))
        ours_at_once = await rate(BATCH, lambda many=many: at_once(store, many))
        script_batch = await rate(BATCH, lambda rows=more_rows: script.save_all(rows))
        ours_batch = await rate(BATCH, lambda more=more: store.write(write_all(more)))
        if number:
            rates["single"]["script"].append(script_single)
            rates["single"]["recollect"].append(ours_single)
            rates["64 writers"]["script"].append(script_single)
            rates["64 writers"]["recollect"].append(ours_at_once)
            rates["batch"]["script"].append(script_batch)
            rates["batch"]["recollect"].append(ours_batch)
        script.save_all(many_rows)  # so that both hold the same
    await store.close()
    script.close()
    return rates, sizes(folder, rounds)


def sizes(folder: Path, rounds: int) -> dict[str, float]:
    """Bytes a memo takes in the file, against its own text and vector."""
    count = (rounds + 1) * (SINGLE + 2 * BATCH)
    own = statistics.fmean(
        len(memo.text.encode()) + len(vector) for memo, vector in islice(memos(10_000, USERS), 5_000)
    )
    ours = (folder / "ours.db").stat().st_size / count
    return {"text + vector": own, "recollect": ours, "script": (folder / "script.db").stat().st_size / count}


def main() -> int:
    parser = argparse.ArgumentParser("bench.store", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rates, size = asyncio.run(measure(Path(folder), given.rounds))
    table = Table(title="Acknowledged writes a second (median of rounds in turn)", header_style="bold")
    for column in ("work", "script", "recollect", "ratio", "goal"):
        table.add_column(column, justify="left" if column == "work" else "right")
    figures: dict[str, float] = {}
    for name, goal in GOALS.items():
        script, ours = (statistics.median(rates[name][who]) for who in ("script", "recollect"))
        ratios = zip(rates[name]["recollect"], rates[name]["script"], strict=True)
        figures[name] = statistics.median(mine / theirs for mine, theirs in ratios)
        table.add_row(name, f"{script:,.0f}", f"{ours:,.0f}", f"{figures[name]:.2f}×", f"≥ {goal}×")
    figures["bytes / (text + vector)"] = size["recollect"] / size["text + vector"]
    console = Console()
    console.print(table)
    console.print(
        f"A memo takes {size['recollect']:,.0f} bytes, {figures['bytes / (text + vector)']:.2f}× its text and vector "
        f"(goal ≤ 2×); the script's {size['script']:,.0f}."
    )
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
