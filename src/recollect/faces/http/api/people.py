"""Owners of memos: people and guilds; and pausing what is learned from a person."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from recollect.faces.http.api import records
from recollect.faces.http.api.common import CHANGING, READING, Limit, Name, Part, Wire, router
from recollect.faces.http.dependencies import AppStateDep
from recollect.learning import consent
from recollect.policy.viewer import valid_user

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
async def get_learning(state: AppStateDep, user: Annotated[Name, Query(description="A person's id.")]) -> Learning:
    """Whether anything is learned from what someone says."""
    name = valid_user(user)
    paused = await state.memory.store.read(lambda tx: consent.is_paused(tx, name))
    return Learning(user=user, learning=not paused, changed=False)


@routes.post("/people/pause", responses=CHANGING)
async def pause_learning(state: AppStateDep, body: Person) -> Learning:
    """Learn nothing from what someone says, until resumed; what is known stays."""
    user, now = valid_user(body.user), state.clock()
    changed = await state.memory.store.write(lambda tx: consent.pause(tx, user, now, state.admin.name))
    return Learning(user=user, learning=False, changed=changed)


@routes.post("/people/resume", responses=CHANGING)
async def resume_learning(state: AppStateDep, body: Person) -> Learning:
    """Learn from someone again."""
    user, now = valid_user(body.user), state.clock()
    changed = await state.memory.store.write(lambda tx: consent.resume(tx, user, now, state.admin.name))
    return Learning(user=user, learning=True, changed=changed)
