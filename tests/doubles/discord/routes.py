"""What the loopback Discord answers about users, guilds, channels, threads and messages."""

from collections.abc import Callable
from typing import Any

from tests.doubles.discord.http import (
    ARCHIVED,
    MISSING_PERMISSIONS,
    UNKNOWN_MEMBER,
    UNKNOWN_USER,
    Call,
    Refused,
    Routes,
)
from tests.doubles.discord.payloads import (
    channel_payload,
    guild_payload,
    member_payload,
    role_payload,
    thread_member_payload,
    user_payload,
)
from tests.doubles.discord.permissions import bits, can
from tests.doubles.discord.talk import pinned
from tests.doubles.discord.things import EPHEMERAL, FORUM, PRIVATE_THREAD, Channel, Json, Message, User

LONGEST = 2000
MOST_PINS = 250
NO_DM = Refused(403, 50007, "Cannot send messages to this user")
NOT_AUTHOR = Refused(403, 50005, "Cannot edit a message authored by another user")
EMPTY = Refused(400, 50006, "Cannot send an empty message")
BAD_FORM = Refused(400, 50035, "Invalid Form Body")
TOO_MANY_PINS = Refused(400, 30003, "Maximum number of pins reached (250)")


def checked(body: Json, *, files: bool = False, new: bool = True) -> None:
    """Refuse what Discord refuses: too long a text, or a message of nothing."""
    if len(body.get("content") or "") > LONGEST:
        raise BAD_FORM
    if new and not files and not any(body.get(part) for part in ("content", "embeds", "components", "sticker_ids")):
        raise EMPTY


def pings(body: Json, replied: User | None) -> Callable[[User], bool]:
    """Whom a message of the bot mentions: `allowed_mentions` may forbid it."""
    rules: Json | None = body.get("allowed_mentions")

    def mentioned(user: User) -> bool:
        if rules is None:
            return True
        if user is replied and user.mention not in (body.get("content") or ""):
            return bool(rules.get("replied_user"))
        return "users" in rules.get("parse", ()) or str(user.id) in map(str, rules.get("users", ()))

    return mentioned


def parts(call: Call) -> Json:
    """The fields of a message that a request sets, in the words of `Message`."""
    body = call.body
    named: Json = {name: body[name] or [] for name in ("embeds", "components") if name in body}
    if "content" in body:
        named["content"] = body["content"] or ""
    return named | ({"files": call.talk.files(call.files)} if call.files else {}) | {"sent": body}


def _application(call: Call) -> Json:
    world = call.world
    inside = [guild for guild in world.guilds.values() if world.bot.id in guild.members]
    return {
        "id": str(world.bot.id),
        "name": world.bot.name,
        "description": "",
        "icon": None,
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": user_payload(world.owner),
        "team": None,
        "verify_key": "0" * 64,
        "flags": world.app_flags,
        "approximate_guild_count": len(inside),
        "integration_types_config": {"0": {}, "1": {}},
    }


def _user(call: Call) -> Json:
    user = call.world.users.get(int(call.path["user"]))
    if user is None:
        raise UNKNOWN_USER
    return user_payload(user)


def _my_guilds(call: Call) -> list[Json]:
    guilds = [guild for guild in call.world.guilds.values() if call.world.bot.id in guild.members]
    return [{"id": str(g.id), "name": g.name, "icon": None, "owner": False, "permissions": "0"} for g in guilds]


def _leave(call: Call) -> None:
    call.world.kick(call.guild)
    call.record("leave")


def _open_dm(call: Call) -> Json:
    user = call.world.users.get(int(call.body["recipient_id"]))
    if user is None:
        raise UNKNOWN_USER
    return channel_payload(call.world.dm(user), call.world.bot)


def _member(call: Call) -> Json:
    member = call.guild.members.get(int(call.path["user"]))
    if member is None:
        raise UNKNOWN_MEMBER
    return member_payload(member)


def _members(call: Call) -> list[Json]:
    after = int(call.query.get("after", 0))
    members = sorted(call.guild.members.values(), key=lambda member: member.user.id)
    found = [member_payload(member) for member in members if member.user.id > after]
    return found[: int(call.query.get("limit", 1))]


def _guild_channels(call: Call) -> list[Json]:
    return [channel_payload(one, call.world.bot) for one in call.guild.channels.values() if not one.is_thread]


