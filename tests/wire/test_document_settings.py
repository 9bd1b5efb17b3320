"""The settings of the documents, by their own names and under their own profiles: what each does to what is sent,
learned and written. The program finds them in its environment or its file, as it does for an operator.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from recollect import AsyncMemory
from recollect.app import make_model
from recollect.faces.assistant.assistant import Assistant
from recollect.testing.clock import FakeClock
from recollect.testing.embedding_server import EmbeddingServer
from recollect.testing.model_server import ModelServer, Request, Says
from tests.faces.assistant.test_assistant import Talk
from tests.faces.discord.scene import acting
from tests.faces.discord.test_memory_channel import channel_id, mirrored
from tests.journeys.test_documents import is_extraction, is_summary
from tests.scenes import DEV, GENERAL, Stage
from tests.wire.test_requests import block, section

LEARNED = {"evidence": "I live in Lisbon", "source": "m1", "text": "Lives in Lisbon.", "kind": "fact", "replaces": []}
POINTS = [f"Point {number} is settled." for number in range(150)]
SUMMARY = "Ann lives in Lisbon."
LONG = "and so on and so forth, as it was told by the fire on a long evening of that year; " * 5


def answer(request: Request) -> Says:
    if is_extraction(request):
        return Says(json.dumps({"upserts": [LEARNED], "deprecations": []}))
    if request.tools:
        return Says("I see.")
    return Says(" ".join(POINTS) if POINTS[0] in request.text else SUMMARY)


class Running(Talk):
    """The program in its folder: people talk to it, and what follows from that is done."""

    embeddings: EmbeddingServer

    async def turns(self, count: int) -> AsyncIterator[int]:
        for number in range(1, count + 1):
            await self.ask(f"I live in Lisbon, turn {number:02d}")
            await self.stage.settle()
            yield number

    def asked(self, kind: Callable[[Request], bool]) -> list[Request]:
        return [request for request in self.server.requests if kind(request)]

    @property
    def last(self) -> Request:
        return next(request for request in reversed(self.server.requests) if request.tools)


Run = Callable[[], AbstractAsyncContextManager[Running]]


@asynccontextmanager
async def running(profile: str, folder: Path, given: str, value: str | None) -> AsyncIterator[Running]:
    """A program that is given a variable, or a file where the setting is a key of one; None leaves it out."""
    async with ModelServer(answer) as server, EmbeddingServer() as embeddings:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            for name in ("ANTHROPIC", "OPENAI"):
                patch.setenv(f"{name}_API_KEY", "a-key")
            patch.setenv("ANTHROPIC_BASE_URL", server.root)
            patch.setenv("OPENAI_BASE_URL", server.url)
            patch.setenv("RECOLLECT_EMBEDDER_BASE_URL", embeddings.url)
            patch.setenv("RECOLLECT_PROFILE", profile)
            patch.setenv("RECOLLECT_MODEL", "opus")
            if given.startswith("DISCOCLAW_SHORTTERM"):
                patch.setenv("DISCOCLAW_SHORTTERM_MEMORY_ENABLED", "true")
            if value is not None and given.isupper():
                patch.setenv(given, value)
            elif value is not None:
                (folder / "recollect.yaml").write_text(given.replace("VALUE", value))
            elif given == "DISCOCLAW_SHORTTERM_MEMORY_ENABLED":
                patch.delenv(given)
            clock = FakeClock()
            async with AsyncMemory(clock=clock) as memory:
                chat: Any = make_model(memory.settings.model, "")
                assistant = Assistant(memory, chat, name="Rec", clock=clock)
                talk = Running(Stage(memory, clock), server, assistant, chat)
                talk.embeddings = embeddings
                try:
                    yield talk
                finally:
                    await chat.close()


async def history_chars(run: Run) -> int:
    async with run() as talk:
        for number in range(8):
            await talk.ask(f"thought {number} {'long ' * 100}")
        return len(section(talk.last, "Recent conversation:"))


async def history_lines(run: Run) -> int:
    async with run() as talk:
        for number in range(60):
            await talk.stage.say(f"thought {number}", "bob")
        await talk.ask("what of it?")
        return len(section(talk.last, "Recent conversation:").splitlines())


async def first_turn(run: Run, kind: Callable[[Request], bool]) -> int | None:
    """After which of twelve turns the model is first asked to learn or to summarize."""
    async with run() as talk:
        async for number in talk.turns(12):
            if talk.asked(kind):
                return number
    return None


async def models(run: Run, kind: Callable[[Request], bool]) -> tuple[set[str], set[str]]:
    """Which model was asked for that in twelve turns, and which replied."""
    async with run() as talk:
        async for _ in talk.turns(12):
            pass
        replied = {request.model for request in talk.server.requests if request.tools}
        return {request.model for request in talk.asked(kind)}, replied


async def learners(run: Run) -> list[set[str]]:
    """Which models are asked to learn after each of two replies."""
    asked: list[set[str]] = []
    async with run() as talk:
        before = 0
        async for _ in talk.turns(2):
            requests = talk.asked(is_extraction)
            asked.append({request.model for request in requests[before:]})
            before = len(requests)
    return asked


async def summary_chars(run: Run) -> int | None:
    """What the model is told to keep to, if the summary that is sent does so although the model did not."""
    async with run() as talk:
        for number in range(6):
            await talk.ask(" ".join(POINTS[30 * number : 30 * number + 30]) or "What is settled?")
            await talk.stage.settle()
        (limit,) = re.findall(r"under (\d+) characters", talk.asked(is_summary)[0].instructions)
        return int(limit) if len(block(talk.last, "rolling")) in range(int(limit) - 100, int(limit) + 1) else None


async def remembers(run: Run) -> tuple[bool, bool]:
    """Whether a person may have something remembered, and whether it is sent."""
    async with run() as talk:
        told = await talk.ask("!memory remember I like tea")
        await talk.ask("what do I like, tea?")
        return told.startswith("Remembered"), "I like tea" in block(talk.last, "durable")


async def durable_chars(run: Run) -> int:
    async with run() as talk:
        await talk.stage.remember(*(f"Owns castle {number:02d} by the sea, {LONG}" for number in range(45)))
        await talk.ask("which castle by the sea do I own?")
        return len(block(talk.last, "durable"))


async def durable_lines(run: Run) -> int:
    async with run() as talk:
        await talk.stage.remember(*(f"Owns castle {number:02d} by the sea" for number in range(30)))
        await talk.ask("which castle by the sea do I own?")
        return block(talk.last, "durable").count("- [fact]")


async def kept(run: Run) -> int:
    async with run() as talk:
        await talk.stage.remember(*(f"Owns castle {number:02d} by the sea" for number in range(203)))
        return len((await talk.stage.memory.list(user="ann", place=DEV, statuses="any", limit=300)).memos)


async def reach_the_model(run: Run) -> bool:
    async with run() as talk:
        await talk.ask("!memory show")
        return bool(talk.server.requests)


async def learns(run: Run) -> list[str]:
    async with run() as talk:
        async for _ in talk.turns(1):
            pass
        return await talk.stage.known(place=DEV)


async def in_use(run: Run) -> tuple[bool, bool]:
    """Whether the model is offered the tool, and whether a person may have something remembered."""
    async with run() as talk:
        await talk.ask("hello")
        offered = "memory" in {tool["name"] for tool in talk.last.tools}
        return offered, (await talk.ask("!memory remember I like tea")).startswith("Remembered")


def exchanges(talk: Running) -> list[str]:
    return block(talk.last, "shortterm").splitlines()


async def exchange_lines(run: Run) -> int:
    async with run() as talk:
        for number in range(25):
            await talk.ask(f"q{number:02d}?")
        await talk.ask("what was I doing?", place=GENERAL)
        return len(exchanges(talk))


async def exchange_chars(run: Run) -> int:
    async with run() as talk:
        for number in range(12):
            await talk.ask(f"{number:02d} {LONG}")
        await talk.ask("what was I doing?", place=GENERAL)
        return sum(map(len, exchanges(talk)))


async def exchange_hours(run: Run) -> int:
    """For how many hours an exchange is sent."""
    async with run() as talk:
        await talk.ask("does the deploy work?")
        for hours in range(1, 12):
            talk.stage.clock.advance(minutes=58)
            await talk.ask("what was I doing?", "bob", GENERAL)
            if not [line for line in exchanges(talk) if "deploy" in line]:
                return hours - 1
    return 12


async def folder_of(run: Run, words: str, ending: str) -> set[str]:
    """The folders in which these words were written."""
    async with run() as talk:
        await talk.stage.memory.remember("I like tea", user="ann", place=DEV)
        async for _ in talk.turns(5):
            pass
        await talk.stage.memory.mirror.catch_up()
        files = {path: path.read_text("utf-8") for path in Path.cwd().rglob(f"*.{ending}")}
        return {path.parent.relative_to(Path.cwd()).as_posix() for path, text in files.items() if words in text}


async def database(run: Run) -> list[str]:
    async with run():
        return [path.relative_to(Path.cwd()).as_posix() for path in Path.cwd().rglob("*.db")]


async def embedding_models(run: Run) -> set[str]:
    async with run() as talk:
        await talk.stage.memory.remember("I like tea", user="ann", place=DEV)
        await talk.stage.memory.vectors.fill()
        await talk.ask("what do I like to drink?")
        return {request.model for request in talk.embeddings.requests}


class Counting:
    """A layer that counts how often it is asked."""

    asked = 0

    async def blocks(self, request: object) -> list[Any]:
        del request
        self.asked += 1
        return []


async def lookups(run: Run) -> int:
    """How often memory is searched for two prompts, a minute apart, between which nothing happens."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RECOLLECT_EMBEDDER", "null")  # a prompt without the vector that it waited for is not kept
        return await _lookups(run)


