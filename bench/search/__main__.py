"""`python -m bench.search [--sizes 1000,10000,100000] [--json FILE]`: search in one scope and in a thousand.

Each store holds the same memos as the script by hand, and both answer the same questions in turn: with everything in
one person's scope, and spread over a hundred or a thousand people of whom one is asked about.
"""

import argparse
import asyncio
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import recollect
from bench.baseline import Script, row_of
from bench.material import memos, questions
from recollect.core.ports.ranker import content_words
from recollect.core.types import Subject
from recollect.embedders.static import StaticEmbedder

BATCH = 1_000
ASKED = 120


@dataclass
class Row:
    memos: int
    scopes: int
    script_p50: float
    script_p95: float
    p50: float
    p95: float
    ratio: float
    exact_top10: float
    megabytes: float
    """Memory of the whole process while both are open."""


async def fill(memory: recollect.AsyncMemory, script: Script, count: int, scopes: int, progress: Progress) -> None:
    embedder = StaticEmbedder()
    task = progress.add_task(f"{count:,} memos in {scopes:,} scopes", total=count)
    supply = (memo for memo, _ in memos(count, scopes))
    while batch := list(islice(supply, BATCH)):
        vectors = await embedder.embed([memo.text for memo in batch])
        pairs = list(zip(batch, vectors, strict=True))

        def work(tx, pairs=pairs):
            for memo, vector in pairs:
                tx.memos.put(memo, (embedder.name, vector))

        await memory.store.write(work)
        script.save_all((row_of(memo), vector) for memo, vector in pairs)
        progress.update(task, advance=len(batch))


async def ask(memory: recollect.AsyncMemory, script: Script, scopes: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each question, ours and the script's, asked in turn; the query's vector is at hand."""
    embedder = StaticEmbedder()
    ours: list[float] = []
    theirs: list[float] = []
    picked = random.Random(3)
    for number, question in enumerate(islice(questions(), ASKED + 20)):
        user = f"u{picked.randrange(scopes)}"
        (vector,) = await embedder.embed([question])
        await memory.vectors.embed_query(" ".join(content_words(question)), "memos", 5)
        start = time.perf_counter()
        await memory.search(question, user=user, limit=10)
        middle = time.perf_counter()
        script.search(user, content_words(question), vector)
        end = time.perf_counter()
        if number >= 20:
            ours.append((middle - start) * 1000)
            theirs.append((end - middle) * 1000)
    return sorted(ours), sorted(theirs)


async def exactness(memory: recollect.AsyncMemory, scopes: int) -> float:
    """How many of the ten rows that are really nearest the vector lane brings."""
    embedder = StaticEmbedder()
    model = embedder.name
    shares: list[float] = []
    for question in islice(questions(seed=11), 40):
        (vector,) = await embedder.embed([question])
        scope = Subject(f"u{len(shares) % scopes}").scope
        found = await memory.store.read(
            lambda tx, s=scope, v=vector: (
                tx.index.nearest("memos", [s], model, v, 100),
                tx.index.nearest("memos", [s], model, v, 1_000_000),
            )
        )
        best = [sorted(one, key=lambda key, one=one: -one[key])[:10] for one in found]
        floor = found[1][best[1][-1]]
        shares.append(np.mean([found[0].get(key, 0) >= floor - 1e-6 for key in best[0]]))
    return float(np.mean(shares))


async def measure(count: int, scopes: int, progress: Progress) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        script = Script(Path(folder) / "script.db", 256)
        async with recollect.AsyncMemory(
            f"sqlite:///{folder}/ours.db", embedder="static", memos={"max_active": None}
        ) as memory:
            await fill(memory, script, count, scopes, progress)
            ours, theirs = await ask(memory, script, scopes)
            exact = await exactness(memory, scopes)
        script.close()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    at = [len(ours) // 2, len(ours) * 95 // 100]
    ratio = statistics.median(ours) / statistics.median(theirs)
    return Row(count, scopes, theirs[at[0]], theirs[at[1]], ours[at[0]], ours[at[1]], ratio, exact, used)


def show(rows: list[Row]) -> None:
    table = Table(title="Search, milliseconds (vector of the query at hand)", header_style="bold")
    for column in ("memos", "scopes", "script p50", "p95", "recollect p50", "p95", "ratio", "of exact top 10", "MB"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            f"{row.memos:,}", f"{row.scopes:,}", f"{row.script_p50:.2f}", f"{row.script_p95:.2f}", f"{row.p50:.2f}",
            f"{row.p95:.2f}", f"{row.ratio:.2f}×", f"{row.exact_top10:.1%}", f"{row.megabytes:,.0f}",
        )  # fmt: skip
    Console().print(table)


def plot(rows: list[Row], target: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for scopes, name in ((1, "all of it in one scope"), (100, "one scope of 100"), (1000, "one scope of 1,000")):
        mine = [row for row in rows if row.scopes == scopes]
        sizes = [row.memos for row in mine]
        axes.plot(sizes, [row.p95 for row in mine], marker="o", linewidth=2.5, label=f"recollect, {name}")
        axes.plot(sizes, [row.script_p95 for row in mine], marker="o", linestyle="--", label=f"script, {name}")
    axes.set(title="Search as the store grows", xlabel="memos", ylabel="p95, ms", xscale="log", yscale="log")
    axes.grid(alpha=0.3)
    axes.legend()
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def main() -> int:
    parser = argparse.ArgumentParser("bench.search", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="memos, comma separated; 1000000 takes minutes")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--results", type=Path, default=Path(__file__).parents[1] / "results")
    given = parser.parse_args()
    rows: list[Row] = []
    with Progress(console=Console(stderr=True)) as progress:
        for size in map(int, given.sizes.split(",")):
            rows += [asyncio.run(measure(size, scopes, progress)) for scopes in (1, 100, 1_000)]
    show(rows)
    plot(rows, given.results / "search.png")
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
