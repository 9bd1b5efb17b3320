"""`python -m bench.extract [--model NAME --base-url URL] [--only PARTS] [--data DIR] [--faults] [--write]`: what is
learned from chat, and how much of it is worth keeping.

Four parts. `languages`: messages written for six languages, apart from the rules. `chats`: real chats that a reader has
judged, where their files lie in DIR; see `docs/learning-quality.md`. Both go through the public object, so that a model
behind a server is really asked. `written` are the messages that the rules were tuned on and a held-out part, `claims`
proposals of an eager model that the guard should turn down; both without a server only.

`--write` keeps the figures in `bench/results/extract.json` and renews the table of the document. What a new version
stores and nobody has judged yet is counted apart; `--faults` prints it, and what was missed, junk or wrong.

`--real DIR` reads any other data set in the plain form and prints a sample for a person to judge.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

from bench.extract import chats, quality, table
from bench.extract.claims import Verdict, judge, load_claims, passed, share
from bench.extract.corpus import PARTS, load
from bench.extract.learned import learn
from bench.extract.measure import Outcome, Report, Tally, report, run
from bench.extract.real import HALVES, Reading, is_data, messages, read, sample
from recollect import plugins
from recollect.core.ports import Model, ModelOptions

T = TypeVar("T")
LOCAL = "local"
SECTIONS = ("languages", "chats", "written", "claims")


def show(part: str, made: Report, took: float) -> None:
    title = f"{part}: {made.messages} messages, {took / max(1, made.messages) * 1000:.2f} ms each"
    columns = Table(title=title, header_style="bold")
    for column in ("", "right", "wrong", "missed", "precision", "recall"):
        columns.add_column(column, justify="left" if not column else "right")
    for name, tally in [("all", made.all), *sorted(made.by_kind.items())]:
        columns.add_row(name, *_cells(tally))
    columns.add_section()
    for name, tally in sorted(made.by_category.items()):
        columns.add_row(name, *_cells(tally))
    Console().print(columns)
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


def show_claims(part: str, verdicts: Sequence[Verdict], took: float, *, faults: bool) -> dict[str, Any]:
    """How many made-up facts pass, and how many true ones, by category."""
    title = f"{part}: {len(verdicts)} proposed facts, {took / max(1, len(verdicts)) * 1000:.2f} ms each"
    columns = Table("", "made up, passed", "of", "true, passed", "of", title=title, header_style="bold")
    for category in ("all", *sorted({one.claim.category for one in verdicts})):
        meant = [one for one in verdicts if category in ("all", one.claim.category)]
        columns.add_row(category, *map(str, (*passed(meant, holds=False), *passed(meant, holds=True))))
    Console().print(columns)
    for one in verdicts if faults else ():
        if not one.is_right:
            print(f"{one.reason or 'passed'}: {one.claim.fact!r} from {one.claim.text!r}")
    shares = {"made up": share(verdicts, holds=False), "true": share(verdicts, holds=True)}
    print(f"passed: {shares['made up']:.3f} of the made up, {shares['true']:.3f} of the true\n")
    return {"pairs": len(verdicts), **{name: round(value, 4) for name, value in shares.items()}}


def claims(parts: Sequence[str], *, faults: bool) -> dict[str, Any]:
    pairs = load_claims()
    results: dict[str, Any] = {}
    for part in parts:
        start = time.perf_counter()
        verdicts = [judge(each) for each in pairs if each.part == part]
        results[part] = show_claims(part, verdicts, time.perf_counter() - start, faults=faults)
    return results


def written(parts: Sequence[str], *, faults: bool) -> dict[str, Any]:
    model = plugins.load("models", LOCAL, ModelOptions())
    results: dict[str, Any] = {}
    for part in parts:
        start = time.perf_counter()
        outcomes = run(model, [each for each in load() if each.part == part])
        made = report(outcomes)
        show(part, made, time.perf_counter() - start)
        results[part] = as_data(made)
        if faults:
            show_faults(outcomes)
    return results


def as_data(made: Report) -> dict[str, Any]:
    data = asdict(made)
    for tally, numbers in [(made.all, data["all"]), *zip(made.by_kind.values(), data["by_kind"].values(), strict=True)]:
        numbers |= {"precision": round(tally.precision, 4), "recall": round(tally.recall, 4)}
    return data


def languages(args: argparse.Namespace) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for path in sorted(quality.LANGUAGES.glob("*.yaml")):
        entries = _spread(quality.load_language(path), args.limit)
        learned = asyncio.run(learn([each.message for each in entries], args.model, args.base_url))
        score = quality.score_language(entries, learned, quality.load_overruled(path.stem))
        results[path.stem] = score.as_data()
        _show_score(args.model, "languages", path.stem, score, faults=args.faults)
    return results


def real_chats(args: argparse.Namespace) -> dict[str, Any]:
    results: dict[str, Any] = {}
    for name, source in chats.SOURCES.items():
        judgement = quality.load_judgement(name)
        for half in PARTS:
            lines = _spread([each for each in source.lines(args.data, half) if judgement.measures(each)], args.limit)
            if not lines:
                print(f"skipped: {name}, {half}: no {source.pattern} in {args.data}", file=sys.stderr)
                continue
            said = [quality.message_of(name, line) for line in lines]
            score = quality.score_chat(name, lines, judgement, asyncio.run(learn(said, args.model, args.base_url)))
            results[f"{name} ({source.kind}), {half}"] = score.as_data()
            _show_score(args.model, "chats", f"{name} ({source.kind}), {half}", score, faults=args.faults)
    return results


def _spread(entries: Sequence[T], limit: int | None) -> list[T]:
    """Some of them, evenly from beginning to end."""
    step = 1.0 if limit is None else max(1.0, len(entries) / limit)
    return [entries[int(place * step)] for place in range(int(len(entries) / step))]


def _show_score(model: str, part: str, name: str, score: quality.Score, *, faults: bool) -> None:
    print(table.table({"models": {model: {part: {name: score.as_data()}}}}).splitlines()[-1], flush=True)
    for fault, shown in score.faults if faults else ():
        print(f"    {fault:9}{shown}")


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


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """The figures of every part that was asked for."""
    if args.real:
        model = plugins.load("models", args.model, ModelOptions(base_url=args.base_url))
        return {"real": real(model, args.real, args.half, args.sample, args.seed)}
    results: dict[str, Any] = {}
    parts = (args.part,) if args.part else PARTS
    print(*table.table({"models": {}}).splitlines(), sep="\n")
    if "languages" in args.only:
        results["languages"] = languages(args)
    if "chats" in args.only:
        results["chats"] = real_chats(args)
    if "written" in args.only and args.model == LOCAL:
        results["written"] = written(parts, faults=args.faults)
    if "claims" in args.only and args.model == LOCAL:
        results["proposed facts"] = claims(parts, faults=args.faults)
    return results


def _sections(words: str) -> list[str]:
    chosen = words.split(",")
    if unknown := set(chosen) - set(SECTIONS):
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    return chosen


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("bench.extract", description=__doc__)
    made.add_argument("--model", default=LOCAL, help="as in the setting `model`; default: %(default)s")
    made.add_argument("--base-url", default="", help="an OpenAI-compatible server, for --model openai:NAME")
    made.add_argument("--only", type=_sections, default=list(SECTIONS), metavar="PARTS", help=",".join(SECTIONS))
    made.add_argument("--data", type=Path, default=chats.DATA, help="where the chats' files are; default: %(default)s")
    made.add_argument("--limit", type=int, help="at most so many messages per language and half: for slow models")
    made.add_argument("--part", choices=PARTS, help="of the written messages and claims")
    made.add_argument("--faults", action="store_true", help="print what was missed, junk, wrong or not judged")
    made.add_argument("--json", type=Path)
    made.add_argument("--write", action="store_true", help="renew the results file and the table of the document")
    made.add_argument(
        "--real", type=Path, action="append", default=[], metavar="DIR", help="any data set of real chats"
    )
    made.add_argument("--half", choices=HALVES, default=HALVES[0], help="of its conversations; default: %(default)s")
    made.add_argument("--sample", type=int, default=20, help="how many to print for judging; default: %(default)s")
    made.add_argument("--seed", type=int, default=1)
    return made


def main() -> int:
    args = parser().parse_args()
    results = measure(args)
    if args.json:
        args.json.write_text(json.dumps({"model": args.model} | results, indent=2) + "\n", "utf-8")
    if args.write:
        table.write(table.merged(table.read_results(), args.model, results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
