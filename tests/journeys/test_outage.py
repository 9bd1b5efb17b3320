"""The database goes away while people talk: replies go on without memory, and nothing acknowledged is lost."""

import asyncio
import logging
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

import recollect
from recollect import AsyncMemory, Message, Place
from recollect.core.clock import now
from recollect.core.errors import StoreUnreachable
from recollect.faces.assistant.assistant import Assistant
from recollect.testing.clock import FakeClock
from recollect.testing.model_server import ModelServer
from recollect.testing.models import FakeModel
from tests.faces.cli.conftest import Run
from tests.faces.cli.test_serve import address, asking, started
from tests.faces.discord.scene import echo, speaker_of
from tests.faces.discord.wire import WAIT, Lab, Wired
from tests.journeys.talking import unfinished
from tests.scenes import AT_ONCE, at_once
from tests.stores.postgres import Server, quick_folder
from tests.stores.replica import Primary, Replica
from tests.waiting import eventually

DM = Place("discord", dm="ann")
IN_TIME = 8.0
"""Seconds within which there is a prompt, and a reply, whatever the database does."""


def said(number: int, text: str = "", user: str = "ann") -> Message:
    return Message(
        f"{user}-{number}", user, Place("discord", dm=user), text or f"I keep {number} goats in village {number}", now()
    )


@asynccontextmanager
async def opened(store: str, **settings: object) -> AsyncIterator[AsyncMemory]:
    async with recollect.AsyncMemory(store, embedder="null", model=FakeModel(), **at_once(settings)) as memory:
        yield memory


@pytest.mark.slow
async def test_the_assistant_answers_without_memory_and_keeps_what_was_said_for_later(
    own_server: Server, away: str, caplog: pytest.LogCaptureFixture
):
    async with opened(away) as memory, ModelServer(echo) as server:
        speaker = speaker_of(server)
        assistant = Assistant(memory, speaker)
        await memory.remember("I live in Lisbon", user="ann", place=DM)
        await assistant.reply(said(0, "where do I live?"))
        assert "Lisbon" in str(server.requests[-1].body)
        await asyncio.to_thread(own_server.stop)

        began = time.monotonic()
        prompt = await memory.context(said(1, "where do I live?"))
        assert time.monotonic() - began < IN_TIME
        assert "where do I live?" in prompt.text
        assert "Lisbon" not in prompt.text
        assert any("the store can't be read" in line for line in caplog.messages)

        began = time.monotonic()
        reply = await assistant.reply(said(2, "and where do I work?"))
        assert (reply.text, time.monotonic() - began < IN_TIME) == ("I see.", True)
        await assistant.record_reply(reply.text, said(2), "r-2")
        await asyncio.to_thread(own_server.start)

        async def is_kept() -> bool:
            return len(await memory.store.read(lambda tx: tx.messages.recent(DM, 10))) == 3

        await eventually(is_kept, 30)
        await assistant.close()
        heard = await memory.store.read(lambda tx: tx.messages.recent(DM, 10))
        assert [message.id for message in heard] == ["ann-0", "ann-2", "r-2"]
        assert "Lisbon" in (await memory.context(said(3, "where do I live?"))).text
        await speaker.close()


async def test_a_message_waits_for_the_database_or_is_refused_in_clear_words(own_server: Server, away: str):
    async with opened(away) as patient, opened(f"{away}?patience=0.3") as hasty:
        for memory, number in ((patient, 0), (hasty, 1)):
            await memory.add(said(number))
        await asyncio.to_thread(own_server.stop, "immediate")
        with pytest.raises(StoreUnreachable, match="Nothing acknowledged was lost"):
            await hasty.add(said(2))
        waiting = asyncio.create_task(patient.add(said(3)))
        await asyncio.to_thread(own_server.start)
        assert await waiting
        kept = await hasty.store.read(lambda tx: tx.messages.recent(DM, 10))
        assert {message.id for message in kept} == {"ann-0", "ann-1", "ann-3"}


@pytest.mark.slow
async def test_the_bot_answers_while_the_database_is_away_and_remembers_again_when_it_is_back(
    own_server: Server, away: str
):
    clock = FakeClock()
    bot = {"allowed_users": "*", "privacy_notice": "off"}
    async with (
        ModelServer(echo) as server,
        Lab(clock=clock) as lab,
        recollect.AsyncMemory(away, embedder="null", clock=clock, model=FakeModel(), discord=bot, **AT_ONCE) as memory,
        Wired(lab, memory, clock).online(speaker_of(server)),
    ):
        wire = Wired(lab, memory, clock)
        assert (await wire.order("!memory remember I like tea")).partition("\n")[0] == 'Remembered: "I like tea"'
        await asyncio.to_thread(own_server.stop)
        await lab.say(lab.ada, lab.dev, f"{lab.bot.mention} what do I like?")
        await lab.until(lambda: lab.said(lab.dev)[-1:] == ["I see."], WAIT)
        await asyncio.to_thread(own_server.start)
        await wire.happened("extract.call")
        await lab.say(lab.ada, lab.dev, "!memory show")
        await lab.until(lambda: "I like tea" in lab.said(lab.dev)[-1], WAIT)
        heard = await memory.store.read(lambda tx: tx.messages.written_by(guild=str(lab.lab.id)))
        assert [message.text for _, message in heard if not message.bot] == ["what do I like?"]


