"""`recollect discord --check`: asks Discord, without going online, whether the bot would work; and what to do."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

import aiohttp
import discord

from recollect.faces.discord.access import CLOSED, AccessList
from recollect.faces.discord.client import Client, required_intents
from recollect.faces.discord.run import TOKEN_REFUSED_TEXT, configure_endpoints
from recollect.memory import AsyncMemory
from recollect.settings import Settings

NEEDED_PERMISSIONS = discord.Permissions(
    view_channel=True,
    send_messages=True,
    send_messages_in_threads=True,
    read_message_history=True,
    attach_files=True,
    embed_links=True,
)
"""What the bot needs on a server, besides `PIN_PERMISSION` in the memory channel."""
PIN_PERMISSION = discord.Permissions(pin_messages=True)
INTENTS_ADVICE = "developer portal, Bot, Privileged Gateway Intents: switch on {}; or set {}=false"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One result; a note is worth knowing but breaks nothing."""

    check: str
    state: Literal["ok", "note", "broken"]
    detail: str = ""
    advice: str = ""


def invitation(application: int, pins: bool = True) -> str:
    """The URL where a server's manager adds the bot."""
    permissions = NEEDED_PERMISSIONS | PIN_PERMISSION if pins else NEEDED_PERMISSIONS
    scopes = ("bot", "applications.commands")
    return discord.utils.oauth_url(application, permissions=permissions, scopes=scopes)


async def check(memory: AsyncMemory, token: str) -> list[HealthCheck]:
    """All checks, up to a failure that makes the others impossible."""
    settings = memory.settings
    configure_endpoints(settings)
    checks = [_check_access(settings)]
    try:
        async with _logged_in(token) as (client, me):
            app = await client.application_info()
            checks.append(HealthCheck("token", "ok", f"{me}, application {app.id}"))
            checks += _check_intents(settings, app.flags)
            checks += await _check_guilds(client, me, app.id, settings)
            checks.append(await _check_commands(client, memory, app.id))
    except discord.LoginFailure:
        checks.append(HealthCheck("token", "broken", "it is refused", TOKEN_REFUSED_TEXT.partition(": ")[2]))
    except (OSError, aiohttp.ClientError, discord.DiscordException) as error:
        checks.append(HealthCheck("connection", "broken", str(error) or type(error).__name__, "try again in a while"))
    except (TypeError, KeyError, ValueError) as error:  # discord.py raises this for an answer that is not JSON
        detail = f"its answer is not understood ({type(error).__name__}: {error})"
        advice = "if this is not Discord itself, see that RECOLLECT_DISCORD_API_BASE_URL is its API, version included"
        checks.append(HealthCheck("connection", "broken", detail, advice))
    return checks


@asynccontextmanager
async def _logged_in(token: str) -> AsyncGenerator[tuple[discord.Client, discord.ClientUser]]:
    async with discord.Client(intents=discord.Intents.default()) as client:
        await client.login(token)
        if client.user is None:
            raise discord.LoginFailure("no user is logged in")
        yield client, client.user


def _check_access(settings: Settings) -> HealthCheck:
    access = AccessList.of(settings)
    if access.is_closed:
        return HealthCheck("allowlist", "broken", "it is empty, so no one is answered", CLOSED.partition(": ")[2])
    lists = {"users": access.users, "roles": access.roles, "guilds": access.guilds}
    return HealthCheck("allowlist", "ok", ", ".join(f"{name}: {len(ids)}" for name, ids in lists.items() if ids))


def _check_intents(settings: Settings, flags: discord.ApplicationFlags) -> Iterator[HealthCheck]:
    intents = required_intents(settings)
    granted = {
        "message content": (
            intents.message_content,
            flags.gateway_message_content,
            "RECOLLECT_DISCORD_MESSAGE_CONTENT",
        ),
        "server members": (intents.members, flags.gateway_guild_members, "RECOLLECT_DISCORD_MEMBERS"),
    }
    limited = {
        "message content": flags.gateway_message_content_limited,
        "server members": flags.gateway_guild_members_limited,
    }
    for name, (is_requested, is_granted, variable) in granted.items():
        if not is_requested:
            yield HealthCheck(f"intent, {name}", "ok", "not asked for")
        elif is_granted or limited[name]:
            yield HealthCheck(f"intent, {name}", "ok")
        else:
            advice = INTENTS_ADVICE.format(f"{name} intent", variable)
            yield HealthCheck(f"intent, {name}", "broken", "asked for, but not granted", advice)


async def _check_guilds(
    client: discord.Client, me: discord.ClientUser, app: int, settings: Settings
) -> list[HealthCheck]:
    guilds = [guild async for guild in client.fetch_guilds(limit=200)]
    if not guilds:
        return [HealthCheck("servers", "note", "the bot is in none", f"invite it: {invitation(app)}")]
    checks: list[HealthCheck] = []
    has_channel = not settings.discord.memory_channel
    for partial in guilds:
        guild = await client.fetch_guild(partial.id)
        member = await guild.fetch_member(me.id)
        checks.append(
            _check_permissions(f"permissions, {guild.name}", member.guild_permissions, NEEDED_PERMISSIONS, app)
        )
        for channel in await guild.fetch_channels() if not has_channel else ():
            if str(channel.id) == settings.discord.memory_channel:
                has_channel = True
                allowed = channel.permissions_for(member)
                checks.append(
                    _check_permissions(
                        f"memory channel, #{channel.name}", allowed, NEEDED_PERMISSIONS | PIN_PERMISSION, app
                    )
                )
    if not has_channel:
        advice = "set RECOLLECT_DISCORD_MEMORY_CHANNEL to the id of a channel on a server that the bot is in"
        checks.append(
            HealthCheck("memory channel", "broken", f"{settings.discord.memory_channel} is not found", advice)
        )
    return checks


def _check_permissions(check: str, allowed: discord.Permissions, needed: discord.Permissions, app: int) -> HealthCheck:
    missing = [name.replace("_", " ") for name, is_needed in needed if is_needed and not getattr(allowed, name)]
    if not missing:
        return HealthCheck(check, "ok")
    advice = f"give the bot's role what is missing, or invite it again: {invitation(app)}"
    return HealthCheck(check, "broken", f"missing: {', '.join(missing)}", advice)


async def _check_commands(client: discord.Client, memory: AsyncMemory, app: int) -> HealthCheck:
    """Whether all commands of this version are registered with Discord."""
    commands = Client(memory).own_commands() if memory.settings.chat_commands.enabled else []
    names = {command.name for command in commands}
    registered = {command["name"] for command in await client.http.get_global_commands(app)}
    missing = sorted(names - registered)
    if not missing:
        return HealthCheck("commands", "ok", f"{len(registered)} registered")
    advice = "they are registered by the next 'recollect discord'"
    if not memory.settings.discord.register_commands:
        advice = "set RECOLLECT_DISCORD_REGISTER_COMMANDS=true and start the bot"
    return HealthCheck("commands", "note", f"not registered yet: {', '.join(missing)}", advice)
