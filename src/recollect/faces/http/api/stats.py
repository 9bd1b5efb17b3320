"""Statistics: totals, changes per day, jobs, problems and cost."""

from typing import Annotated

from fastapi import Query

from recollect.faces.http.api import records
from recollect.faces.http.api.common import READING, router
from recollect.faces.http.dependencies import AppStateDep

routes = router("stats")


@routes.get("/stats", responses=READING)
async def stats(
    state: AppStateDep, days: Annotated[int, Query(ge=1, le=366, description="Days up to today, by UTC.")] = 14
) -> records.Stats:
    """Totals, changes per day, jobs, problems and cost."""
    return records.from_overview(await state.admin.overview(days))
