"""Search as a person in a place, by one ranker or by all side by side, with the parts of each score."""

import asyncio
from typing import Annotated, Literal

from fastapi import Depends, Query

from recollect.core.ports import Filters
from recollect.core.types import LOCAL, Kind, Place, Status
from recollect.faces.http.api import records
from recollect.faces.http.api.common import READING, Limit, Name, Time, Wire, router
from recollect.faces.http.dependencies import AppStateDep
from recollect.policy.viewer import valid_user
from recollect.recall.rankers import DESIGN_RANKERS, DesignRanker

routes = router("search")
Over = Annotated[Literal["memos", "messages"], Query(description="Memos and lore, or the messages of the channel.")]
QueryText = Annotated[str, Query(alias="q", max_length=8_000, description="What to look for.")]
Speaker = Annotated[Name, Query(description="Who asks: their memos, and what they may hear.")]
Strict = Annotated[bool, Query(description="Nothing at all rather than what is not relevant.")]


class Results(Wire):
    results: list[records.HitOut]


class SideBySide(Wire):
    rankers: dict[str, list[records.HitOut]]


async def _place(
    user: Speaker,
    platform: Annotated[Name | None, Query(description="Of the place, and of the person; local unless said.")] = None,
    guild: Annotated[Name | None, Query(description="Of the place.")] = None,
    channel: Annotated[
        Name | None, Query(description="Of the place; without one, the asker's direct messages.")
    ] = None,
    thread: Annotated[Name | None, Query(description="Of the place.")] = None,
    public: Annotated[bool, Query(description="Everyone in the guild can read the channel.")] = False,
    private_thread: Annotated[bool, Query(description="The thread is closed.")] = False,
    readers: Annotated[str, Query(max_length=20_000, description="Who can read the channel.")] = "",
) -> Place | None:
    if channel is None and thread is None:
        return None if platform is None else Place(platform, guild=None, dm=valid_user(user))
    return Place(platform or LOCAL, guild, channel, thread, None, None, public, private_thread, readers)


async def _filters(
    kind: Annotated[list[Kind], Query(max_length=20, description="Only of these kinds.")] = [],  # noqa: B006 - FastAPI copies it
    tag: Annotated[list[Name], Query(max_length=20, description="Only with one of these tags.")] = [],  # noqa: B006 - FastAPI copies it
    since: Annotated[Time | None, Query(description="What happened from then on.")] = None,
    until: Annotated[Time | None, Query(description="What happened before.")] = None,
) -> Filters:
    return Filters(tuple(item.value for item in kind), tuple(tag), None, None, since, until)


PlaceDep = Annotated[Place | None, Depends(_place)]
FiltersDep = Annotated[Filters, Depends(_filters)]


@routes.get("/search", responses=READING)
async def search(
    state: AppStateDep,
    q: QueryText,
    user: Speaker,
    place: PlaceDep,
    filters: FiltersDep,
    over: Over = "memos",
    ranker: Annotated[DesignRanker | None, Query(description="As configured unless said.")] = None,
    strict: Strict = False,
    status: Annotated[Status, Query(description="Of the memos.")] = Status.ACTIVE,
    limit: Limit = 10,
) -> Results:
    """Hits that are visible in the place, best first."""
    hits = await state.memory.search(
        q,
        user=valid_user(user),
        place=place,
        over=over,
        filters=filters,
        status=status,
        limit=limit,
        ranker=ranker,
        strict=strict,
    )
    return Results(results=[records.from_hit(hit) for hit in hits])


@routes.get("/search/rankers", responses=READING)
async def search_by_all_rankers(
    state: AppStateDep,
    q: QueryText,
    user: Speaker,
    place: PlaceDep,
    filters: FiltersDep,
    over: Over = "memos",
    strict: Strict = False,
    limit: Limit = 10,
) -> SideBySide:
    """The same question by every ranker."""

    async def search_by(ranker: str) -> list[records.HitOut]:
        hits = await state.memory.search(
            q,
            user=valid_user(user),
            place=place,
            over=over,
            filters=filters,
            limit=limit,
            ranker=ranker,
            strict=strict,
            count_use=False,
        )
        return [records.from_hit(hit) for hit in hits]

    results = await asyncio.gather(*(search_by(name) for name in DESIGN_RANKERS))
    return SideBySide(rankers=dict(zip(DESIGN_RANKERS, results, strict=True)))
