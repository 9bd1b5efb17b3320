"""The words of the domain as frozen records: what was said, where, and what is remembered of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from recollect.core.text import escape, join_escaped, unescape

LORE = "__lore__"
"""Subject name, in documents and views, of what belongs to a whole guild."""


Metadata = Mapping[str, Any]


class Kind(StrEnum):
    """What sort of thing a memo says; `recollect.kinds` maps other vocabularies to it."""

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
    """Where a memo is in its life; only active memos are recalled."""

    ACTIVE = "active"
    DEPRECATED = "deprecated"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    EXPIRED = "expired"
    DELETED = "deleted"


class Origin(StrEnum):
    """How a memo came to be: stated by its owner, learned from a message, or brought in."""

    MANUAL = "manual"
    DISCORD = "discord"
    SUMMARY = "summary"
    TOOL = "tool"
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Audience:
    """Who could hear something: `dm:<user>` ⊂ `channel:<guild>/<id>` ⊂ `guild:<id>` ⊂ `everywhere`.

    A closed thread is `channel:<guild>/<channel>/<id>`. Guilds are named by their realm, see `realm_of`; people are
    not told apart by platform, as who has the same id is taken for the same person.
    """

    level: str
    id: str = ""
    guild: str = ""
    channel: str | None = None
    """Of a closed thread: the channel that it is in, empty when that is not known."""

    @classmethod
    def parse(cls, text: str) -> "Audience":
        level, _, rest = text.partition(":")
        if level != "channel":
            return cls(level, rest, rest if level == "guild" else "")
        guild, *within = (unescape(part, "/") for part in rest.split("/", 2))
        channel = within[0] if len(within) > 1 else None
        return cls(level, within[-1] if within else "", guild, channel)

    def __str__(self) -> str:
        if self.level == "everywhere":
            return self.level
        if self.level != "channel":
            return f"{self.level}:{self.id}"
        parts = (self.guild, self.id) if self.channel is None else (self.guild, self.channel, self.id)
        return f"{self.level}:{join_escaped('/', *parts)}"


EVERYWHERE = Audience("everywhere")


def guild_key(platform: str, guild: str) -> str:
    """A guild among those of all platforms, as `slack~1`; those of Discord and the terminal go by their bare ids."""
    return guild if platform in ("discord", "local") and "~" not in guild else f"{escape(platform, '~')}~{guild}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: a guild's channel or thread, or one person's DM.

    `public` says that everyone in the guild can read the channel; unknown means private.
    """

    platform: str = "local"
    guild: str | None = None
    channel: str | None = None
    thread: str | None = None
    dm: str | None = None
    name: str | None = None
    public: bool = False
    private_thread: bool = False

    @property
    def session(self) -> str:
        """The conversation this place holds: per channel, per thread, per person in DMs."""
        if self.dm is not None or self.thread is None:
            return self.stream
        if not self.channel:
            return self._named("thread", self.thread)
        return self._named("channel", self.channel, "thread", self.thread)

    @property
    def stream(self) -> str:
        """The channel or DM whose messages belong together; a thread belongs to its channel."""
        if self.dm is not None:
            return join_escaped(":", self.platform, "dm", self.dm)
        return self._named("channel", self.channel or self.thread or "")

    def _named(self, *parts: str) -> str:
        """Ids are only told apart within their guild."""
        within = (self.platform,) if self.guild is None else (self.platform, self.guild)
        return join_escaped(":", *within, *parts)

    @property
    def guild_key(self) -> str | None:
        """What the guild is called in audiences and as the owner of lore."""
        return None if self.guild is None else guild_key(self.platform, self.guild)

    @property
    def audience(self) -> Audience:
        """Who can hear what is said here."""
        if self.dm is not None:
            return Audience("dm", self.dm)
        guild = guild_key(self.platform, self.guild or "")
        if self.public and self.guild is not None and (self.thread is None or not self.private_thread):
            return Audience("guild", guild, guild)
        if self.thread is not None and (self.private_thread or not self.channel):
            return Audience("channel", self.thread, guild, self.channel or "")
        return Audience("channel", self.channel or "", guild)


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
    """Where it is shown: what tells the author from others of the same name. It is not stored."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A user's message, with the assistant's reply once there is one."""

    message: Message
    reply: Message | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a memo is about: one person, or a guild as a whole (its lore)."""

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
        """The partition of the store in which this subject's memos lie together."""
        return f"lore:{self.guild}" if self.is_lore else f"user:{self.id}"

    @classmethod
    def of_scope(cls, scope: str) -> "Subject":
        kind, _, rest = scope.partition(":")
        return cls.lore(rest) if kind == "lore" else cls(rest)


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a memo came from: who said it, where, in which message, in which words."""

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
    """Who could hear it there; None when that is not known."""


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
    audience: Audience = EVERYWHERE
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
    key: int = 0
    """The store's own number for this row; 0 until it is stored."""

    @property
    def active(self) -> bool:
        return self.status is Status.ACTIVE


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Keeps a forgotten fact forgotten; holds a fingerprint, never the content."""

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


def message_ref(message: Message) -> str:
    """A message by platform and id."""
    return f"{escape(message.place.platform, '/')}/{message.id}"


def parse_message_ref(reference: str) -> tuple[str, str]:
    """Platform and id of the message that is meant."""
    platform, _, message_id = reference.partition("/")
    return unescape(platform, "/"), message_id
