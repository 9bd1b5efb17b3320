"""Writes recollect's own plain format, a record a line; the same record gives the same bytes."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.core import serialization
from recollect.core.errors import BadInput
from recollect.core.ports.format import (
    Canonical,
    Entry,
    Item,
    MessageEntry,
    Owner,
    Problem,
    SummaryEntry,
    TombstoneEntry,
)
from recollect.core.types import (
    EVERYWHERE,
    LORE,
    Audience,
    Memo,
    Message,
    Origin,
    Place,
    Provenance,
    Status,
    Summary,
    Tombstone,
)
from recollect.transfer.readers import fields as values
from recollect.transfer.readers import json_lines

NAME = "recollect"


VERSION = 1


_AUDIENCE = re.compile(r"everywhere|unknown:|dm:.+|guild(?:\?[^:]*)?:.+|channel(?:\?[^:]*)?:[^/]*/.+", re.DOTALL)


_SOURCE = ("guild", "channel", "channel_name", "thread", "message", "evidence", "trace")


_PLACE = ("guild", "channel", "thread", "dm", "name")


class JSONLines:
    name = NAME
    about = "recollect's own plain JSON lines, as `recollect export --format jsonl` writes them"

    def matches(self, path: Path) -> bool:
        if not path.is_file():
            return False
        first = values.opening(path).lstrip().split("\n", 1)[0]
        try:
            return _is_ours(json.loads(first))
        except (ValueError, RecursionError):
            return False

    def count(self, path: Path) -> int:
        return json_lines.count(path)

    def header(self) -> bytes:
        return header()

    def line(self, record: Canonical, *, shared: bool = False) -> bytes:
        return line(record, shared=shared)

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        records = json_lines.lines(path)
        _check(path, next(records, (0, json_lines.Unread("it is empty")))[1])
        for number, value in records:
            where = f"{path.name} line {number}"
            if isinstance(value, json_lines.Unread):
                yield Problem(where, value.why)
                continue
            try:
                yield _item(where, value, owner)
            except BadInput as error:
                yield Problem(where, str(error))


def create(spec: str) -> JSONLines:  # noqa: ARG001 - it has no options
    return JSONLines()


def _is_ours(first: Any) -> bool:
    match first:
        case {"format": "recollect"}:
            return True
        case _:
            return False


def _check(path: Path, first: Mapping[str, Any] | json_lines.Unread) -> None:
    if isinstance(first, json_lines.Unread) or not _is_ours(first):
        raise BadInput(
            f'{path.name} is not one of ours: its first line is not {{"format":"{NAME}","version":{VERSION}}}'
        )
    version = first.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise BadInput(f"{path.name} has no version in its first line")
    if version > VERSION:
        raise BadInput(f"{path.name} has the version {version}, this recollect knows {VERSION}: use a newer one")


def _item(where: str, value: Mapping[str, Any], owner: Owner) -> Item:
    sort = value.get("type")
    read = _READERS.get(sort) if isinstance(sort, str) else None
    if read is None:
        raise BadInput(f"its type {sort!r} is none of {', '.join(_READERS)}")
    return read(where, value, owner)


def _entry(where: str, value: Mapping[str, Any], owner: Owner) -> Entry:
    lore = value["type"] == "lore"
    user = None if lore else values.name_of(value.get("user"), "user") or owner.user
    guild = (values.name_of(value.get("guild"), "guild") or owner.guild) if lore else None
    return Entry(
        location=where,
        user=user,
        guild=guild,
        kind=values.name_of(value.get("kind"), "kind"),
        text=values.text(value.get("text"), "text"),
        tags=values.words(value.get("tags"), "tags"),
        label=values.name_of(value.get("label"), "label"),
        status=_status(value.get("status")),
        created=_time(value.get("created"), "created"),
        updated=_time(value.get("updated"), "updated"),
        happened=_time(value.get("happened"), "happened"),
        expires=_time(value.get("expires"), "expires"),
        confidence=values.share(value.get("confidence"), "confidence", 1.0),
        pinned=value.get("pinned") is True,
        audience=_audience(value.get("audience"), "audience"),
        shared=value.get("shared") is True,
        source=_source(value.get("source"), user),
        id=values.name_of(value.get("id"), "id"),
        supersedes=values.name_of(value.get("supersedes"), "supersedes"),
        superseded_by=values.name_of(value.get("superseded_by"), "superseded_by"),
        hits=values.count(value.get("hits")),
        version=values.count(value.get("version")),
        is_ours=True,
    )


def _summary(where: str, value: Mapping[str, Any], owner: Owner) -> SummaryEntry:
    del owner
    sequence = values.count(value.get("sequence")) or None
    updated, through = _time(value.get("updated"), "updated"), _time(value.get("through"), "through")
    session, text = values.name(value.get("session"), "session"), values.text(value.get("text"), "text")
    audience = _audience(value.get("audience"), "audience")
    return SummaryEntry(where, session, text, updated, through, sequence, is_ours=True, audience=audience)


def _message(where: str, value: Mapping[str, Any], owner: Owner) -> MessageEntry:
    time = _time(value.get("at"), "at")
    if time is None:
        raise BadInput("its at is missing")
    message = Message(
        id=values.name(value.get("id"), "id"),
        author=values.name_of(value.get("author"), "author") or owner.user or "",
        place=_place(values.record(value.get("place"), "place")),
        text=values.text(value.get("text"), "text"),
        at=time,
        name=values.name_of(value.get("name"), "name") or "",
        bot=value.get("bot") is True,
        source=values.name_of(value.get("source"), "source") or "text",
        reply_to=values.name_of(value.get("reply_to"), "reply_to"),
    )
    return MessageEntry(where, message)


def _tombstone(where: str, value: Mapping[str, Any], owner: Owner) -> TombstoneEntry:
    del owner
    scope, fingerprint = values.name(value.get("scope"), "scope"), values.name(value.get("fingerprint"), "fingerprint")
    time = _time(value.get("at"), "at")
    if time is None:
        raise BadInput("its at is missing")
    if not scope.startswith(("user:", "lore:")):
        raise BadInput(f"its scope {scope!r} is neither user:… nor lore:…")
    return TombstoneEntry(where, scope, fingerprint, time)


_READERS: dict[str, Callable[[str, Mapping[str, Any], Owner], Item]] = {
    "memo": _entry,
    "lore": _entry,
    "summary": _summary,
    "message": _message,
    "tombstone": _tombstone,
}


def _source(value: Any, user: str | None) -> Provenance:
    """Where it came from; of what doesn't say so, only that it was brought in."""
    source = values.record(value, "source")
    if not source:
        return Provenance(Origin.IMPORT, actor=user or "")
    origin = source.get("origin", Origin.IMPORT)
    if origin not in [*Origin]:
        raise BadInput(f"its origin {origin!r} is none of {', '.join(Origin)}")
    return Provenance(
        origin=Origin(origin),
        actor=values.name_of(source.get("actor"), "actor") or "",
        platform=values.name_of(source.get("platform"), "platform") or "local",
        metadata=values.record(source.get("metadata"), "metadata"),
        heard=_audience(source.get("heard"), "heard"),
        **{name: values.name_of(source.get(name), name) for name in _SOURCE},
    )