async def _lookups(run: Run) -> int:
    async with run() as talk:
        layer = Counting()
        memory = talk.stage.with_layers({"counting": layer}).memory
        message = talk.stage.message("what do I like to drink?")
        # What goes on in the background writes, too, and a prompt is kept only until something is written.
        await talk.stage.memory.worker.close()
        await talk.stage.memory.engine.mirror.flush()
        await memory.context(message)
        asked = layer.asked
        talk.stage.clock.advance(minutes=1)
        await memory.context(message)
        refreshes = [task for task in asyncio.all_tasks() if task.get_name() == "recollect-cache"]
        await asyncio.gather(*refreshes)
        return 1 + layer.asked - asked


HAIKU, OPUS, MINE = "claude-haiku-4-5", "claude-opus-4-5", "gpt-x"
FIRST_SUMMARY, FIRST_EXTRACTION = partial(first_turn, kind=is_summary), partial(first_turn, kind=is_extraction)
SUMMARIZER, LEARNER = partial(models, kind=is_summary), partial(models, kind=is_extraction)
ROLLING_FOLDER = partial(folder_of, words=SUMMARY, ending="json")
DURABLE_FOLDER = partial(folder_of, words="I like tea", ending="json")
EXCHANGES_FOLDER = partial(folder_of, words="turn 02 | ", ending="json")
PAGES_FOLDER = partial(folder_of, words="I like tea", ending="md")
OTHER = "openai:gpt-x"
Observer = Callable[[Run], Awaitable[Any]]


