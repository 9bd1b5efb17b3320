"""DiscoClaw: a person's facts in `durable/<user>.json`, rolling summaries of sessions, and its workspace.

Facts of the versions 1 and 2. What it learned by itself stays with those who could hear it.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, NeedsOwner, Owner, PageEntry, Problem, SummaryEntry, problem
from recollect.core.text import join_escaped
from recollect.core.types import EVERYWHERE, Audience, AudienceLevel, Origin, Provenance, Status, guild_key
from recollect.policy.kinds import SEVEN
from recollect.transfer.readers import fields
from recollect.transfer.readers.json_stream import Broken, Member, members
from recollect.workspace.names import safe_id

VERSIONS = (1, 2)
_PLATFORM = "discord"
_SUMMARIES = ("rolling", "summaries")
_SHORT_TERM = "shortterm"
_ORIGINS = {"manual": Origin.MANUAL, "discord": Origin.DISCORD}
_DURABLE = re.compile(r'\s*\{.*"version"\s*:\s*\d+.*"items"\s*:', re.DOTALL)
_SUMMARY = re.compile(r'\s*\{\s*"(?:summary"\s*:\s*"|updatedAt"\s*:\s*\d+\s*,\s*"summary")')
_SIMPLE_ID = re.compile(r"[A-Za-z0-9_-]+")
_SNOWFLAKE = re.compile(r"\d{15,20}")
_SESSION = re.compile(r"discord[:_-](dm|channel|thread)[:_-](\w+)")


class DiscoClawReader:
    name = "discoclaw"
    about = "DiscoClaw: durable/, rolling/ and summaries/ with JSON files, and its workspace"

    def matches(self, path: Path) -> bool:
        if path.is_file():
            return path.suffix == ".json" and _file_kind(path) is not None
        files = (file for name in ("durable", *_SUMMARIES) for file in fields.files_in(_folder(path, name), "*.json"))
        return any(_file_kind(file) for file in files)

    def count(self, path: Path) -> int:
        files = [path] if path.is_file() else fields.files_in(_folder(path, "durable"), "*.json")
        return sum(fields.occurrences(file, b'"createdAt"') for file in files)

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        if path.is_file():
            yield from _Reader(owner).file(path)
        elif path.is_dir():
            yield from _Reader(owner).folder(path)
        else:
            raise BadInput(f"there is no {path}")


def _folder(path: Path, name: str) -> Path | None:
    """Where DiscoClaw keeps something: below what was given, in its memory or in its data; or it is that itself."""
    if path.name == name:
        return path
    places = [path / name, path / "memory" / name, path / "data" / "memory" / name, path / "data" / name]
    return next((place for place in places if place.is_dir() and fields.is_inside(path, place)), None)


class _Reader:
    """Reads files in an order in which facts tell which guild a channel belongs to before its summary is read."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._guilds: dict[str, str] = {}

    def file(self, path: Path) -> Iterator[Item]:
        """One file alone: what can't be read of it is an error."""
        if _file_kind(path) == "summary":
            yield from self._summary(path, path.name)
        else:
            yield from self._durable(path, path.name, self._user_in_name(path))

    def folder(self, path: Path) -> Iterator[Item]:
        for file in fields.files_in(_folder(path, "durable"), "*.json"):
            yield from self._read_tolerantly(file, f"durable/{file.name}", self._read_named_durable)
        for file, where in _summaries(path):
            yield from self._read_tolerantly(file, where, self._summary)
        if fields.files_in(_folder(path, _SHORT_TERM), "*.json"):
            yield Problem(f"{_SHORT_TERM}/", "short-term entries last for some hours", is_broken=False)
        yield from _pages(_folder(path, "workspace"))

    def _read_tolerantly(self, path: Path, where: str, read: Any) -> Iterator[Item]:
        """In a folder, a file that can't be read doesn't affect the others."""
        try:
            yield from read(path, where)
        except BadInput as error:
            yield problem(where, error)
        except OSError as error:
            yield Problem(where, f"it can't be read: {error.strerror}")

    def _read_named_durable(self, path: Path, where: str) -> Iterator[Item]:
        user = _id_of(path.stem)
        if user is None and self._owner.user is not None and safe_id(self._owner.user) == path.stem:
            user = self._owner.user  # too long for a name
        if user is None:
            raise BadInput("its name doesn't say whose facts it holds")
        yield from self._durable(path, where, user)

    def _user_in_name(self, path: Path) -> str | None:
        """A name says whose it is where DiscoClaw gave it; a copy under another name needs `--user`."""
        named = path.parent.name == "durable" or _SNOWFLAKE.fullmatch(path.stem)
        return _id_of(path.stem) if named else self._owner.user

    def _durable(self, path: Path, where: str, user: str | None) -> Iterator[Item]:
        if user is None and self._owner.guild is None:
            raise NeedsOwner("its name doesn't say whose facts it holds: say it with --user")
        _check_version(path)
        in_use: set[str | None] = set()
        retired = 0
        try:
            for member in members(path):
                if _is_retired(member):
                    retired += 1
                elif member.name == "items":
                    entry = self._entry(member.value, f"{where} item {member.number}", user)
                    in_use.add(entry.id if isinstance(entry, Entry) else None)
                    yield entry
        except Broken as error:
            yield Problem(where, str(error))
        # A fact that was stated again after it was forgotten stands there twice under one id: the one in use counts.
        for member in islice(filter(_is_retired, members(path)), retired):
            entry = self._entry(member.value, f"{where} item {member.number}", user)
            if isinstance(entry, Problem) or entry.id is None or entry.id not in in_use:
                yield entry

    def _entry(self, item: Any, where: str, user: str | None) -> Entry | Problem:
        try:
            record = fields.record(item, "entry")
            source = _source(fields.record(record.get("source"), "source"), user)
            kind = fields.name_of(record.get("kind"), "kind")
            entry = Entry(
                location=where,
                user=user,
                guild=None if user else self._owner.guild,
                kind=kind if kind is None or kind in SEVEN else "fact",
                label=None if kind in SEVEN else kind,
                text=fields.text(record.get("text"), "text"),
                tags=fields.words(record.get("tags"), "tags"),
                status=_status(record.get("status")),
                created=fields.timestamp(record.get("createdAt"), "createdAt"),
                updated=fields.timestamp(record.get("updatedAt"), "updatedAt"),
                source=source,
                audience=_audience(source, user),
                id=fields.name_of(record.get("id"), "id"),
                hits=fields.count(record.get("hitCount")),
            )
        except BadInput as error:
            return Problem(where, str(error))
        if source.guild and source.channel:
            self._guilds[source.channel] = source.guild
        return entry

    def _summary(self, path: Path, where: str) -> Iterator[Item]:
        values: dict[str, Any] = {}
        for member in members(path):
            values[member.name] = member.value
        updated = fields.timestamp(values.get("updatedAt"), "updatedAt")
        through = fields.timestamp(values.get("regeneratedAt"), "regeneratedAt")
        text = fields.text(values.get("summary"), "summary")
        yield SummaryEntry(where, self._session(path.stem), text, updated, through)
        if values.get("continuationCapsule"):
            yield Problem(f"{where} continuationCapsule", "it is no part of a summary", is_broken=False)

    def _session(self, name: str) -> str:
        """The session as it is called here; DiscoClaw names channels without their guild."""
        match = _SESSION.fullmatch(name)
        if match is None:
            return _id_of(name) or _raise("its name doesn't say which session it sums up")
        kind, place = match.groups()
        if kind == "dm":
            return join_escaped(":", _PLATFORM, "dm", place)
        guild = self._guilds.get(place) or self._owner.guild
        if guild is None:
            raise NeedsOwner(f"the guild of the {kind} {place} is not known: say it with --guild")
        return join_escaped(":", _PLATFORM, guild, kind, place)


