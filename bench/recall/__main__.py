"""`python -m bench.recall --data DIR [--json FILE]`: how much of the evidence each ranker finds, and how fast.

Every document is stored and found through the public API of `Memory`, one scope per conversation. Conversations
with an even place in the sorted order were used for tuning; the others are for reporting, and are what counts.
"""

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.recall.dataset import Conversation, load
from bench.recall.measure import CUTS, Tally, measure
from recollect.recall.rankers import RANKERS

PLAIN = {"bm25": "plain BM25", "cosine": "plain vectors", "rrf": "rrf (plain RRF)"}
COLUMNS = [*(f"share@{cut}" for cut in CUTS), *(f"any@{cut}" for cut in CUTS), *(f"all@{cut}" for cut in CUTS), "mrr"]
TIMES = ["p50_ms", "p95_ms", "p99_ms"]
console = Console()

Results = dict[str, dict[tuple[str, str], Tally]]


async def run(conversations: list[Conversation], embedder: str, rankers: list[str]) -> Results:
    """Tallies by half ("tuning" or "reporting"), then by ranker and category ("" is all of them)."""
    results: Results = defaultdict(lambda: defaultdict(Tally))
    for conversation in track(conversations, "asking", console=Console(stderr=True)):
        half = "tuning" if conversation.tuning else "reporting"
        for (ranker, category), tally in (await measure(conversation, embedder, rankers)).items():
            for name in (half, "all"):
                results[name][ranker, ""].merge(tally)
                results[name][ranker, category].merge(tally)
    return results


def show(name: str, results: Results, rankers: list[str], half: str) -> None:
    table = Table(title=f"{name}, {half} conversations", header_style="bold")
    for column in ["ranker", *COLUMNS, *TIMES]:
        table.add_column(column.replace("_ms", " ms"), justify="left" if column == "ranker" else "right")
    for ranker in rankers:
        summary = results[half][ranker, ""].summary()
        cells = [f"{summary[column]:.3f}".removeprefix("0") for column in COLUMNS]
        table.add_row(PLAIN.get(ranker, ranker), *cells, *(f"{summary[column]:.1f}" for column in TIMES))
    console.print(table)


def show_categories(name: str, results: Results, rankers: list[str], half: str) -> None:
    categories = sorted({category for _, category in results[half] if category})
    table = Table(title=f"{name}, {half} conversations: share@10 by category", header_style="bold")
    table.add_column("ranker")
    for category in categories:
        count = len(results[half][rankers[0], category].reciprocal)
        table.add_column(f"{category} ({count})", justify="right", overflow="fold")
    for ranker in rankers:
        cells = [results[half][ranker, category].summary()["share@10"] for category in categories]
        table.add_row(PLAIN.get(ranker, ranker), *(f"{cell:.3f}".removeprefix("0") for cell in cells))
    console.print(table)


def plot(name: str, results: Results, rankers: list[str], half: str, target: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for ranker in rankers:
        summary = results[half][ranker, ""].summary()
        style = {"linewidth": 3.0} if ranker == "unified" else {"linewidth": 1.3, "linestyle": "--"}
        axes.plot(CUTS, [summary[f"share@{cut}"] for cut in CUTS], marker="o", label=PLAIN.get(ranker, ranker), **style)
    axes.set(
        title=f"{name}: evidence found, {half} conversations", xlabel="results looked at", ylabel="mean share found"
    )
    axes.set_xticks(CUTS)
    axes.set_ylim(0, 1)
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))  # beside the lines, which it would cover
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def as_json(results: Results, rankers: list[str], half: str) -> dict[str, dict[str, float]]:
    return {
        ranker: {key: round(value, 4) for key, value in results[half][ranker, ""].summary().items()}
        for ranker in rankers
    }


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("bench.recall", description=__doc__)
    parser.add_argument(
        "--data", type=Path, action="append", required=True, help="folder of a data set; may be repeated"
    )
    parser.add_argument("--json", type=Path, help="write the figures of all conversations here")
    parser.add_argument(
        "--half", choices=["all", "tuning", "reporting"], default="all", help="which figures the JSON has"
    )
    parser.add_argument("--rankers", default=",".join(RANKERS), help="comma separated; default: %(default)s")
    parser.add_argument("--embedder", default="static", help="default: %(default)s; null is words only")
    parser.add_argument("--results", type=Path, default=Path(__file__).parents[1] / "results", help="folder for plots")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    rankers = given.rankers.split(",")
    figures: dict[str, dict[str, dict[str, float]]] = {}
    for folder in given.data:
        if not (folder / "documents.jsonl").exists():
            print(f"skipped: there is no data set in {folder}", file=sys.stderr)
            continue
        conversations = load(folder)
        results = asyncio.run(run(conversations, given.embedder, rankers))
        for half in ("tuning", "reporting"):
            if half in results:
                show(folder.name, results, rankers, half)
        show_categories(folder.name, results, rankers, "reporting" if "reporting" in results else "all")
        plot(folder.name, results, rankers, "reporting" if "reporting" in results else "all",
             given.results / f"recall-{folder.name}.png")  # fmt: skip
        figures[folder.name] = as_json(results, rankers, given.half)
    if given.json is not None:
        only = next(iter(figures.values()), {}) if len(figures) <= 1 else figures
        given.json.write_text(json.dumps(only, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
