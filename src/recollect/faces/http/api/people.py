"""Owners of memos: people and guilds; and pausing what is learned from a person."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from recollect.faces.http.api import records
from recollect.faces.http.api.common import CHANGING, READING, SPELLING, Limit, Name, Part, Wire, router
from recollect.faces.http.dependencies import AppStateDep

routes = router("people")
After = Annotated[str, Query(max_length=600, description="What an earlier answer said as `after`.")]


class Person(Wire):
    user: Name


class Learning(Wire):
    user: str
    learning: bool = Field(description="Whether anything is learned from what they say.")
    changed: bool = Field(description="False when that was so already.")


@routes.get("/people", responses=READING)
async def list_people(state: AppStateDep, part: Part = "", after: After = "", limit: Limit = 50) -> records.Owners:
    """Who has memos, and how many, by id."""
    return records.from_owners(await state.admin.people(part, after, limit), limit)


@routes.get("/guilds", responses=READING)
async def list_guilds(state: AppStateDep, part: Part = "", after: After = "", limit: Limit = 50) -> records.Owners:
    """Which guilds have lore, and how much."""
    return records.from_owners(await state.admin.guilds(part, after, limit), limit)


@routes.get("/people/learning", responses=READING)
async def get_learning(
    state: AppStateDep, user: Annotated[Name, Query(description=f"A person's id, {SPELLING}.")]
) -> Learning:
    """Whether anything is learned from what someone says."""
    person = await state.admin.resolve(user, changes=False)
    return Learning(user=person, learning=not await state.admin.is_paused(person), changed=False)


@routes.post("/people/pause", responses=CHANGING)
async def pause_learning(state: AppStateDep, body: Person) -> Learning:
    """Learn nothing from what someone says, until resumed; what is known stays."""
    return Learning(user=body.user, learning=False, changed=await state.admin.pause(body.user))


@routes.post("/people/resume", responses=CHANGING)
async def resume_learning(state: AppStateDep, body: Person) -> Learning:
    """Learn from someone again."""
    return Learning(user=body.user, learning=True, changed=await state.admin.resume(body.user))