def _pages(workspace: Path | None) -> Iterator[Item]:
    """The notes that people and their assistant wrote: MEMORY.md and the daily logs."""
    for path in [*fields.files_in(workspace, "MEMORY.md"), *fields.files_in(workspace, "memory/*.md")]:
        name = path.relative_to(workspace or path).as_posix()
        try:
            yield PageEntry(f"workspace/{name}", name, fields.page(path))
        except BadInput as error:
            yield Problem(f"workspace/{name}", str(error))


def _audience(source: Provenance, user: str | None) -> Audience | None:
    """Who may hear it: those in all of its owner's places for what the owner stated, else those in that channel."""
    if user is None:
        return None
    if source.origin is Origin.MANUAL:
        return EVERYWHERE
    if source.guild is None or source.channel is None:
        return None  # a DM, or a channel of a guild that older versions didn't name
    return Audience(AudienceLevel.CHANNEL, source.channel, guild_key(source.platform, source.guild))


def _source(source: Any, user: str | None) -> Provenance:
    kind = fields.name_of(source.get("type"), "source") or "summary"
    return Provenance(
        origin=_ORIGINS.get(kind, Origin.SUMMARY),
        actor=user or "",
        platform=_PLATFORM,
        guild=fields.name_of(source.get("guildId"), "guildId"),
        channel=fields.name_of(source.get("channelId"), "channelId"),
        channel_name=fields.name_of(source.get("channelName"), "channelName"),
        message=fields.name_of(source.get("messageId"), "messageId"),
        metadata={} if kind in (*_ORIGINS, "summary") else {"type": kind},
    )


