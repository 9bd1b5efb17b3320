"""Every setting, the appendix included, by its effect: one that is parsed and then ignored is noticed here."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect.admin import Admin
from recollect.core.errors import RecollectError
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.core.types import Subject
from recollect.faces.assistant.assistant import Assistant
from recollect.faces.assistant.request import chat_request
from recollect.settings.catalog import ENTRIES
from recollect.testing.embedding_server import EmbeddingServer
from recollect.testing.model_server import ModelServer, Says
from recollect.testing.models import FakeModel, propose_nothing
from recollect.workspace import NOTES
from tests import ground
from tests.faces.assistant.test_assistant import talking as replying
from tests.faces.commands.talk import talking
from tests.faces.discord.scene import speaker_of
from tests.learning.test_consolidate import memo
from tests.scenes import DEV, DM, GENERAL, Stage, lines, names, opened
from tests.settings.effects import Effects, Turned, ignored
from tests.settings.test_server_effects import SERVER_EFFECTS
from tests.settings.test_settings import FILE_KEYS, VARIABLES
from tests.waiting import eventually

EFFECTS = Effects()
FOX = "The quick brown fox number {} jumps over the lazy dog in the yard"


async def exchange(stage: Stage, text: str, place: Any = DEV, user: str = "ann", reply: str = "I see") -> None:
    await stage.reply(reply, await stage.say(text, user, place))


def database(turned: Turned) -> str:
    return f"sqlite:///{turned.folder}/memory.db"


# --- what remembers, and where ---


@EFFECTS.at("profile", ("unified", True), ("devclaw", False))
async def _(turned: Turned) -> bool:
    async with recollect.AsyncMemory("sqlite://", embedder="null", run_worker=False, **turned.settings()) as memory:
        return memory.settings.summary.enabled


@EFFECTS.at("enabled", (True, ["I live in Lisbon"]), (False, []))
async def _(turned: Turned) -> list[str]:
    async with opened(**turned.settings(model=FakeModel())) as stage:
        await stage.tell("I live in Lisbon")
        return await stage.known()


@EFFECTS.at("data_dir", ("one", ["one"]), ("other", ["other"]))
async def _(turned: Turned) -> list[str]:
    folder = turned.folder / turned.value
    settings = Turned(turned.name, str(folder), turned.folder).settings()
    async with recollect.AsyncMemory(embedder="null", run_worker=False, **settings) as memory:
        await memory.remember("I live in Lisbon", user="ann")
    return [path.name for path in turned.folder.iterdir()]


@EFFECTS.at("store", ("one.db", True), ("other.db", True))
async def _(turned: Turned) -> bool:
    path = turned.folder / turned.value
    settings = Turned(turned.name, f"sqlite:///{path}", turned.folder).settings(data_dir=str(turned.folder))
    async with recollect.AsyncMemory(embedder="null", run_worker=False, **settings) as memory:
        await memory.remember("I live in Lisbon", user="ann")
    return path.exists()


@EFFECTS.at("model", ("local", ["Lives in Lisbon"]), ("null", []))
async def _(turned: Turned) -> list[str]:
    async with opened(**turned.settings(run_worker=True)) as stage:
        await stage.tell("I live in Lisbon.")
        return await stage.known()


async def _asked(turned: Turned, **others: Any) -> list[int]:
    """How many requests each of two servers got; the setting is the address of the first or of the second."""
    async with ModelServer(Says("{}")) as first, ModelServer(Says("{}")) as second:
        address = (first, second)[turned.value].url
        settings = Turned(turned.name, address, turned.folder).settings(run_worker=True, **others)
        for name, value in settings.items():
            settings[name] = first.url if value == "first" else value
        async with opened(**settings) as stage:
            await exchange(stage, "I live in Lisbon.")
            await stage.memory.worker.wait_idle(10)
        return [int(bool(server.requests)) for server in (first, second)]


@EFFECTS.at("model_base_url", (0, [1, 0]), (1, [0, 1]))
async def _(turned: Turned) -> list[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "a-key")
        return await _asked(turned, model="openai:some-model", summary__enabled=False)


@EFFECTS.at("extraction.base_url", (0, [1, 0]), (1, [0, 1]))
async def _(turned: Turned) -> list[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "a-key")
        settings = {"model": "openai:some-model", "model_base_url": "first", "summary__enabled": False}
        return await _asked(turned, **settings)


@EFFECTS.at("summary.base_url", (0, [1, 0]), (1, [0, 1]))
async def _(turned: Turned) -> list[int]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "a-key")
        settings = {"model": "openai:some-model", "model_base_url": "first", "summary__every_n_turns": 1}
        return await _asked(turned, extraction__enabled=False, **settings)


async def _models(turned: Turned, **others: Any) -> set[str]:
    async with ModelServer(Says("{}")) as server:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", "a-key")
            settings = turned.settings(model="openai:main", model_base_url=server.url, run_worker=True, **others)
            async with opened(**settings) as stage:
                await exchange(stage, "I live in Lisbon.")
                await stage.memory.worker.wait_idle(10)
        return {request.model for request in server.requests}


@EFFECTS.at("extraction.model", ("openai:one", {"one"}), ("openai:other", {"other"}))
async def _(turned: Turned) -> set[str]:
    return await _models(turned, summary__enabled=False)


@EFFECTS.at("summary.model", ("openai:one", {"one"}), ("openai:other", {"other"}))
async def _(turned: Turned) -> set[str]:
    return await _models(turned, extraction__enabled=False, summary__every_n_turns=1)


@EFFECTS.at("embedder", ("static", True), ("null", False))
async def _(turned: Turned) -> bool:
    async with opened(**turned.settings()) as stage:
        await stage.remember("API uses JWT tokens", "I like pizza", "My cat is called Tom")
        hits = await stage.memory.search("how to authenticate", user="ann", place=DEV)
    return any(hit.parts.get("vector") for hit in hits)


@EFFECTS.at("embedder_base_url", (0, [1, 0]), (1, [0, 1]))
async def _(turned: Turned) -> list[int]:
    async with EmbeddingServer() as first, EmbeddingServer() as second:
        address = (first, second)[turned.value].url
        settings = Turned(turned.name, address, turned.folder).settings(embedder="openai:some-model")
        with suppress(RecollectError):
            async with opened(**settings) as stage:
                await stage.remember("I live in Lisbon")
                await stage.memory.search("Where?", user="ann", place=DEV)
        return [int(bool(server.requests)) for server in (first, second)]


@EFFECTS.at("embed_evidence", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    def learns(given: ExtractionInput) -> ExtractionResult:
        message = given.messages[0]
        return ExtractionResult((Proposal("Lives in Lisbon", "fact", "live in Lisbon", message.id),))

    async with EmbeddingServer() as server:
        settings = turned.settings(
            embedder="openai:some-model", embedder_base_url=server.url, model=FakeModel(learns), summary__enabled=False
        )
        async with opened(**settings) as stage:
            await stage.tell("I live in Lisbon, by the river")
            await eventually(lambda: bool(server.requests))
        texts = [text for request in server.requests for text in request.texts]
    return any("Lives in Lisbon" in text and "live in Lisbon" in text for text in texts)


@EFFECTS.at("embed_messages", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    async with EmbeddingServer() as server:
        embedder = {"embedder": "openai:some-model", "embedder_base_url": server.url}
        async with opened(**turned.settings(**embedder)) as stage:
            await stage.say("the gate opens with a code")
            await stage.remember("I live in Lisbon")
            await stage.memory.vectors.fill()
        assert "I live in Lisbon" in server.texts
        return "the gate opens with a code" in server.texts


THEIR_RERANKER = """
import asyncio


