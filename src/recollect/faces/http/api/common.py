"""What the routes of the API share: how values look on the wire, whose memory is meant, how errors are described."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from recollect.core.types import LORE, Subject
from recollect.faces.http.problems import TYPE

ROOT = "/api/v1"
LONGEST_NAME, LONGEST_TEXT, LONGEST_MESSAGE = 512, 8_000, 100_000
"""Characters of an id or a name, of a memo, of a message."""
LARGEST = 2**53
"""No number is larger: programs in JavaScript read them too."""
_YEARS = range(1900, 9000)


class Wire(BaseModel):
    """A document of the API; one with an unknown field is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field("about:blank", description="Kind of problem.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="What was wrong, and what to do about it.")
    errors: list[dict[str, str]] | None = Field(None, description="Each wrong field, where that is known.")


def _in_utc(moment: datetime) -> datetime:
    if moment.year not in _YEARS:
        raise ValueError(f"the year has to be between {_YEARS.start} and {_YEARS.stop - 1}")
    return moment.astimezone(UTC)


Time = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A time with its zone, as `2026-05-01T12:00:00Z`; one without is refused, as nobody knows which was meant."""
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
"""An id or a name; any characters."""
Part = Annotated[str, Query(max_length=LONGEST_NAME, description="Only those that contain this, whatever the case.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many at the most.")]
Offset = Annotated[int, Query(ge=0, le=LARGEST, description="How many to pass over.")]
Number = Annotated[int, Field(ge=0, le=LARGEST)]

_TOLD = {
    400: "The body is not JSON.",
    401: "No token, or a wrong one.",
    403: "This token may not do that.",
    404: "There is no such thing.",
    409: "It is not as the request expects.",
    413: "The body is too large.",
    421: "The host is not known by that name.",
    422: "A value can't be used.",
    429: "Too many wrong tokens.",
    503: "The store can't do its work now; try again.",
}
_ALWAYS = (401, 421, 422, 429, 503)
_CHANGING = (400, 403, 413)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Errors that a route may answer with, for its description."""
    content = {TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _TOLD[status], "content": content} for status in sorted(statuses)}


READING = problems(*_ALWAYS)
CHANGING = problems(*_ALWAYS, *_CHANGING)


def router(tag: str) -> APIRouter:
    return APIRouter(prefix=ROOT, tags=[tag])


def missing(what: str) -> HTTPException:
    return HTTPException(404, what)


def subject_of(user: str | None, guild: str | None) -> Subject:
    """Whose memory is meant: one person's, or a guild's lore."""
    if (user is None) == (guild is None):
        raise HTTPException(422, "say whose memory is meant: either user, or guild for the lore of one")
    if user is None:
        return Subject.lore(guild or "")
    if not user.strip() or user == LORE:
        raise HTTPException(422, f"{user!r} is not a user")
    return Subject(user)


async def _asked(
    user: Annotated[Name | None, Query(description="Whose memory: a person's id.")] = None,
    guild: Annotated[Name | None, Query(description="Or the lore of a guild, by its id.")] = None,
) -> Subject:
    return subject_of(user, guild)


Whose = Annotated[Subject, Depends(_asked)]
MemoId = Annotated[Name, Query(alias="id", description="The memo's id.")]