def _is_retired(member: Member) -> bool:
    match member:
        case Member(name="items", value={"status": "deprecated"}):
            return True
        case _:
            return False


def _status(value: Any) -> Status:
    if value not in (None, "active", "deprecated"):
        raise BadInput(f"its status {str(value)[:40]!r} is not known")
    return Status(value or "active")


def _check_version(path: Path) -> None:
    """Refuse a file before anything of it is taken; the version stands at its start, nearly always."""
    try:
        version = next((member.value for member in members(path) if member.name == "version"), None)
    except Broken as error:
        raise BadInput(str(error)) from error
    if version not in VERSIONS:
        versions = " and ".join(map(str, VERSIONS))
        raise BadInput(f"it has the version {str(version)[:20]}; this program knows {versions}")


def _file_kind(path: Path) -> str | None:
    """What a file holds, by how it begins."""
    start = fields.opening(path, 4_000)
    if _DURABLE.match(start):
        return "durable"
    return "summary" if _SUMMARY.match(start) else None


def _summaries(path: Path) -> Iterator[tuple[Path, str]]:
    """The summary files of both folders that DiscoClaw had; of two for one session the later one."""
    new, old = (fields.files_in(_folder(path, name), "*.json") for name in _SUMMARIES)
    later = {file.name: (file, f"summaries/{file.name}") for file in old}
    for file in new:
        before = later.get(file.name)
        if before is None or _updated(file) >= _updated(before[0]):
            later[file.name] = file, f"rolling/{file.name}"
    return (later[name] for name in sorted(later))


def _updated(path: Path) -> float:
    try:
        updated = next((member.value for member in members(path) if member.name == "updatedAt"), 0)
    except (Broken, OSError):
        return 0.0
    return float(updated) if isinstance(updated, int | float) else 0.0


def _id_of(stem: str) -> str | None:
    """The id that a file is named after: as this program writes names, or plain."""
    decoded = unquote(stem)
    if safe_id(decoded) == stem:
        return decoded
    return stem if _SIMPLE_ID.fullmatch(stem) or (stem and ":" in stem and "%" not in stem) else None


def _raise(why: str) -> str:
    raise BadInput(why)
