"""ClankerBot's Markdown: daily logs with a line for each message, and the snapshot with some facts of each person."""

import re
from collections.abc import Iterator
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, MessageEntry, Owner, Problem
from recollect.core.text import digest
from recollect.core.types import Audience, Message, Origin, Place, Provenance, guild_key
from recollect.policy.kinds import from_type
from recollect.transfer.readers import fields
from recollect.transfer.readers.generated_pages import DAY

PLATFORM = "discord"
_SAID = re.compile(r"- (\S+) \| (.*) \(([^()]+)\) \| (.*)")
_SCOPE = re.compile(r"\[((?:(?:guild|channel|message):\S+ ?)+)(voice)?\] ")
_PERSON = re.compile(r"- (?:\[(user|guild:(\S+))\] )?([^\s:]+): (.+)")
_LORE = re.compile(r"- (?:\[guild:(\S+)\] )?(.+)")
_TYPED = re.compile(r"(Preference|Profile|Relationship|Project|Guidance|Behavioral): (.+)")
_NOTHING = re.compile(r"- \(No.*\)")


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
    twins: dict[str, int] = {}
    below = False
    for number, line in lines:
        below = below or line.startswith("## ")
        said = _SAID.fullmatch(line)
        if said:
            twins[line] = twins.get(line, 0) + 1
            yield _message(said, f"{where} line {number}", twins[line])
        elif line.strip() and below and not line.startswith("#"):
            yield Problem(f"{where} line {number}", "it is no line of a log")


def _message(said: re.Match[str], where: str, copy: int) -> MessageEntry | Problem:
    at, name, author, text = said.groups()
    scope = _SCOPE.match(text)
    parts = dict(part.split(":", 1) for part in scope[1].split()) if scope else {}
    try:
        text = fields.text(text[scope.end() :] if scope else text, "text").strip()
        moment = fields.moment(at, "time")
    except BadInput as error:
        return Problem(where, str(error))
    if moment is None:
        return Problem(where, "it has no time")
    guild, channel = parts.get("guild"), parts.get("channel")
    place = Place(PLATFORM, guild, channel) if guild else Place(PLATFORM, dm=author)
    known = parts.get("message") or f"log-{digest(at, author, text, str(copy))[:16]}"  # older logs have no ids
    source = "voice" if scope and scope[2] else "text"
    return MessageEntry(where, Message(known, author, place, text, moment, name.strip(), source=source))


def _facts(lines: Iterator[tuple[int, str]], where: str, owner: Owner) -> Iterator[Item]:
    section = ""
    for number, line in lines:
        if line.startswith("## "):
            section = line[3:].strip().lower()
        elif line.startswith("- ") and not _NOTHING.fullmatch(line):
            at = f"{where} line {number}"
            if section.startswith("people"):
                yield from _person(line, at, owner)
            elif section == "ongoing lore":
                yield from _lore(line, at, owner)


def _person(line: str, where: str, owner: Owner) -> Iterator[Item]:
    told = _PERSON.fullmatch(line)
    if told is None:
        yield Problem(where, "it doesn't say who it is about")
        return
    guild = told[2] or (None if told[1] else owner.guild)
    for fact in told[4].split(" | "):
        typed = _TYPED.fullmatch(fact)
        kind, label = from_type(typed[1] if typed else "other")
        source = Provenance(origin=Origin.DISCORD, actor=told[3], platform=PLATFORM, guild=guild)
        realm = guild_key(PLATFORM, guild) if guild else ""
        audience = Audience("guild", realm, realm) if guild else None
        text = typed[2] if typed else fact
        yield Entry(where, told[3], None, kind.value, text, label=label, source=source, audience=audience)


def _lore(line: str, where: str, owner: Owner) -> Iterator[Item]:
    told = _LORE.fullmatch(line)
    guild = (told and told[1]) or owner.guild
    if told is None or guild is None:
        yield Problem(where, "its guild is not known: say it with --guild", broken=False, unsaid=True)
        return
    source = Provenance(origin=Origin.DISCORD, platform=PLATFORM, guild=guild)
    yield Entry(where, None, guild, "lore", told[2], label="lore", confidence=0.72, source=source)
