"""The command `demo`: a scripted week in a small server, played in a temporary memory.

Only what people say is scripted (`demo_week.yaml`); the rest happens as in real use.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from recollect.core.clock import Clock, now
from recollect.core.errors import BadInput
from recollect.core.types import Message, Place
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.chat.conversation import COMPLETIONS, Conversation, converse, describe_learned
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.cli.invocation import Invocation
from recollect.memory import AsyncMemory
from recollect.settings import load

SETTINGS = {"profile": "unified", "model": "local", "embedder": "null", "summary": {"trigger": "idle"}}
"""Offline and reproducible; independent of the configuration."""
INDENT = " " * 6
OPENING = """\
A week in a small server, in about a minute. It plays in a temporary memory,
without a model or a network, and touches nothing of yours. Only what people say
is written beforehand; the rest happens as it would for you. Ctrl-C ends it."""
YOUR_TURN = """\
You are in the same server now: ask what you like. /as ben, /in #general and /dm
change who speaks where, !memory show shows what is known, /why explains.
/quit or Ctrl-D goes on to {then}."""


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the script, to the others or to the assistant."""

    at: datetime
    speaker: ChatSpeaker
    text: str
    to_assistant: bool


@dataclass(frozen=True, slots=True)
class Day:
    title: str
    about: str
    steps: Sequence[Step]


class WeekClock:
    """The time of the script; after `run` it advances from there."""

    def __init__(self, clock: Clock = now) -> None:
        self._clock = clock
        self._offset = timedelta()
        self._fixed: datetime | None = None

    def __call__(self) -> datetime:
        return self._fixed or self._clock() + self._offset

    def set(self, time: datetime) -> None:
        self._fixed = time

    def run(self) -> None:
        self._offset, self._fixed = self() - self._clock(), None


def demo(call: Invocation) -> None:
    """Play a week in a small server, then answer your questions; keeps nothing."""
    if call.options.json:
        raise BadInput("--json and demo don't go together: a story is not one document")
    play(call)


def play(call: Invocation, then: str = "the end of the demo") -> None:
    """Play the week; with a person at a terminal slowly, and let them ask afterwards."""
    output = ChatOutput(call.screen)
    asyncio.run(_play(output, then if call.is_interactive else None))


async def _play(output: ChatOutput, then: str | None) -> None:
    clock = WeekClock()
    async with open_demo_memory(clock) as memory:
        assistant = Assistant(memory, clock=clock, explains_offline=False)
        output.say(OPENING)
        await play_days(script(), memory, assistant, clock, output, slowly=then is not None)
        if then is not None:
            clock.run()
            await _let_user_ask(memory, assistant, clock, output, then)


async def _let_user_ask(memory: AsyncMemory, assistant: Assistant, clock: Clock, output: ChatOutput, then: str) -> None:
    from recollect.faces.chat.terminal import Terminal

    output.heading("Your turn")
    output.say(YOUR_TURN.replace("{then}", then))
    conversation = Conversation(memory, assistant, output, ChatSpeaker("ann", Place(dm="ann")), clock=clock)
    await converse(conversation, Terminal(None, COMPLETIONS), stoppable=True)


@asynccontextmanager
async def open_demo_memory(clock: Clock) -> AsyncGenerator[AsyncMemory]:
    """A memory in a temporary folder, independent of this machine's settings."""
    with TemporaryDirectory(prefix="recollect-demo-") as folder:
        path = Path(folder)
        settings = path / "demo.yaml"
        settings.write_text(yaml.safe_dump(SETTINGS), "utf-8")
        loaded = load(env={}, file=settings, store=f"sqlite:///{path / 'memory.db'}", data_dir=path)
        async with AsyncMemory.from_settings(loaded, clock) as memory:
            yield memory


def script() -> list[Day]:
    """The scripted week, day by day."""
    source: dict[str, Any] = yaml.safe_load(
        resources.files("recollect.faces.chat").joinpath("demo_week.yaml").read_text("utf-8")
    )
    begins: date = source["begins"]
    return [
        Day(
            scene["title"],
            scene["about"],
            [_step(step, begins + timedelta(days=index)) for step in scene["steps"]],
        )
        for index, scene in enumerate(source["scenes"])
    ]


def _step(source: dict[str, Any], day: date) -> Step:
    text: str | Iterable[str] = source.get("asks") or source["says"]
    speaker = ChatSpeaker(source["who"], Place(dm=source["who"])).moved_to(source["in"])
    at = datetime.combine(day, time.fromisoformat(source["at"]), UTC)
    return Step(at, speaker, text if isinstance(text, str) else "".join(text), "asks" in source)


async def play_days(
    days: Sequence[Day],
    memory: AsyncMemory,
    assistant: Assistant,
    clock: WeekClock,
    output: ChatOutput,
    *,
    slowly: bool,
) -> None:
    """Play the days and print the outcome of each step."""
    for day in days:
        output.heading(day.title)
        output.quiet(day.about)
        await asyncio.sleep(1.0 if slowly else 0.0)
        for step in day.steps:
            clock.set(step.at)
            await memory.worker.wait_idle()  # jobs that became due meanwhile
            await _play_step(step, memory, assistant, output)
            await asyncio.sleep(_reading_seconds(step) if slowly else 0.0)


def _reading_seconds(step: Step) -> float:
    """Time to read a message and its outcome."""
    return min(2.5, 0.8 + len(step.text) / 60)


async def _play_step(step: Step, memory: AsyncMemory, assistant: Assistant, output: ChatOutput) -> None:
    speaker = step.speaker
    message = Message(f"{step.at:%a-%H%M}", speaker.user, speaker.place, step.text, step.at, name=speaker.user)
    output.message(f"{step.at:%H:%M} {speaker.user} in {speaker.place_name}", step.text)
    if step.to_assistant:
        await _ask(message, assistant, output)
    else:
        await memory.add(message)
    for line in await _outcome(message, memory):
        output.quiet(f"{INDENT}{line}")


async def _ask(message: Message, assistant: Assistant, output: ChatOutput) -> None:
    with output.reply(INDENT) as show:
        reply = await assistant.reply(message, show)
        if reply.command_answer is not None:
            show(reply.text)
    if reply.command_answer is None:
        await assistant.record_reply(reply.text, message, f"{message.id}-reply")


async def _outcome(message: Message, memory: AsyncMemory) -> list[str]:
    """What was learned or refused, and the stored text if it differs from what was said."""
    await memory.worker.wait_idle()
    stored = await memory.timeline.message(message.place.platform, message.id)
    lines = describe_learned(message, await memory.wait_learned(message))
    return [*lines, f"kept as: {stored.text}"] if stored is not None and stored.text != message.text else lines
