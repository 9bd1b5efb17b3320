"""Shared by the routes of the API: types of values, cursors, the subject of a request, and errors."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from recollect.core.types import LORE, Subject
from recollect.faces.http.dependencies import AppState, AppStateDep
from recollect.faces.http.problems import TYPE

ROOT = "/api/v1"
MAX_NAME_CHARS, MAX_TEXT_CHARS, MAX_MESSAGE_CHARS = 512, 8_000, 100_000
"""Limits on an id or a name, on a memo, and on a message."""
MAX_INTEGER = 2**53
"""JavaScript reads larger integers inexactly."""
MAX_DIGITS = 19
"""Digits of a number in a cursor."""
SPELLING = "as in discord:1042; without a platform a local person's, or to read, that of the one who has it"
_ALLOWED_YEARS = range(1900, 9000)


class Wire(BaseModel):
    """A document of the API; unknown fields are rejected. A record with the same fields is one as it is."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field("about:blank", description="Kind of problem.")
    title: str = Field(description="The status in words.")
    status: int
    detail: str = Field(description="What was wrong, and what to do about it.")
    version: int | None = Field(None, description="The memo's version, where the request names another one.")
    reason: str | None = Field(None, description="Why a statement is refused, for programs.")
    errors: list[dict[str, str]] | None = Field(None, description="Each wrong field, where that is known.")


def _in_utc(time: datetime) -> datetime:
    if time.year not in _ALLOWED_YEARS:
        raise ValueError(f"the year has to be between {_ALLOWED_YEARS.start} and {_ALLOWED_YEARS.stop - 1}")
    return time.astimezone(UTC)


Time = Annotated[AwareDatetime, AfterValidator(_in_utc)]
"""A time with its zone, as `2026-05-01T12:00:00Z`; a time without a zone is ambiguous and rejected."""
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]
"""An id or a name; any characters."""
Part = Annotated[str, Query(max_length=MAX_NAME_CHARS, description="Only those that contain this, case-insensitive.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Cursor = Annotated[str, Query(max_length=4 * MAX_NAME_CHARS, description="What an earlier answer said as `next`.")]
Next = Annotated[str | None, Field(description="Ask with this as `cursor` for what follows; null at the end.")]
Number = Annotated[int, Field(ge=0, le=MAX_INTEGER)]

_DESCRIPTIONS = {
    400: "The body is not JSON, or the cursor is none that an answer gave.",
    401: "No token, or a wrong one.",
    403: "This token may not do that.",
    404: "There is no such thing.",
    409: "It is not as the request expects.",
    413: "The body is too large.",
    415: "The body is not sent as application/json.",
    421: "The host is not known by that name.",
    422: "A value can't be used.",
    429: "Too many wrong tokens.",
    503: "The store or the model can't do its work now; try again.",
}
_COMMON_STATUSES = (401, 421, 422, 429, 503)
_WRITE_STATUSES = (400, 403, 409, 413, 415)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Error responses of a route, for its OpenAPI description."""
    content = {TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": _DESCRIPTIONS[status], "content": content} for status in sorted(statuses)}


READING = problems(*_COMMON_STATUSES)
PAGING = problems(*_COMMON_STATUSES, 400)
CHANGING = problems(*_COMMON_STATUSES, *_WRITE_STATUSES)


def router(tag: str) -> APIRouter:
    return APIRouter(prefix=ROOT, tags=[tag])


def next_cursor(listing: str, position: object) -> str:
    """Where the next page of a listing begins; opaque to clients."""
    return urlsafe_b64encode(f"{listing}\0{position}".encode("utf-8", "surrogatepass")).decode().rstrip("=")


def position_after(listing: str, cursor: str) -> str:
    """The position in a cursor of `next_cursor`, empty for the first page; 400 for any other cursor."""
    if not cursor:
        return ""
    try:
        data = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        name, _, position = data.decode("utf-8", "surrogatepass").partition("\0")
    except (UnicodeError, binascii.Error):
        name = position = ""
    if name != listing or not position:
        raise HTTPException(400, "that cursor is none that this listing gave; leave it out for the first page")
    return position


def number_after(listing: str, cursor: str) -> int | None:
    """The position in a cursor of a listing by numbers."""
    position = position_after(listing, cursor)
    if position and not (position.isascii() and position.isdecimal() and len(position) < MAX_DIGITS):
        raise HTTPException(400, "that cursor is none that this listing gave; leave it out for the first page")
    return int(position) if position else None


def missing(detail: str) -> HTTPException:
    return HTTPException(404, detail)


def subject_of(user: str | None, guild: str | None) -> Subject:
    """The subject of a request: one person, or a guild's lore."""
    if (user is None) == (guild is None):
        raise HTTPException(422, "say whose memory is meant: either user, or guild for the lore of one")
    if user is None:
        return Subject.lore(guild or "")
    if not user.strip() or user == LORE:
        raise HTTPException(422, f"{user!r} is not a user")
    return Subject(user)


async def known_subject(state: AppState, user: str | None, guild: str | None, *, changes: bool = True) -> Subject:
    """The subject with a person's platform; raises BadInput where that has to be named."""
    subject = subject_of(user, guild)
    return subject if subject.is_lore else Subject(await state.admin.resolve(subject.id, changes=changes))


async def _subject(
    request: Request,
    state: AppStateDep,
    user: Annotated[Name | None, Query(description=f"Whose memory: a person's id, {SPELLING}.")] = None,
    guild: Annotated[Name | None, Query(description="Or the lore of a guild, by its id.")] = None,
) -> Subject:
    return await known_subject(state, user, guild, changes=request.method != "GET")


async def _seen_version(
    version: Annotated[Number | None, Query(description="Only if the memo has this version (else 409).")] = None,
    if_match: Annotated[str | None, Header(description="The same as an ETag.", max_length=100)] = None,
) -> int | None:
    tag = (if_match or "*").strip().removeprefix("W/").strip('"')
    if version is not None or tag == "*":
        return version
    if not (tag.isascii() and tag.isdecimal()):
        raise HTTPException(422, 'If-Match has to be the ETag of a memo, such as "3"')
    return int(tag)


SeenVersion = Annotated[int | None, Depends(_seen_version)]
"""The version that the client has seen of the memo that it changes."""
SubjectDep = Annotated[Subject, Depends(_subject)]
MemoId = Annotated[Name, Query(alias="id", description="The memo's id.")]
