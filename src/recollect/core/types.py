"""The domain as frozen records: messages, places, audiences, memos, summaries."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

from recollect.core.text import escape, join_escaped, unescape

LORE = "__lore__"
"""Subject id of a guild's lore in the documents' files and SQL views."""

ITEM_METADATA = "item"
"""The key of a memo's metadata that holds the key and value of an item (`recollect.items`)."""


Metadata = Mapping[str, Any]


class Kind(StrEnum):
    """What sort of thing a memo says; `recollect.policy.kinds` maps other vocabularies to it."""

    FACT = "fact"
    PREFERENCE = "preference"
    PROJECT = "project"
    CONSTRAINT = "constraint"
    PERSON = "person"
    TOOL = "tool"
    WORKFLOW = "workflow"
    EVENT = "event"
    SUMMARY = "summary"
    LORE = "lore"


class Status(StrEnum):
    """Life cycle of a memo; only active memos are recalled."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    DELETED = "deleted"
    PENDING = "pending"
    """Reserved for memos that wait for approval: listed only where it is asked for."""


class Origin(StrEnum):
    """How a memo came to be: stated by its owner, learned from a message, or imported."""

    MANUAL = "manual"
    DISCORD = "discord"
    SUMMARY = "summary"
    TOOL = "tool"
    IMPORT = "import"


class AudienceLevel(StrEnum):
    """How far something may spread, narrowest first."""

    UNKNOWN = "unknown"
    """Nobody is known to have heard it."""
    DM = "dm"
    CHANNEL = "channel"
    GUILD = "guild"
    EVERYWHERE = "everywhere"


_LEVELS = {level.value: level for level in AudienceLevel}


@dataclass(frozen=True, slots=True)
class Audience:
    """Who could hear something: `dm:<user>` ⊂ `channel:<guild>/<id>` ⊂ `guild:<id>` ⊂ `everywhere`.

    A closed thread is `channel:<guild>/<channel>/<id>`. Where it is known who can read a channel, as on Discord, that
    stands behind the level: `guild?*,-7:<id>`, see `policy.readers`. Guilds are identified by `guild_key`, people by
    `person_key`.
    """

    level: AudienceLevel | str
    """A `str` is a level of another edition: nobody is known to be in such an audience."""
    id: str = ""
    guild: str = ""
    channel: str | None = None
    """Of a closed thread: its parent channel, empty when that is unknown."""
    readers: str = ""
    """Who of the guild could read it, as `policy.readers` writes it; empty for everyone of a guild, and for a channel
    of which only its id is known.
    """

    @classmethod
    def parse(cls, text: str) -> "Audience":
        prefix, _, name = text.partition(":")
        prefix, _, readers = prefix.partition("?")
        level = _LEVELS.get(prefix, prefix)
        if level != AudienceLevel.CHANNEL:
            return cls(level, name, name if level == AudienceLevel.GUILD else "", readers=readers)
        guild, *ids = (unescape(part, "/") for part in name.split("/", 2))
        channel = ids[0] if len(ids) > 1 else None
        return cls(level, ids[-1] if ids else "", guild, channel, readers)

    def __str__(self) -> str:
        if self.level == AudienceLevel.EVERYWHERE:
            return f"{self.level}"
        level = f"{self.level}?{self.readers}" if self.readers else self.level
        if self.level != AudienceLevel.CHANNEL:
            return f"{level}:{self.id}"
        parts = (self.guild, self.id) if self.channel is None else (self.guild, self.channel, self.id)
        return f"{level}:{join_escaped('/', *parts)}"


EVERYWHERE = Audience(AudienceLevel.EVERYWHERE)
UNKNOWN_AUDIENCE = Audience(AudienceLevel.UNKNOWN)


def guild_key(platform: str, guild: str) -> str:
    """A guild id that is unique across platforms, such as `slack~1`; on Discord and locally it is the bare id."""
    return guild if platform in ("discord", "local") and "~" not in guild else f"{escape(platform, '~')}~{guild}"


LOCAL = "local"
"""The platform of the library, the command line, the terminal chat and MCP; ids there are the application's."""


@lru_cache(maxsize=4096)
def person_key(platform: str, user: str) -> str:
    """A person's id that is unique across platforms, such as `discord:1042`; a local one is bare.

    A local id may be such a key itself: the library and the operator name people of any platform.
    """
    bare = bare_id(platform, user)
    is_nobody = not bare.strip() or bare == LORE
    return bare if platform == LOCAL or is_nobody else f"{escape(platform, ':')}:{bare}"


def bare_id(platform: str, user: str) -> str:
    """The id of a person on their platform, also if the platform is written before it."""
    prefix = f"{escape(platform, ':')}:"
    return user[len(prefix) :] if user.startswith(prefix) and len(user) > len(prefix) else user


def split_person(key: str) -> tuple[str, str]:
    """Platform and bare id of a `person_key`."""
    match = _SPELLED.match(key)
    return (LOCAL, key) if match is None else (unescape(match[1], ":"), match[2])


