"""Records and errors as they travel between client and server."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Generic, TypeVar

from recollect.core import serialization
from recollect.core.errors import MissingExtra, RecollectError
from recollect.core.events import Event, parse_kind
from recollect.core.ports.layer import Line
from recollect.core.reasons import Reason, decode_reason
from recollect.core.types import Memo, Message, Place, Subject, Summary
from recollect.prompting.assemble import Section
from recollect.recall.query import Hit

try:
    import httpx
except ModuleNotFoundError as error:
    raise MissingExtra("the client", "client") from error

T = TypeVar("T")

_PLACE_FIELDS = tuple(field.name for field in fields(Place))


class ApiError(RecollectError):
    """The server refused a request; `status` is 0 when it could not be reached."""

    def __init__(self, status: int, detail: str, version: int | None = None, reason: str | None = None) -> None:
        super().__init__(f"{detail} ({status})" if status else detail)
        self.status = status
        self.version = version
        """The memo's current version, where the request named another one."""
        self.reason = reason
        """Why a statement is refused: the name of a `Reason`."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of memos, the total count, and where the list goes on; None at its end."""

    memos: tuple[Memo, ...]
    total: int
    next: str | None = None


@dataclass(frozen=True, slots=True)
class MessagePage:
    """A page of messages, and where the list goes on; None at its end."""

    messages: tuple[Message, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class MessageDetails:
    """A message, what was learned from it, and what was not and why."""

    message: Message
    memos: tuple[Memo, ...]
    refused: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """A person who has memos."""

    user: str
    name: str
    memos: int
    updated: datetime | None
    paused: bool
    seen: datetime | None = None


@dataclass(frozen=True, slots=True)
class Guild:
    """A guild that has lore."""

    guild: str
    name: str
    memos: int
    updated: datetime | None
    paused: bool


@dataclass(frozen=True, slots=True)
class Listing(Generic[T]):
    """A page of a list, and where it goes on; None at its end."""

    items: tuple[T, ...]
    next: str | None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Why:
    """Where a memo comes from, and what happened to it."""

    memo: Memo
    events: tuple[Event, ...]
    message: Message | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The prompt for answering a message, and what it is made of."""

    text: str
    blocks: list[dict[str, Any]]
    sections: tuple[Section, ...]
    missing: tuple[str, ...]


def api_error(response: httpx.Response) -> ApiError:
    try:
        document = response.json()
        more = document.get("version"), document.get("reason")
        return ApiError(response.status_code, str(document["detail"]), *more)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ApiError(response.status_code, "the server gave no reason")


def encode(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without None values, with times in ISO 8601."""
    present = {name: value for name, value in values.items() if value is not None}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in present.items()}


def place_to_json(place: Place) -> dict[str, Any]:
    return encode({name: getattr(place, name) for name in _PLACE_FIELDS})


def memo_ref(memo: Memo) -> dict[str, Any]:
    owner = {"guild": memo.subject.guild} if memo.subject.is_lore else {"user": memo.subject.id}
    return {**owner, "id": memo.id}


def read_memo(value: Mapping[str, Any]) -> Memo:
    owner = Subject.lore(value["guild"]) if value["user"] is None else Subject(value["user"])
    return serialization.memo_from_json({**value, "subject": owner.id, "subject_guild": owner.guild})


def read_message(value: Mapping[str, Any]) -> Message:
    place = Place(**{name: value["place"][name] for name in _PLACE_FIELDS})
    fields: dict[str, Any] = {**value, "place": place, "at": datetime.fromisoformat(value["at"])}
    return Message(**fields)


def read_hit(value: Mapping[str, Any]) -> Hit:
    item = read_message(value["message"]) if value["memo"] is None else read_memo(value["memo"])
    return Hit(item, value["score"], value["parts"])


def read_event(value: Mapping[str, Any]) -> Event:
    name, (reason, detail) = str(value.get("code")).upper(), decode_reason(value["reason"])
    if name in Reason.__members__:
        reason, detail = Reason[name], value["detail"]
    fields = {name: value[name] for name in ("id", "actor", "scope", "memo", "data")}
    return Event(parse_kind(value["kind"]), datetime.fromisoformat(value["at"]), reason=reason, detail=detail, **fields)


def read_section(value: Mapping[str, Any]) -> Section:
    lines = tuple(Line(line["text"], line["reason"]) for line in value["lines"])
    return Section(value["name"], value["text"], lines, value["used"], value["limit"], value["left_out"])


def read_owner(value: Mapping[str, Any]) -> dict[str, Any]:
    return {**value, "updated": _time(value["updated"])}


def read_summary(value: Mapping[str, Any]) -> Summary:
    updated = datetime.fromisoformat(value["updated"])
    return Summary(value["session"], value["text"], value["sequence"], updated, _time(value["through"]))


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