def _active_threads(call: Call) -> Json:
    bot = call.world.bot
    threads = [one for one in call.guild.channels.values() if one.is_thread and can(bot, one, "view_channel")]
    mine = [thread_member_payload(one, bot) for one in threads if bot in one.people]
    return {"threads": [channel_payload(one, bot) for one in threads if not one.archived], "members": mine}


def _thread_members(call: Call) -> list[Json]:
    return [thread_member_payload(call.channel, user) for user in call.channel.people]


def _join_thread(call: Call) -> None:
    if call.world.bot not in call.channel.people:
        call.world.add_to_thread(call.channel, call.world.bot)


def _start_thread(call: Call) -> Json:
    """A thread without a message, or the post of a forum with its first one."""
    channel, body = call.channel, call.body
    private = body.get("type") == PRIVATE_THREAD
    call.needs("create_private_threads" if private else "create_public_threads")
    thread = call.world.thread(channel, body["name"], call.world.bot, private=private)
    call.record("thread", channel=thread)
    told = channel_payload(thread, call.world.bot)
    if channel.kind != FORUM:
        return told
    first = call.talk.post(thread, call.world.bot, body["message"].get("content") or "", sent=body["message"])
    return told | {"message": call.talk.payload(first)}


def _thread_of_message(call: Call) -> Json:
    call.needs("create_public_threads")
    thread = call.world.thread(call.channel, call.body["name"], call.world.bot, on=call.message)
    call.record("thread", channel=thread)
    return channel_payload(thread, call.world.bot)


def _history(call: Call) -> list[Json]:
    """The newest first, and nothing at all without the permission to read back."""
    channel, query = call.channel, call.query
    if not can(call.world.bot, channel, "read_message_history"):
        return []
    after, before = int(query.get("after", 0)), int(query.get("before", 2**63))
    found = [message for message in channel.messages if after < message.id < before]
    limit = int(query.get("limit", 50))
    if "around" in query:
        middle = int(query["around"])
        found = sorted(sorted(found, key=lambda one: abs(one.id - middle))[:limit], key=lambda one: one.id)
    chosen = found[:limit] if "after" in query else found[-limit:]
    return [call.talk.payload(message) for message in reversed(chosen)]


def _fetch(call: Call) -> Json:
    call.needs("read_message_history")
    return call.talk.payload(call.message)


def _send(call: Call) -> Json:
    channel, body, bot = call.channel, call.body, call.world.bot
    call.needs("send_messages_in_threads" if channel.is_thread else "send_messages")
    if any(not user.takes_dms for user in channel.people) and channel.guild is None:
        raise NO_DM
    checked(body, files=bool(call.files))
    replied = _replied(call, channel)
    allowed = pings(body, replied.author if replied else None)
    fields: Json = {"content": "", "flags": body.get("flags", 0) & ~EPHEMERAL} | parts(call)
    message = call.talk.post(channel, bot, **fields, reply_to=replied, pings=allowed)
    call.record("message", message)
    return call.talk.payload(message)


def _replied(call: Call, channel: Channel) -> Message | None:
    """The message that is answered; one that is gone is an error unless the request says otherwise."""
    reference: Json | None = call.body.get("message_reference")
    if reference is None:
        return None
    found = [message for message in channel.messages if message.id == int(reference["message_id"])]
    if not found and reference.get("fail_if_not_exists", True):
        raise BAD_FORM
    return found[0] if found else None


def _edit(call: Call) -> Json:
    message = _changeable(call)
    if message.author is not call.world.bot:
        raise NOT_AUTHOR
    checked(call.body, new=False)
    call.talk.edit(message, **parts(call), pings=pings(call.body, None))
    call.record("edit", message)
    return call.talk.payload(message)


def _changeable(call: Call) -> Message:
    if call.channel.archived:
        raise ARCHIVED
    return call.message


def _delete(call: Call) -> None:
    message = _changeable(call)
    if message.author is not call.world.bot and not can(call.world.bot, message.channel, "manage_messages"):
        raise MISSING_PERMISSIONS
    call.talk.delete(message)
    call.record("delete", message)


def _bulk_delete(call: Call) -> None:
    channel = call.needs("manage_messages")
    named = {int(one) for one in call.body["messages"]}
    call.talk.delete(*[message for message in channel.messages if message.id in named])
    call.record("bulk delete", channel=channel)


def _typing(call: Call) -> None:
    channel = call.channel
    call.needs("send_messages_in_threads" if channel.is_thread else "send_messages")
    call.record("typing", channel=channel)


