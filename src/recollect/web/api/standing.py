"""How things stand: what there is, what was learned a day, what waits, what went wrong, what it cost."""

from typing import Annotated

from fastapi import Query

from recollect.web.api import models
from recollect.web.api.base import READING, router
from recollect.web.house import In

routes = router("stats")


@routes.get("/stats", responses=READING)
async def stats(
    house: In, days: Annotated[int, Query(ge=1, le=366, description="Days up to today, by UTC.")] = 14
) -> models.Stats:
    """How things stand."""
    return models.stats(await house.office.overview(days))
