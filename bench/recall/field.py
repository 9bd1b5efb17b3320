"""`python -m bench.recall.field --longmemeval FILE`: sessions that search finds, ours beside that of others.

Reads the files of LongMemEval (`longmemeval_s.json`, `…_m.json`, `…_oracle.json`), or with `--data` a data set as
`bench.recall` does. Every system stores the lines of a conversation and returns the best ones; a session counts from
its first line on. `any@k` and `all@k` are LongMemEval's recall_any and recall_all over sessions, `ndcg@k` its NDCG.
`--raw` writes for every question and system which lines came back.
"""

import argparse
import asyncio
import json
import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table

from bench.recall.dataset import Asked, Conversation, load, load_longmemeval
from bench.recall.systems import SYSTEMS, System

CUTS = (1, 3, 5, 10)
Tally = dict[tuple[str, str], list[dict[str, float]]]
"""The figures of each question, by system and category; "" is all of them."""


def sessions_of(lines: Iterable[str], conversation: Conversation) -> list[str]:
    """The sessions of these lines, each where its first line is."""
    by_id = {document.id: document.session for document in conversation.documents}
    return list(dict.fromkeys(by_id[line] for line in lines))


def expected_sessions(asked: Asked, conversation: Conversation) -> frozenset[str]:
    return asked.sessions or frozenset(sessions_of(sorted(asked.evidence), conversation))


def figures(found: Sequence[str], expected: Collection[str]) -> dict[str, float]:
    result: dict[str, float] = {}
    for cut in CUTS:
        hits = [session in expected for session in found[:cut]]
        ideal = sum(1 / math.log2(place + 2) for place in range(min(cut, len(expected))))
        gain = sum(is_hit / math.log2(place + 2) for place, is_hit in enumerate(hits))
        result |= {f"any@{cut}": float(any(hits)), f"all@{cut}": float(sum(hits) == len(expected))}
        result[f"ndcg@{cut}"] = gain / ideal
    return result


async def run(conversations: Iterable[Conversation], systems: dict[str, System], raw: TextIO | None) -> Tally:
    tally: Tally = defaultdict(list)
    for conversation in conversations:
        for name, system in systems.items():
            await system.open(conversation)
            for asked in conversation.questions:
                lines = await system.search(asked)
                found, expected = sessions_of(lines, conversation), expected_sessions(asked, conversation)
                measured = figures(found, expected)
                tally[name, ""].append(measured)
                tally[name, asked.category].append(measured)
                if raw is not None:
                    row = {"conversation": conversation.name, "question": asked.text, "system": name, "lines": lines}
                    raw.write(json.dumps(row | {"expected": sorted(expected)} | measured, ensure_ascii=False) + "\n")
            await system.close()
    return tally


def available(names: Iterable[str]) -> dict[str, System]:
    systems: dict[str, System] = {}
    for name in names:
        try:
            systems[name] = SYSTEMS[name]()
        except ImportError as missing:
            print(f"skipped: {name} is not installed ({missing})", file=sys.stderr)
    return systems


def mean(rows: list[dict[str, float]]) -> dict[str, float]:
    return {name: round(statistics.fmean(row[name] for row in rows), 4) for name in rows[0]}


def main() -> int:
    parser = argparse.ArgumentParser("bench.recall.field", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--longmemeval", type=Path, help="a file of LongMemEval")
    source.add_argument("--data", type=Path, help="folder of a data set; its reporting half is used")
    parser.add_argument("--systems", default=",".join(SYSTEMS), help="comma separated; default: %(default)s")
    parser.add_argument("--first", type=int, help="use only the first conversations (of LongMemEval: questions)")
    parser.add_argument(
        "--raw", type=Path, help="write what each system returned for each question here, as JSON lines"
    )
    parser.add_argument("--json", type=Path, help="write the figures here")
    given = parser.parse_args()
    path = given.longmemeval or given.data / "documents.jsonl"
    if not path.exists():
        parser.error(f"there is no {path}")
    unknown = set(given.systems.split(",")) - set(SYSTEMS)
    if unknown:
        parser.error(f"unknown systems: {', '.join(sorted(unknown))}; known: {', '.join(SYSTEMS)}")
    loaded = load_longmemeval(path) if given.longmemeval else (one for one in load(given.data) if not one.tuning)
    systems = available(given.systems.split(","))
    with given.raw.open("w", encoding="utf-8") if given.raw else nullcontext() as raw:
        tally = asyncio.run(run(islice(loaded, given.first), systems, raw))
    columns = [f"{measure}@{cut}" for measure in ("any", "all", "ndcg") for cut in CUTS]
    table = Table("system", "questions", *columns, title="Sessions found")
    summaries: dict[str, Any] = {}
    for name in systems:
        if not tally[name, ""]:
            parser.error("there are no questions")
        total = mean(tally[name, ""])
        table.add_row(
            name, str(len(tally[name, ""])), *(f"{total[column]:.3f}".removeprefix("0") for column in columns)
        )
        categories = sorted({category for system, category in tally if system == name and category})
        summaries[name] = total | {"by_category": {each: mean(tally[name, each]) for each in categories}}
    Console(width=160).print(table)
    if given.json is not None:
        given.json.write_text(json.dumps(summaries, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
