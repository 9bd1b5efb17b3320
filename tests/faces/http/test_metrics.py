"""Health, readiness and numbers for machines."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from recollect import AsyncMemory, Place
from recollect.admin.write_health import PROBE_INTERVAL_SECONDS, WriteHealth
from recollect.core.errors import StoreUnwritable
from recollect.core.ports import Tx, UnitOfWork
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message
from recollect.faces.http.app import create
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, TOKENS, asking, opened
from tests.waiting import eventually

DM = Place("discord", dm="ann")


async def numbers(client: httpx.AsyncClient) -> dict[tuple[str, ...], float]:
    """Each sample by its name and the values of its labels."""
    answer = await client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


async def test_the_memory_is_counted(client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock):
    await memory.remember("Likes tea", user="ann")
    await memory.remember("Works at Acme", user="ann")
    await memory.forget("tea", user="ann")
    message = Message("m1", "ann", DM, "hello there", clock())
    await memory.add(message)
    await memory.context(message)
    await memory.context(message)
    found = await numbers(client)
    assert found["recollect_memos",] == 1
    assert found["recollect_messages",] == 1
    assert found["recollect_events_total", "memo.added"] == 2
    assert found["recollect_events_total", "memo.retired"] == 1
    assert found["recollect_jobs", "waiting"] > 0
    assert found["recollect_jobs", "failed"] == 0
    assert (found["recollect_prompts_total",], found["recollect_prompts_reused_total",]) == (2, 1)
    assert found["recollect_worker_running",] == 0
    assert ("process_resident_memory_bytes",) in found


async def test_jobs_whose_time_has_not_come_are_counted_apart(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    def queue(tx: Tx) -> None:
        for number, days in enumerate((0, 0, 7)):
            tx.jobs.add(NewJob("extract", f"lane-{number}", {}, clock() + timedelta(days=days)))

    await memory.store.write(queue)
    found = await numbers(client)
    assert [found["recollect_jobs", state] for state in ("waiting", "later", "claimed")] == [2, 1, 0]
    page = (await client.get("/", headers={"accept": "text/html"})).text
    assert "0 failed, 1 for later" in page
    clock.advance(days=8)
    assert (await numbers(client))["recollect_jobs", "later"] == 0


async def test_requests_are_timed_by_route_and_status_and_never_by_what_was_asked(
    client: httpx.AsyncClient, stranger: httpx.AsyncClient
):
    for user in ("ann", "bob", "cay"):
        await client.get("/api/v1/memos", params={"user": user})
    await client.get("/api/v1/memo", params={"user": "ann", "id": "nothing"})
    await client.get("/nowhere/ann")
    await stranger.get("/api/v1/memos", params={"user": "ann"})
    found = await numbers(client)
    count = "recollect_http_request_seconds_count"
    assert found[count, "GET", "/api/v1/memos", "200"] == 3
    assert found[count, "GET", "/api/v1/memo", "404"] == 1
    assert found[count, "GET", "other", "404"] == 1
    assert found[count, "GET", "other", "401"] == 1
    assert not [labels for labels in found if "ann" in str(labels)]


async def test_numbers_need_a_token_and_a_readers_is_enough(reader: httpx.AsyncClient, stranger: httpx.AsyncClient):
    assert (await stranger.get("/metrics")).status_code == 401
    assert (await reader.get("/metrics")).status_code == 200


async def test_health_and_readiness_need_none(stranger: httpx.AsyncClient):
    assert (await stranger.get("/health")).json()["status"] == "up"
    assert (await stranger.get("/ready")).json() == {"status": "ready"}


async def test_ready_fails_while_the_worker_does_not_run(tmp_path: Path, clock: FakeClock):
    async with (
        opened(tmp_path, clock, run_worker=True) as memory,
        asking(create(memory, TOKENS, clock=clock, run_worker=True)) as client,
    ):
        assert (await client.get("/ready")).status_code == 200
        await memory.worker.close()
        answer = await client.get("/ready")
        assert (answer.status_code, answer.json()["detail"]) == (503, "the worker does not run")
        assert (await client.get("/health")).status_code == 200


async def test_ready_fails_without_a_store_or_while_stopping(
    stranger: httpx.AsyncClient, memory: AsyncMemory, app: FastAPI
):
    app.state.recollect.closing.set()
    assert (await stranger.get("/ready")).status_code == 503
    app.state.recollect.closing.clear()
    await memory.store.close()
    answer = await stranger.get("/ready")
    assert answer.status_code == 503
    assert "store" in answer.json()["detail"]


def allow(tx: Any, spare: int) -> None:
    """Let the file grow by so many pages and no more."""
    tx.db.pragma("max_page_count", tx.db.pragma("page_count") + spare)


async def fill_up(client: httpx.AsyncClient) -> None:
    for number in range(1_000):
        text = f"Plays instrument number {number}: " + "la " * 1_000
        if (await client.post("/api/v1/memos", json={"user": f"u{number}", "text": text})).status_code == 503:
            return
    pytest.fail("there is always space")


@pytest.mark.sqlite
async def test_ready_fails_after_a_write_without_disk_space(client: httpx.AsyncClient, memory: AsyncMemory):
    await memory.store.write(lambda tx: allow(tx, 10))
    assert (await client.get("/ready")).status_code == 200, "nobody has tried"
    await fill_up(client)
    answer = await client.get("/ready")
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the store can't be written: no space left", "and no word of where"


async def swell(_: Job) -> UnitOfWork:
    """A job that learns more than there is space for."""

    def work(tx: Tx) -> None:
        tx.state.append(StateKind.OTHER, "much", "." * 1_000_000, Owner.nobody())

    return work


@pytest.mark.sqlite
async def test_ready_fails_after_a_worker_write_without_disk_space(tmp_path: Path, clock: FakeClock):
    async with (
        opened(tmp_path, clock, run_worker=True) as memory,
        asking(create(memory, TOKENS, clock=clock, run_worker=True)) as client,
    ):
        await memory.store.write(lambda tx: allow(tx, 5))
        assert (await client.get("/ready")).status_code == 200, "nobody has tried"
        memory.worker.add_handler("swell", swell)
        await memory.store.write(lambda tx: tx.jobs.add(NewJob("swell", "ann", {}, clock())))
        memory.worker.wake()

        async def is_told() -> bool:
            return (await client.get("/ready")).json().get("detail", "").startswith("the store can't be written: no")

        await eventually(is_told)


async def talk(memory: AsyncMemory, clock: FakeClock) -> None:
    for number in range(1_000):
        await memory.add(Message(f"{number}", "ann", DM, "la " * 1_000, clock()))


@pytest.mark.sqlite
async def test_ready_fails_after_a_bot_write_without_disk_space(
    stranger: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    await memory.store.write(lambda tx: allow(tx, 10))
    with pytest.raises(StoreUnwritable):
        await talk(memory, clock)
    answer = await stranger.get("/ready")
    assert answer.status_code == 503
    assert answer.json()["detail"].startswith("the store can't be written: no space left")


@pytest.mark.sqlite
async def test_a_write_that_failed_is_forgotten_once_there_is_space_again(memory: AsyncMemory):
    moment = [0.0]
    writing = WriteHealth(lambda: moment[0])
    await memory.store.write(lambda tx: allow(tx, 10))
    with pytest.raises(StoreUnwritable):
        await memory.store.write(lambda tx: tx.state.append(StateKind.OTHER, "much", "." * 1_000_000, Owner.nobody()))
    for _ in range(2):
        assert "no space left" in str(await writing.problem(memory.engine.write_monitor))
        moment[0] += PROBE_INTERVAL_SECONDS
    await memory.store.write(lambda tx: allow(tx, 1_000))
    for _ in range(2):
        assert await writing.problem(memory.engine.write_monitor) is None


@pytest.mark.sqlite
async def test_a_store_that_could_not_be_written_is_tried_now_and_then_until_it_can(
    client: httpx.AsyncClient, memory: AsyncMemory
):
    moment = [0.0]
    writing = WriteHealth(lambda: moment[0])
    assert await writing.problem(memory.engine.write_monitor) is None
    await memory.store.write(lambda tx: allow(tx, 10))
    await fill_up(client)
    writing.record_failure(StoreUnwritable("a write failed"))
    assert "no space left" in str(await writing.problem(memory.engine.write_monitor)), "it was tried at once"
    await memory.store.write(lambda tx: allow(tx, 1_000))
    assert await writing.problem(memory.engine.write_monitor), "and not at each call"
    moment[0] += PROBE_INTERVAL_SECONDS
    assert await writing.problem(memory.engine.write_monitor) is None
    assert await memory.store.read(lambda tx: tx.state.keys(StateKind.WRITE_PROBE)) == []


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_probes_at_once_are_answered(stranger: httpx.AsyncClient, path: str):
    answers = await asyncio.gather(*(stranger.get(path) for _ in range(50)))
    assert {answer.status_code for answer in answers} == {200}


async def test_a_store_that_fails_is_a_problem_and_not_a_crash(app: FastAPI, memory: AsyncMemory):
    await memory.store.close()
    async with asking(app, OPERATOR) as client:
        for path in ("/metrics", "/api/v1/stats", "/api/v1/memos?user=ann", "/api/v1/search?q=tea&user=ann"):
            answer = await client.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json"), path
