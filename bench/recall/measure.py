"""Store a conversation through `Memory.observe`, ask through `Memory.search`, and count what came back."""

import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import recollect
from bench.recall.dataset import Conversation
from recollect import AsyncMemory, Message, Place

CUTS = (5, 10, 20)


@dataclass
class Tally:
    """Results of one ranker: for each question what share of its evidence was found, and how soon."""

    shares: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))
    reciprocal: list[float] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(self, found: list[str], evidence: frozenset[str], milliseconds: float) -> None:
        for cut in CUTS:
            self.shares[cut].append(len(evidence.intersection(found[:cut])) / len(evidence))
        first = next((place for place, one in enumerate(found, 1) if one in evidence), None)
        self.reciprocal.append(1 / first if first else 0.0)
        self.milliseconds.append(milliseconds)

    def merge(self, other: "Tally") -> None:
        for cut in CUTS:
            self.shares[cut] += other.shares[cut]
        self.reciprocal += other.reciprocal
        self.milliseconds += other.milliseconds

    def summary(self) -> dict[str, float]:
        result: dict[str, float] = {"questions": len(self.reciprocal)}
        for cut in CUTS:
            shares = self.shares[cut]
            result[f"share@{cut}"] = statistics.fmean(shares)
            result[f"any@{cut}"] = statistics.fmean(share > 0 for share in shares)
            result[f"all@{cut}"] = statistics.fmean(share == 1 for share in shares)
        result["mrr"] = statistics.fmean(self.reciprocal)
        times = sorted(self.milliseconds)
        for percent in (50, 95, 99):
            result[f"p{percent}_ms"] = times[min(len(times) - 1, len(times) * percent // 100)]
        return result


async def store(memory: AsyncMemory, conversation: Conversation) -> None:
    """Every line becomes a message of one channel, each session a thread in it."""
    for document in conversation.documents:
        thread = document.session or None
        message = Message(
            id=document.id,
            author=document.speaker or "unknown",
            name=document.speaker,
            place=Place("bench", "guild", conversation.name, thread=thread, public=True),
            text=document.text,
            at=document.at,
        )
        await memory.add(message)
    await memory.vectors.fill()


async def measure(conversation: Conversation, embedder: str, rankers: Iterable[str]) -> dict[tuple[str, str], Tally]:
    """A tally for each ranker and category of question."""
    tallies: dict[tuple[str, str], Tally] = defaultdict(Tally)
    after = max(document.at for document in conversation.documents)
    async with recollect.AsyncMemory(
        "sqlite://", embedder=embedder, clock=lambda: after, search={"max_limit": max(CUTS)}, run_worker=False
    ) as memory:
        await store(memory, conversation)
        where = Place("bench", "guild", conversation.name, public=True)
        for ranker in rankers:
            for asked in conversation.questions:
                start = time.perf_counter()
                found = await memory.search(
                    asked.text, user="bench", place=where, over="messages", ranker=ranker, limit=max(CUTS)
                )
                took = (time.perf_counter() - start) * 1000
                tallies[ranker, asked.category].add([one.item.id for one in found], asked.evidence, took)
    return tallies
