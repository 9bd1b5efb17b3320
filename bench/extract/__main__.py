"""`python -m bench.extract [--model local] [--part held-out] [--wrong] [--json FILE]`: what is learned from chat.

Goes the whole way: redact, own words, extract, check. Four lots of messages were written one after the other, each
before the rules were tried on it; `FIRST_RUNS` keeps what they did then, which is what to expect of messages never
seen. Faults were mended after each run, so the figures printed here are better; the last lot is the held-out part.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.extract.corpus import PARTS, load
from bench.extract.measure import Outcome, Report, Tally, report, run
from recollect import plugins
from recollect.ports import ModelOptions

FIRST_RUNS = {  # of `local`: precision and recall on each lot after the first, before anything was mended for it
    "second lot, 138 messages": (0.871, 0.750),
    "third lot, 117 messages": (0.845, 0.817),
    "fourth lot, 102 messages": (0.862, 0.962),
    "held-out, 93 messages": (0.918, 0.957),
}


def show(part: str, made: Report, took: float) -> None:
    title = f"{part}: {made.messages} messages, {took / max(1, made.messages) * 1000:.2f} ms each"
    table = Table(title=title, header_style="bold")
    for column in ("", "right", "wrong", "missed", "precision", "recall"):
        table.add_column(column, justify="left" if not column else "right")
    for name, tally in [("all", made.all), *sorted(made.by_kind.items())]:
        table.add_row(name, *_cells(tally))
    table.add_section()
    for name, tally in sorted(made.by_category.items()):
        table.add_row(name, *_cells(tally))
    Console().print(table)
    secrets = f"secrets learned {made.leaks}, stored {made.stored}"
    print(f"{secrets}; injections learned {made.injections}; refused by the guard {made.refused}\n")


def _cells(tally: Tally) -> list[str]:
    counts = [str(tally.right), str(tally.wrong), str(tally.missed)]
    return [*counts, f"{tally.precision:.3f}", f"{tally.recall:.3f}"]


def show_faults(outcomes: Sequence[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.wrong or outcome.missed or outcome.refused or outcome.stored:
            print(f"{outcome.sample.category}: {outcome.sample.text[:150]!r}")
            for name, pairs in (("wrong", outcome.wrong), ("missed", outcome.missed)):
                for kind, text in pairs:
                    print(f"    {name:7}{kind}: {text}")
            if outcome.stored:
                print("    stored with its secret")
            for text in outcome.refused:
                print(f"    refused {text}")


def as_data(made: Report) -> dict[str, Any]:
    data = asdict(made)
    for tally, numbers in [(made.all, data["all"]), *zip(made.by_kind.values(), data["by_kind"].values(), strict=True)]:
        numbers |= {"precision": round(tally.precision, 4), "recall": round(tally.recall, 4)}
    return data


def main() -> int:
    parser = argparse.ArgumentParser("bench.extract", description=__doc__)
    parser.add_argument("--model", default="local")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--wrong", action="store_true", help="print what was learned wrongly or missed")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    model = plugins.load("models", given.model, ModelOptions())
    results: dict[str, Any] = {"model": given.model}
    if given.model == "local":
        results["first runs: precision, recall"] = FIRST_RUNS
        print("first runs on unseen messages, precision and recall:", FIRST_RUNS, "\n")
    samples = load()
    for part in [given.part] if given.part else PARTS:
        start = time.perf_counter()
        outcomes = run(model, [sample for sample in samples if sample.part == part])
        made = report(outcomes)
        show(part, made, time.perf_counter() - start)
        results[part] = as_data(made)
        if given.wrong:
            show_faults(outcomes)
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
