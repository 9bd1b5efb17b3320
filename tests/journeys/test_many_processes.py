"""Several processes over one PostgreSQL: those that listen, those that learn, those that serve, and those that die."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from pathlib import Path

import pytest

import recollect
from recollect import AsyncMemory, Message, Place
from recollect.core.clock import now
from recollect.core.events import Event
from recollect.testing.model_server import ModelServer, Request, Says, Slow
from tests.faces.cli.conftest import Run
from tests.faces.cli.test_serve import WAIT, address, asking, started
from tests.journeys.observing import DEV, USERS
from tests.journeys.talking import unfinished
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("folder")

ROOT = Path(__file__).parents[2]
COUNT = 12
NOTHING = Says('{"upserts": [], "deprecations": []}')


async def observing(store: str, run: str) -> Process:
    """A process that listens, ready to begin."""
    command = [sys.executable, "-m", "tests.journeys.observing", store, run, str(COUNT)]
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, cwd=ROOT)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"ready\n"
    return process


async def heard(process: Process) -> list[str]:
    """Let it begin; the messages that it kept."""
    out, _ = await process.communicate(b"go\n")
    assert process.returncode == 0
    return out.decode().split()


async def settled(memory: AsyncMemory) -> None:
    async def holds() -> bool:
        return not await unfinished(memory)

    await eventually(holds, WAIT)


async def studied(memory: AsyncMemory) -> list[str]:
    """The messages that were learned from, in the order in which that was done."""
    events: list[Event] = await memory.store.read(lambda tx: tx.events.after(0, 100_000))
    return [event.data["message"].removeprefix("discord/") for event in events if event.kind == "extract.call"]


def with_a_model(server: ModelServer, database: str) -> dict[str, str]:
    """The variables of a worker that learns by a model of its own."""
    model = {"RECOLLECT_EXTRACTION_MODEL": "openai:gpt-5-mini", "RECOLLECT_MODEL_BASE_URL": server.url}
    return {"RECOLLECT_STORE": database, "OPENAI_API_KEY": "a-key", **model}


@pytest.mark.slow
async def test_two_that_listen_and_two_that_learn_keep_each_users_order_and_learn_each_message_once(database: str):
    async with (
        ModelServer(lambda _: NOTHING) as server,
        recollect.AsyncMemory(database, embedder="null", run_worker=False) as memory,
        started("worker", "--logs", "plain", **with_a_model(server, database)) as first,
        started("worker", "--logs", "plain", **with_a_model(server, database)) as second,
    ):
        for worker in (first, second):
            await worker.says("jobs: 0 waiting")
        listeners = [await observing(database, run) for run in ("left", "right")]
        kept = [name for names in await asyncio.gather(*map(heard, listeners)) for name in names]
        await settled(memory)
        learned = await studied(memory)
        assert len(kept) == 2 * len(USERS) * COUNT
        assert Counter(learned) == Counter(kept), "each once"
        for user in USERS:
            for run in ("left", "right"):
                mine = [int(name.rpartition("-")[2]) for name in learned if name.startswith(f"{run}-{user}-")]
                assert mine == list(range(COUNT))
        await first.stop()
        await second.stop()


@pytest.mark.slow
async def test_a_worker_that_is_killed_leaves_its_job_to_another_after_its_lease(database: str):
    asked, never = asyncio.Event(), asyncio.Event()

    def answer(request: Request) -> Says | Slow:
        if not asked.is_set():
            asked.set()
            return Slow(never)
        return NOTHING

    async with (
        ModelServer(answer) as server,
        recollect.AsyncMemory(database, embedder="null", run_worker=False) as memory,
    ):
        env = with_a_model(server, database)
        for number in range(3):
            await memory.add(Message(f"m{number}", "ann", DEV, f"I live in Lisbon since {1990 + number}", now()))
        async with started("worker", **env) as doomed:
            await asyncio.wait_for(asked.wait(), WAIT)
            async with started("worker", "--logs", "plain", **env) as heir:
                await heir.says(r"[1-9] running")
                doomed.process.send_signal(signal.SIGKILL)
                await doomed.process.wait()
                assert await studied(memory) == [], "the heir waits for the lease to end"
                await settled(memory)
                assert await studied(memory) == ["m0", "m1", "m2"]
                await heir.stop()


async def test_a_prompt_shows_at_once_what_another_process_was_told(database: str, process: Run):
    question = Message("q", "ann", Place(dm="ann"), "Where do I live?", now())

    def elsewhere(*args: str) -> None:
        process(*args, "--as", "ann", RECOLLECT_STORE=database)

    async with recollect.AsyncMemory(database, embedder="null", run_worker=False) as memory:
        for _ in range(2):
            assert "Lisbon" not in (await memory.context(question)).text
        await asyncio.to_thread(elsewhere, "remember", "I live in Lisbon")
        assert "Lisbon" in (await memory.context(question)).text
        await asyncio.to_thread(elsewhere, "forget", "Lisbon")
        assert "Lisbon" not in (await memory.context(question)).text


async def test_one_serves_and_does_not_learn_and_another_learns(database: str, folder: Path):
    message = {"id": "m1", "author": "ann", "place": {"platform": "discord", "dm": "ann"}, "text": "I live in Lisbon"}
    async with (
        started("serve", "--port", "0", "--no-worker", RECOLLECT_STORE=database) as serving,
        started("worker", "--logs", "plain", RECOLLECT_STORE=database) as working,
    ):
        url = await address(serving)
        async with asking(url, folder) as client:
            await working.says("jobs: 0 waiting")

            async def knows() -> bool:
                found = (await client.get("/api/v1/memos", params={"user": "ann"})).json()["memos"]
                return [memo["text"] for memo in found] == ["Lives in Lisbon"]

            assert (await client.post("/api/v1/observe", json=message)).json() == {"new": True}
            await eventually(knows, WAIT)
            await working.stop()
            await client.post("/api/v1/observe", json={**message, "id": "m2", "text": "I moved to Porto"})
            assert (await client.get("/api/v1/jobs")).json()["counts"]["waiting"] > 0
        await serving.stop()
