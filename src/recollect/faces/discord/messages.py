"""Reads Discord messages: their text as people see it, and whether they address the bot."""

import re
from collections.abc import Collection

import discord

from recollect.core.types import Message, Place
from recollect.faces.discord.access import ids_of
from recollect.faces.discord.attachments import Files, describe

WRITTEN = (discord.MessageType.default, discord.MessageType.reply)
"""What people write; all other types are Discord's, some of which discord.py does not count as such."""


def is_from_person(message: discord.Message) -> bool:
    """Whether a person wrote it, rather than a bot (this one included), a webhook or Discord itself, which speaks in
    people's names when they start a thread or a poll ends.
    """
    return not message.author.bot and message.webhook_id is None and message.type in WRITTEN


def readable_text(message: discord.Message, me: discord.ClientUser) -> str:
    """The text with names in place of ids, without the mention of the bot that it begins with."""
    names = [me.display_name, *(role.name for role in _own_roles(message))]
    member = None if message.guild is None else message.guild.get_member(me.id)
    names += [member.display_name] if member is not None else []
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.sub(rf"^(?:\s*@(?:{pattern})(?!\w)[\s,:]*)+", "", message.clean_content).strip()


def full_text(message: discord.Message, me: discord.ClientUser, files: Files | None = None) -> str:
    """The text, and what the message carries besides, a line each."""
    return "\n".join(filter(None, [readable_text(message, me), *describe(message, files or {})]))


def is_addressed(message: discord.Message, me: discord.ClientUser, channels: Collection[str]) -> bool:
    """Whether an answer is expected: in a DM, after a mention or a reply, and in the configured channels."""
    if message.guild is None or me in message.mentions or _own_roles(message):
        return True
    if not ids_of(message.channel).isdisjoint(channels):
        return True
    is_reply = message.reference is not None and message.reference.type is discord.MessageReferenceType.reply
    replied = message.reference.resolved if message.reference is not None and is_reply else None
    return isinstance(replied, discord.Message) and replied.author.id == me.id


def _own_roles(message: discord.Message) -> list[discord.Role]:
    """The mentioned roles that stand for the bot: Discord makes one per bot, and people mention it by mistake."""
    self_role = None if message.guild is None else message.guild.self_role
    return [role for role in message.role_mentions if role == self_role]


def message_of(message: discord.Message, place: Place, text: str) -> Message:
    reference = message.reference
    replied = reference if reference is not None and reference.type is discord.MessageReferenceType.reply else None
    return Message(
        id=str(message.id),
        author=str(message.author.id),
        place=place,
        text=text,
        at=message.created_at,
        name=message.author.display_name,
        reply_to=str(replied.message_id) if replied is not None and replied.message_id is not None else None,
    )
