"""`recollect discord --check`: whether the bot could work, asked of Discord without going online; and what to do."""

import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

import aiohttp
import discord

from recollect.faces.discord.access import CLOSED, AccessList
from recollect.faces.discord.client import Client, wanted_intents
from recollect.faces.discord.run import TOKEN, use_addresses
from recollect.memory import AsyncMemory
from recollect.settings import Settings

log = logging.getLogger("recollect.discord")

NEEDED = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
    attach_files=True,
    embed_links=True,
)
"""What the bot needs on a server; `PINNING` besides, where it keeps the memory channel."""
PINNING = discord.Permissions(pin_messages=True)
INTENTS = "developer portal, Bot, Privileged Gateway Intents: switch on {}; or set {}=false"


@dataclass(frozen=True, slots=True)
class Finding:
    """One result; a note is worth knowing but breaks nothing."""

    check: str
    state: Literal["ok", "note", "broken"]
    detail: str = ""
    advice: str = ""


def invitation(application: int, pins: bool = True) -> str:
    """The address where a server's manager lets the bot in."""
    wanted = NEEDED | PINNING if pins else NEEDED
    scopes = ("bot", "applications.commands")
    return discord.utils.oauth_url(application, permissions=wanted, scopes=scopes)


async def check(memory: AsyncMemory, token: str) -> list[Finding]:
    """Everything that can be found out beforehand; what comes after a failure that stops all is left out."""
    settings = memory.settings
    use_addresses(settings)
    found = [_door(settings)]
    try:
        async with _logged_in(token) as (client, me):
            app = await client.application_info()
            found.append(Finding("token", "ok", f"{me}, application {app.id}"))
            found += _intents(settings, app.flags)
            found += await _guilds(client, me, app.id, settings)
            found.append(await _commands(client, memory, app.id))
    except discord.LoginFailure:
        found.append(Finding("token", "broken", "it is refused", TOKEN.partition(": ")[2]))
    except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
        found.append(Finding("connection", "broken", str(error) or type(error).__name__, "try again in a while"))
    return found


@asynccontextmanager
async def _logged_in(token: str) -> AsyncGenerator[tuple[discord.Client, discord.ClientUser]]:
    async with discord.Client(intents=discord.Intents.default()) as client:
        await client.login(token)
        if client.user is None:
            raise discord.LoginFailure("nobody is logged in")
        yield client, client.user


def _door(settings: Settings) -> Finding:
    door = AccessList.of(settings)
    if door.is_closed:
        return Finding("allowlist", "broken", "it is empty, so nobody is answered", CLOSED.partition(": ")[2])
    lists = {"users": door.users, "roles": door.roles, "guilds": door.guilds}
    return Finding("allowlist", "ok", ", ".join(f"{len(ids)} {name}" for name, ids in lists.items() if ids))


def _intents(settings: Settings, flags: discord.ApplicationFlags) -> Iterator[Finding]:
    wanted = wanted_intents(settings)
    granted = {
        "message content": (wanted.message_content, flags.gateway_message_content, "RECOLLECT_DISCORD_MESSAGE_CONTENT"),
        "server members": (wanted.members, flags.gateway_guild_members, "RECOLLECT_DISCORD_MEMBERS"),
    }
    limited = {
        "message content": flags.gateway_message_content_limited,
        "server members": flags.gateway_guild_members_limited,
    }
    for name, (asked, whole, variable) in granted.items():
        if not asked:
            yield Finding(f"intent, {name}", "ok", "not asked for")
        elif whole or limited[name]:
            yield Finding(f"intent, {name}", "ok")
        else:
            advice = INTENTS.format(f"{name} intent", variable)
            yield Finding(f"intent, {name}", "broken", "asked for, but not granted", advice)


async def _guilds(client: discord.Client, me: discord.ClientUser, app: int, settings: Settings) -> list[Finding]:
    guilds = [guild async for guild in client.fetch_guilds(limit=200)]
    if not guilds:
        return [Finding("servers", "note", "the bot is in none", f"invite it: {invitation(app)}")]
    found: list[Finding] = []
    mirrored = not settings.discord.memory_channel
    for partial in guilds:
        guild = await client.fetch_guild(partial.id)
        member = await guild.fetch_member(me.id)
        found.append(_permissions(f"permissions, {guild.name}", member.guild_permissions, NEEDED, app))
        for channel in await guild.fetch_channels() if not mirrored else ():
            if str(channel.id) == settings.discord.memory_channel:
                mirrored = True
                allowed = channel.permissions_for(member)
                found.append(_permissions(f"memory channel, #{channel.name}", allowed, NEEDED | PINNING, app))
    if not mirrored:
        advice = "set RECOLLECT_DISCORD_MEMORY_CHANNEL to the id of a channel on a server that the bot is in"
        found.append(Finding("memory channel", "broken", f"{settings.discord.memory_channel} is not found", advice))
    return found


def _permissions(check: str, allowed: discord.Permissions, needed: discord.Permissions, app: int) -> Finding:
    missing = [name.replace("_", " ") for name, wanted in needed if wanted and not getattr(allowed, name)]
    if not missing:
        return Finding(check, "ok")
    advice = f"give the bot's role what is missing, or invite it again: {invitation(app)}"
    return Finding(check, "broken", f"missing: {', '.join(missing)}", advice)


async def _commands(client: discord.Client, memory: AsyncMemory, app: int) -> Finding:
    """Whether what Discord has registered is what this version offers."""
    ours = Client(memory)
    names = {command.name for command in ours.own_commands()} if memory.settings.chat_commands.enabled else set[str]()
    registered = {command["name"] for command in await client.http.get_global_commands(app)}
    missing = sorted(names - registered)
    if not missing:
        return Finding("commands", "ok", f"{len(registered)} registered")
    how = "they are registered by the next 'recollect discord'"
    advice = (
        how
        if memory.settings.discord.register_commands
        else "set RECOLLECT_DISCORD_REGISTER_COMMANDS=true and start the bot"
    )
    return Finding("commands", "note", f"not registered yet: {', '.join(missing)}", advice)
