"""The first page: how things stand in one glance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from recollect.admin.overview import Overview
from recollect.core.ports import HealthCheck, Tx
from recollect.core.ports.jobs import JobState
from recollect.faces.http.pages import chart, log_rows
from recollect.faces.http.pages.context import At
from recollect.memory import AsyncMemory

router = APIRouter(include_in_schema=False)

RECENT = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Light:
    """Whether one thing is as it should be."""

    name: str
    ok: bool
    told: str


@router.get("/")
async def overview(request: Request, desk: At) -> HTMLResponse:
    memory = desk.house.memory
    found = await desk.house.office.overview()
    examined: Sequence[HealthCheck] | None = (
        await memory.store.check_health() if "examine" in request.query_params else None
    )
    problems = await memory.store.read(lambda tx: log_rows.rows(tx, found.problems))
    held = await memory.store.read(_held)
    return desk.page(
        request,
        "overview.html",
        overview=found,
        chart=chart.draw(found.days),
        lights=_lights(memory, found, desk.house.clock()),
        examined=examined,
        problems=problems,
        held=held,
    )


def _lights(memory: AsyncMemory, found: Overview, now: datetime) -> list[Light]:
    """What can be told without looking through the whole store."""
    given_up, running = found.jobs.get(JobState.FAILED, 0), memory.worker.is_running
    failed = next((one for one in found.problems if one.kind.endswith(".error") and now - one.at < RECENT), None)
    return [
        Light("Memory", memory.settings.enabled, "on" if memory.settings.enabled else "switched off"),
        Light("Worker", running, "running" if running else "not in this process"),
        Light(
            "Model", failed is None, memory.settings.extraction.model if failed is None else "failed within the hour"
        ),
        Light("Jobs", not given_up, f"{given_up} put aside" if given_up else "none put aside"),
    ]


def _held(tx: Tx) -> dict[str, int]:
    """People and guilds that have memos, up to a number that is quick to count."""
    most = 1_000
    return {"people": len(tx.memos.owners(limit=most)), "guilds": len(tx.memos.owners(limit=most, lore=True))}
