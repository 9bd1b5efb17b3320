"""Jobs, the log and its stream through the API."""

import json
import threading
from datetime import timedelta

import httpx
import pytest
from fastapi import FastAPI

from recollect import AsyncMemory, Place
from recollect.core.ports.jobs import Job, NewJob
from recollect.faces.http.dependencies import MAX_STREAMS
from recollect.testing.clock import FakeClock
from tests.faces.http.conftest import OPERATOR, Served


async def fail(memory: AsyncMemory, clock: FakeClock, queue: str = "user:ann") -> Job:
    """A job that failed for good."""
    job = NewJob("extract", queue, {}, clock())
    await memory.store.write(lambda tx: tx.jobs.add(job))
    until = clock() + timedelta(minutes=1)
    (claimed,) = await memory.store.write(lambda tx: tx.jobs.claim("w", clock(), until, 1))
    await memory.store.write(lambda tx: tx.jobs.fail(claimed.id, "w", "the model said no"))
    return claimed


async def test_jobs_are_listed_tried_again_and_given_up(
    client: httpx.AsyncClient, memory: AsyncMemory, clock: FakeClock
):
    first, second = await fail(memory, clock), await fail(memory, clock, "user:bob")
    found = (await client.get("/api/v1/jobs", params={"state": "failed"})).json()
    assert found["counts"] == {"waiting": 0, "claimed": 0, "failed": 2}
    assert [(job["id"], job["error"]) for job in found["jobs"]] == [
        (first.id, "the model said no"),
        (second.id, "the model said no"),
    ]
    assert [(job["queue"], job["lane"], job["state"]) for job in found["jobs"]] == [
        ("user:ann", "user:ann", "failed"),
        ("user:bob", "user:bob", "failed"),
    ]
    assert (await client.post("/api/v1/jobs/retry", json={"id": first.id})).json() == {"retried": 1}
    assert (await client.post("/api/v1/jobs/retry", json={})).json() == {"retried": 1}
    assert (await client.post("/api/v1/jobs/drop", json={"id": second.id})).json() == {"id": second.id}
    for path in ("retry", "drop"):
        assert (await client.post(f"/api/v1/jobs/{path}", json={"id": 99})).status_code == 404
    assert (await client.get("/api/v1/jobs")).json()["counts"]["waiting"] == 1


async def test_a_number_that_no_job_can_have_is_refused(client: httpx.AsyncClient):
    for number in (-1, 2**53 + 1, 10**30, "one"):
        assert (await client.post("/api/v1/jobs/drop", json={"id": number})).status_code == 422


async def test_the_log_is_read_page_by_page_by_kind_and_scope(client: httpx.AsyncClient, memory: AsyncMemory):
    for user, text in (("ann", "Likes tea"), ("bob", "Likes tea"), ("ann", "Plays the cello")):
        await memory.remember(text, user=user)
    await memory.forget("1", user="bob")
    first = (await client.get("/api/v1/events", params={"limit": 2})).json()
    assert [event["kind"] for event in first["events"]] == ["memo.retired", "memo.added"]
    rest = (await client.get("/api/v1/events", params={"limit": 2, "cursor": first["next"]})).json()
    assert [event["scope"] for event in rest["events"]] == ["user:bob", "user:ann"]
    only = (await client.get("/api/v1/events", params={"kind": "memo.retired"})).json()["events"]
    assert [event["scope"] for event in only] == ["user:bob"]
    anns = (await client.get("/api/v1/events", params={"scope": "user:ann"})).json()["events"]
    assert len(anns) == 2


class Stream:
    """A browser that listens to the log, in a thread of its own."""

    def __init__(self, served: Served, headers: dict[str, str] | None = None, **params: str) -> None:
        self.lines: list[str] = []
        self.began, self.ended = threading.Event(), threading.Event()
        self._heard = threading.Condition()
        self._served, self._headers, self._params = served, {**OPERATOR, **(headers or {})}, params
        threading.Thread(target=self._listen, daemon=True).start()
        assert self.began.wait(10)

    def _listen(self) -> None:
        url = f"{self._served.url}/api/v1/events/stream"
        with httpx.stream("GET", url, headers=self._headers, params=self._params, timeout=20) as answer:
            self.status, self.type = answer.status_code, answer.headers["content-type"]
            for line in answer.iter_lines():
                with self._heard:
                    self.lines.append(line)
                    self._heard.notify_all()
                self.began.set()
        self.began.set()
        self.ended.set()

    def events(self, count: int) -> list[dict[str, object]]:
        """The first events that come, once there are so many."""
        with self._heard:
            assert self._heard.wait_for(lambda: len(self._data()) >= count, 10), self.lines
            return [json.loads(line) for line in self._data()][:count]

    def _data(self) -> list[str]:
        return [line.removeprefix("data: ") for line in self.lines if line.startswith("data: ")]


def tell(served: Served, text: str, user: str = "ann") -> None:
    served.run(lambda memory: memory.remember(text, user=user, place=Place("discord", dm=user)))


def test_the_stream_tells_what_is_written_from_now_on(served: Served):
    tell(served, "Likes tea")
    stream = Stream(served)
    tell(served, "Works at Acme")
    (event,) = stream.events(1)
    assert (stream.status, stream.type) == (200, "text/event-stream; charset=utf-8")
    assert (event["kind"], event["scope"]) == ("memo.added", "user:discord:ann")
    assert f"id: {event['id']}" in stream.lines
    assert "event: memo.added" in stream.lines


def test_a_browser_that_comes_back_misses_nothing_and_hears_nothing_twice(served: Served):
    tell(served, "Likes tea")
    tell(served, "Works at Acme")
    tell(served, "Plays the cello", "bob")
    first = Stream(served, after="0")
    ids = [event["id"] for event in first.events(3)]
    second = Stream(served, {"Last-Event-ID": str(ids[0])})
    assert [event["id"] for event in second.events(2)] == ids[1:]
    bobs = Stream(served, after="0", scope="user:discord:bob")
    assert [event["scope"] for event in bobs.events(1)] == ["user:discord:bob"]


@pytest.mark.parametrize("wrong", ["-1", "x", "9" * 30])
def test_a_place_in_the_log_that_can_not_be_is_refused(served: Served, wrong: str):
    answer = httpx.get(f"{served.url}/api/v1/events/stream", headers={**OPERATOR, "Last-Event-ID": wrong})
    assert answer.status_code == 422


def test_streams_end_when_the_server_is_about_to_stop(served: Served):
    stream = Stream(served)
    served.loop.call_soon_threadsafe(served.app.state.recollect.closing.set)
    assert stream.ended.wait(5)


async def test_no_more_than_so_many_streams_are_open(client: httpx.AsyncClient, app: FastAPI):
    for _ in range(MAX_STREAMS):
        await app.state.recollect.streams.acquire()
    answer = await client.get("/api/v1/events/stream")
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "30")
