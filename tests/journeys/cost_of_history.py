"""What a message and a question cost as the history grows: exact counts of the statements for the store and of the rows
that are read, which are the same on a busy machine.

`python -m tests.journeys.cost_of_history` measures 12,000 messages of six people in three channels. Each says much the
same, in the same few words: all that is compared and looked up is as large as it gets.
"""

import argparse
import asyncio
from dataclasses import dataclass

from recollect import AsyncMemory
from recollect.core.types import Message, Place
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.journeys.server_run import THINGS, Meter
from tests.scenes import at_once

SPEAKERS, WORDS = 6, 8
CHANNELS = [Place("discord", "g1", f"c{number}", name=f"c{number}", public=True) for number in range(3)]
SETTLED = 50
"""Messages after which all that is due is learned."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Per message, the average of a window; per question, that at its end."""

    messages: int
    statements: float
    rows: float
    question_statements: int
    question_rows: int

    def __str__(self) -> str:
        return (
            f"{self.messages:,} messages: {self.statements:.1f} statements and {self.rows:.1f} rows per message, "
            f"{self.question_statements} and {self.question_rows:,} per question"
        )


async def measure(messages: int, window: int) -> list[Cost]:
    clock, model, costs = FakeClock(), FakeModel(), list[Cost]()
    settings = at_once({"embedder": "null", "summary": {"enabled": False}})
    with Meter() as meter:
        async with AsyncMemory(ground.new(), clock=clock, model=model, **settings) as memory:
            before = meter.statements, meter.rows
            for number in range(messages):
                await memory.add(_message(number, clock))
                clock.advance(minutes=2)
                if (number + 1) % SETTLED == 0:
                    assert await memory.worker.wait_idle(120)
                    model.inputs.clear()
                if (number + 1) % window == 0:
                    said = meter.statements - before[0], meter.rows - before[1]
                    before = meter.statements, meter.rows
                    await memory.context(f"do I like {THINGS[1]} or {THINGS[2]}?", user="u1", place=CHANNELS[0])
                    asked = meter.statements - before[0], meter.rows - before[1]
                    costs.append(Cost(number + 1, said[0] / window, said[1] / window, *asked))
                    before = meter.statements, meter.rows
    return costs


def _message(number: int, clock: FakeClock) -> Message:
    user, place = f"u{number % SPEAKERS}", CHANNELS[number % len(CHANNELS)]
    text = f"I like the {THINGS[number % WORDS]} zq{number}zq"
    return Message(f"m{number}", user, place, text, clock(), name=user)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=12_000)
    parser.add_argument("--window", type=int, default=1000)
    options = parser.parse_args()
    for cost in asyncio.run(measure(options.messages, options.window)):
        print(cost)


if __name__ == "__main__":
    main()
