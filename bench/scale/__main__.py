"""`python -m bench.scale [--sizes 10000,100000,1000000] [--clients 1,8,64] [--stores sqlite,postgresql] [--json FILE]`

Memos of 10,000 guilds in each store: what 1, 8 and 64 clients get done in a second, how long each waits, and the room
that a memo takes. Clients are tasks of one process, as in a bot. PostgreSQL runs beside it on the same machine.
"""

import argparse
import asyncio
import json
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import recollect
from bench.scale import stores
from bench.scale.measure import DOING, fill, pour, rate
from recollect.embedders.static import StaticEmbedder

MESSAGES = 20_000
Row = dict[str, Any]


@dataclass(frozen=True)
class Given:
    """How much is measured, and where."""

    clients: list[int]
    seconds: float
    names: list[str]
    postgres: str | None


async def compare(count: int, given: Given, progress: Progress) -> list[Row]:
    """Each store with so many memos. Rows are made once, in SQLite, and poured from there into the other store."""
    with ExitStack() as stack:
        at = {name: stack.enter_context(stores.new(name, given.postgres)) for name in ("sqlite", *given.names)}
        task = progress.add_task(f"{count:,} memos", total=None)

        def step(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        took: dict[str, float] = {}
        async with recollect.AsyncMemory(at["sqlite"], run_worker=False) as source:
            took["sqlite"] = await fill(source, count, MESSAGES, StaticEmbedder().name, step)
            for name in (name for name in given.names if name != "sqlite"):
                progress.update(task, description=f"{count:,} memos into {name}")
                async with recollect.AsyncMemory(at[name], run_worker=False) as target:
                    took[name] = await pour(source.store, target.store, step)
        progress.remove_task(task)
        return [
            {**row, "fill_seconds": took[name]}
            for name in given.names
            for row in await measure(name, at[name], count, given, progress)
        ]


async def measure(name: str, address: str, count: int, given: Given, progress: Progress) -> list[Row]:
    task = progress.add_task(f"{name}, {count:,} memos", total=None)
    stores.settle(address)
    room = stores.size(address) / (count + MESSAGES)
    rows: list[Row] = []
    async with recollect.AsyncMemory(address, run_worker=False) as memory:
        for number in given.clients:
            for what, doing in DOING.items():
                progress.update(task, description=f"{name}, {count:,} memos, {number} clients: {what}")
                found = await rate(doing(memory), number, given.seconds)
                rows.append({"store": name, "memos": count, "clients": number, "what": what, **asdict(found)})
    progress.remove_task(task)
    return [{**row, "bytes_a_row": room} for row in rows]


def show(rows: list[Row]) -> None:
    table = Table(title="a second; p50 / p95 / p99, and processor time per call, in ms", header_style="bold")
    for column in ("store", "memos", "clients", "writes", "searches", "prompts", "bytes a row"):
        table.add_column(column, justify="left" if column == "store" else "right")
    groups = dict.fromkeys((row["store"], row["memos"], row["clients"]) for row in rows)
    for group in groups:
        own = {row["what"]: row for row in rows if (row["store"], row["memos"], row["clients"]) == group}
        store, memos, clients = group
        cells = [_cell(own[what]) if what in own else "" for what in DOING]
        table.add_row(store, f"{memos:,}", str(clients), *cells, f"{next(iter(own.values()))['bytes_a_row']:,.0f}")
    Console(width=max(140, Console().width)).print(table)


def _cell(row: Row) -> str:
    return f"{row['a_second']:,.0f}  {row['p50']:.1f} / {row['p95']:.1f} / {row['p99']:.1f}  {row['processor']:.2f}"


def plot(rows: list[Row], path: Path) -> None:
    """Per second and p95 against the size of the store, a line for each store and number of clients."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot, ticker

    figure, axes = pyplot.subplots(2, len(DOING), figsize=(12, 6.5), sharex=True)
    colours = {"sqlite": "#2563eb", "postgresql": "#d97706"}
    lines = dict.fromkeys((row["store"], row["clients"]) for row in rows)
    for column, what in enumerate(DOING):
        for store, clients in lines:
            own = [row for row in rows if (row["store"], row["clients"], row["what"]) == (store, clients, what)]
            style = {1: ":", 8: "--"}.get(clients, "-")
            for axis, value in zip(axes[:, column], ("a_second", "p95"), strict=True):
                sizes, values = [row["memos"] for row in own], [row[value] for row in own]
                axis.plot(
                    sizes,
                    values,
                    style,
                    color=colours[store],
                    marker="o",
                    label=f"{store}, {clients} client{'s' * (clients > 1)}",
                )
                axis.set_xscale("log")
                axis.set_yscale("log")
                axis.grid(alpha=0.3)
                axis.yaxis.set_major_formatter("{x:,g}")
                axis.yaxis.set_minor_locator(ticker.LogLocator(subs=(2, 5)))
                axis.yaxis.set_minor_formatter("{x:,g}")
                axis.xaxis.set_major_formatter("{x:,.0f}")
        axes[0, column].set_title({"write": "writes", "search": "searches", "context": "prompts"}[what])
        axes[1, column].set_xlabel("memos")
    axes[0, 0].set_ylabel("a second")
    axes[1, 0].set_ylabel("p95, ms")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(lines), frameon=False)
    figure.tight_layout(rect=(0, 0.06, 1, 1))
    figure.savefig(path, dpi=110)


def main() -> int:
    parser = argparse.ArgumentParser("bench.scale", description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000", help="memos in the stores")
    parser.add_argument("--clients", default="1,8,64", help="clients at once")
    parser.add_argument("--stores", default=",".join(stores.NAMES), help="stores to compare")
    parser.add_argument("--postgres", help="address of an empty database; without one a server is started")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds of each measurement")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    clients = [int(one) for one in given.clients.split(",")]
    wanted = Given(clients, given.seconds, given.stores.split(","), given.postgres)
    rows: list[Row] = []
    with Progress(console=Console(stderr=True)) as progress:
        for count in (int(one) for one in given.sizes.split(",")):
            rows += asyncio.run(compare(count, wanted, progress))
            show(rows)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    if given.plot:
        plot(rows, given.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
