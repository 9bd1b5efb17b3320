"""The places of a Discord: guilds, roles, channels, threads, who is where. Each change is told to the bot."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from recollect.core.clock import Clock, now
from tests.doubles.discord.payloads import (
    channel_payload,
    guild_payload,
    member_payload,
    role_payload,
    thread_member_payload,
    user_payload,
)
from tests.doubles.discord.permissions import BOT_MAY, INTENTS, MEMBERS_MAY, PRIVILEGED, bits, can
from tests.doubles.discord.things import (
    CATEGORY,
    DM,
    FORUM,
    PRIVATE_THREAD,
    PUBLIC_THREAD,
    TEXT,
    VOICE,
    Channel,
    Guild,
    Json,
    Member,
    Message,
    Overwrite,
    Role,
    User,
)

EPOCH = datetime(2015, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Event:
    """Something the gateway tells a bot: one that has the intent, is in the guild and sees the channel."""

    name: str
    data: Callable[[int], Json]
    """What a bot with these intents is told."""
    guild: Guild | None = None
    channel: Channel | None = None
    intent: int = INTENTS["guilds"]
    """0 for what needs none, and reaches a bot that is not in the guild too."""


class World:
    def __init__(self, privileged: str = "members presences message_content", clock: Clock = now) -> None:
        self.clock = clock
        self.privileged = set(privileged.split())
        """Intents that are switched on in the developer portal."""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.root = ""
        """Where files are served."""
        self.hidden: set[int] = set()
        """Guilds that the gateway leaves out of its list, though the bot is in them."""
        self.tell: Callable[[Event], None] = lambda _: None
        self._last_id = 0
        self.bot = self.user("recollect", bot=True)
        self.owner = self.user("owner")

    @property
    def app_flags(self) -> int:
        return sum(PRIVILEGED[name] for name in self.privileged)

    def new_id(self) -> int:
        """A snowflake: the moment in its high bits, each greater than the one before."""
        moment = int((self.clock() - EPOCH).total_seconds() * 1000) << 22
        self._last_id = max(self._last_id + 1, moment)
        return self._last_id

    def user(self, name: str, *, bot: bool = False, takes_dms: bool = True) -> User:
        user = User(self.new_id(), name, bot, takes_dms)
        self.users[user.id] = user
        return user

    def guild(self, name: str, *people: User, bot_may: str | None = None, bot_inside: bool = True) -> Guild:
        """A guild with these people, and with the bot, whose own role permits what `bot_may` says."""
        guild = Guild(self.new_id(), name, self.owner)
        guild.roles[guild.id] = Role(guild.id, "@everyone", MEMBERS_MAY)
        guild.members = {user.id: Member(user, self.clock()) for user in (self.owner, *people)}
        self.guilds[guild.id] = guild
        if bot_inside:
            self.invite(guild, bot_may)
        return guild

    def invite(self, guild: Guild, bot_may: str | None = None, by: User | None = None) -> None:
        """The bot joins, with a role of its own."""
        guild.invited_by = by
        role = Role(self.new_id(), self.bot.name, BOT_MAY if bot_may is None else bits(bot_may), len(guild.roles))
        guild.roles[role.id] = role
        guild.members[self.bot.id] = Member(self.bot, self.clock(), [role])
        self.tell(Event("GUILD_CREATE", lambda intents: self.whole_guild(guild, intents), guild))

    def rate(self, guild: Guild, nsfw_level: int) -> None:
        """Say for which age a guild is: 3 for adults alone."""
        guild.nsfw_level = nsfw_level
        self.tell(Event("GUILD_UPDATE", lambda _: guild_payload(guild), guild))

    def kick(self, guild: Guild) -> None:
        """The bot is no longer in the guild."""
        self.tell(Event("GUILD_DELETE", lambda _: {"id": str(guild.id)}, guild))
        guild.members.pop(self.bot.id, None)

    def outage(self, guild: Guild, *, over: bool = False) -> None:
        """A guild can't be reached for a while, as when Discord has trouble; the bot is still in it."""
        guild.down = not over
        if over:
            self.tell(
                Event("GUILD_CREATE", lambda intents: self.whole_guild(guild, intents) | {"unavailable": False}, guild)
            )
        else:
            self.tell(Event("GUILD_DELETE", lambda _: {"id": str(guild.id), "unavailable": True}, guild))

    def whole_guild(self, guild: Guild, intents: int) -> Json:
        """What the gateway tells of a guild that became available."""
        members = [m for m in guild.members.values() if intents & INTENTS["members"] or m.user is self.bot]
        threads = [one for one in guild.channels.values() if one.is_thread and not one.archived]
        seen = [one for one in threads if can(self.bot, one, "view_channel")]
        return guild_payload(guild) | {
            "joined_at": guild.members[self.bot.id].joined.isoformat(),
            "large": False,
            "member_count": len(guild.members),
            "members": [member_payload(member) for member in members],
            "channels": [channel_payload(one, self.bot) for one in guild.channels.values() if not one.is_thread],
            "threads": [channel_payload(one, self.bot) for one in seen],
            "voice_states": [],
            "presences": [],
            "stage_instances": [],
            "guild_scheduled_events": [],
            "soundboard_sounds": [],
        }

    def join(self, guild: Guild, user: User, *roles: Role) -> None:
        member = guild.members[user.id] = Member(user, self.clock(), [*roles])
        self._tell_member("GUILD_MEMBER_ADD", guild, member_payload(member))

    def leave(self, guild: Guild, user: User) -> None:
        del guild.members[user.id]
        self._tell_member("GUILD_MEMBER_REMOVE", guild, {"user": user_payload(user)})

    def role(self, guild: Guild, name: str, *people: User, permissions: str = "") -> Role:
        role = Role(self.new_id(), name, bits(permissions), len(guild.roles))
        guild.roles[role.id] = role
        self._tell_role("GUILD_ROLE_CREATE", guild, role)
        for user in people:
            self.set_roles(guild, user, *guild.members[user.id].roles, role)
        return role

    def permit(self, guild: Guild, role: Role, permissions: str) -> None:
        """From now on a role permits exactly this."""
        role.permissions = bits(permissions)
        self._tell_role("GUILD_ROLE_UPDATE", guild, role)

    def set_roles(self, guild: Guild, user: User, *roles: Role) -> None:
        member = guild.members[user.id]
        member.roles = [*roles]
        self._tell_member("GUILD_MEMBER_UPDATE", guild, member_payload(member))

    def remove_role(self, guild: Guild, role: Role) -> None:
        del guild.roles[role.id]
        for member in guild.members.values():
            member.roles = [other for other in member.roles if other is not role]
        data = {"guild_id": str(guild.id), "role_id": str(role.id)}
        self.tell(Event("GUILD_ROLE_DELETE", lambda _: data, guild))

    def text(self, guild: Guild, name: str, category: Channel | None = None) -> Channel:
        return self._channel(guild, TEXT, name, category)

    def voice(self, guild: Guild, name: str, category: Channel | None = None) -> Channel:
        return self._channel(guild, VOICE, name, category)

    def forum(self, guild: Guild, name: str, category: Channel | None = None) -> Channel:
        return self._channel(guild, FORUM, name, category)

    def category(self, guild: Guild, name: str) -> Channel:
        return self._channel(guild, CATEGORY, name)

    def _channel(self, guild: Guild, kind: int, name: str, category: Channel | None = None) -> Channel:
        """A new channel takes over the overwrites of its category, as Discord's own clients make it."""
        overwrites = _copied(category.overwrites) if category else {}
        channel = Channel(self.new_id(), kind, name, self.clock(), guild, category, overwrites)
        self._keep(channel)
        self._tell_channel("CHANNEL_CREATE", channel)
        return channel

    def overwrite(self, channel: Channel, who: Role | User, allow: str = "", deny: str = "") -> None:
        """Allow and deny something to a role or member here; channels that follow a category change with it."""
        synced = [one for one in self._inside(channel) if _same(one.overwrites, channel.overwrites)]
        for one in (channel, *synced):
            one.overwrites[who.id] = Overwrite(isinstance(who, User), bits(allow), bits(deny))
            self._tell_channel("CHANNEL_UPDATE", one)

    def only_for(self, channel: Channel, *roles: Role | User) -> None:
        """Hide a channel from everyone but these roles and members and the bot."""
        for role in (*roles, self.bot):
            self.overwrite(channel, role, allow="view_channel")
        self.overwrite(channel, _guild_of(channel).everyone, deny="view_channel")

    def remove_channel(self, channel: Channel) -> None:
        del self.channels[channel.id], _guild_of(channel).channels[channel.id]
        self._tell_channel("THREAD_DELETE" if channel.is_thread else "CHANNEL_DELETE", channel)

    def thread(
        self, parent: Channel, name: str, owner: User, *others: User, private: bool = False, on: Message | None = None
    ) -> Channel:
        """A thread, also the post of a forum; with `on` the thread of a message."""
        kind = PRIVATE_THREAD if private else PUBLIC_THREAD
        number = on.id if on else self.new_id()
        thread = Channel(number, kind, name, self.clock(), parent.guild, parent, people=[owner, *others], owner=owner)
        self._keep(thread)
        self._tell_channel("THREAD_CREATE", thread, newly_created=True)
        return thread

    def add_to_thread(self, thread: Channel, user: User) -> None:
        thread.people.append(user)
        if user is self.bot:
            self._tell_channel("THREAD_CREATE", thread)
        self._tell_thread_members(thread, {"added_members": [thread_member_payload(thread, user)]})

    def remove_from_thread(self, thread: Channel, user: User) -> None:
        self._tell_thread_members(thread, {"removed_member_ids": [str(user.id)]})
        thread.people.remove(user)

    def archive(self, thread: Channel, archived: bool = True) -> None:
        thread.archived = archived
        self._tell_channel("THREAD_UPDATE", thread)

    def dm(self, user: User, other: User | None = None) -> Channel:
        """The direct messages of somebody with the bot, or with somebody else; made when first asked for."""
        both = {user, other or self.bot}
        found = [one for one in self.channels.values() if one.guild is None and set(one.people) == both]
        if not found:
            found = [Channel(self.new_id(), DM, "", self.clock(), people=[*both])]
            self.channels[found[0].id] = found[0]
        return found[0]

    def _keep(self, channel: Channel) -> None:
        self.channels[channel.id] = channel
        if channel.guild is not None:
            channel.guild.channels[channel.id] = channel

    def _inside(self, category: Channel) -> Iterable[Channel]:
        return [one for one in self.channels.values() if one.parent is category and category.kind == CATEGORY]

    def _tell_channel(self, name: str, channel: Channel, **more: object) -> None:
        seen_by = channel if channel.is_thread else None  # a bot knows of every channel, but not of every thread
        data = channel_payload(channel, self.bot) | more
        self.tell(Event(name, lambda _: data, channel.guild, seen_by))

    def _tell_thread_members(self, thread: Channel, change: Json) -> None:
        guild_id = str(_guild_of(thread).id)
        data = {"id": str(thread.id), "guild_id": guild_id, "member_count": len(thread.people)} | change
        self.tell(Event("THREAD_MEMBERS_UPDATE", lambda _: data, thread.guild, thread))

    def _tell_role(self, name: str, guild: Guild, role: Role) -> None:
        data = {"guild_id": str(guild.id), "role": role_payload(role)}
        self.tell(Event(name, lambda _: data, guild))

    def _tell_member(self, name: str, guild: Guild, member: Json) -> None:
        """The bot hears of itself always, of others with the intent."""
        itself = member["user"]["id"] == str(self.bot.id)
        data = {"guild_id": str(guild.id)} | member
        self.tell(Event(name, lambda _: data, guild, intent=0 if itself else INTENTS["members"]))


def _guild_of(channel: Channel) -> Guild:
    if channel.guild is None:
        raise LookupError("a direct message is in no guild")
    return channel.guild


def _copied(overwrites: dict[int, Overwrite]) -> dict[int, Overwrite]:
    return {whose: Overwrite(one.of_member, one.allow, one.deny) for whose, one in overwrites.items()}


def _same(some: dict[int, Overwrite], others: dict[int, Overwrite]) -> bool:
    return _values(some) == _values(others)


def _values(overwrites: dict[int, Overwrite]) -> dict[int, tuple[int, int]]:
    return {whose: (one.allow, one.deny) for whose, one in overwrites.items()}
