"""`python -m bench.extract [--model local] [--part held-out] [--wrong] [--json FILE]`: what is learned from chat.

Goes the whole way: redact, own words, extract, check. Six lots of messages were written one after the other, each
before the rules were tried on it; `FIRST_RUNS` keeps what they did then, which is what to expect of messages never
seen. Faults were mended after each run, so the figures printed here are better; the last lot is the held-out part.

After that come facts that an eager model might propose, true and made up, whatever the model: how many of each the
guard lets pass. `FIRST_CLAIMS` keeps what new rules did on pairs that they had not been tuned on.

`--real DIR` reads a data set of real chats instead and prints counts by kind and a sample for a person to judge;
`JUDGED` keeps what such judging came to.
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

from bench.extract.claims import FIRST_CLAIMS, Verdict, judge, load_claims, passed, share
from bench.extract.corpus import PARTS, load
from bench.extract.judged import JUDGED
from bench.extract.measure import Outcome, Report, Tally, report, run
from bench.extract.real import HALVES, Reading, is_data, messages, read, sample
from recollect import plugins
from recollect.core.ports import Model, ModelOptions

FIRST_RUNS = {  # of `local`: precision and recall on each lot after the first, before anything was mended for it
    "second lot, 138 messages": (0.871, 0.750),
    "third lot, 117 messages": (0.845, 0.817),
    "fourth lot, 102 messages": (0.862, 0.962),
    "fifth lot, 93 messages": (0.918, 0.957),
    "held-out, 62 messages": (0.882, 0.968),  # in other voices; 0.857 with the rules of the fifth
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


def show_claims(part: str, verdicts: Sequence[Verdict], took: float, *, wrong: bool) -> dict[str, Any]:
    """How many made-up facts pass, and how many true ones, by category."""
    title = f"{part}: {len(verdicts)} proposed facts, {took / max(1, len(verdicts)) * 1000:.2f} ms each"
    table = Table("", "made up, passed", "of", "true, passed", "of", title=title, header_style="bold")
    for category in ("all", *sorted({one.claim.category for one in verdicts})):
        meant = [one for one in verdicts if category in ("all", one.claim.category)]
        table.add_row(category, *map(str, (*passed(meant, holds=False), *passed(meant, holds=True))))
    Console().print(table)
    for one in verdicts if wrong else ():
        if not one.is_right:
            print(f"{one.reason or 'passed'}: {one.claim.fact!r} from {one.claim.text!r}")
    shares = {"made up": share(verdicts, holds=False), "true": share(verdicts, holds=True)}
    print(f"passed: {shares['made up']:.3f} of the made up, {shares['true']:.3f} of the true\n")
    return {"pairs": len(verdicts), **{name: round(value, 4) for name, value in shares.items()}}


def claims(parts: Sequence[str], *, wrong: bool) -> dict[str, Any]:
    print("first runs on unseen pairs, share of made-up and of true facts that passed, before and after:")
    for lot, (before, after) in FIRST_CLAIMS.items():
        print(f"    {lot}: {before} {after}")
    pairs = load_claims()
    results: dict[str, Any] = {"first runs": FIRST_CLAIMS}
    for part in parts:
        start = time.perf_counter()
        verdicts = [judge(each) for each in pairs if each.part == part]
        results[part] = show_claims(part, verdicts, time.perf_counter() - start, wrong=wrong)
    return results


def as_data(made: Report) -> dict[str, Any]:
    data = asdict(made)
    for tally, numbers in [(made.all, data["all"]), *zip(made.by_kind.values(), data["by_kind"].values(), strict=True)]:
        numbers |= {"precision": round(tally.precision, 4), "recall": round(tally.recall, 4)}
    return data


def show_real(folder: Path, half: str, reading: Reading, size: int, seed: int) -> None:
    """Counts, and a few that a person may judge; nobody else can say whether they are right."""
    found = len(reading.learned)
    rate, pace = 100 * found / max(1, reading.messages), 1000 * reading.took / max(1, reading.messages)
    print(
        f"{folder.name}, {half}: {reading.messages} messages, {pace:.2f} ms each; {found} learned, {rate:.1f} of 100;"
    )
    print(f"    {reading.by_kind()}; refused by the guard {reading.refused}\n")
    for number, each in enumerate(sample(reading, size, seed), 1):
        day = f" ({each.proposal.happened.date()})" if each.proposal.happened else ""
        print(f"{number:4} {each.proposal.kind}: {each.proposal.text}{day}")
        print(f"     {each.message.at.date()} {each.message.name}: {' '.join(each.message.text.split())[:400]}")


def real(model: Model, folders: Sequence[Path], half: str, size: int, seed: int) -> dict[str, Any]:
    """The data sets that lie at hand, as counts."""
    results: dict[str, Any] = {}
    for folder in folders:
        if not is_data(folder):
            print(f"skipped: there is no data set in {folder}", file=sys.stderr)
            continue
        reading = read(model, messages(folder, half))
        show_real(folder, half, reading, size, seed)
        results[f"{folder.name}, {half}"] = {"messages": reading.messages, "by_kind": reading.by_kind()}
    return results


def _parts(given: argparse.Namespace) -> Sequence[str]:
    if given.real:
        return ()
    return (given.part,) if given.part else PARTS


def main() -> int:
    parser = argparse.ArgumentParser("bench.extract", description=__doc__)
    parser.add_argument("--model", default="local")
    parser.add_argument("--part", choices=PARTS)
    parser.add_argument("--wrong", action="store_true", help="print what was learned wrongly or missed")
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--real", type=Path, action="append", default=[], metavar="DIR", help="a data set of real chats"
    )
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="of its conversations; default: %(default)s")
    parser.add_argument("--sample", type=int, default=20, help="how many to print for judging; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    model = plugins.load("models", given.model, ModelOptions())
    results: dict[str, Any] = {"model": given.model}
    if given.model == "local":
        results["first runs: precision, recall"] = FIRST_RUNS
        print("first runs on unseen messages, precision and recall:", FIRST_RUNS, "\n")
        results["judged on real chats"] = [str(each) for each in JUDGED]
        print("judged by a person on real chats, precision:", *JUDGED, sep="\n    ", end="\n\n")
    if given.real:
        results["real"] = real(model, given.real, given.half, given.sample, given.seed)
    samples = [] if given.real else load()
    for part in _parts(given):
        start = time.perf_counter()
        outcomes = run(model, [sample for sample in samples if sample.part == part])
        made = report(outcomes)
        show(part, made, time.perf_counter() - start)
        results[part] = as_data(made)
        if given.wrong:
            show_faults(outcomes)
    if not given.real:
        results["proposed facts"] = claims(_parts(given), wrong=given.wrong)
    if given.json:
        given.json.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
