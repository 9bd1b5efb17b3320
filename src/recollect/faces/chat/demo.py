"""The command `demo`: a scripted week in a small server, played in a memory of its own that is thrown away after.

Only what people say is scripted (`demo_week.yaml`); what comes of it is what the code makes of it.
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
from recollect.faces.chat.conversation import WORDS, Conversation, came_of, converse
from recollect.faces.chat.output import ChatOutput
from recollect.faces.chat.speaker import ChatSpeaker
from recollect.faces.cli.invocation import Invocation
from recollect.memory import AsyncMemory
from recollect.settings import load

SETTINGS = {"profile": "unified", "model": "local", "embedder": "null", "summary": {"trigger": "idle"}}
"""Offline and the same everywhere, whatever is configured."""
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
    """One thing that somebody says, to the others or to the assistant."""

    at: datetime
    voice: ChatSpeaker
    text: str
    asks: bool


@dataclass(frozen=True, slots=True)
class Scene:
    title: str
    about: str
    steps: Sequence[Step]


class WeekClock:
    """Shows the time of the script, and once that is over, runs on from there."""

    def __init__(self, clock: Clock = now) -> None:
        self._clock = clock
        self._ahead = timedelta()
        self._stands: datetime | None = None

    def __call__(self) -> datetime:
        return self._stands or self._clock() + self._ahead

    def set(self, moment: datetime) -> None:
        self._stands = moment

    def run(self) -> None:
        self._ahead, self._stands = self() - self._clock(), None


def demo(call: Invocation) -> None:
    """Play a week in a small server, then let you ask; keeps nothing."""
    if call.options.json:
        raise BadInput("--json and demo don't go together: a story is not one document")
    play(call)


def play(call: Invocation, then: str = "the end of the demo") -> None:
    """Play the week; with a person at a terminal slowly, and let them ask afterwards."""
    paper = ChatOutput(call.screen)
    asyncio.run(_play(paper, then if call.asks else None))


async def _play(paper: ChatOutput, then: str | None) -> None:
    clock = WeekClock()
    async with opened(clock) as memory:
        assistant = Assistant(memory, clock=clock, excuses=False)
        paper.say(OPENING)
        await tell(script(), memory, assistant, clock, paper, slowly=then is not None)
        if then is not None:
            clock.run()
            await _let_ask(memory, assistant, clock, paper, then)


async def _let_ask(memory: AsyncMemory, assistant: Assistant, clock: Clock, paper: ChatOutput, then: str) -> None:
    from recollect.faces.chat.terminal import Terminal

    paper.heading("Your turn")
    paper.say(YOUR_TURN.replace("{then}", then))
    talk = Conversation(memory, assistant, paper, ChatSpeaker("ann", Place(dm="ann")), clock=clock)
    await converse(talk, Terminal(None, WORDS), stoppable=True)


@asynccontextmanager
async def opened(clock: Clock) -> AsyncGenerator[AsyncMemory]:
    """A memory in a temporary folder; no setting of this machine reaches it."""
    with TemporaryDirectory(prefix="recollect-demo-") as folder:
        path = Path(folder)
        settings = path / "demo.yaml"
        settings.write_text(yaml.safe_dump(SETTINGS), "utf-8")
        loaded = load(env={}, file=settings, store=f"sqlite:///{path / 'memory.db'}", data_dir=path)
        async with AsyncMemory.from_settings(loaded, clock) as memory:
            yield memory


def script() -> list[Scene]:
    """The week as it is written down; every scene is a day."""
    told: dict[str, Any] = yaml.safe_load(
        resources.files("recollect.faces.chat").joinpath("demo_week.yaml").read_text("utf-8")
    )
    begins: date = told["begins"]
    return [
        Scene(scene["title"], scene["about"], [_step(one, begins + timedelta(days=day)) for one in scene["steps"]])
        for day, scene in enumerate(told["scenes"])
    ]


def _step(told: dict[str, Any], day: date) -> Step:
    text: str | Iterable[str] = told.get("asks") or told["says"]
    voice = ChatSpeaker(told["who"], Place(dm=told["who"])).entering(told["in"])
    at = datetime.combine(day, time.fromisoformat(told["at"]), UTC)
    return Step(at, voice, text if isinstance(text, str) else "".join(text), "asks" in told)


async def tell(
    scenes: Sequence[Scene],
    memory: AsyncMemory,
    assistant: Assistant,
    clock: WeekClock,
    paper: ChatOutput,
    *,
    slowly: bool,
) -> None:
    """Play the scenes and show what comes of each step."""
    for scene in scenes:
        paper.heading(scene.title)
        paper.quiet(scene.about)
        await asyncio.sleep(1.0 if slowly else 0.0)
        for step in scene.steps:
            clock.set(step.at)
            await memory.worker.wait_idle()  # what fell due meanwhile
            await _do(step, memory, assistant, paper)
            await asyncio.sleep(_reading(step) if slowly else 0.0)


def _reading(step: Step) -> float:
    """Seconds to read what was said and what came of it."""
    return min(2.5, 0.8 + len(step.text) / 60)


async def _do(step: Step, memory: AsyncMemory, assistant: Assistant, paper: ChatOutput) -> None:
    voice = step.voice
    message = Message(f"{step.at:%a-%H%M}", voice.user, voice.place, step.text, step.at, name=voice.user)
    paper.said(f"{step.at:%H:%M} {voice.user} in {voice.where}", step.text)
    if step.asks:
        await _ask(message, assistant, paper)
    else:
        await memory.add(message)
    for line in await _outcome(message, memory):
        paper.quiet(f"{INDENT}{line}")


async def _ask(message: Message, assistant: Assistant, paper: ChatOutput) -> None:
    with paper.reply(INDENT) as show:
        reply = await assistant.reply(message, show)
        if reply.order is not None:
            show(reply.text)
    if reply.order is None:
        await assistant.said(reply.text, message, f"{message.id}-reply")


async def _outcome(message: Message, memory: AsyncMemory) -> list[str]:
    """What was learned or refused, and what is kept of the words if that is not all of them."""
    await memory.worker.wait_idle()
    kept = await memory.store.read(lambda tx: tx.messages.get(message.place.platform, message.id))
    lines = came_of(message, await memory.wait_learned(message))
    return [*lines, f"kept as: {kept.text}"] if kept is not None and kept.text != message.text else lines
