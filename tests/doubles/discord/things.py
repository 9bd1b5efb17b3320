"""What a Discord consists of: people, guilds, roles, channels, messages. Only `World` changes them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

Json = dict[str, Any]

TEXT, DM, VOICE, GROUP, CATEGORY, PUBLIC_THREAD, PRIVATE_THREAD, FORUM = 0, 1, 2, 3, 4, 11, 12, 15
THREADS = (PUBLIC_THREAD, PRIVATE_THREAD)
EPHEMERAL = 1 << 6
LOADING = 1 << 7


@dataclass(slots=True, eq=False)
class User:
    id: int
    name: str
    bot: bool = False
    takes_dms: bool = True
    """False for somebody who closed their direct messages to strangers and bots."""

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


@dataclass(slots=True, eq=False)
class Role:
    id: int
    name: str
    permissions: int
    position: int = 0


@dataclass(slots=True, eq=False)
class Member:
    user: User
    joined: datetime
    roles: list[Role] = field(default_factory=list[Role])
    nick: str | None = None


@dataclass(slots=True, eq=False)
class Overwrite:
    """What a channel allows and denies to one role, or to one member."""

    of_member: bool
    allow: int = 0
    deny: int = 0


@dataclass(slots=True, eq=False)
class Guild:
    id: int
    name: str
    owner: User
    roles: dict[int, Role] = field(default_factory=dict[int, Role])
    members: dict[int, Member] = field(default_factory=dict[int, Member])
    channels: dict[int, "Channel"] = field(default_factory=dict[int, "Channel"])
    down: bool = False
    """Out of reach for a while."""
    nsfw_level: int = 0
    invited_by: User | None = None
    """Who let the bot in, as the audit log has it."""

    @property
    def everyone(self) -> Role:
        return self.roles[self.id]


@dataclass(slots=True, eq=False)
class Channel:
    id: int
    kind: int
    name: str
    made: datetime
    guild: Guild | None = None
    parent: "Channel | None" = None
    """The category of a channel, the channel of a thread."""
    overwrites: dict[int, Overwrite] = field(default_factory=dict[int, Overwrite])
    people: list[User] = field(default_factory=list[User])
    """Both sides of a direct message, the members of a thread."""
    owner: User | None = None
    archived: bool = False
    nsfw: bool = False
    messages: list["Message"] = field(default_factory=list["Message"])

    @property
    def is_thread(self) -> bool:
        return self.kind in THREADS

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"


@dataclass(frozen=True, slots=True)
class Attachment:
    id: int
    name: str
    type: str
    content: bytes = field(repr=False)


@dataclass(slots=True, eq=False)
class Message:
    id: int
    channel: Channel
    author: User
    content: str
    at: datetime
    kind: int = 0
    """0 is said by somebody, 19 a reply, everything else a notice of Discord's own."""
    edited: datetime | None = None
    pinned: datetime | None = None
    reply_to: "Message | None" = None
    mentions: list[User] = field(default_factory=list[User])
    files: list[Attachment] = field(default_factory=list[Attachment])
    embeds: list[Json] = field(default_factory=list[Json])
    components: list[Json] = field(default_factory=list[Json])
    reactions: dict[str, list[User]] = field(default_factory=dict[str, list[User]])
    flags: int = 0
    asked_by: Json | None = None
    """The interaction that a message answers, as Discord tells it."""
    sent: Json = field(default_factory=dict[str, Any])
    """What the bot's request said, the last one if it edited: nonce, allowed mentions, …"""
    deleted: bool = False

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & EPHEMERAL)
