"""`python -m bench.ingest [--quick] [--only writing,learning,keeping_up,draining,reading,talking] [--json FILE]`.

The write path: what it takes until a message is acknowledged, and until it is learned from.

Machines are noisy, so both sides of each comparison do the same work in turn in one run, and the ratio is what counts.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bench.ingest import measure
from bench.ingest.measure import Figures, Size

FULL = Size(rounds=7, single=400, many=4_000, backlog=800, memos=20_000, questions=600)
QUICK = Size(rounds=2, single=80, many=600, backlog=160, memos=2_000, questions=100)
PARTS = ("writing", "learning", "keeping_up", "draining", "reading", "talking")

GOALS = {
    "observe": ("ms", "raw write", "≤", 1.5),
    "64 observers": ("a second", "one observer", "≥", 5.0),
    "null model, 1 writer": ("a second", "raw writes", "≥", 0.5),
    "null model, 64 writers": ("a second", "raw writes", "≥", 0.5),
    "learned": ("a second", "acknowledged, nothing learned", "≥", 0.3),
    "back-log": ("s", "the model alone", "≤", 1.1),
    "p95": ("ms", "the same alone", "<", 1.5),
}
"""Of each measurement its unit, what it is compared with, and the ratio to reach."""


def reached(sign: str, ratio: float, goal: float) -> bool:
    return ratio >= goal if sign == "≥" else ratio <= goal


def show(figures: Figures) -> dict[str, dict[str, float]]:
    table = Table(title="What is said goes in, and is learned from (median of rounds in turn)", header_style="bold")
    for column in ("", "ours", "compared with", "", "ratio", "goal", ""):
        table.add_column(column, justify="right" if column in ("ours", "ratio", "goal") else "left")
    data: dict[str, dict[str, float]] = {}
    for name in figures.pairs:
        unit, other, sign, goal = next(goal for start, goal in GOALS.items() if name.startswith(start))
        ours, theirs, ratio = figures.median(name)
        mark = "✓" if reached(sign, ratio, goal) else "missed"
        table.add_row(
            name, f"{ours:,.2f} {unit}", other, f"{theirs:,.2f} {unit}", f"{ratio:.2f}×", f"{sign} {goal}×", mark
        )
        data[name] = {"ours": ours, "other": theirs, "ratio": ratio, "goal": goal}
    Console(width=max(110, Console().width)).print(table)
    return data


async def run(size: Size, parts: list[str], progress: Progress) -> Figures:
    figures = Figures()
    task = progress.add_task("ingest", total=None)
    for part in parts:
        rounds = measure.READING_ROUNDS if part in ("reading", "talking") else size.rounds
        rounds *= len(measure.MODELS) if part in ("draining", "reading") else 1
        progress.reset(task, description=part, total=rounds)
        await getattr(measure, part)(size, figures, lambda: progress.advance(task))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser("bench.ingest", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, to see that it works")
    parser.add_argument("--only", default=",".join(PARTS), help="parts to run, separated by commas")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    parts = [part for part in PARTS if part in given.only.split(",")]
    with Progress(console=Console(stderr=True)) as progress:
        figures = asyncio.run(run(QUICK if given.quick else FULL, parts, progress))
    data = show(figures)
    if given.json:
        given.json.write_text(json.dumps(data, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
