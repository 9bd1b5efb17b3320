"""`python -m bench.public [--full] [--src NAME=PATH …] [--python SIDE=PATH …]`: the public object beside a script.

Each side is a process of its own and all do the same work in turn, with the same vectors; only calls that a user would
write are timed. `--src before=../other/src --src after=src` runs two versions of the source in one run, and
`--base before` shows the ratios between them; `--first PATH` adds our first edition. LangGraph's SqliteStore and mem0
take part where they are installed: here, or in an environment of their own (it needs numpy too) that
`--python langgraph=PATH` names.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.public.child import CLOCK
from bench.public.measure import Figures, Run, Size
from bench.public.sides import Side

OTHERS = ("langgraph", "mem0")
COUNTS = ("users", "rounds", "saves", "concurrent", "batch", "questions", "messages", "starts", "kills")
"""Numbers of `Size` that have an option of their own."""


def sides(arguments: argparse.Namespace) -> list[Side]:
    """The script, our versions, and the others that are installed; who is missing is said."""
    sources = [source.partition("=") for source in arguments.src] or [("recollect", "=", "")]
    pythons = dict(python.split("=", 1) for python in arguments.python)
    ours = [Side(name, "recollect", source=Path(path).resolve() if path else None) for name, _, path in sources]
    others = [Side(name, name, pythons.get(name, sys.executable)) for name in OTHERS if name not in arguments.without]
    chosen = [Side("script", "script"), *ours]
    if arguments.first:
        chosen.append(Side("first edition", "first_edition", source=arguments.first.resolve()))
    for side in others:
        if reason := side.missing():
            print(f"{side.name} is skipped: {reason}; see --python", file=sys.stderr)
        else:
            chosen.append(side)
    return chosen


def size(arguments: argparse.Namespace) -> Size:
    chosen = Size()
    if arguments.full:
        chosen = replace(chosen, large=(1_000, 10_000, 100_000), kills=10, rounds=7, starts=7)
    changes = {name: getattr(arguments, name) for name in COUNTS}
    for name in ("sizes", "large"):
        value: str | None = getattr(arguments, name)
        changes[name] = None if value is None else tuple(int(number) for number in value.split(",") if number)
    return replace(chosen, **{name: value for name, value in changes.items() if value is not None})


def report(figures: Figures, chosen: list[Side], base: str) -> dict[str, Any]:
    """Everything measured, as it is written to the file."""
    works = {
        work.name: {
            "unit": work.unit,
            "values": {side.name: figures.median(work, side.name) for side in chosen},
            "ratios": {side.name: figures.ratio(work, side.name, base) for side in chosen},
        }
        for work in figures.values
    }
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "system": platform.system()}
    sources = {side.name: side.facts["source"] for side in chosen if side.source}
    names = [side.name for side in chosen]
    return {"base": base, "sides": names, "sources": sources, "machine": machine, "works": works}


def show(result: dict[str, Any]) -> None:
    base, names = result["base"], result["sides"]
    table = Table(title=f"Public calls; in brackets the ratio to {base}, within a round", header_style="bold")
    table.add_column("work")
    for name in names:
        table.add_column(name, justify="right")
    for work, figures in result["works"].items():
        table.add_row(work, *(_cell(figures, name, is_base=name == base) for name in names))
    Console(width=max(118, Console().width)).print(table)
    print("/s: higher is better; ms, MB and B: lower is better; medians of the rounds")


def _cell(figures: dict[str, Any], name: str, *, is_base: bool) -> str:
    value, ratio, unit = figures["values"][name], figures["ratios"][name], figures["unit"]
    if value is None:
        return "–"
    shown = f"{value:,.2f}" if value < 10 and unit else f"{value:,.0f}"
    return f"{shown} {unit}".strip() + (f" ({ratio:.2f}×)" if ratio is not None and not is_base else "")


def plot(result: dict[str, Any], target: Path) -> None:
    """How many times as much work, or time, each side takes compared with the base; to the right is worse."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    works = [name for name, figures in result["works"].items() if figures["unit"]]
    figure, axes = pyplot.subplots(figsize=(9, 1.5 + 0.4 * len(works)))
    others = [name for name in result["sides"] if name != result["base"]]
    for side in others:
        costs = [_cost(result["works"][work], side) for work in works]
        points = [(cost, place) for place, cost in enumerate(costs) if cost]
        axes.plot(*zip(*points, strict=True), marker="o", linestyle="", markersize=9, alpha=0.8, label=side)
    axes.axvline(1, color="black", linewidth=1, label=result["base"])
    axes.set(xscale="log", xlabel=f"cost, times that of {result['base']} (left is better)", title="Public calls")
    axes.set_yticks(range(len(works)), works)
    axes.invert_yaxis()
    axes.grid(alpha=0.3)
    axes.legend()
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def _cost(figures: dict[str, Any], side: str) -> float | None:
    ratio = figures["ratios"][side]
    return 1 / ratio if ratio and figures["unit"] == "/s" else ratio


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "bench.public", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="100,000 memos of one person, ten kill -9, more rounds")
    parser.add_argument("--src", action="append", default=[], metavar="NAME=PATH", help="a version of the source")
    parser.add_argument("--first", type=Path, metavar="PATH", help="the source of our first edition")
    parser.add_argument("--base", default="script", help="the side that the others are compared with")
    parser.add_argument("--python", action="append", default=[], metavar="SIDE=PATH", help="the Python of a side")
    parser.add_argument("--without", action="append", default=[], choices=OTHERS, help="a side to leave out")
    parser.add_argument("--processor", action="store_true", help="processor time of the calls: for a busy machine")
    parser.add_argument("--sizes", help="memos of all people, comma separated")
    parser.add_argument("--large", help="memos of one person, comma separated")
    for name in COUNTS:
        parser.add_argument(f"--{name}", type=int)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plot", type=Path, help="a picture, such as bench/results/public.png")
    return parser


def main() -> int:
    given = arguments().parse_args()
    if given.processor:
        os.environ[CLOCK] = "process_time"
    chosen = sides(given)
    if given.base not in (names := [side.name for side in chosen]):
        sys.exit(f"--base {given.base} is not among the sides: {', '.join(names)}")
    console = Console(stderr=True)
    with tempfile.TemporaryDirectory(prefix="recollect-bench-") as folder, console.status("starting") as status:
        figures = Run(chosen, size(given), status.update).all(Path(folder))
    result = report(figures, chosen, given.base)
    show(result)
    if given.json:
        given.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    if given.plot:
        plot(result, given.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
