"""`python -m bench.calibration --data DIR`: what is called relevant, with and without an answer in memory.

Asked through the public API, as in `bench.recall`:

- **own**: the questions of a conversation, with evidence in it. Lost is the share of the evidence among the first
  results that is not called relevant.
- **other**: questions of other conversations. Nothing may be relevant; a person of the same name is counted apart.
- **swapped**: the same with the names replaced by those of this conversation, so that only the topic tells.
- **adversarial**: `unanswerable.jsonl`, about the right people and the wrong premise.

The small memories of `small.yaml` are asked as memos: whole, and in parts of one and four memos, of which those that
hold the answer count. Every other conversation and small memory, by order, was used to
fit the model in `recollect.recall.calibration`; the others are for reporting.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench.recall.dataset import Conversation, load
from bench.recall.measure import CUTS, store
from recollect import AsyncMemory, Place

FOREIGN_QUESTIONS = 150
"""Questions of other conversations that each conversation is asked."""
PARTS = (1, 4)
"""Memos of a memory that has just begun."""
SMALL = Path(__file__).parent / "small.yaml"
console = Console()

Counts = dict[tuple[str, str], list[float]]
"""Values by half and by what was measured: of each question 0 or 1, or a share."""


def foreign(conversation: Conversation, conversations: list[Conversation]) -> Iterator[tuple[str, str]]:
    """Questions of other conversations of the same half: "other" as they are, "swapped" with the names of this one."""
    speakers = sorted({document.speaker for document in conversation.documents if document.speaker})
    pairs = [
        (other, asked)
        for other in conversations
        if other is not conversation and other.tuning == conversation.tuning
        for asked in other.questions
    ]
    for other, asked in random.Random(conversation.name).sample(pairs, min(len(pairs), FOREIGN_QUESTIONS)):
        strangers = sorted({document.speaker for document in other.documents if document.speaker})
        is_namesake = any(name in asked.text for name in set(strangers) & set(speakers))
        yield "other, same name" if is_namesake else "other", asked.text
        if speakers and not set(strangers) & set(speakers):
            swapped = asked.text
            for stranger, speaker in zip(strangers, speakers, strict=False):
                swapped = re.sub(rf"\b{re.escape(stranger)}\b", speaker, swapped)
            yield "swapped", swapped


async def ask(conversation: Conversation, conversations: list[Conversation], lures: list[str], embedder: str) -> Counts:
    counts: Counts = defaultdict(list)
    half = "tuning" if conversation.tuning else "reporting"
    after = max(document.at for document in conversation.documents)
    async with AsyncMemory(
        "sqlite://", embedder=embedder, clock=lambda: after, run_worker=False, search={"max_limit": max(CUTS)}
    ) as memory:
        await store(memory, conversation)
        where = Place("bench", "guild", conversation.name, public=True)
        for asked in conversation.questions:
            hits = await memory.search(asked.text, user="bench", place=where, over="messages", limit=max(CUTS))
            for cut in CUTS:
                evidence = [hit for hit in hits[:cut] if hit.item.id in asked.evidence]
                lost = sum(not hit.relevant for hit in evidence) / len(asked.evidence)
                counts[half, f"own: evidence found @{cut}"].append(len(evidence) / len(asked.evidence))
                counts[half, f"own: evidence lost @{cut}"].append(lost)
        unanswerable = [*foreign(conversation, conversations), *(("adversarial", lure) for lure in lures)]
        for kind, question in unanswerable:
            hits = await memory.search(question, user="bench", place=where, over="messages", strict=True)
            counts[half, f"{kind}: something relevant"].append(float(bool(hits)))
    return counts


async def ask_small(number: int, small: dict[str, Any], embedder: str) -> Counts:
    counts: Counts = defaultdict(list)
    half = "reporting" if number % 2 else "tuning"
    async with AsyncMemory("sqlite://", embedder=embedder, run_worker=False) as memory:
        for text in small["memos"]:
            await memory.remember(text, user="ada")
        await memory.vectors.fill()
        for question, answer in small["answerable"].items():
            hits = await memory.search(question, user="ada")
            relevant = [hit for hit in hits if hit.relevant]
            counts[half, "small memory: answer first"].append(float(answer in hits[0].text))
            counts[half, "small memory: answer relevant"].append(float(any(answer in hit.text for hit in relevant)))
            counts[half, "small memory: memos called relevant"].append(len(relevant))
        for question in small["unanswerable"]:
            hits = await memory.search(question, user="ada", strict=True)
            counts[half, "small memory, unanswerable: something relevant"].append(float(bool(hits)))
        for size in PARTS:
            for start in range(0, len(small["memos"]), size):
                await ask_part(memory, f"{size}-{start}", small["memos"][start : start + size], small, counts, half)
    return counts


async def ask_part(
    memory: AsyncMemory, user: str, memos: list[str], small: dict[str, Any], counts: Counts, half: str
) -> None:
    name = "new memory" if len(memos) == 1 else "part of a memory"
    await memory.remember(memos, user=user)
    for question, answer in small["answerable"].items():
        if any(answer in text for text in memos):
            hits = await memory.search(question, user=user, strict=True)
            counts[half, f"{name}: answer relevant"].append(float(any(answer in hit.text for hit in hits)))
    for question in small["unanswerable"]:
        hits = await memory.search(question, user=user, strict=True)
        counts[half, f"{name}, unanswerable: something relevant"].append(float(bool(hits)))


async def run(folders: list[Path], embedder: str) -> dict[str, Counts]:
    results: dict[str, Counts] = {}
    for folder in folders:
        conversations = load(folder)
        lures = read_lures(folder / "unanswerable.jsonl")
        results[folder.name] = defaultdict(list)
        for conversation in track(conversations, folder.name, console=Console(stderr=True)):
            merge(results[folder.name], await ask(conversation, conversations, lures[conversation.name], embedder))
    results["small memories"] = defaultdict(list)
    for number, small in enumerate(yaml.safe_load(SMALL.read_text("utf-8"))):
        merge(results["small memories"], await ask_small(number, small, embedder))
    return results


def read_lures(path: Path) -> dict[str, list[str]]:
    lures: dict[str, list[str]] = defaultdict(list)
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        lures[str(row["conversation"])].append(row["question"])
    return lures


def merge(counts: Counts, others: Counts) -> None:
    for key, values in others.items():
        counts[key] += values


def show(name: str, counts: Counts) -> None:
    table = Table(title=name, header_style="bold")
    for column in ("", "tuning", "reporting", "questions"):
        table.add_column(column, justify="left" if not column else "right")
    for measured in dict.fromkeys(measured for _, measured in counts):
        halves = [counts[half, measured] for half in ("tuning", "reporting")]
        means = (f"{statistics.fmean(values):.3f}" if values else "-" for values in halves)
        table.add_row(measured, *means, str(sum(map(len, halves))))
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser("bench.calibration", description=__doc__)
    parser.add_argument("--data", type=Path, action="append", default=[], help="folder of a data set; may be repeated")
    parser.add_argument("--json", type=Path, help="write the figures here")
    parser.add_argument("--embedder", default="static", help="default: %(default)s; null is words only")
    given = parser.parse_args()
    folders = [folder for folder in given.data if (folder / "documents.jsonl").exists()]
    for folder in set(given.data) - set(folders):
        print(f"skipped: there is no data set in {folder}", file=sys.stderr)
    results = asyncio.run(run(folders, given.embedder))
    for name, counts in results.items():
        show(name, counts)
    if given.json is not None:
        figures = {
            name: {
                f"{half}: {measured}": round(statistics.fmean(values), 4)
                for (half, measured), values in counts.items()
                if values
            }
            for name, counts in results.items()
        }
        given.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
