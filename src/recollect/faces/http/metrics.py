"""Health checks, Prometheus metrics and the access log, which has a request's route but never its query, as that holds
ids and what people asked for.
"""

import asyncio
import logging
import re
from collections.abc import Iterator
from http import HTTPStatus
from time import perf_counter

from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CollectorRegistry, Gauge, Histogram, PlatformCollector, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recollect.admin.jobs import StoreCounts
from recollect.core.errors import RecollectError
from recollect.core.ports.jobs import JobState
from recollect.core.version import __version__
from recollect.faces.http.auth import Role
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.http.problems import problem

PROBE_PATHS = ("/health", "/ready", "/metrics")
"""Polled every few seconds, so logged only on errors."""


log = logging.getLogger("recollect.http")
access = logging.getLogger("recollect.http.access")


def log_request(method: str, route: str, status: int, seconds: float, role: str | None, client: str) -> None:
    """Write a line to the access log."""
    ms = round(seconds * 1000, 1)
    fields = {"method": method, "route": route, "status": status, "ms": ms, "role": role, "client": client}
    level = logging.DEBUG if route in PROBE_PATHS and status < HTTPStatus.BAD_REQUEST else logging.INFO
    access.log(level, "%s %s %d in %.1f ms", method, route, status, ms, extra={"fields": fields})


METRICS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


STORE_TIMEOUT_SECONDS = 2.0
"""A store that takes longer counts as unavailable."""


BUCKETS_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


JOB_STATES = (JobState.WAITING, "later", JobState.CLAIMED, JobState.FAILED)


class RequestMetrics:
    """Middleware that times every request by route, and writes the access log."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self._app = app
        self._seconds = Histogram(
            "recollect_http_request_seconds",
            "Time until a request was answered in full.",
            ("method", "route", "status"),
            buckets=BUCKETS_SECONDS,
            registry=registry,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status = perf_counter(), [500]

        async def send_and_note_status(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_and_note_status)
        finally:
            seconds, route = perf_counter() - started, _route(scope)
            self._seconds.labels(_method(scope), route, str(status[0])).observe(seconds)
            log_request(_method(scope), route, status[0], seconds, _role(scope), (scope.get("client") or ("",))[0])


def install(app: FastAPI) -> None:
    """Add the routes, and measure all others."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    Gauge("recollect_info", "Which recollect this is.", ("version",), registry=registry).labels(__version__).set(1)
    app.add_middleware(RequestMetrics, registry=registry)

    @app.get("/health", include_in_schema=False)
    async def health() -> JSONResponse:
        """The process is up."""
        return JSONResponse({"status": "up", "version": __version__})

    @app.get("/ready", include_in_schema=False)
    async def ready(state: AppStateDep) -> Response:
        """The store answers and can be written, and the worker runs if it should."""
        reason = await _unready_reason(state)
        return problem(503, reason, {"retry-after": "5"}) if reason else JSONResponse({"status": "ready"})

    @app.get("/metrics", include_in_schema=False)
    async def metrics(state: AppStateDep) -> PlainTextResponse:
        """Numbers of the memory and of this process."""
        store_registry = CollectorRegistry()
        prompts, worker_running = state.memory.engine.composer.cache_counts, state.memory.worker.is_running
        store_registry.register(_StoreMetrics(await state.admin.counts(), prompts, worker_running))
        text = generate_latest(store_registry) + generate_latest(registry)
        return PlainTextResponse(text, media_type=METRICS_CONTENT_TYPE)

    del health, ready, metrics  # registered with the app


async def _unready_reason(state: AppState) -> str | None:
    if state.closing.is_set():
        return "the server is about to stop"
    if state.run_worker and not state.memory.worker.is_running:
        return "the worker does not run"
    try:
        async with asyncio.timeout(STORE_TIMEOUT_SECONDS):
            write_problem = await state.admin.write_problem()
    except (RecollectError, TimeoutError) as error:
        log.warning("the store does not answer: %s", error or "no answer in time")
        return "the store does not answer"
    return f"the store can't be written: {_in_public(write_problem)}" if write_problem else None


def _in_public(problem: str) -> str:
    """The first part of a problem: the rest names files and hosts, and `/ready` is open to strangers."""
    return re.split(r"[:;(/\"']| to | at ", problem, maxsplit=1)[0].strip()


class _StoreMetrics:
    """Counts of the store, as Prometheus metrics."""

    def __init__(self, counts: StoreCounts, prompts: tuple[int, int], worker_running: bool) -> None:
        self._counts, self._prompts, self._worker_running = counts, prompts, worker_running

    def collect(self) -> Iterator[Metric]:
        for name, count in self._counts.totals.items():
            yield GaugeMetricFamily(f"recollect_{name}", f"{name.capitalize()} that are in use.", count)
        jobs = GaugeMetricFamily("recollect_jobs", "Jobs by state; those for later are not due yet.", labels=["state"])
        for state in JOB_STATES:
            jobs.add_metric([state], self._counts.jobs.get(state, 0))
        yield jobs
        events = CounterMetricFamily("recollect_events", "Lines of the log by kind.", labels=["kind"])
        for kind, (count, _) in self._counts.events.items():
            events.add_metric([kind], count)
        yield events
        requested, reused = self._prompts
        yield CounterMetricFamily("recollect_prompts", "Prompts that were asked for since the start.", requested)
        yield CounterMetricFamily("recollect_prompts_reused", "Prompts that were at hand.", reused)
        yield GaugeMetricFamily(
            "recollect_worker_running", "Whether this process learns in the background.", self._worker_running
        )


def _route(scope: Scope) -> str:
    """The route's path template: ids would create unlimited series, and reveal whose data was read."""
    return getattr(scope.get("route"), "path", None) or ("/static" if scope["path"].startswith("/static/") else "other")


def _method(scope: Scope) -> str:
    known = ("GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS")
    return scope["method"] if scope["method"] in known else "other"


def _role(scope: Scope) -> Role | None:
    return scope.get("state", {}).get("role")
