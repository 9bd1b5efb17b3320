"""`python -m bench.recall.languages [--embedder NAME]…`: recall in other languages than English.

Everything said is stored as messages and asked for through the public API. `mixed` has several languages in one
conversation, `across` asks in English for what was said in others, which words alone can't find. The questions are
ours; they ask in other forms of the words, and partly in other words.
"""

import argparse
import asyncio
import json
import statistics
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from recollect import AsyncMemory, Message, Place

QUESTIONS = Path(__file__).with_suffix(".yaml")
LIMIT = 5
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


async def ranks(lines: list[str], questions: list[list[str]], embedder: str) -> list[int | None]:
    """The place of each answer among the first results."""
    place, found = Place(dm="ann"), []
    async with AsyncMemory(
        "sqlite://", embedder=embedder, run_worker=False, clock=lambda: START + timedelta(days=30)
    ) as memory:
        for number, text in enumerate(lines):
            await memory.add(Message(f"m{number}", "ann", place, text, START + timedelta(minutes=number), name="Ann"))
        await memory.vectors.fill()
        for question, expected in questions:
            hits = await memory.search(question, user="ann", place=place, over="messages", limit=LIMIT)
            found.append(next((rank for rank, hit in enumerate(hits, 1) if expected in hit.text), None))
    return found


def summary(places: list[int | None]) -> dict[str, float]:
    return {
        "questions": len(places),
        **{f"share@{cut}": statistics.fmean(rank is not None and rank <= cut for rank in places) for cut in (1, 3, 5)},
        "mrr": statistics.fmean(1 / rank if rank else 0.0 for rank in places),
    }


def main() -> int:
    parser = argparse.ArgumentParser("bench.recall.languages", description=__doc__)
    parser.add_argument("--embedder", action="append", help="may be repeated; default: null and static")
    parser.add_argument("--json", type=Path, help="write the figures and the rank of every answer here")
    parser.add_argument("--misses", action="store_true", help="list the questions whose answer is not the first")
    given = parser.parse_args()
    sets: dict[str, Any] = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    console, written = Console(), []
    table = Table("embedder", "language", "questions", "share@1", "share@3", "share@5", "mrr")
    for embedder in given.embedder or ["null", "static"]:
        for language, content in sets.items():
            places = asyncio.run(ranks(content["said"], content["questions"], embedder))
            figures = summary(places)
            table.add_row(embedder, language, *(f"{value:.3g}" for value in figures.values()))
            written.append({"embedder": embedder, "language": language, "ranks": places, **figures})
            for (question, expected), rank in zip(content["questions"], places, strict=True):
                if given.misses and rank != 1:
                    console.print(f"{embedder} {language} {rank}: {question} → {expected}", markup=False)
    console.print(table)
    if given.json is not None:
        given.json.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
