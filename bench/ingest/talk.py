"""What is said in the benchmark, and models whose speed is known."""

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from bench.material import sentence
from recollect import Message, Place
from recollect.core.clock import now
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.testing.models import FakeModel

USERS, CHANNELS, GUILDS = 40, 8, 3


def places() -> list[Place]:
    return [Place("discord", f"g{n % GUILDS}", f"c{n}", name=f"channel {n}", public=True) for n in range(CHANNELS)]


def chatter(prefix: str, seed: int = 11) -> Iterator[Message]:
    """Endless talk of many users in a few channels; no two messages are the same."""
    rng, where, start = random.Random(seed), places(), now()
    number = 0
    while True:
        who = f"u{rng.randrange(USERS)}"
        at = start + timedelta(milliseconds=number)
        text = " ".join(sentence(rng, number) for _ in range(rng.choice([1, 1, 1, 2, 3])))
        yield Message(f"{prefix}{number}", who, rng.choice(where), text, at, who.title())
        number += 1


@dataclass
class Paced:
    """Learns every third message word for word, and takes as long for each as it is told; idle while it is held."""

    seconds: float
    going: asyncio.Event = field(default_factory=asyncio.Event)
    calls: int = 0

    async def learn(self, hearing: ExtractionInput) -> ExtractionResult:
        await self.going.wait()
        await asyncio.sleep(self.seconds)
        self.calls += 1
        told = hearing.messages[-1]
        if self.calls % 3:
            return ExtractionResult()
        return ExtractionResult((Proposal(told.text[:200], "fact", told.text[:200], told.id),))

    def model(self) -> FakeModel:
        return FakeModel(self.learn)
