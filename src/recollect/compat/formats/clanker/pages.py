"""ClankerBot's Markdown: daily logs with a line for each message, and the snapshot with some facts of each person."""

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, MessageEntry, Owner, Problem
from recollect.core.text import digest
from recollect.core.types import Audience, AudienceLevel, Message, Origin, Place, Provenance, guild_key
from recollect.policy.kinds import from_type
from recollect.transfer.readers import fields
from recollect.transfer.readers.generated_pages import DAY

PLATFORM = "discord"
_MESSAGE_LINE = re.compile(r"- (\S+) \| (.*) \(([^()]+)\) \| (.*)")
_SCOPE = re.compile(r"\[((?:(?:guild|channel|message):\S+ ?)+)(voice)?\] ")
_PERSON = re.compile(r"- (?:\[(user|guild:(\S+))\] )?([^\s:]+): (.+)")
_LORE = re.compile(r"- (?:\[guild:(\S+)\] )?(.+)")
_TYPED = re.compile(r"(Preference|Profile|Relationship|Project|Guidance|Behavioral): (.+)")
_EMPTY_LINE = re.compile(r"- \(No.*\)")


def read(path: Path, owner: Owner, *, snapshot: bool) -> Iterator[Item]:
    """What one page says; the snapshot only where its facts aren't read from elsewhere."""
    where = path.name
    is_snapshot = not DAY.fullmatch(path.name)
    if is_snapshot and not snapshot:
        return
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape") as file:
            lines = enumerate((line.rstrip("\n") for line in file), 1)
            yield from _facts(lines, where, owner) if is_snapshot else _messages(lines, where)
    except OSError as error:
        yield Problem(where, f"it can't be read: {error.strerror}")


def _messages(lines: Iterator[tuple[int, str]], where: str) -> Iterator[Item]:
    repetitions: dict[str, int] = {}
    in_entries = False
    for number, line in lines:
        in_entries = in_entries or line.startswith("## ")
        match = _MESSAGE_LINE.fullmatch(line)
        if match:
            repetitions[line] = repetitions.get(line, 0) + 1
            yield _message(match, f"{where} line {number}", repetitions[line])
        elif line.strip() and in_entries and not line.startswith("#"):
            yield Problem(f"{where} line {number}", "it is no line of a log")


def _message(match: re.Match[str], where: str, copy: int) -> MessageEntry | Problem:
    timestamp, name, author, text = match.groups()
    scope = _SCOPE.match(text)
    parts = dict(part.split(":", 1) for part in scope[1].split()) if scope else {}
    try:
        text = fields.text(text[scope.end() :] if scope else text, "text").strip()
        time = fields.timestamp(timestamp, "time")
    except BadInput as error:
        return Problem(where, str(error))
    if time is None:
        return Problem(where, "it has no time")
    guild, channel = parts.get("guild"), parts.get("channel")
    place = Place(PLATFORM, guild, channel) if guild else Place(PLATFORM, dm=author)
    # older logs have no ids
    message_id = parts.get("message") or f"log-{digest(timestamp, author, text, str(copy))[:16]}"
    source = "voice" if scope and scope[2] else "text"
    return MessageEntry(where, Message(message_id, author, place, text, time, name.strip(), source=source))


def _facts(lines: Iterator[tuple[int, str]], where: str, owner: Owner) -> Iterator[Item]:
    section = ""
    for number, line in lines:
        if line.startswith("## "):
            section = line[3:].strip().lower()
        elif line.startswith("- ") and not _EMPTY_LINE.fullmatch(line):
            where_in_page = f"{where} line {number}"
            if section.startswith("people"):
                yield from _person(line, where_in_page, owner)
            elif section == "ongoing lore":
                yield from _lore(line, where_in_page, owner)


def _person(line: str, where: str, owner: Owner) -> Iterator[Item]:
    match = _PERSON.fullmatch(line)
    if match is None:
        yield Problem(where, "it doesn't say who it is about")
        return
    guild = match[2] or (None if match[1] else owner.guild)
    for fact in match[4].split(" | "):
        typed = _TYPED.fullmatch(fact)
        kind, label = from_type(typed[1] if typed else "other")
        source = Provenance(origin=Origin.DISCORD, actor=match[3], platform=PLATFORM, guild=guild)
        key = guild_key(PLATFORM, guild) if guild else ""
        audience = Audience(AudienceLevel.GUILD, key, key) if guild else None
        text = typed[2] if typed else fact
        yield Entry(where, match[3], None, kind.value, text, label=label, source=source, audience=audience)


def _lore(line: str, where: str, owner: Owner) -> Iterator[Item]:
    match = _LORE.fullmatch(line)
    guild = (match and match[1]) or owner.guild
    if match is None or guild is None:
        yield Problem(where, "its guild is not known: say it with --guild", is_broken=False, needs_owner=True)
        return
    source = Provenance(origin=Origin.DISCORD, platform=PLATFORM, guild=guild)
    yield Entry(where, None, guild, "lore", match[2], label="lore", confidence=0.72, source=source)
