"""`python -m bench.recall.follow_ups [--json FILE]`: what is found for questions that lean on what was said before.

For each question a prompt is composed in a conversation: about something else first, then what the question leans on,
or, for one that stands alone, other talk. The prompt has room for three memories. `alone` is a search for the words of
the question only: what leaning questions gain by the conversation, and what the others must not lose by it.
"""

import argparse
import asyncio
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from rich.console import Console
from rich.table import Table

from recollect import AsyncMemory, Message, Place
from recollect.testing.clock import FakeClock

QUESTIONS = Path(__file__).with_suffix(".yaml")
ROOM = 3
"""Memories that a prompt has room for."""
START = datetime(2026, 3, 2, 9, tzinfo=UTC)

Tally = dict[tuple[str, str, str], list[bool]]
"""Whether each question's answer was found, by half, by sort of question and by way of asking."""


async def run(embedder: str) -> tuple[Tally, list[dict[str, Any]]]:
    tally: Tally = defaultdict(list)
    raw: list[dict[str, Any]] = []
    for place, world in enumerate(yaml.safe_load(QUESTIONS.read_text("utf-8"))):
        half = "reporting" if place % 2 else "tuning"
        for sort in ("leaning", "standalone"):
            for number, (said, question, expected) in enumerate(world[sort]):
                before = _exchange(world["memos"], *world[sort][number - 1])
                talk = [*before, *said]
                shown, alone = await _ask(world["memos"], talk, question, embedder, f"{place}-{sort}-{number}")
                ways = {"prompt": expected in shown, "alone": expected in alone}
                raw.append(
                    {"half": half, "sort": sort, "said": said, "question": question, "expected": expected, **ways}
                )
                for way, is_found in ways.items():
                    tally[half, sort, way].append(is_found)
                    tally["all", sort, way].append(is_found)
    return tally, raw


def _exchange(memos: list[str], said: list[str], question: str, expected: str) -> list[str]:
    """Another talk, with the answer that its question got."""
    return [*said, question, next(memo for memo in memos if expected in memo)]


async def _ask(memos: list[str], said: list[str], question: str, embedder: str, user: str) -> tuple[str, str]:
    """The memories of the prompt for a question, and those that a search for its words finds, as text."""
    clock = FakeClock(START)
    settings: dict[str, Any] = {"memos": {"inject_max_items": ROOM}, "past": {"max_messages": 0}}
    async with AsyncMemory("sqlite://", clock=clock, embedder=embedder, run_worker=False, **settings) as memory:
        place = Place(dm=user)
        await memory.remember(memos, user=user)
        clock.advance(days=3)
        for message in _messages([*said, question], place, clock):
            await memory.add(message)
            last = message
        await memory.vectors.fill()
        prompt = await memory.context(last, place=place)
        sections = [section for section in prompt.sections if section.name in ("durable", "relevant")]
        hits = await memory.search(question, user=user, limit=ROOM)
    lines = [line.text for section in sections for line in section.lines if not line.is_notice]
    assert len(lines) <= ROOM
    return "\n".join(lines), "\n".join(hit.text for hit in hits)


def _messages(texts: list[str], place: Place, clock: FakeClock) -> Iterator[Message]:
    for number, text in enumerate(texts):
        bot = number % 2 == 1
        yield Message(f"m{number}", "rec" if bot else str(place.dm), place, text, clock(), bot=bot)
        clock.advance(minutes=1)


def main() -> int:
    parser = argparse.ArgumentParser("bench.recall.follow_ups", description=__doc__)
    parser.add_argument("--embedder", default="static", help="default: %(default)s; null is words only")
    parser.add_argument("--json", type=Path, help="write every question and whether it was answered here")
    parser.add_argument("--misses", action="store_true", help="list the questions that were not answered")
    given = parser.parse_args()
    tally, raw = asyncio.run(run(given.embedder))
    console = Console()
    table = Table("half", "questions", "number", "prompt", "alone", title="Answer among the memories of a prompt")
    for half in ("tuning", "reporting", "all"):
        for sort in ("leaning", "standalone"):
            prompt, alone = tally[half, sort, "prompt"], tally[half, sort, "alone"]
            shares = (f"{statistics.fmean(way):.3f}".removeprefix("0") for way in (prompt, alone))
            table.add_row(half, sort, str(len(prompt)), *shares)
    console.print(table)
    for row in raw if given.misses else ():
        if not row["prompt"]:
            console.print(f"{row['sort']}: {row['said'][0]} / {row['question']} → {row['expected']}", markup=False)
    if given.json is not None:
        given.json.write_text(json.dumps(raw, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