@pytest.mark.slow
async def test_serve_ends_in_time_while_the_database_is_away(own_server: Server, away: str, folder: Path):
    async with started("serve", "--port", "0", "--processes", "2", RECOLLECT_STORE=away) as running:
        async with asking(await address(running), folder) as client:
            await eventually(lambda: _is_ready(client), 60)
            await asyncio.to_thread(own_server.stop, "immediate")
            assert (await client.get("/ready")).status_code == 503
        assert await running.stop() < 15
        assert "nothing acknowledged is lost" in running.said


async def _is_ready(client: httpx.AsyncClient) -> bool:
    return (await client.get("/ready")).status_code == 200


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_chat_through_a_pipe_that_could_not_be_remembered_fails_and_says_so(
    own_server: Server, away: str, process: Run
):
    store, said = f"{away}?patience=0.3", b"I live in Lisbon\n!memory remember I like tea\n/who\n"
    process("chat", stdin=said, RECOLLECT_STORE=store)
    own_server.stop("immediate")
    done = process("chat", stdin=said, code=1, RECOLLECT_STORE=store)
    assert done.err.endswith("recollect: 2 lines of it could not be remembered\n")


async def talk(memory: AsyncMemory, user: str, count: int, kept: list[str]) -> None:
    for number in range(count):
        message = said(number, user=user)
        await memory.add(message)
        kept.append(message.id)


async def check(memory: AsyncMemory, kept: list[str]) -> None:
    """All that was acknowledged is there, and was learned from once."""

    async def is_done() -> bool:
        return not await unfinished(memory)

    await eventually(is_done, 60)
    events = await memory.store.read(lambda tx: tx.events.after(0, 100_000))
    calls = Counter(event.data["message"].removeprefix("discord/") for event in events if event.kind == "extract.call")
    assert calls == Counter(kept)
    assert not [event for event in events if event.kind in ("job.failed", "extract.error")]


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fast", "immediate"])
async def test_a_restart_under_load_loses_no_message_and_learns_none_twice(own_server: Server, away: str, how: str):
    kept: list[str] = []
    async with opened(away) as memory:
        talking = [asyncio.create_task(talk(memory, user, 25, kept)) for user in ("ann", "bob", "cem", "dai")]
        for wanted in (20, 50):
            await eventually(lambda wanted=wanted: len(kept) >= wanted, 60)
            await asyncio.to_thread(own_server.stop, how)
            await asyncio.to_thread(own_server.start)
        await asyncio.gather(*talking)
        assert len(kept) == 100
        await check(memory, kept)


@pytest.fixture
async def pair() -> AsyncIterator[tuple[Primary, Replica]]:
    """A server, and another that has all that it acknowledges."""
    with tempfile.TemporaryDirectory(prefix="recollect-pg-", dir=quick_folder()) as parent:
        folders = [Path(parent, name) for name in ("first", "second")]
        for folder in (Path(parent), *folders):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755 if folder == Path(parent) else 0o700)
        first = Primary(folders[0])
        first.start()
        second = Replica(folders[1], first)
        second.start()
        await first.followed()
        try:
            yield first, second
        finally:
            second.stop("immediate")
            first.stop("immediate")


@pytest.mark.slow
async def test_a_replica_that_is_promoted_goes_on_with_everything_that_was_acknowledged(
    pair: tuple[Primary, Replica], caplog: pytest.LogCaptureFixture
):
    first, second = pair
    store = (
        f"postgresql://postgres@127.0.0.1:{first.port},127.0.0.1:{second.port}/postgres"
        "?target_session_attrs=read-write&patience=60"
    )
    kept: list[str] = []
    caplog.set_level(logging.WARNING, "recollect")
    async with opened(store) as memory:
        await memory.remember("I live in Lisbon", user="ann", place=DM)
        talking = [asyncio.create_task(talk(memory, user, 25, kept)) for user in ("ann", "bob", "cem", "dai")]
        await eventually(lambda: len(kept) >= 30, 60)
        await asyncio.to_thread(first.stop, "immediate")
        acknowledged = {*kept}
        began = time.monotonic()
        assert "goats" in (await memory.context(said(999, "how many goats?"))).text
        assert time.monotonic() - began < IN_TIME, "a reply does not wait for the promotion"
        await asyncio.to_thread(second.promote)
        await asyncio.gather(*talking)
        assert len(kept) == 100
        assert acknowledged <= {*kept}
        await check(memory, kept)
        assert "Lisbon" in (await memory.context(said(1000, "where do I live?"))).text
