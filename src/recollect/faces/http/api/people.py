"""Owners of memos: people and guilds; and pausing what is learned from a person, a channel or a guild."""

from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.exceptions import HTTPException

from recollect.admin.places import guild_places
from recollect.core.sessions import parse_session
from recollect.core.types import Place
from recollect.faces.http.api import records
from recollect.faces.http.api.common import (
    CHANGING,
    PAGING,
    READING,
    SPELLING,
    Cursor,
    Limit,
    Name,
    Part,
    Wire,
    next_cursor,
    position_after,
    router,
)
from recollect.faces.http.dependencies import AppState, AppStateDep

routes = router("people")


class Person(Wire):
    user: Name


class Learning(Wire):
    user: str
    learning: bool = Field(description="Whether anything is learned from what they say.")
    changed: bool = Field(description="False when that was so already.")


class LearningPlace(Wire):
    """A channel or a direct message, by its conversation; or a whole guild."""

    session: Name | None = Field(None, description="A conversation's name, as messages have it.")
    guild: Name | None = Field(None, description="Or the id of a guild.")

    def places(self) -> list[Place]:
        """The place; for a guild, all places that it may stand for."""
        if (self.session is None) == (self.guild is None):
            raise HTTPException(422, "say which place: either session, or guild for all of its channels")
        if self.guild is not None:
            return guild_places(self.guild)
        session = parse_session(self.session or "")
        if session is None:
            raise HTTPException(422, f"{self.session!r} is not a conversation")
        return [session.place]


class PlaceLearning(Wire):
    learning: bool = Field(description="Whether anything is learned from what is said there.")
    changed: bool = Field(description="False when that was so already.")


@routes.get("/people", responses=PAGING)
async def list_people(
    state: AppStateDep, part: Part = "", limit: Limit = 50, cursor: Cursor = ""
) -> records.PeoplePage:
    """Who has memos, and how many, by id; `part` is looked for in ids and names."""
    page = await state.admin.owner_page(part, position_after("people", cursor), limit)
    return records.PeoplePage(
        people=[records.from_person(owner) for owner in page.owners],
        next=next_cursor("people", page.after) if page.after else None,
    )


@routes.get("/guilds", responses=PAGING)
async def list_guilds(
    state: AppStateDep, part: Part = "", limit: Limit = 50, cursor: Cursor = ""
) -> records.GuildsPage:
    """Which guilds have lore, and how much."""
    page = await state.admin.owner_page(part, position_after("guilds", cursor), limit, lore=True)
    return records.GuildsPage(
        guilds=[records.from_guild(owner) for owner in page.owners],
        next=next_cursor("guilds", page.after) if page.after else None,
    )


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


@routes.post("/places/pause", responses=CHANGING)
async def pause_place(state: AppStateDep, body: LearningPlace) -> PlaceLearning:
    """Learn nothing from what is said in a channel or on a server, until resumed; what is known stays."""
    return PlaceLearning(learning=False, changed=await _change(state, body, paused=True))


@routes.post("/places/resume", responses=CHANGING)
async def resume_place(state: AppStateDep, body: LearningPlace) -> PlaceLearning:
    """Learn from what is said there again."""
    return PlaceLearning(learning=True, changed=await _change(state, body, paused=False))


async def _change(state: AppState, body: LearningPlace, *, paused: bool) -> bool:
    verb = state.admin.pause_place if paused else state.admin.resume_place
    return any([await verb(place) for place in body.places()])
