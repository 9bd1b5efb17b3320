"""The first page: health, totals and recent changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from recollect.admin.overview import Overview
from recollect.core.ports import HealthCheck
from recollect.core.ports.jobs import JobState
from recollect.faces.http.pages import chart, log_rows
from recollect.faces.http.pages.context import PageDep, as_number
from recollect.memory import AsyncMemory

router = APIRouter(include_in_schema=False)

RECENT_FAILURE = timedelta(hours=1)
MAX_PAUSED_NAMES = 3
MAX_PROBLEMS = 5
RANGES = (14, 28, 84)
"""Days that the chart can show."""


@dataclass(frozen=True, slots=True)
class Light:
    """A health indicator."""

    name: str
    ok: bool
    text: str


@router.get("/")
async def overview(request: Request, page: PageDep) -> HTMLResponse:
    memory = page.state.memory
    days = as_number(request.query_params.get("days", ""))
    days = days if days in RANGES else RANGES[0]
    totals = await page.state.admin.overview(days)
    checks: Sequence[HealthCheck] | None = (
        await page.state.admin.check_health() if "examine" in request.query_params else None
    )
    problems = [
        (group, log_rows.rows([group.last], page.guild_names)[0])
        for group in await page.state.admin.problems(MAX_PROBLEMS)
    ]
    return page.render(
        request,
        "overview.html",
        part="overview_live.html",
        overview=totals,
        chart=chart.draw(totals.days),
        ranges=RANGES,
        days=days,
        every=days // RANGES[0],
        lights=_lights(memory, totals, page.state.clock()),
        checks=checks,
        problems=problems,
        owners=await page.state.admin.count_owners(),
    )


def _lights(memory: AsyncMemory, overview: Overview, now: datetime) -> list[Light]:
    """Health that can be read without examining the whole store."""
    failed_jobs, running = overview.jobs.get(JobState.FAILED, 0), memory.worker.is_running
    is_failing = any(event.kind.endswith(".error") and now - event.at < RECENT_FAILURE for event in overview.problems)
    model = "failed within the hour" if is_failing else memory.settings.extraction.model
    budgets = ", ".join(overview.paused[:MAX_PAUSED_NAMES]) + (" …" if len(overview.paused) > MAX_PAUSED_NAMES else "")
    paused = [Light("Learning paused:", ok=False, text=f"budget of {budgets}")] if budgets else []
    return [
        Light("Memory", memory.settings.enabled, "on" if memory.settings.enabled else "switched off"),
        Light("Worker", running, "running" if running else "not in this process"),
        Light("Model", not is_failing, model),
        *paused,
        Light("Jobs", not failed_jobs, f"{failed_jobs} failed" if failed_jobs else "none failed"),
    ]
