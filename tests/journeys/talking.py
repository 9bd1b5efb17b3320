"""A process that talks, edits, deletes, remembers and forgets, and says on its output what it tries and what is done.

`python talking.py STORE RUN [STEPS]`: without steps it goes on until it is killed; with them it ends when each user
has done so much and nothing is left to learn. A line is `try` or `done`, what, whose, and a text or an id.
"""

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from itertools import count, islice

import recollect
from recollect import AsyncMemory, Message, Place
from recollect.core.clock import now
from recollect.core.outcomes import Forgotten
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.core.ports.jobs import Job
from recollect.testing.models import FakeModel, first_characters, propose_everything
from tests.scenes import at_once

USERS = ("ann", "bob", "cem", "dai")
PLACES = (
    Place("discord", "g1", "c-dev", name="dev", public=True),
    Place("discord", "g1", "c-staff", name="staff"),
    Place("discord", "g2", "c-lobby", name="lobby", public=True),
)
TURNS = 3
"""Turns between two summaries."""
LEASE = 0.5
MAX_DEATHS = 1_000
"""On a busy machine each of many processes may get no further than the same job before it is killed."""
REPLY = "I see."
SETTINGS = {
    "embedder": "null",
    "memos": {"max_active": None},
    "summary": {"every_n_turns": TURNS, "count_unanswered": False},
}


def fact(*of: object) -> str:
    """A statement unlike any other: its words are made of what it is the fact of."""
    letters = sha256(repr(of).encode()).hexdigest().translate(str.maketrans("0123456789", "ghijklmnop"))
    return f"I keep a {letters[:8]} named {letters[8:16]} near {letters[16:24]}"


async def unhurried(hearing: ExtractionInput) -> ExtractionResult:
    """Learn every message, but not at once: a process may well end meanwhile."""
    await asyncio.sleep(0.003)
    return propose_everything(hearing)


async def condensed(previous: str | None, exchange: str, limit: int) -> str:
    """The beginning of what people said; the replies are all alike, and no summary repeats itself."""
    await asyncio.sleep(0.003)
    said = [line for line in exchange.splitlines() if not line.endswith(f": {REPLY}")]
    return first_characters(previous, "\n".join(said) or REPLY, limit)


def opened(store: str):
    return recollect.AsyncMemory(store, model=FakeModel(unhurried, condensed), **at_once(SETTINGS))


def hurry(memory: AsyncMemory) -> None:
    """Free what a dead process held after half a second rather than half a minute, and blame no job for its death."""
    options = replace(memory.worker.options, lease=LEASE, poll_interval=0.05, max_attempts=MAX_DEATHS)
    memory.worker.options = options


async def unfinished(memory: AsyncMemory) -> list[Job]:
    """Jobs that are due, run, or were put aside."""
    jobs = await memory.store.read(lambda tx: tx.jobs.list(limit=1_000_000))
    return [job for job in jobs if job.state != "waiting" or job.due <= now()]


class User:
    """Speaks and changes their mind; which message meets which fate is a matter of its number."""

    def __init__(self, memory: AsyncMemory, name: str, run: str) -> None:
        self.memory = memory
        self.name = name
        self.run = run

    def message(self, number: int) -> Message:
        place = PLACES[number % len(PLACES)]
        text = fact(self.run, self.name, number)
        return Message(f"{self.run}-{self.name}-{number}", self.name, place, text, now(), self.name.title())

    def report(self, word: str, what: str, about: str) -> None:
        print(word, what, self.name, about, sep="\t", flush=True)

    async def talk(self, numbers: Iterator[int]) -> None:
        for number in numbers:
            await self.say(number)
            match number % 8:
                case 2:
                    await self.edit(number - 1)
                case 4:
                    await self.delete(number - 1)
                case 5:
                    await self.remember(number)
                case 6:
                    await self.forget("remembered", fact("remembered", self.run, self.name, number - 1))
                case 7:
                    await self.forget("learned", fact(self.run, self.name, number - 1))
                case _:
                    pass

    async def say(self, number: int) -> None:
        message = self.message(number)
        await asyncio.gather(self.memory.add(message), self.memory.add(message))
        self.report("done", "say", message.id)
        answer = Message(f"{message.id}-a", "bot", message.place, REPLY, now(), "Bot", bot=True, reply_to=message.id)
        await self.memory.add(answer)
        self.report("done", "say", answer.id)

    async def edit(self, number: int) -> None:
        message = self.message(number)
        self.report("try", "edit", message.id)
        await self.memory.message_edited("discord", message.id, fact("edited", message.id))
        self.report("done", "edit", message.id)

    async def delete(self, number: int) -> None:
        message = self.message(number)
        self.report("try", "delete", message.id)
        await self.memory.message_deleted("discord", message.id)
        self.report("done", "delete", message.id)

    async def remember(self, number: int) -> None:
        text = fact("remembered", self.run, self.name, number)
        await self.memory.remember(text, user=f"discord:{self.name}")
        self.report("done", "remember", text)

    async def forget(self, what: str, text: str) -> None:
        self.report("try", "forget", text)
        place = PLACES[0] if what == "learned" else None
        outcome = await self.memory.forget(text, user=f"discord:{self.name}", place=place)
        if isinstance(outcome, Forgotten):
            self.report("done", "forget", text)


async def main(store: str, run: str, steps: int | None = None) -> None:
    async with opened(store) as memory:
        hurry(memory)
        await asyncio.gather(*(User(memory, name, run).talk(islice(count(), steps)) for name in USERS))
        while await unfinished(memory):  # noqa: ASYNC110 - other processes tell us nothing
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else None))