def _place(value: Mapping[str, Any]) -> Place:
    return Place(
        platform=values.name_of(value.get("platform"), "platform") or "local",
        public=value.get("public") is True,
        private_thread=value.get("private_thread") is True,
        readers=values.name_of(value.get("readers"), "readers") or "",
        **{name: values.name_of(value.get(name), name) for name in _PLACE},
    )


def _status(value: Any) -> Status:
    if value is None:
        return Status.ACTIVE
    if value not in [*Status]:
        raise BadInput(f"its status {value!r} is none of {', '.join(Status)}")
    return Status(value)


def _audience(value: Any, name: str) -> Audience | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _AUDIENCE.fullmatch(value):
        raise BadInput(f"its {name} {value!r} is none of everywhere, guild:…, channel:…/…, dm:…")
    return Audience.parse(value)


def _time(value: Any, name: str) -> datetime | None:
    """A time of any year: an event may be long past."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"its {name} {str(value)[:40]!r} is not a time as in 2026-02-27T10:00:00Z") from None


def header() -> bytes:
    return _line({"format": NAME, "version": VERSION})


def line(record: Canonical, *, shared: bool = False) -> bytes:
    """One record; `shared` says that what is for everywhere became so by its owner's decision, not by default."""
    match record:
        case Memo():
            return _line(_from_memo(record, shared))
        case Summary():
            return _line(_from_summary(record))
        case Message():
            return _line(_from_message(record))
        case Tombstone():
            time = record.at.isoformat()
            return _line({"type": "tombstone", "scope": record.scope, "fingerprint": record.fingerprint, "at": time})


def _line(value: Mapping[str, Any]) -> bytes:
    present = {name: item for name, item in value.items() if item is not None}
    return (json.dumps(present, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")


def _from_memo(memo: Memo, shared: bool) -> dict[str, Any]:
    value = serialization.memo_to_json(memo) | ({"shared": True} if shared and memo.audience == EVERYWHERE else {})
    subject, guild = value.pop("subject"), value.pop("subject_guild", None)
    owner = {"type": "lore", "guild": guild} if subject == LORE else {"type": "memo", "user": subject}
    return owner | value


def _from_summary(summary: Summary) -> dict[str, Any]:
    return {
        "type": "summary",
        "session": summary.session,
        "sequence": summary.sequence,
        "updated": summary.updated.isoformat(),
        "through": None if summary.through is None else summary.through.isoformat(),
        "text": summary.text,
        "audience": None if summary.audience is None else str(summary.audience),
    }


def _from_message(message: Message) -> dict[str, Any]:
    place = message.place
    values = {place_field.name: getattr(place, place_field.name) for place_field in fields(Place)}
    return {
        "type": "message",
        "id": message.id,
        "author": message.author,
        "name": message.name or None,
        "at": message.at.isoformat(),
        "place": {name: value for name, value in values.items() if value not in (None, False, "")},
        "text": message.text,
        "bot": message.bot or None,
        "source": message.source,
        "reply_to": message.reply_to,
    }