class Theirs:
    name = "theirs"

    def __init__(self, spec): ...

    async def score(self, question, texts):
        await asyncio.sleep(0.2)
        return [10.0 * len(text) for text in texts]

    async def close(self): ...
"""


async def _longest_first(turned: Turned, **others: Any) -> bool:
    """Whether a reranker of another package, which takes 0.2 seconds, puts the longest first."""
    folder = turned.folder / "theirs-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[recollect.rerankers]\ntheirs = their_reranker:Theirs\n")
    (turned.folder / "their_reranker.py").write_text(THEIR_RERANKER)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(turned.folder)
        async with opened(**turned.settings(embedder="null", **others)) as stage:
            await stage.remember("I like tea", "There is a long story about how I came to grow herbs")
            hits = await stage.memory.search("tea", user="ann", place=DEV)
    return hits[0].text.startswith("There")


@EFFECTS.at("rerank", ("theirs", True), ("off", False))
async def _(turned: Turned) -> bool:
    return await _longest_first(turned, rerank_timeout=60)


@EFFECTS.at("rerank_timeout", (60, True), (0.01, False))
async def _(turned: Turned) -> bool:
    return await _longest_first(turned, rerank="theirs")


@EFFECTS.at("visibility", ("by_audience", []), ("user_global", ["I live in Lisbon"]))
async def _(turned: Turned) -> list[str]:
    async with opened(**turned.settings(model=FakeModel())) as stage:
        await stage.tell("I live in Lisbon", place=DM)
        return await stage.known(place=DEV)


@EFFECTS.at("forget_mode", ("substring", 1), ("coverage60", 0))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings()) as stage:
        await stage.remember("I live in Lisbon with two old cats and a very loud parrot")
        done = await stage.memory.forget("Lisbon", user="ann", place=DEV)
    return len(getattr(done, "memos", ()))


@EFFECTS.at("layout", ("unified", False), ("dnam", True))
async def _(turned: Turned) -> bool:
    async with opened(**turned.settings()) as stage:
        await stage.remember("I live in Lisbon")
        return "(user-specific notes; may be empty)" in (await stage.prompt("Where do I live?")).text


@EFFECTS.at("layers", (("durable",), {"durable"}), (("history",), {"history"}))
async def _(turned: Turned) -> set[str]:
    async with opened(**turned.settings()) as stage:
        await stage.remember("I live in Lisbon")
        await stage.say("Good morning")
        return {"durable", "history"} & set(names(await stage.prompt("Where do I live?")))


# --- memos ---


@EFFECTS.at("memos.enabled", (True, ["I live in Lisbon"]), (False, []))
async def _(turned: Turned) -> list[str]:
    async with opened(**turned.settings(model=FakeModel())) as stage:
        await stage.tell("I live in Lisbon")
        return await stage.known()


async def _remembered(turned: Turned, count: int, **others: Any) -> list[str]:
    async with opened(**turned.settings(**others)) as stage:
        await stage.remember(*(FOX.format(number) for number in range(count)))
        prompt = await stage.prompt("which fox jumps over the dog?")
    return [*lines(prompt, "durable"), *lines(prompt, "relevant")]


@EFFECTS.at("memos.max_active", (3, 3), (7, 7))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings()) as stage:
        await stage.remember(*(FOX.format(number) for number in range(10)))
        return len(await stage.known())


@EFFECTS.at("memos.dir", ("one", ["one"]), ("other", ["other"]))
async def _(turned: Turned) -> list[str]:
    return await _folder_of(turned, "durable")


async def _folder_of(turned: Turned, file: str, **others: Any) -> list[str]:
    """The folder that a file was written into."""
    folder = turned.folder / "files" / turned.value
    settings = Turned(turned.name, str(folder), turned.folder).settings(
        mirror__files=(file,),
        run_worker=True,
        data_dir=str(turned.folder / "data"),
        model=FakeModel(propose_nothing),
        **others,
    )
    async with opened(store=database(turned), **settings) as stage:
        await stage.remember("I live in Lisbon")
        await exchange(stage, "Good morning, all")
        await stage.settle()
        await stage.memory.mirror.catch_up()
    parent = turned.folder / "files"
    return [path.name for path in parent.iterdir() if any(path.rglob("*.*"))] if parent.exists() else []


@EFFECTS.at("memos.inject_max_chars", (300, True), (900, False))
async def _(turned: Turned) -> bool:
    return sum(map(len, await _remembered(turned, 30))) <= 320


@EFFECTS.at("memos.inject_max_tokens", (75, True), (225, False))
async def _(turned: Turned) -> bool:
    return sum(map(len, await _remembered(turned, 30, memos__inject_max_chars="none"))) <= 320


@EFFECTS.at("memos.inject_max_items", (2, 2), (5, 5))
async def _(turned: Turned) -> int:
    return len(await _remembered(turned, 20, memos__overflow="stop"))


@EFFECTS.at("memos.inject_own_items", (2, 2), (4, 4))
async def _(turned: Turned) -> int:
    async with opened("clanker", **turned.settings()) as stage:
        await stage.remember(*(FOX.format(number) for number in range(10)))
        return len(lines(await stage.prompt("hello"), "durable"))


@EFFECTS.at("memos.max_items", (4, 4), (8, 8))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings()) as stage:
        for number in range(10):
            memo = await stage.remember(FOX.format(number))
            await stage.memory.forget(memo.id, user="ann", place=DEV)
        shown = await stage.memory.store.read(lambda tx: tx.memos.list(Subject("discord:ann")))
    return len(shown)


@EFFECTS.at("memos.ranker", ("recency", "9"), ("overlap", "3"))
async def _(turned: Turned) -> str:
    async with opened("dnam", **turned.settings()) as stage:
        await stage.remember(*(f"The code of gate{number} opens door{number}" for number in range(10)))
        prompt = await stage.prompt("which code has gate3, and which door is door3?")
    return lines(prompt, "durable")[0].partition("gate")[2][:1]


@EFFECTS.at("memos.query_recent", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    """Whether the one memory is shown that a message means, which only the one before it explains."""
    async with opened(**turned.settings(memos__inject_max_items=1)) as stage:
        await stage.remember("The gate opens with the green lever", "Likes tea with milk")
        await stage.say("how does the gate open, and with which lever?", "ben")
        shown = lines(await stage.prompt("and now?"), "relevant")
    return any("lever" in line for line in shown)


@EFFECTS.at("memos.overflow", ("stop", False), ("notice", True))
async def _(turned: Turned) -> bool:
    async with opened(**turned.settings(memos__inject_max_chars=400)) as stage:
        await stage.remember(*(FOX.format(number) for number in range(30)))
        text = (await stage.prompt("which fox jumps over the dog?")).text
    return any("more" in line and "fox" not in line for line in text.splitlines())


@EFFECTS.at("lore.max_active", (2, 2), (4, 4))
async def _(turned: Turned) -> int:
    async with opened("clanker", **turned.settings()) as stage:
        for number in range(6):
            await stage.remember(f"The deploy of lore{number} runs on host{number}", lore=True)
        prompt = await stage.prompt("how does the deploy of lore run?")
    return sum("deploy of lore" in line for line in lines(prompt, "relevant"))


# --- learning ---


@EFFECTS.at("extraction.enabled", (True, 1), (False, 0))
async def _(turned: Turned) -> int:
    return await _extractions(turned, "I live in Lisbon")


async def _extractions(turned: Turned, *texts: str, **others: Any) -> int:
    """How often a model was asked what there is to learn."""
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model, summary__enabled=False, **others)) as stage:
        for text in texts:
            await exchange(stage, text)
        await stage.settle()
    return len(model.inputs)


@EFFECTS.at("extraction.trigger", ("on_ingest", 2), ("batch", 1), ("idle", 0))
async def _(turned: Turned) -> int:
    """How many calls are made before anyone stops speaking."""
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model, summary__enabled=False)) as stage:
        await stage.tell("I live in Lisbon")
        await stage.tell("remember that I have two goats")
        return len(model.inputs)


@EFFECTS.at("extraction.daily_tokens", (15, 1), ("none", 3))
async def _(turned: Turned) -> int:
    """How many messages a model reads that takes 15 tokens for each."""
    model = FakeModel()
    async with opened(**turned.settings(model=model, summary__enabled=False)) as stage:
        for text in ("I live in Lisbon", "I have two goats", "I play chess"):
            await stage.tell(text)
        return len(model.inputs)


@EFFECTS.at("extraction.every_n_turns", (2, 3), (3, 2))
async def _(turned: Turned) -> int:
    texts = [f"I have {number} goats" for number in range(6)]
    return await _extractions(turned, *texts, extraction__trigger="every_n_turns")


@EFFECTS.at("extraction.idle_after", ("5m", 1), ("2h", 0))
async def _(turned: Turned) -> int:
    model = FakeModel(propose_nothing)
    settings = turned.settings(model=model, summary__enabled=False, extraction__trigger="idle")
    async with opened(**settings) as stage:
        await stage.say("I live in Lisbon")
        stage.clock.advance(minutes=20)
        stage.memory.worker.wake()
        await stage.settle()
    return len(model.inputs)


@EFFECTS.at("extraction.min_chars", (4, 1), (40, 0))
async def _(turned: Turned) -> int:
    return await _extractions(turned, "I live in Lisbon")


@EFFECTS.at("extraction.max_chars", (10, [10]), (50, [50]))
async def _(turned: Turned) -> list[int]:
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model)) as stage:
        await stage.tell("I live in Lisbon and " + "very " * 30)
    return [len(message.text) for given in model.inputs for message in given.messages]


@EFFECTS.at("extraction.max_facts", (1, [1]), (3, [3]))
async def _(turned: Turned) -> list[int]:
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model)) as stage:
        await stage.tell("I live in Lisbon")
    return [given.max_proposals for given in model.inputs]


@EFFECTS.at("extraction.timeout", ("20ms", ["no answer within 0 s"]), ("1h", []))
async def _(turned: Turned) -> list[str]:
    async def learns(given: ExtractionInput) -> ExtractionResult:
        await asyncio.sleep(0.2)
        return propose_nothing(given)

    async with opened(**turned.settings(model=FakeModel(learns), summary__enabled=False)) as stage:
        await stage.say("I live in Lisbon")
        await stage.memory.worker.wait_idle(10)
        return [event.text for event in await stage.events("extract.error")]


@EFFECTS.at("extraction.grounding", ("quote", False), ("overlap", True))
async def _(turned: Turned) -> bool:
    """Whether a proposal without a quote is believed."""

    def learns(given: ExtractionInput) -> ExtractionResult:
        return ExtractionResult((Proposal("live in the town of Lisbon", "fact", "", given.messages[0].id),))

    async with opened(**turned.settings(model=FakeModel(learns), summary__enabled=False)) as stage:
        await stage.tell("I live in the town of Lisbon")
        return any(text.startswith("live in the town") for text in await stage.known())


async def _consolidations(turned: Turned, silence: timedelta, **others: Any) -> int:
    rounds: list[int] = []

    def consolidates(memos: Any) -> ExtractionResult:
        rounds.append(len(memos))
        return ExtractionResult()

    model = FakeModel(propose_nothing, consolidates=consolidates)
    async with opened(**turned.settings(model=model, summary__enabled=False, **others)) as stage:
        await stage.remember(*(FOX.format(number) for number in range(6)))
        for _ in range(2):
            await stage.tell("Good morning")
            stage.clock.advance(seconds=silence.total_seconds())
            stage.memory.worker.wake()
            await stage.settle()
    return len(rounds)


@EFFECTS.at("consolidation.enabled", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    return await _consolidations(turned, timedelta(hours=30)) > 0


@EFFECTS.at("consolidation.after", ("1h", True), ("9d", False))
async def _(turned: Turned) -> bool:
    return await _consolidations(turned, timedelta(hours=30)) > 0


@EFFECTS.at("consolidation.interval", ("1h", 2), ("30d", 1))
async def _(turned: Turned) -> int:
    return await _consolidations(turned, timedelta(hours=30))


@EFFECTS.at("consolidation.min_memos", (5, True), (50, False))
async def _(turned: Turned) -> bool:
    return await _consolidations(turned, timedelta(hours=30)) > 0


@EFFECTS.at("consolidation.max_loss", (1.0, 3), (0.1, 4))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings(consolidation__min_memos=0)) as stage:
        memos = [memo("Likes tea", 4), memo("Loves tea", 3), memo("Plays the cello"), memo("Speaks Dutch")]
        for stored in memos:
            await stage.memory.store.write(lambda tx, stored=stored: tx.memos.put(stored))
        await stage.memory.consolidate(user="discord:ann")
        return len(await stage.known())


# --- summaries, exchanges, history ---


async def _summaries(turned: Turned, turns: int = 1, silence: float = 0, **others: Any) -> FakeModel:
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model, extraction__enabled=False, **others)) as stage:
        for number in range(turns):
            await exchange(stage, f"turn {number} " + "of mine " * 20, reply="answer " * 300)
            await stage.settle()
        stage.clock.advance(minutes=silence)
        stage.memory.worker.wake()
        await stage.settle()
    return model


@EFFECTS.at("summary.enabled", (True, 1), (False, 0))
async def _(turned: Turned) -> int:
    return len((await _summaries(turned, summary__every_n_turns=1)).exchanges)


@EFFECTS.at("summary.max_chars", (50, [50]), (300, [300]))
async def _(turned: Turned) -> list[int]:
    return [limit for _, _, limit in (await _summaries(turned, summary__every_n_turns=1)).exchanges]


@EFFECTS.at("summary.trigger", ("every_n_turns", 1), ("end_of_day", 0))
async def _(turned: Turned) -> int:
    return len((await _summaries(turned, summary__every_n_turns=1)).exchanges)


@EFFECTS.at("summary.every_n_turns", (2, 3), (3, 2))
async def _(turned: Turned) -> int:
    return len((await _summaries(turned, 6)).exchanges)


@EFFECTS.at("summary.count_unanswered", (True, 1), (False, 0))
async def _(turned: Turned) -> int:
    model = FakeModel(propose_nothing)
    async with opened(**turned.settings(model=model, extraction__enabled=False, summary__every_n_turns=3)) as stage:
        for number in range(3):
            await stage.say(f"line {number} that nobody answers", user=f"u{number}")
        await stage.settle()
    return len(model.exchanges)


@EFFECTS.at("summary.timeout", ("20ms", ["no answer within 0 s"]), ("1h", []))
async def _(turned: Turned) -> list[str]:
    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        await asyncio.sleep(0.2)
        return exchange[:limit]

    settings = turned.settings(
        model=FakeModel(propose_nothing, condenses), summary__every_n_turns=1, extraction__enabled=False
    )
    async with opened(**settings) as stage:
        await exchange(stage, "I live in Lisbon")
        await stage.memory.worker.wait_idle(10)
        return [event.text for event in await stage.events("summarize.error")]


@EFFECTS.at("summary.wait", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    """Whether a prompt has the summary that was due with the turn before it."""

    async def condenses(previous: str | None, exchange: str, limit: int) -> str:
        await asyncio.sleep(0.2)
        return "They talked about bikes"

    settings = turned.settings(
        model=FakeModel(propose_nothing, condenses), summary__every_n_turns=1, extraction__enabled=False
    )
    async with opened(**settings) as stage:
        await exchange(stage, "let us talk about bikes")
        return "They talked about bikes" in (await stage.prompt()).text


@EFFECTS.at("summary.dir", ("one", ["one"]), ("other", ["other"]))
async def _(turned: Turned) -> list[str]:
    return await _folder_of(turned, "rolling", summary__every_n_turns=1)


@EFFECTS.at("summary.session_key", ("place", 1), ("user_channel", 2))
async def _(turned: Turned) -> int:
    model = FakeModel(propose_nothing)
    settings = turned.settings(model=model, extraction__enabled=False, summary__every_n_turns=2)
    async with opened(**settings) as stage:
        for user in ("ann", "bob") * 2:
            await exchange(stage, "Good morning", user=user)
            await stage.settle()
        return len(await stage.memory.store.read(lambda tx: tx.summaries.sessions()))


@EFFECTS.at("summary.bot_reply_chars", (35, True), (500, False))
async def _(turned: Turned) -> bool:
    ((_, text, _),) = (await _summaries(turned, summary__every_n_turns=1)).exchanges
    return text.count("answer") <= 5


async def _recalled_exchanges(turned: Turned, count: int, hours: float = 0, **others: Any) -> list[str]:
    async with opened("discoclaw", **turned.settings(**others)) as stage:
        for number in range(count):
            await exchange(stage, f"turn {number}", GENERAL)
        stage.clock.advance(hours=hours)
        return lines(await stage.prompt(), "shortterm")


@EFFECTS.at("exchanges.enabled", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    return bool(await _recalled_exchanges(turned, 3))


@EFFECTS.at("exchanges.max_entries", (2, (4, 2)), (5, (10, 5)))
async def _(turned: Turned) -> tuple[int, int]:
    """How many exchanges of two people are kept, and how many are shown."""
    async with opened("discoclaw", **turned.settings(exchanges__enabled=True)) as stage:
        for number in range(16):
            await exchange(stage, f"turn {number}", GENERAL, ("ann", "bob")[number % 2])
        kept = await stage.memory.store.read(lambda tx: tx.exchanges.recent("g1", stage.clock(), 100))
        return len(kept), len(lines(await stage.prompt(), "shortterm"))


@EFFECTS.at("exchanges.max_age_hours", (2, False), (9, True))
async def _(turned: Turned) -> bool:
    return bool(await _recalled_exchanges(turned, 3, hours=5, exchanges__enabled=True))


@EFFECTS.at("exchanges.inject_max_chars", (150, True), (1500, False))
async def _(turned: Turned) -> bool:
    shown = await _recalled_exchanges(turned, 15, exchanges__enabled=True)
    return sum(map(len, shown)) <= 150


@EFFECTS.at("exchanges.dir", ("one", ["one"]), ("other", ["other"]))
async def _(turned: Turned) -> list[str]:
    return await _folder_of(turned, "shortterm")


async def _history(turned: Turned, count: int, **others: Any) -> list[str]:
    async with opened("discoclaw", **turned.settings(**others)) as stage:
        for number in range(count):
            await stage.say(f"turn {number} of this talk", "bob")
        return lines(await stage.prompt(), "history")


@EFFECTS.at("history.max_messages", (10, 10), (60, 60))
async def _(turned: Turned) -> int:
    return len(await _history(turned, 70, history__inject_max_chars="none"))


@EFFECTS.at("history.inject_max_chars", (200, True), (800, False))
async def _(turned: Turned) -> bool:
    return sum(map(len, await _history(turned, 40))) <= 200


@EFFECTS.at("past.max_messages", (1, 1), (3, 3))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings(history__max_messages=10)) as stage:
        for number in range(5):
            await stage.say(f"The fox number {number} sleeps in the old barn tonight", "bob")
        for number in range(40):
            await stage.say(f"Something else entirely, part {number}", "bob")
        return len(lines(await stage.prompt("where does the fox sleep, in the barn?"), "past"))


@EFFECTS.at("memos.cite", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    async with opened(**turned.settings()) as stage:
        request = await chat_request(stage.memory, stage.message("how do you know?"))
    return "memory_source" in request.instructions


@EFFECTS.at("keep_prompts", (0, 0), (2, 2))
async def _(turned: Turned) -> int:
    async with replying([Says("I see.")] * 3, **turned.settings()) as talk:
        for number in range(3):
            await talk.ask(f"question {number}")
        await talk.assistant.close()
        return len(await Admin(talk.stage.memory, talk.stage.clock).sent_prompts())


@EFFECTS.at("past.inject_max_chars", (200, True), (600, False))
async def _(turned: Turned) -> bool:
    async with opened(**turned.settings(history__max_messages=10)) as stage:
        for number in range(8):
            await stage.say(f"The fox number {number} sleeps in the old barn tonight", "bob")
        for number in range(40):
            await stage.say(f"Something else entirely, part {number}", "bob")
        return sum(map(len, lines(await stage.prompt("where does the fox sleep, in the barn?"), "past"))) <= 200


# --- jobs, commands, search ---


@EFFECTS.at("jobs.max_model_calls", (1, 1), (3, 3))
async def _(turned: Turned) -> int:
    running, most, full = 0, 0, asyncio.Event()

    async def learns(given: ExtractionInput) -> ExtractionResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        with suppress(TimeoutError):
            await asyncio.wait_for(full.wait(), 0.3)
        running -= 1
        return propose_nothing(given)

    async with opened(**turned.settings(model=FakeModel(learns), summary__enabled=False)) as stage:
        for number in range(6):
            await stage.say("I live in Lisbon", f"user{number}")
        await stage.settle()
    return most


@EFFECTS.at("jobs.max_queued", (2, 2), (4, 4))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings(run_worker=False, model=FakeModel(propose_nothing))) as stage:
        for number in range(6):
            await stage.say("I live in Lisbon", f"user{number}")
        status = await stage.memory.worker.status(50)
    return sum(job.kind == "extract" for job in status.jobs)


@EFFECTS.at("chat_commands.enabled", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    async with ModelServer(Says("I am the model.")) as server, opened(**turned.settings()) as stage:
        speaker = speaker_of(server)
        assistant = Assistant(stage.memory, speaker, clock=stage.clock)
        reply = await assistant.reply(stage.message("!memory remember I live in Lisbon", place=DM))
        await speaker.close()
    return "model" not in reply.text


@EFFECTS.at("search.max_results", (2, [2, 2]), (22, [22, 22]), (None, [20, 25]))
async def _(turned: Turned) -> list[int]:
    """Results of a search, and memories in a prompt in which all would fit."""
    async with opened(**turned.settings(memos__inject_max_chars=10_000)) as stage:
        await stage.remember(*(FOX.format(number) for number in range(25)))
        hits = await stage.memory.search("fox", user="ann", place=DEV)
        prompt = await stage.prompt("which fox?")
        return [len(hits), prompt.text.count("quick brown fox")]


@EFFECTS.at("search.max_limit", (2, 2), (5, 5))
async def _(turned: Turned) -> int:
    async with opened(**turned.settings()) as stage:
        await stage.remember(*(FOX.format(number) for number in range(10)))
        return len(await stage.memory.search("fox", user="ann", place=DEV, limit=50))


# --- files ---


@EFFECTS.at("mirror.files", (("durable",), ["durable"]), (("snapshot",), []))
async def _(turned: Turned) -> list[str]:
    settings = turned.settings(run_worker=True, data_dir=str(turned.folder), model=FakeModel(propose_nothing))
    async with opened(store=database(turned), **settings) as stage:
        await stage.remember("I live in Lisbon")
        await stage.settle()
        await stage.memory.mirror.catch_up()
    return [path.parent.name for path in turned.folder.rglob("*.json") if path.parent.name == "durable"]


@EFFECTS.at("mirror.dir", ("one", ["one"]), ("other", ["other"]))
async def _(turned: Turned) -> list[str]:
    return await _folder_of(turned, "snapshot")


async def _notes(turned: Turned, place: Any = DM, **others: Any) -> str:
    folder = turned.folder / "notes"
    for path in (f"users/ann/{NOTES}", NOTES, "base/rules.md"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("Feed the parrot\n", "utf-8")
    settings = turned.settings(data_dir=str(turned.folder / "data"), **others)
    async with opened(store=database(turned), **settings) as stage:
        return (await stage.prompt("hello", place=place)).text


@EFFECTS.at("workspace.dir", ("notes", True), ("nowhere", False))
async def _(turned: Turned) -> bool:
    path = str(turned.folder / turned.value)
    return NOTES in await _notes(Turned(turned.name, path, turned.folder))


@EFFECTS.at("workspace.per_user", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    return f"users/ann/{NOTES}" in await _notes(turned, workspace__dir=str(turned.folder / "notes"))


@EFFECTS.at("workspace.context_dir", ("notes", True), ("nowhere", False))
async def _(turned: Turned) -> bool:
    path = str(turned.folder / turned.value)
    return "rules.md" in await _notes(Turned(turned.name, path, turned.folder))


@EFFECTS.at("compat.learned_source", ("summary", ["summary"]), ("discord", ["discord"]))
async def _(turned: Turned) -> list[str]:
    async with opened(**turned.settings(model=FakeModel())) as stage:
        await stage.tell("I live in Lisbon")
        return [str(memo.source.origin) for memo in (await stage.memory.show(user="ann", place=DM)).memos]


@EFFECTS.at("compat.memories_fts", (True, True), (False, False))
async def _(turned: Turned) -> bool:
    async with opened(store=database(turned), **turned.settings()) as stage:
        await stage.remember("I live in Lisbon")
    query = "SELECT count(*) FROM sqlite_master WHERE name = 'memories_fts'"
    return bool(ground.rows(database(turned), query)[0][0])


@EFFECTS.at("search.cache_ttl", ("7s", 2), ("100s", 1))
async def _(turned: Turned) -> int:
    """How often a layer is asked for two prompts, half a minute apart."""

    class Counting:
        asked = 0

        async def blocks(self, request: object) -> list[Any]:
            self.asked += 1
            return []

    layer = Counting()
    async with opened(**turned.settings()) as stage:
        memory = stage.with_layers({"counting": layer}).memory
        message = stage.message("hello")
        await memory.context(message)
        stage.clock.advance(seconds=30)
        await memory.context(message)
        for _ in range(20):
            await asyncio.sleep(0)
        await memory.close()
    return layer.asked


@EFFECTS.at("chat_commands.wording", ("plain", "Forgot 1 memory"), ("document", "Deprecated 1 item"))
async def _(turned: Turned) -> str:
    """How the reply to an order to forget begins."""
    async with talking(**turned.settings()) as talk:
        await talk.stage.remember("Works at Acme Corp")
        return " ".join((await talk("!memory forget Acme")).split()[:3])


@EFFECTS.at("chat_commands.forget_asks", (True, 2), (False, 0))
async def _(turned: Turned) -> int:
    """How many are left after a word was to be forgotten that is in two."""
    async with talking(**turned.settings()) as talk:
        await talk.stage.remember("Works at Acme Corp", "Acme has an office in Lyon")
        await talk("!memory forget Acme")
        return len(await talk.stage.known())


@EFFECTS.at("chat_commands.show", ("all", 9), ("injected", 2))
async def _(turned: Turned) -> int:
    async with talking("discoclaw", **turned.settings(memos__inject_max_chars=250)) as talk:
        await talk.stage.remember(*(FOX.format(number) for number in range(9)))
        return (await talk("!memory show")).count("quick brown fox")


# What the documents say of a setting is shown by its effect, not by its value alone.
ITEMS: dict[str, list[str]] = {
    "summary.timeout": ["C19"],
    "extraction.max_facts": ["D16"],
    "extraction.min_chars": ["D16"],
    "extraction.model": ["D60"],
}
for row in VARIABLES:
    ITEMS.setdefault(row.values[2], []).append(row.id)
for row in FILE_KEYS:
    ITEMS.setdefault(row.values[1], []).append(row.id)


def shown(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.acceptance("W18", *ITEMS.get(name, ())))


@pytest.mark.parametrize("name", [shown(name) for name in EFFECTS])
async def test_a_setting_does_what_it_says(name: str, tmp_path: Path):
    await EFFECTS.check(name, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", EFFECTS)
async def test_it_would_be_noticed_if_the_setting_had_no_effect(name: str, tmp_path: Path):
    with ignored(name), pytest.raises((AssertionError, RecollectError)):
        await EFFECTS.check(name, tmp_path)


def test_every_setting_is_shown():
    assert {*ENTRIES} == {*EFFECTS, *SERVER_EFFECTS}
