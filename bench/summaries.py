"""`python -m bench.summaries [--real DIR …] [--turns 5] [--show]`: summaries without a language model.

How long they are beside what was said (in characters, each summary with what it covers), and how many of the decisions,
action items and answered questions of `summaries.yaml` they keep. `BEFORE` is what the first summarizer came to, which
picked sentences until its limit was full.
"""

import argparse
import asyncio
import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from bench.extract.corpus import SAID
from recollect.core.types import Message, Place
from recollect.learning.summarize import SummaryOptions, exchanges
from recollect.models.local import LocalModel

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LABELS = Path(__file__).with_suffix(".yaml")
MAX_SHARE = 0.4
BEFORE = {
    "labelled": "median 104%, over 40%: 100%; kept: decisions 9 of 9, actions 11 of 11, questions 1 of 13; filler 20",
    "locomo": "apart median 104%, p95 114%, over 40%: 100%; rolling p95 50%, over 40%: 6.1%",
    "long-chats": "apart median 10%, p95 16%, over 40%: 0%",
}


@dataclass
class Lengths:
    """Characters of summaries as shares of what they cover."""

    shares: list[float] = field(default_factory=list[float])
    empty: int = 0

    def add(self, summary: str, covered: int) -> None:
        self.shares.append(len(summary) / max(1, covered))
        self.empty += not summary

    def __str__(self) -> str:
        ranked = sorted(self.shares)
        over = sum(share > MAX_SHARE for share in ranked) / len(ranked)
        p95 = ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))]
        return (
            f"{len(ranked):5} summaries, median {statistics.median(ranked):.0%}, p95 {p95:.0%}, "
            f"over {MAX_SHARE:.0%}: {over:.1%}, empty {self.empty / len(ranked):.1%}"
        )


def summarize(messages: Sequence[Message], previous: str = "") -> str:
    """The next summary, as the job makes it: pieces of one model call each."""
    options, model = SummaryOptions(), LocalModel(SummaryOptions().assistant)
    for exchange in exchanges(messages, options.reply_chars, options.assistant):
        generated = asyncio.run(model.summarize(previous or None, exchange, options.limit))
        previous = generated.text or previous
    return previous


def conversations(folder: Path) -> Iterator[list[Message]]:
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text("utf-8").splitlines() if line.strip()]
    for _, conversation in groupby(rows, key=lambda row: row["conversation"]):
        yield [_message(str(row.get("speaker") or "someone"), row["text"], row["id"]) for row in conversation]


def _message(speaker: str, text: str, number: object) -> Message:
    is_bot = speaker.lower() in ("assistant", "bot")
    return Message(str(number), speaker, Place(dm="bench"), text, SAID, speaker, bot=is_bot)


def measure(folder: Path, turns: int) -> tuple[Lengths, Lengths]:
    """Summaries of a few turns each, and of whole conversations, renewed every few turns."""
    apart, rolling = Lengths(), Lengths()
    for conversation in conversations(folder):
        summary, covered = "", 0
        for start in range(0, len(conversation), 2 * turns):
            window = conversation[start : start + 2 * turns]
            said = sum(len(message.text) for message in window)
            apart.add(summarize(window), said)
            summary, covered = summarize(window, summary), covered + said
            rolling.add(summary, covered)
    return apart, rolling


def labelled(show: bool) -> tuple[Lengths, dict[str, tuple[int, int]], int]:
    """Lengths, what was kept of what should be, by kind, and how much was said that never should be."""
    lengths, unwanted = Lengths(), 0
    kept: dict[str, list[bool]] = {"decisions": [], "actions": [], "questions": []}
    for entry in yaml.safe_load(LABELS.read_text("utf-8")):
        summary, said = _of_labelled(entry)
        lengths.add(summary, said)
        for kind in ("decisions", "actions"):
            kept[kind] += [part in summary for part in entry[kind]]
        pairs = ((question, answer) for question, answer in entry["questions"])
        kept["questions"] += [
            any(question in line and answer in line for line in summary.splitlines()) for question, answer in pairs
        ]
        unwanted += sum(part in summary for part in entry["never"])
        if show:
            print(f"--- {entry['name']}: {len(summary) / said:.0%}\n{summary}\n")
    return lengths, {kind: (sum(found), len(found)) for kind, found in kept.items()}, unwanted


def _of_labelled(entry: dict[str, Any]) -> tuple[str, int]:
    lines = [line.split(": ", 1) for line in entry["chat"]]
    messages = [_message(speaker, text, number) for number, (speaker, text) in enumerate(lines)]
    return summarize(messages), sum(len(message.text) for message in messages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real", type=Path, nargs="*", default=[DATA / "locomo", DATA / "long-chats"])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print the summaries of the labelled chats")
    options = parser.parse_args()
    lengths, kept, unwanted = labelled(options.show)
    print(f"labelled            {lengths}")
    print("                    kept: " + ", ".join(f"{kind} {n} of {of}" for kind, (n, of) in kept.items()), end="; ")
    print(f"filler and repeated memory: {unwanted}")
    for folder in options.real:
        if not (folder / "documents.jsonl").exists():
            print(f"{folder} is skipped: no data set there")
            continue
        apart, rolling = measure(folder, options.turns)
        print(f"{folder.name:11} apart   {apart}\n{'':11} rolling {rolling}")
    for name, figures in BEFORE.items():
        print(f"before, {name}: {figures}")


if __name__ == "__main__":
    main()
