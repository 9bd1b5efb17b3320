"""What is said in a Discord: messages, edits, deletions, reactions, pins. Each is told to the bot if it may know."""

import mimetypes
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.doubles.discord.payloads import in_guild, message_payload
from tests.doubles.discord.permissions import INTENTS
from tests.doubles.discord.things import Attachment, Channel, Json, Message, User
from tests.doubles.discord.world import Event, World

MENTION = re.compile(r"<@!?(\d+)>")
MESSAGES = INTENTS["guild_messages"], INTENTS["dm_messages"]
REACTIONS = INTENTS["guild_reactions"], INTENTS["dm_reactions"]
PINS = INTENTS["guilds"], INTENTS["dm_messages"]
REPLY, PINNED = 19, 6


class Talk:
    def __init__(self, world: World) -> None:
        self.world = world
        self.hidden: dict[int, Message] = {}
        """Ephemeral messages: no channel has them."""

    def post(
        self,
        channel: Channel,
        author: User,
        content: str,
        *,
        reply_to: Message | None = None,
        pings: Callable[[User], bool] = lambda _: True,
        kind: int | None = None,
        **rest: Any,
    ) -> Message:
        """A new message; `pings` says which of those it names are mentioned by it."""
        kind = kind if kind is not None else REPLY if reply_to else 0
        at = self.world.clock()
        message = Message(self.world.new_id(), channel, author, content, at, kind, reply_to=reply_to, **rest)
        message.mentions = self._mentioned(message, pings)
        if message.ephemeral:
            self.hidden[message.id] = message
            return message
        if channel.is_thread and author not in channel.people:
            self.world.add_to_thread(channel, author)
        channel.messages.append(message)
        self._tell_whole("MESSAGE_CREATE", message)
        return message

    def edit(self, message: Message, *, pings: Callable[[User], bool] = lambda _: True, **changes: Any) -> None:
        """Set fields of a message anew; who is named in it now is mentioned, whom it answers as before."""
        answered = message.reply_to.author if message.reply_to else None
        pinged = answered in message.mentions
        for name, value in changes.items():
            setattr(message, name, value)
        message.mentions = self._mentioned(message, lambda user: pinged if user is answered else pings(user))
        message.edited = self.world.clock()
        self._tell_whole("MESSAGE_UPDATE", message)

    def delete(self, *messages: Message) -> None:
        """One message, or several of a channel in one go."""
        channel = messages[0].channel
        for message in messages:
            message.deleted = True
            self.hidden.pop(message.id, None)
        told = [message for message in messages if message in channel.messages]
        channel.messages = [message for message in channel.messages if not message.deleted]
        if len(messages) > 1:
            self._tell("MESSAGE_DELETE_BULK", channel, {"ids": [str(message.id) for message in told]})
        elif told:
            self._tell("MESSAGE_DELETE", channel, {"id": str(told[0].id)})

    def react(self, message: Message, user: User, emoji: str) -> None:
        users = message.reactions.setdefault(emoji, [])
        if user not in users:
            users.append(user)
            self._tell_reaction("MESSAGE_REACTION_ADD", message, user, emoji)

    def unreact(self, message: Message, user: User, emoji: str) -> None:
        if user in message.reactions.get(emoji, []):
            message.reactions[emoji].remove(user)
            self._tell_reaction("MESSAGE_REACTION_REMOVE", message, user, emoji)
        if not message.reactions.get(emoji, True):
            del message.reactions[emoji]

    def pin(self, message: Message, by: User) -> None:
        """Discord says in the channel that somebody pinned a message."""
        if message.pinned is None:
            message.pinned = self.world.clock()
            self._tell_pins(message)
            self.post(message.channel, by, "", reply_to=message, kind=PINNED)

    def unpin(self, message: Message) -> None:
        message.pinned = None
        self._tell_pins(message)

    def files(self, contents: Mapping[str, bytes]) -> list[Attachment]:
        return [
            Attachment(self.world.new_id(), name, mimetypes.guess_type(name)[0] or "application/octet-stream", content)
            for name, content in contents.items()
        ]

    def payload(self, message: Message, intents: int | None = None) -> Json:
        """A message as the bot is told of it: over HTTP the portal's switch decides, not the session's intents."""
        if intents is None:
            intents = INTENTS["message_content"] if "message_content" in self.world.privileged else 0
        return message_payload(message, self.world.bot, self.world.root, intents)

    def full_payload(self, message: Message) -> Json:
        """A message that somebody hands to the bot themselves."""
        return self.payload(message, INTENTS["message_content"])

    def _mentioned(self, message: Message, pings: Callable[[User], bool]) -> list[User]:
        named = [self.world.users[int(one)] for one in MENTION.findall(message.content) if int(one) in self.world.users]
        if message.kind == REPLY and message.reply_to is not None:
            named.append(message.reply_to.author)
        return [user for user in dict.fromkeys(named) if pings(user)]

    def _tell_whole(self, name: str, message: Message) -> None:
        if message.ephemeral:
            return
        channel = message.channel
        intent = MESSAGES[channel.guild is None]
        self.world.tell(
            Event(name, lambda own: self.payload(message, own) | in_guild(message), channel.guild, channel, intent)
        )

    def _tell(self, name: str, channel: Channel, data: Json, intents: tuple[int, int] = MESSAGES) -> None:
        where = {"channel_id": str(channel.id)} | ({"guild_id": str(channel.guild.id)} if channel.guild else {})
        self.world.tell(Event(name, lambda _: where | data, channel.guild, channel, intents[channel.guild is None]))

    def _tell_reaction(self, name: str, message: Message, user: User, emoji: str) -> None:
        whose = {"user_id": str(user.id), "message_id": str(message.id), "message_author_id": str(message.author.id)}
        data = whose | {"emoji": {"id": None, "name": emoji}, "burst": False, "type": 0}
        self._tell(name, message.channel, data, REACTIONS)

    def _tell_pins(self, message: Message) -> None:
        last = max(pinned(message.channel.messages), key=_pinned_at, default=None)
        moment = last.pinned.isoformat() if last and last.pinned else None
        self._tell("CHANNEL_PINS_UPDATE", message.channel, {"last_pin_timestamp": moment}, PINS)
        self._tell_whole("MESSAGE_UPDATE", message)


def pinned(messages: Iterable[Message]) -> list[Message]:
    """The pinned ones, the last one first."""
    return sorted((one for one in messages if one.pinned), key=_pinned_at, reverse=True)


def _pinned_at(message: Message) -> float:
    return message.pinned.timestamp() if message.pinned else 0.0