def _pins(call: Call) -> Json:
    channel = call.needs("read_message_history")
    found = pinned(channel.messages)[: int(call.query.get("limit", 50))]
    items = [{"pinned_at": one.pinned.isoformat(), "message": call.talk.payload(one)} for one in found if one.pinned]
    return {"items": items, "has_more": False}


def _pin(call: Call) -> None:
    channel = call.needs("pin_messages")
    if len(pinned(channel.messages)) >= MOST_PINS:
        raise TOO_MANY_PINS
    call.talk.pin(call.message, call.world.bot)
    call.record("pin", call.message)


def _unpin(call: Call) -> None:
    call.needs("pin_messages")
    call.talk.unpin(call.message)
    call.record("unpin", call.message)


def _react(call: Call) -> None:
    call.needs("add_reactions read_message_history")
    call.talk.react(call.message, call.world.bot, call.path["emoji"])
    call.record("reaction", call.message)


def _unreact(call: Call) -> None:
    call.talk.unreact(call.message, call.world.bot, call.path["emoji"])
    call.record("reaction gone", call.message)


MESSAGES = r"/channels/{channel:\d+}/messages"
ONE = MESSAGES + r"/{message:\d+}"
PIN = MESSAGES + r"/pins/{message:\d+}"
GUILD = r"/guilds/{guild:\d+}"
THREAD = r"/channels/{channel:\d+}/thread-members"


def _me(call: Call) -> Json:
    return user_payload(call.world.bot)


def _channel(call: Call) -> Json:
    return channel_payload(call.channel, call.world.bot)


def _edit_thread(call: Call) -> Json:
    """Archive a thread, or open it again."""
    archived: bool = call.body["archived"]
    thread = call.needs("manage_threads" if archived else "send_messages_in_threads")
    call.world.archive(thread, archived)
    return channel_payload(thread, call.world.bot)


def _guild(call: Call) -> Json:
    return guild_payload(call.guild)


def _audit_log(call: Call) -> Json:
    """That the bot was added, and by whom; for those who may read it."""
    guild, bot = call.guild, call.world.bot
    if not any(role.permissions & bits("view_audit_log") for role in guild.members[bot.id].roles):
        raise MISSING_PERMISSIONS
    who = guild.invited_by
    entry = {"id": "1", "action_type": 28, "target_id": str(bot.id), "user_id": str(who.id)} if who else None
    others = "webhooks integrations threads application_commands auto_moderation_rules guild_scheduled_events".split()
    users = [user_payload(user) for user in (who, bot) if user]
    return {"audit_log_entries": [entry] if entry else [], "users": users, **{name: [] for name in others}}


def _roles(call: Call) -> list[Any]:
    return [role_payload(role) for role in call.guild.roles.values()]


ROUTES: Routes = {
    "GET /users/@me": _me,
    "GET /users/@me/guilds": _my_guilds,
    r"DELETE /users/@me/guilds/{guild:\d+}": _leave,
    "POST /users/@me/channels": _open_dm,
    r"GET /users/{user:\d+}": _user,
    "GET /oauth2/applications/@me": _application,
    "GET /applications/@me": _application,
    f"GET {GUILD}": _guild,
    f"GET {GUILD}/channels": _guild_channels,
    f"GET {GUILD}/roles": _roles,
    f"GET {GUILD}/audit-logs": _audit_log,
    f"GET {GUILD}/members": _members,
    rf"GET {GUILD}/members/{{user:\d+}}": _member,
    f"GET {GUILD}/threads/active": _active_threads,
    r"GET /channels/{channel:\d+}": _channel,
    r"PATCH /channels/{channel:\d+}": _edit_thread,
    r"POST /channels/{channel:\d+}/typing": _typing,
    r"POST /channels/{channel:\d+}/threads": _start_thread,
    f"GET {THREAD}": _thread_members,
    f"PUT {THREAD}/@me": _join_thread,
    f"POST {ONE}/threads": _thread_of_message,
    f"GET {MESSAGES}": _history,
    f"POST {MESSAGES}": _send,
    f"POST {MESSAGES}/bulk-delete": _bulk_delete,
    f"GET {ONE}": _fetch,
    f"PATCH {ONE}": _edit,
    f"DELETE {ONE}": _delete,
    f"GET {MESSAGES}/pins": _pins,
    f"PUT {PIN}": _pin,
    f"DELETE {PIN}": _unpin,
    f"PUT {ONE}/reactions/{{emoji}}/@me": _react,
    f"DELETE {ONE}/reactions/{{emoji}}/@me": _unreact,
}
