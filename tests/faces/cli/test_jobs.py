"""The command `jobs` shows background work, and `add` reports what was learned."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

import recollect
from recollect import Message, Place
from recollect.core.clock import now
from recollect.core.errors import ModelError
from recollect.core.ports import ExtractionInput, ExtractionResult
from recollect.jobs.options import WorkerOptions
from recollect.testing.model_server import ModelServer, Says
from recollect.testing.models import FakeModel
from tests.faces.cli.conftest import Run
from tests.scenes import at_once
from tests.waiting import eventually


def refusing(hearing: ExtractionInput) -> ExtractionResult:
    raise ModelError("no such model\x1b[31m")


async def observe(store: Path, *texts: str, failed: bool = False) -> None:
    """Messages that nobody has learned from; with `failed`, a model refused them for good."""
    store.parent.mkdir(exist_ok=True)
    how = {"embedder": "null", "run_worker": failed, "model": FakeModel(refusing)}
    async with recollect.AsyncMemory(f"sqlite:///{store}", **at_once(how)) as memory:
        memory.worker.options = WorkerOptions(max_attempts=1, poll_interval=0.02)
        for text in texts:
            await memory.add(Message(text, "me", Place(dm="me"), text, now(), "me"))

        async def put_aside() -> bool:
            return (await memory.worker.status(1)).counts.get("failed") == len(texts)

        if failed:
            await eventually(put_aside)


@pytest.fixture
def store(folder: Path) -> Path:
    return folder / "data" / "memory.db"


def extractions(cli: Run) -> list[tuple[int, str]]:
    """Number and state of the jobs that learn from messages; what is done in quiet hours is left out."""
    return [(job["id"], job["state"]) for job in cli("jobs", "--json").json["jobs"] if job["kind"] == "extract"]


def test_without_a_store_there_are_no_jobs(cli: Run):
    assert cli("jobs").out == "0 jobs waiting, 0 running, 0 failed\n"
    assert cli("jobs", "--json").json == {"counts": {}, "later": 0, "jobs": [], "events": {}}
    assert cli("jobs", "--run").out == "0 jobs waiting, 0 running, 0 failed\n"


def test_jobs_counts_and_lists_waiting_jobs(cli: Run, store: Path):
    asyncio.run(observe(store, "I like tea", "I live in Berlin"))
    done = cli("jobs", "--json").json
    assert done["counts"] == {"waiting": len(done["jobs"])}
    lines = cli("jobs").out.splitlines()
    assert lines[0] == f"2 jobs waiting, 0 running, 0 failed, {done['later']} for later"
    assert done["later"] == len(done["jobs"]) - 2
    rows = [line.split("\t") for line in lines if "\textract\t" in line]
    assert [row[1:5] for row in rows] == [["extract", "user:me", "waiting", "0"]] * 2
    assert len(cli("jobs", "--limit", "1", "--json").json["jobs"]) == 1


def test_jobs_run_executes_waiting_jobs(cli: Run, store: Path):
    asyncio.run(observe(store, "I like tea", "I live in Berlin"))
    assert "\textract\t" not in cli("jobs", "--run", RECOLLECT_MODEL="null").out
    assert extractions(cli) == []


def test_what_was_put_aside_says_why_and_can_be_tried_again(cli: Run, store: Path):
    asyncio.run(observe(store, "I like tea", "I live in Berlin", failed=True))
    done = cli("jobs")
    assert ", 2 failed" in done.out
    assert "no such model\\x1b[31m" in done.out
    (first, _), (second, _) = extractions(cli)
    assert cli("jobs", "--retry", str(first)).out.startswith("1 job will be retried")
    assert sorted(extractions(cli)) == [(first, "waiting"), (second, "failed")]
    assert cli("jobs", "--retry", "all", "--json").json == {"retried": 1}
    assert sorted(extractions(cli)) == [(first, "waiting"), (second, "waiting")]
    assert "no job" in cli("jobs", "--retry", str(second), code=3).err


def test_a_job_can_be_given_up_and_its_message_stays(cli: Run, store: Path):
    asyncio.run(observe(store, "I like tea", "I live in Berlin", failed=True))
    (first, _), (second, _) = extractions(cli)
    assert cli("jobs", "--drop", str(first)).out == f"Job {first} is dropped; the message itself stays\n"
    assert cli("jobs", "--drop", str(second), "--json").json == {"dropped": True}
    assert extractions(cli) == []
    assert "no job" in cli("jobs", "--drop", str(second), code=3).err
    assert "I like tea" in cli("search", "tea", "--messages").out


@pytest.mark.parametrize("wrong", ["x", "-1", "1.5", "all", "", "9" * 20])
def test_a_number_that_is_none_is_refused(cli: Run, wrong: str):
    assert cli("jobs", "--drop", wrong, code=2).out == ""


def test_a_job_that_does_not_exist_is_no_match(cli: Run):
    assert cli("jobs", "--drop", "7", code=3).out == ""
    assert cli("jobs", "--retry", "7", code=3).out == ""
    assert cli("jobs", "--retry", "all", code=3).out == ""


def test_jobs_refuses_two_actions_at_once(cli: Run):
    assert "one thing at a time" in cli("jobs", "--run", "--drop", "1", code=2).err
    assert "one thing at a time" in cli("jobs", "--retry", "1", "--drop", "1", code=2).err


def test_observe_says_what_was_learned(cli: Run):
    done = cli("add", "I like green tea", RECOLLECT_MODEL="local")
    message, *learned = done.out.splitlines()
    assert len(message) == 32
    assert any("green tea" in line for line in learned)
    found = cli("add", "I live in Berlin", "--json", RECOLLECT_MODEL="local").json
    assert found["done"] is True
    assert ["Berlin" in memo["text"] for memo in found["learned"]] == [True]
    assert cli("jobs", "--json").json["counts"].get("failed", 0) == 0


def test_observe_with_no_model_learns_nothing_and_says_only_the_id(cli: Run):
    assert cli("add", "I like green tea", RECOLLECT_MODEL="null").out.count("\n") == 1


@pytest.mark.slow
async def test_what_was_learned_without_the_model_is_told_at_once_and_afterwards(process: Run):
    async with ModelServer(Says("What a lovely place!")) as server:
        env = {"RECOLLECT_MODEL": "openai:small", "RECOLLECT_MODEL_BASE_URL": server.url}
        said = await asyncio.to_thread(partial(process, "add", "I live in Lisbon", **env))
    told = "learned by the local model instead: no JSON"
    assert "learned: [fact] Lives in Lisbon" in said.out
    assert f"the model's answer could not be used; {told}" in said.out
    row = next(line for line in process("log").out.splitlines() if "extract.degraded" in line)
    assert told in row
    assert process("jobs", "--json").json["events"]["extract.degraded"]["count"] == 1


def test_a_language_that_is_not_read_is_told_once(cli: Run):
    said = "not learned: the local model does not read this language: Polish"
    assert said in cli("add", "Mieszkam w Krakowie i pracuję jako nauczycielka w szkole").out
    assert said not in cli("add", "Mam dwa koty i bardzo lubię czytać książki wieczorem").out
    assert cli("log").out.count("the local model does not read this language") == 1
