"""What is noted of a request: its route, never its query, as that holds ids and what people asked for."""

import asyncio
import logging
from collections.abc import Iterator
from datetime import datetime
from http import HTTPStatus
from time import perf_counter
from typing import Any

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CollectorRegistry, Gauge, Histogram, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.core.errors import RecollectError
from recollect.core.ports import Tx
from recollect.core.ports.jobs import JobState
from recollect.core.version import __version__
from recollect.faces.http.auth import Role
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.http.problems import problem
from recollect.jobs.status import count_delayed

_PROBES = ("/health", "/ready", "/metrics")
"""Asked every few seconds: worth a line only when something is wrong."""


access = logging.getLogger("recollect.http.access")


def note(method: str, route: str, status: int, seconds: float, role: str | None, client: str) -> None:
    """One request that was answered."""
    ms = round(seconds * 1000, 1)
    told = {"method": method, "route": route, "status": status, "ms": ms, "role": role, "client": client}
    level = logging.DEBUG if route in _PROBES and status < HTTPStatus.BAD_REQUEST else logging.INFO
    access.log(level, "%s %s %d in %.1f ms", method, route, status, ms, extra={"told": told})


TYPE = "text/plain; version=0.0.4; charset=utf-8"


PATIENCE = 2.0
"""Seconds that the store may take to answer before it counts as gone."""


_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


_STATES = (JobState.WAITING, "later", JobState.CLAIMED, JobState.FAILED)


class Meter:
    """Times every request, by the route that answered it; and notes each in the log."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self._app = app
        self._seconds = Histogram(
            "recollect_http_request_seconds",
            "Time until a request was answered in full.",
            ("method", "route", "status"),
            buckets=_SECONDS,
            registry=registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), [500]

        async def answering(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, answering)
        finally:
            seconds, route = perf_counter() - started, _route(scope)
            self._seconds.labels(_method(scope), route, str(status[0])).observe(seconds)
            note(_method(scope), route, status[0], seconds, _role(scope), (scope.get("client") or ("",))[0])


def install(app: FastAPI) -> None:
    """Add the routes, and measure all others."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    Gauge("recollect_info", "Which recollect this is.", ("version",), registry=registry).labels(__version__).set(1)
    app.add_middleware(Meter, registry=registry)

    @app.get("/health", include_in_schema=False)
    async def health() -> JSONResponse:
        """The process is up."""
        return JSONResponse({"status": "up", "version": __version__})

    @app.get("/ready", include_in_schema=False)
    async def ready(house: AppStateDep) -> Response:
        """The store answers and can be written, and what should run runs."""
        trouble = await _trouble(house)
        return problem(503, trouble, {"retry-after": "5"}) if trouble else JSONResponse({"status": "ready"})

    @app.get("/metrics", include_in_schema=False)
    async def metrics(house: AppStateDep) -> PlainTextResponse:
        """Numbers of the memory and of this process."""
        own = CollectorRegistry()
        counted = await house.memory.store.read(lambda tx: _counted(tx, house.clock()))
        own.register(_Numbers(counted, house.memory.engine.composer.counted, house.memory.worker.is_running))
        text = generate_latest(own) + generate_latest(registry)
        return PlainTextResponse(text, media_type=TYPE)

    del health, ready, metrics  # the app has them


async def _trouble(house: AppState) -> str | None:
    if house.closing.is_set():
        return "the server is about to stop"
    if house.run_worker and not house.memory.worker.is_running:
        return "the worker does not run"
    try:
        async with asyncio.timeout(PATIENCE):
            await house.memory.store.read(lambda tx: tx.generation())
            unwritten = await house.writing.problem(house.memory.engine.write_monitor)
    except (RecollectError, TimeoutError) as error:
        return f"the store does not answer: {str(error) or 'no answer in time'}"
    return f"the store can't be written: {unwritten}" if unwritten else None


def _counted(tx: Tx, now: datetime) -> dict[str, Any]:
    jobs, for_later = tx.jobs.counts(), count_delayed(tx, now)
    jobs |= {"waiting": jobs.get("waiting", 0) - for_later, "later": for_later}
    return {"totals": tx.index.row_counts(), "jobs": jobs, "events": tx.events.counts()}


class _Numbers:
    """What the store counts, in the words of Prometheus."""

    def __init__(self, counted: dict[str, Any], prompts: tuple[int, int], works: bool) -> None:
        self._counted, self._prompts, self._works = counted, prompts, works

    def collect(self) -> Iterator[Metric]:
        for name, count in self._counted["totals"].items():
            yield GaugeMetricFamily(f"recollect_{name}", f"{name.capitalize()} that are in use.", count)
        jobs = GaugeMetricFamily("recollect_jobs", "Jobs by state; those for later are not due yet.", labels=["state"])
        for state in _STATES:
            jobs.add_metric([state], self._counted["jobs"].get(state, 0))
        yield jobs
        events = CounterMetricFamily("recollect_events", "Lines of the log by kind.", labels=["kind"])
        for kind, (count, _) in self._counted["events"].items():
            events.add_metric([kind], count)
        yield events
        asked, reused = self._prompts
        yield CounterMetricFamily("recollect_prompts", "Prompts that were asked for since the start.", asked)
        yield CounterMetricFamily("recollect_prompts_reused", "Prompts that were at hand.", reused)
        yield GaugeMetricFamily(
            "recollect_worker_running", "Whether this process learns in the background.", self._works
        )


def _route(scope: Scope) -> str:
    """The template of the route: ids would make endless series, and tell who was looked at."""
    return getattr(scope.get("route"), "path", None) or ("/static" if scope["path"].startswith("/static/") else "other")


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"


def _role(scope: Scope) -> Role | None:
    return scope.get("state", {}).get("role")