_SPELLED = re.compile(r"([^:]+):(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a guild's channel or thread, or one person's DM.

    `public` means that it is an ordinary channel of the guild, which everyone can read, or everyone in `readers`;
    unknown counts as private.
    """

    platform: str = "local"
    guild: str | None = None
    channel: str | None = None
    thread: str | None = None
    dm: str | None = None
    name: str | None = None
    public: bool = False
    private_thread: bool = False
    readers: str = ""
    """Who of the guild can read the channel, as `policy.readers` writes it; empty when that is everyone, or unknown."""

    @property
    def session(self) -> str:
        """The conversation this place holds: per channel, per thread, per person in DMs."""
        if self.dm is not None or self.thread is None:
            return self.stream
        if not self.channel:
            return self._qualify("thread", self.thread)
        return self._qualify("channel", self.channel, "thread", self.thread)

    @property
    def stream(self) -> str:
        """The channel or DM whose messages belong together; a thread belongs to its channel."""
        if self.dm is not None:
            return join_escaped(":", self.platform, "dm", bare_id(self.platform, self.dm))
        return self._qualify("channel", self.channel or self.thread or "")

    def _qualify(self, *parts: str) -> str:
        """Prefix platform and guild: channel ids are unique only within their guild."""
        prefix = (self.platform,) if self.guild is None else (self.platform, self.guild)
        return join_escaped(":", *prefix, *parts)

    @property
    def guild_key(self) -> str | None:
        """The name of the guild in audiences and as the owner of lore."""
        return None if self.guild is None else guild_key(self.platform, self.guild)

    @property
    def person(self) -> str | None:
        """Whose DM it is, as `person_key`."""
        return None if self.dm is None else person_key(self.platform, self.dm)

    @property
    def audience(self) -> Audience:
        """Who can hear what is said here."""
        if self.dm is not None:
            return Audience(AudienceLevel.DM, person_key(self.platform, self.dm))
        guild = guild_key(self.platform, self.guild or "")
        if self.public and self.guild is not None and (self.thread is None or not self.private_thread):
            return Audience(AudienceLevel.GUILD, guild, guild, readers=self.readers)
        if self.thread is not None and (self.private_thread or not self.channel):
            return Audience(AudienceLevel.CHANNEL, self.thread, guild, self.channel or "", self.readers)
        return Audience(AudienceLevel.CHANNEL, self.channel or "", guild, readers=self.readers)


def with_bare_id(place: Place) -> Place:
    """The place, with the bare id of the person whose DM it is."""
    bare = None if place.dm is None else bare_id(place.platform, place.dm)
    return place if bare == place.dm else replace(place, dm=bare)


@dataclass(frozen=True, slots=True)
class Message:
    """One utterance, typed or spoken; immutable: an edit or a deletion is an event."""

    id: str
    author: str
    place: Place
    text: str
    at: datetime
    name: str = ""
    bot: bool = False
    source: str = "text"
    reply_to: str | None = None
    tag: str = ""
    """Distinguishes the author from others of the same name in rendered text. Not stored."""

    @property
    def person(self) -> str:
        """Who said it, as `person_key`; `author` is their id on the platform."""
        return person_key(self.place.platform, self.author)


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message, with the assistant's reply once there is one."""

    message: Message
    reply: Message | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a memo is about: one person, by `person_key`, or a guild as a whole (its lore)."""

    id: str
    guild: str | None = None

    @classmethod
    def lore(cls, guild: str) -> "Subject":
        return cls(LORE, guild)

    @property
    def is_lore(self) -> bool:
        return self.id == LORE

    @property
    def scope(self) -> str:
        """The partition of the store that holds this subject's memos."""
        return f"lore:{self.guild}" if self.is_lore else f"user:{self.id}"

    @classmethod
    def of_scope(cls, scope: str) -> "Subject":
        kind, _, name = scope.partition(":")
        return cls.lore(name) if kind == "lore" else cls(name)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memo came from: who said it, in which place, message and words."""

    origin: Origin = Origin.MANUAL
    actor: str = ""
    platform: str = "local"
    guild: str | None = None
    channel: str | None = None
    channel_name: str | None = None
    thread: str | None = None
    message: str | None = None
    evidence: str | None = None
    trace: str | None = None
    metadata: Metadata = field(default_factory=dict[str, Any])
    heard: Audience | None = None
    """Who could hear it there; None when unknown."""


@dataclass(frozen=True, slots=True)
class Memo:
    """One durable item of memory."""

    id: str
    subject: Subject
    kind: Kind
    text: str
    created: datetime
    updated: datetime
    source: Provenance = Provenance()
    audience: Audience = UNKNOWN_AUDIENCE
    tags: tuple[str, ...] = ()
    status: Status = Status.ACTIVE
    confidence: float = 1.0
    pinned: bool = False
    label: str | None = None
    happened: datetime | None = None
    expires: datetime | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    hits: int = 0
    version: int = 1
    """Counts its changes, except for `hits`; a caller that changes it can name the version that they have seen."""
    key: int = 0
    """The store's row id; 0 until the memo is stored."""

    def __repr__(self) -> str:
        """What a reader of a notebook or a log wants to see; the twenty other fields would bury it."""
        return f"Memo({self.text!r}, kind={self.kind.value!r}, status={self.status.value!r}, id={self.id!r})"

    @property
    def active(self) -> bool:
        return self.status is Status.ACTIVE


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Keeps a forgotten fact from being learned again; holds a fingerprint, never the text."""

    scope: str
    fingerprint: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Summary:
    """The rolling summary of one session; a newer one has a higher sequence number."""

    session: str
    text: str
    sequence: int
    updated: datetime
    through: datetime | None = None
    """Time of the last message it covers."""
    audience: Audience | None = None
    """Who could hear all that it covers; None when that is unknown, as of an imported one."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A short-term entry: the excerpt of a recent turn in a public channel."""

    id: str
    guild: str
    channel: str
    channel_name: str
    author: str
    text: str
    at: datetime
    expires: datetime
    audience: Audience | None = None
    """Who could hear it; None in those of earlier versions: everyone in the guild."""


def message_ref(message: Message) -> str:
    """A reference to a message: its platform and id as one string."""
    return f"{escape(message.place.platform, '/')}/{message.id}"


def parse_message_ref(reference: str) -> tuple[str, str]:
    """Platform and id of the referenced message."""
    platform, _, message_id = reference.partition("/")
    return unescape(platform, "/"), message_id
