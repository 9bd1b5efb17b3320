"""What is proposed from real chats, where a data set lies at hand: counts by kind, and a sample for a person to judge.

Data sets are in the plain form of `bench.recall`. Nothing of them is stored but counts.
"""

import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.extract.corpus import SAID
from recollect.core.ports import ExtractionInput, Model, Proposal
from recollect.core.types import Message, Place
from recollect.policy.guard.verdicts import Refused, check
from recollect.policy.redaction import redact

HALVES = ("tuned", "unseen")


@dataclass(frozen=True, slots=True)
class Learned:
    """One thing that would be learned, with the message that it came from."""

    proposal: Proposal
    message: Message


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one half of a data set."""

    messages: int
    learned: tuple[Learned, ...]
    refused: int
    took: float

    def by_kind(self) -> dict[str, int]:
        return dict(sorted(Counter(each.proposal.kind for each in self.learned).items()))


def is_data(folder: Path) -> bool:
    return (folder / "documents.jsonl").exists()


def messages(folder: Path, half: str) -> list[Message]:
    """What people said in the first or the second half of the conversations, by name; assistants are left out."""
    rows = [json.loads(line) for line in (folder / "documents.jsonl").read_text("utf-8").splitlines() if line.strip()]
    names = sorted({str(row["conversation"]) for row in rows}, key=_natural)
    middle = (len(names) + 1) // 2
    wanted = set(names[:middle] if half == "tuned" else names[middle:])
    return [_message(row) for row in rows if str(row["conversation"]) in wanted and row.get("speaker") != "assistant"]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.findall(r"\d+|\D+", name)]


def _message(row: dict[str, Any]) -> Message:
    name = str(row.get("speaker") or "someone")
    author = f"{row['conversation']}/{name}"
    at = datetime.fromisoformat(row["time"]) if row.get("time") else SAID
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return Message(f"{row['conversation']}/{row['id']}", author, Place(dm=author), redact(row["text"]).text, at, name)


def read(model: Model, said: Sequence[Message]) -> Reading:
    """Every message the whole way, each by itself; what a person says twice counts once."""

    async def each() -> list[tuple[Message, tuple[Proposal, ...]]]:
        return [(one, tuple((await model.extract(ExtractionInput([one]))).proposals)) for one in said]

    start = time.perf_counter()
    proposed = asyncio.run(each())
    took = time.perf_counter() - start
    made = [Learned(each, one) for one, proposals in proposed for each in proposals]
    passed = [each for each in made if not isinstance(check(each.proposal, [each.message], []), Refused)]
    return Reading(len(said), tuple(_once(passed)), len(made) - len(passed), took)


def _once(learned: Iterable[Learned]) -> Iterator[Learned]:
    seen: set[tuple[str, str]] = set()
    for each in learned:
        key = (each.message.author, each.proposal.text.casefold())
        if key not in seen:
            seen.add(key)
            yield each


def sample(reading: Reading, size: int, seed: int) -> list[Learned]:
    """The same few for the same seed."""
    few = random.Random(seed).sample(range(len(reading.learned)), min(size, len(reading.learned)))
    return [reading.learned[place] for place in sorted(few)]
