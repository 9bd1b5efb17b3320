"""A conversation to tell: people and the assistant speak, time passes, and the prompt is asked for."""

import pickle
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import recollect
from recollect import AsyncMemory, Place, plugins
from recollect.core.events import Event
from recollect.core.ports import Layer
from recollect.core.types import Audience, Memo, Message, Origin, Summary
from recollect.engine import Engine
from recollect.policy.viewer import session_name
from recollect.prompting.assemble import Prompt
from recollect.prompting.compose import LAYERS_TIMEOUT_SECONDS
from recollect.testing.clock import FakeClock
from tests import ground

DEV = Place("discord", "g1", "c-dev", name="dev", public=True)
GENERAL = Place("discord", "g1", "c-general", name="general", public=True)
STAFF = Place("discord", "g1", "c-staff", name="staff")
THREAD = Place("discord", "g1", "c-dev", thread="t-1", name="release", public=True)
PRIVATE_THREAD = Place("discord", "g1", "c-dev", thread="t-2", name="secret", public=True, private_thread=True)
ELSEWHERE = Place("discord", "g2", "c-lobby", name="lobby", public=True)
DM = Place("discord", dm="ann", channel="dm-1")
AT_ONCE = {"extraction__trigger": "on_ingest"}
"""A model reads each message by itself, at once: what tests want that are not about batches."""
EVERY_PLACE = (DEV, GENERAL, STAFF, THREAD, PRIVATE_THREAD, ELSEWHERE, DM)


def at_once(settings: Mapping[str, object]) -> dict[str, object]:
    """The settings, with `AT_ONCE` unless a profile says when to learn."""
    return {**(AT_ONCE if settings.get("profile", "unified") == "unified" else {}), **settings}


class Stage:
    """A memory whose clock moves on by a minute with everything that is said."""

    def __init__(self, memory: AsyncMemory, clock: FakeClock) -> None:
        self.memory = memory
        self.clock = clock
        self.said = 0

    def message(self, text: str, user: str = "ann", place: Place = DEV, **how: object) -> Message:
        self.said += 1
        how = {"name": user.title(), **how}
        return Message(f"m{self.said}", user, place, text, self.clock(), **how)  # type: ignore[arg-type]

    async def say(self, text: str, user: str = "ann", place: Place = DEV, **how: object) -> Message:
        message = self.message(text, user, place, **how)
        await self.memory.add(message)
        self.clock.advance(minutes=1)
        return message

    async def reply(self, text: str, to: Message, **how: object) -> Message:
        return await self.say(text, "bot", to.place, bot=True, reply_to=to.id, **how)

    async def settle(self) -> None:
        """Let everything that is due be done."""
        assert await self.memory.worker.wait_idle(60)

    async def tell(self, text: str, user: str = "ann", place: Place = DEV, **how: object) -> Message:
        """Say something and let it be learned from."""
        message = await self.say(text, user, place, **how)
        await self.settle()
        return message

    async def known(self, user: str = "ann", place: Place | None = None) -> list[str]:
        """What is remembered of a user, newest first, as far as it may be heard in the place: their DM unless said."""
        shown = await self.memory.show(user=user, place=place or Place("discord", dm=user))
        return [memo.text for memo in shown.memos]

    async def events(self, kind: str) -> list[Event]:
        return [event for event in await self.memory.log(limit=1000) if event.kind == kind]

    async def remember(self, *texts: str, user: str = "ann", place: Place = DEV, **how: object) -> Memo:
        done = None
        for text in texts:
            done = await self.memory.remember(text, user=user, place=place, **how)  # type: ignore[arg-type]
            self.clock.advance(minutes=1)
        assert done is not None
        return done.memo

    async def learned(self, text: str, user: str = "ann", place: Place = DEV) -> Memo:
        """What was learned from a message travels no further than its audience."""
        return await self.remember(text, user=user, place=place, audience=place.audience, origin=Origin.DISCORD)

    async def summarise(self, text: str, place: Place = DEV, sequence: int = 1) -> None:
        by_user = self.memory.settings.summary.session_key == "user_channel"
        session = session_name(place, "ann" if by_user else None)
        summary = Summary(session, text, sequence, self.clock())
        await self.memory.store.write(lambda tx: tx.summaries.save(summary))
        self.clock.advance(minutes=1)

    async def prompt(self, text: str = "hello", user: str = "ann", place: Place = DEV, actions: str = "") -> Prompt:
        return await self.memory.context(self.message(text, user, place), actions=actions)

    def with_layers(self, layers: Mapping[str, Layer], deadline: float = LAYERS_TIMEOUT_SECONDS) -> "Stage":
        return self.with_parts(deadline, layers=layers)

    def with_parts(self, deadline: float = LAYERS_TIMEOUT_SECONDS, **changes: object) -> "Stage":
        """The same memory with other parts, such as a store that counts; it does no work in the background."""
        parts = replace(self.memory.engine.parts, worker=None, **changes)  # type: ignore[arg-type]
        memory = AsyncMemory(clock=self.clock)
        memory.use(Engine(parts, self.clock, deadline))
        return Stage(memory, self.clock)


@asynccontextmanager
async def opened(profile: str = "unified", store: str | None = None, **settings: object) -> AsyncIterator[Stage]:
    """A stage on a new memory; it learns in the background only when it is given a model to use."""
    clock = FakeClock()
    store = store or ground.new()
    folder = ground.folder(store)
    beside = {} if folder is None else {"data_dir": str(folder)}
    settings = {
        "embedder": "null",
        "profile": profile,
        "run_worker": not isinstance(settings.get("model", ""), str),
        **beside,
        **settings,
    }
    async with recollect.AsyncMemory(store, clock=clock, **at_once(settings)) as memory:
        yield Stage(memory, clock)


def content(value: object) -> str:
    """All that a value holds, with every field of what is in it: a memo prints as one short line."""
    return pickle.dumps(value).decode(errors="replace")  # strings are in there as UTF-8


def names(prompt: Prompt) -> list[str]:
    return [section.name for section in prompt.sections]


def lines(prompt: Prompt, name: str) -> list[str]:
    """The lines of one section; none when it is not there."""
    return [line.text for section in prompt.sections if section.name == name for line in section.lines]


def parsed(prompt: Prompt, layout: str) -> list[str]:
    """The sections that someone finds who only has the text: split at separators, named by the headers.

    Every line that looks like a header counts, wherever it stands.
    """
    headers = plugins.load("layouts", layout).headers
    found: list[str] = []
    for chunk in prompt.text.split("\n---\n"):
        heads = [line for line in chunk.splitlines() if line.strip() in headers.values()]
        found += [name for line in heads for name, header in headers.items() if header == line.strip()]
    return found


def channel_audience(place: Place) -> Audience:
    return Audience("channel", place.channel or "", place.guild or "")