def cases() -> Iterator[tuple[str, str, str, Observer, Any, str, Any]]:
    """Item, profile, name of the setting, what is observed, by default, and with another value."""
    for items, profile in ((("A58", "A59", "A60", "A61"), "discoclaw"), (("B57", "B58", "B59", "B60"), "dnam")):
        enabled, model, max_chars, every = items
        yield enabled, profile, "DISCOCLAW_SUMMARY_ENABLED", FIRST_SUMMARY, 5, "0", None
        yield model, profile, "DISCOCLAW_SUMMARY_MODEL", SUMMARIZER, ({HAIKU}, {OPUS}), OTHER, ({MINE}, {OPUS})
        yield max_chars, profile, "DISCOCLAW_SUMMARY_MAX_CHARS", summary_chars, 2_000, "900", 900
        yield every, profile, "DISCOCLAW_SUMMARY_EVERY_N_TURNS", FIRST_SUMMARY, 5, "7", 7
    for items, profile in ((("A62", "A63", "A64", "A65"), "discoclaw"), (("B62", "B66", "B67", "B69"), "dnam")):
        enabled, max_chars, max_items, commands = items
        yield enabled, profile, "DISCOCLAW_DURABLE_MEMORY_ENABLED", remembers, (True, True), "0", (False, False)
        yield (
            max_chars,
            profile,
            "DISCOCLAW_DURABLE_INJECT_MAX_CHARS",
            durable_chars,
            range(1_600, 2_001),
            "800",
            range(400, 801),
        )
        yield max_items, profile, "DISCOCLAW_DURABLE_MAX_ITEMS", kept, 200, "50", 50
        yield commands, profile, "DISCOCLAW_MEMORY_COMMANDS_ENABLED", reach_the_model, False, "0", True
    yield (
        "A57",
        "discoclaw",
        "DISCOCLAW_MESSAGE_HISTORY_BUDGET",
        history_chars,
        range(2_400, 3_001),
        "1200",
        range(600, 1_201),
    )
    yield (
        "A22",
        "discoclaw",
        "DISCOCLAW_SUMMARY_TO_DURABLE_ENABLED",
        learners,
        [set(), set()],
        "true",
        [{HAIKU}, {HAIKU}],
    )
    yield "A66", "discoclaw", "DISCOCLAW_SUMMARY_TO_DURABLE_ENABLED", learns, [], "true", ["Lives in Lisbon."]
    yield "A67", "discoclaw", "DISCOCLAW_SHORTTERM_MEMORY_ENABLED", exchange_lines, 0, "true", 20
    yield "A68", "discoclaw", "DISCOCLAW_SHORTTERM_MAX_ENTRIES", exchange_lines, 20, "3", 3
    yield "A69", "discoclaw", "DISCOCLAW_SHORTTERM_MAX_AGE_HOURS", exchange_hours, 6, "3", 3
    yield (
        "A70",
        "discoclaw",
        "DISCOCLAW_SHORTTERM_INJECT_MAX_CHARS",
        exchange_chars,
        range(700, 1_001),
        "500",
        range(200, 501),
    )
    yield "A71", "discoclaw", "DISCOCLAW_DATA_DIR", DURABLE_FOLDER, {"data/memory/durable"}, "d", {"d/memory/durable"}
    for name, seen, there in (
        ("DURABLE", DURABLE_FOLDER, "memory/durable"),
        ("SUMMARY", ROLLING_FOLDER, "summaries"),
        ("SHORTTERM", EXCHANGES_FOLDER, "memory/shortterm"),
    ):
        for ending in ("DIR", "DATA_DIR"):
            yield "A71", "discoclaw", f"DISCOCLAW_{name}_{ending}", seen, {f"data/{there}"}, "s", {"s"}
    yield "B61", "dnam", "DISCOCLAW_SUMMARY_DATA_DIR", ROLLING_FOLDER, {"data/memory/rolling"}, "s", {"s"}
    yield "B63", "dnam", "DISCOCLAW_DURABLE_MODEL", LEARNER, ({HAIKU}, {OPUS}), OTHER, ({MINE}, {OPUS})
    yield "B64", "dnam", "DISCOCLAW_DURABLE_EVERY_N_TURNS", FIRST_EXTRACTION, 10, "4", 4
    yield "B65", "dnam", "DISCOCLAW_DURABLE_DATA_DIR", DURABLE_FOLDER, {"data/memory/durable"}, "s", {"s"}
    yield "D57", "clanker", "memory: {enabled: VALUE}", learns, ["Lives in Lisbon."], "false", []
    yield "D58", "clanker", "memory: {maxRecentMessages: VALUE}", history_lines, 35, "50", 50
    small, large = {"text-embedding-3-small"}, {"text-embedding-3-large"}
    yield "D59", "clanker", "memory: {embeddingModel: VALUE}", embedding_models, small, *large, large
    yield (
        "D60",
        "clanker",
        "memoryLlm: {provider: openai, model: VALUE}",
        LEARNER,
        ({HAIKU}, {OPUS}),
        MINE,
        ({MINE}, {OPUS}),
    )
    yield "E31", "devclaw", "memory: {enabled: VALUE}", in_use, (True, True), "false", (False, False)
    yield (
        "E32",
        "devclaw",
        "memory: {storage_dir: VALUE}",
        PAGES_FOLDER,
        {"data/memory/preference"},
        "m",
        {"m/preference"},
    )
    yield "E33", "devclaw", "memory: {database_path: VALUE}", database, ["data/memory.db"], "x/y.db", ["x/y.db"]
    yield "E34", "devclaw", "memory: {embedding_model: VALUE}", embedding_models, small, *large, large
    yield "E35", "devclaw", "memory: {max_results: VALUE}", durable_lines, 20, "5", 5
    yield "E36", "devclaw", "memory: {cache_ttl: VALUE}", lookups, 2, "2m", 1
    yield (
        "E37",
        "devclaw",
        "token_budget: {memory: VALUE}",
        durable_chars,
        range(7_000, 8_001),
        "300",
        range(700, 1_201),
    )
    yield "E38", "devclaw", "DEVCLAW_MEMORY_DIR", PAGES_FOLDER, {"data/memory/preference"}, "m", {"m/preference"}
    yield "E39", "devclaw", "DEVCLAW_MEMORY_DB", database, ["data/memory.db"], "x/y.db", ["x/y.db"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("profile", "setting", "observe", "default", "value", "changed"),
    [pytest.param(*row, id=item, marks=pytest.mark.acceptance(item)) for item, *row in cases()],
)
async def test_a_setting_of_a_document_has_its_default_and_its_effect(
    profile: str, setting: str, observe: Observer, default: Any, value: str, changed: Any, tmp_path: Path
) -> None:
    for number, (given, expected) in enumerate(((None, default), (value, changed))):
        folder = tmp_path / str(number)
        folder.mkdir()
        seen = await observe(partial(running, profile, folder, setting, given))
        assert seen in expected if isinstance(expected, range) else seen == expected, (given, seen)


@pytest.mark.acceptance("B68")
@pytest.mark.parametrize("is_set", [False, True])
async def test_the_memory_channel_of_dnam_is_none_unless_its_variable_names_one(
    is_set: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_set:
        monkeypatch.setenv("DISCOCLAW_MEMORY_CHANNEL_ID", await channel_id())
    async with acting(profile="dnam") as scene:
        await scene.order("!memory remember I like green tea")
        posted = [message.content for message in await mirrored(scene)]
    assert [content.count("I like green tea") for content in posted] == ([1] if is_set else [])
