"""The things of a Discord in the JSON of its API, version 10."""

from tests.doubles.discord.permissions import INTENTS
from tests.doubles.discord.things import DM, FORUM, VOICE, Attachment, Channel, Guild, Json, Member, Message, Role, User

LARGEST_FILE = 10 * 1024 * 1024


def user_payload(user: User) -> Json:
    return {
        "id": str(user.id),
        "username": user.name,
        "global_name": None if user.bot else user.name.capitalize(),
        "discriminator": "0000" if user.bot else "0",
        "avatar": None,
        "bot": user.bot,
        "public_flags": 0,
    }


def role_payload(role: Role) -> Json:
    return {
        "id": str(role.id),
        "name": role.name,
        "permissions": str(role.permissions),
        "position": role.position,
        "color": 0,
        "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
        "hoist": False,
        "managed": False,
        "mentionable": False,
        "flags": 0,
    }


def member_payload(member: Member, *, with_user: bool = True) -> Json:
    told: Json = {
        "roles": [str(role.id) for role in member.roles],
        "nick": member.nick,
        "avatar": None,
        "joined_at": member.joined.isoformat(),
        "premium_since": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }
    return told | {"user": user_payload(member.user)} if with_user else told


def channel_payload(channel: Channel, viewer: User) -> Json:
    """A channel, a thread or a direct message, as the viewer is told of it."""
    told: Json = {
        "id": str(channel.id),
        "type": channel.kind,
        "last_message_id": str(channel.messages[-1].id) if channel.messages else None,
        "flags": 0,
    }
    if channel.guild is None:
        people = [user_payload(user) for user in channel.people if user is not viewer]
        return told | {"recipients": people} | ({} if channel.kind == DM else {"name": channel.name})
    told |= {
        "guild_id": str(channel.guild.id),
        "name": channel.name,
        "parent_id": str(channel.parent.id) if channel.parent else None,
        "rate_limit_per_user": 0,
    }
    return told | (_of_thread(channel, viewer) if channel.is_thread else _of_channel(channel))


def _of_channel(channel: Channel) -> Json:
    overwrites = [
        {"id": str(whose), "type": int(one.of_member), "allow": str(one.allow), "deny": str(one.deny)}
        for whose, one in channel.overwrites.items()
    ]
    told: Json = {"position": 0, "nsfw": channel.nsfw, "topic": None, "permission_overwrites": overwrites}
    if channel.kind == VOICE:
        told |= {"bitrate": 64000, "user_limit": 0, "rtc_region": None}
    if channel.kind == FORUM:
        told |= {"available_tags": [], "default_reaction_emoji": None, "default_sort_order": None}
    return told


def _of_thread(channel: Channel, viewer: User) -> Json:
    told: Json = {
        "owner_id": str(channel.owner.id if channel.owner else viewer.id),
        "message_count": len(channel.messages),
        "member_count": len(channel.people),
        "total_message_sent": len(channel.messages),
        "thread_metadata": {
            "archived": channel.archived,
            "auto_archive_duration": 1440,
            "archive_timestamp": channel.made.isoformat(),
            "create_timestamp": channel.made.isoformat(),
            "locked": False,
        },
    }
    return told | ({"member": thread_member_payload(channel, viewer)} if viewer in channel.people else {})


def thread_member_payload(thread: Channel, user: User) -> Json:
    return {"id": str(thread.id), "user_id": str(user.id), "join_timestamp": thread.made.isoformat(), "flags": 0}


def guild_payload(guild: Guild) -> Json:
    """What the API answers about a guild; the gateway adds channels, threads and members."""
    return {
        "id": str(guild.id),
        "name": guild.name,
        "icon": None,
        "owner_id": str(guild.owner.id),
        "roles": [role_payload(role) for role in guild.roles.values()],
        "emojis": [],
        "stickers": [],
        "features": [],
        "verification_level": 0,
        "default_message_notifications": 0,
        "explicit_content_filter": 0,
        "mfa_level": 0,
        "nsfw_level": guild.nsfw_level,
        "afk_timeout": 300,
        "afk_channel_id": None,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "rules_channel_id": None,
        "public_updates_channel_id": None,
        "premium_tier": 0,
        "preferred_locale": "en-US",
    }


def message_payload(message: Message, viewer: User, root: str, intents: int) -> Json:
    """A message as the viewer is told of it: without the intent, what was not meant for them is blank."""
    told: Json = {
        "id": str(message.id),
        "channel_id": str(message.channel.id),
        "author": user_payload(message.author),
        "content": message.content,
        "timestamp": message.at.isoformat(),
        "edited_timestamp": message.edited.isoformat() if message.edited else None,
        "tts": False,
        "mention_everyone": False,
        "mentions": [_mention(user, message.channel.guild) for user in message.mentions],
        "mention_roles": [],
        "attachments": [attachment_payload(file, message.channel, root) for file in message.files],
        "embeds": message.embeds,
        "components": message.components,
        "pinned": message.pinned is not None,
        "type": message.kind,
        "flags": message.flags,
        "reactions": [_reaction(emoji, users, viewer) for emoji, users in message.reactions.items()],
    }
    if "nonce" in message.sent:
        told["nonce"] = message.sent["nonce"]
    if not _meant_for(message, viewer) and not intents & INTENTS["message_content"]:
        told |= {"content": "", "attachments": [], "embeds": [], "components": []}
    if message.reply_to is not None:
        told |= _reference(message, message.reply_to, viewer, root, intents)
    if message.asked_by is not None:
        app = str(message.author.id)
        told |= {"interaction_metadata": message.asked_by, "application_id": app, "webhook_id": app}
    return told


def in_guild(message: Message) -> Json:
    """What the gateway tells about a message besides: its guild, and its author as a member of it."""
    guild = message.channel.guild
    if guild is None:
        return {}
    member = guild.members.get(message.author.id)
    told: Json = {"guild_id": str(guild.id)}
    return told | ({"member": member_payload(member, with_user=False)} if member else {})


def attachment_payload(file: Attachment, channel: Channel, root: str) -> Json:
    url = f"{root}/attachments/{channel.id}/{file.id}/{file.name}"
    told: Json = {"id": str(file.id), "filename": file.name, "size": len(file.content), "content_type": file.type}
    return told | {"url": url, "proxy_url": url}


def _meant_for(message: Message, viewer: User) -> bool:
    return message.author is viewer or viewer in message.mentions or message.channel.guild is None


def _reference(message: Message, original: Message, viewer: User, root: str, intents: int) -> Json:
    where: Json = {"type": 0, "message_id": str(original.id), "channel_id": str(original.channel.id)}
    if message.channel.guild is not None:
        where["guild_id"] = str(message.channel.guild.id)
    if message.kind != 19:
        return {"message_reference": where}
    answered = None if original.deleted else message_payload(original, viewer, root, intents)
    if answered is not None:
        answered.pop("referenced_message", None)  # Discord goes back one step, not the whole way
    return {"message_reference": where, "referenced_message": answered}


def _mention(user: User, guild: Guild | None) -> Json:
    member = guild.members.get(user.id) if guild else None
    return user_payload(user) | ({"member": member_payload(member, with_user=False)} if member else {})


def _reaction(emoji: str, users: list[User], viewer: User) -> Json:
    count = {"burst": 0, "normal": len(users)}
    told: Json = {"emoji": {"id": None, "name": emoji}, "count": len(users), "count_details": count}
    return told | {"me": viewer in users, "me_burst": False, "burst_colors": []}
