"""Keeping the bot up: everything is opened here, a client that fails is followed by another, a signal ends it."""

import asyncio
import logging
import random
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import aiohttp
import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from recollect.app import make_model
from recollect.core.errors import ConfigError
from recollect.core.ports import ChatModel
from recollect.faces.discord.client import Client, wanted_intents
from recollect.memory import AsyncMemory
from recollect.settings import Loaded, Settings

log = logging.getLogger("recollect.discord")

FIRST, LONGEST = 1.0, 300.0
"""Seconds until the next attempt: twice as long each time, unless the last one held for a while."""
TOKEN = "Discord refuses the token: copy a new one from the developer portal (Bot, Reset Token) into DISCORD_TOKEN"  # noqa: S105 - says where to get one
INTENTS = (
    "Discord does not allow this bot the privileged intents that it asks for (developer portal, Bot, Privileged "
    "Gateway Intents); it goes on with what it gets by mentions, replies and DMs"
)
_TOKEN_REFUSED = 4004
_UNREACHABLE = (discord.HTTPException, discord.GatewayNotFound, discord.ConnectionClosed, aiohttp.ClientError, OSError)

Make = Callable[[discord.Intents], discord.Client]
Pause = Callable[[float], Awaitable[None]]


async def serve(loaded: Loaded, token: str) -> None:
    """Run the bot until a signal ends it."""
    settings = loaded.settings
    use_addresses(settings)
    async with AsyncMemory.from_settings(loaded) as memory, speaking(settings) as speaker:
        make = partial(Client, memory, speaker)
        await until_signalled(keep_up(lambda intents: make(intents=intents), token, wanted_intents(settings)))


def use_addresses(settings: Settings) -> None:
    """Where Discord is, if not where it usually is."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody speaks here
    if settings.discord.api_base_url:
        Route.BASE = settings.discord.api_base_url.rstrip("/")
    if settings.discord.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.discord.gateway_url)


@asynccontextmanager
async def speaking(settings: Settings) -> AsyncGenerator[ChatModel | None]:
    """The model that talks; none when the one that is configured can't."""
    model = make_model(settings.model, settings.model_base_url)
    try:
        yield model if isinstance(model, ChatModel) else None
    finally:
        await model.close()


async def keep_up(make: Make, token: str, intents: discord.Intents, pause: Pause = asyncio.sleep) -> None:
    """Run one client after the other until one ends by itself; raises ConfigError when no other can help."""
    delay = FIRST
    while True:
        client = make(intents)
        began = asyncio.get_running_loop().time()
        try:
            async with client:
                await client.start(token)
        except discord.LoginFailure as error:
            raise ConfigError(TOKEN) from error
        except discord.PrivilegedIntentsRequired as error:
            if not (intents.message_content or intents.members):
                raise ConfigError(INTENTS) from error
            log.warning(INTENTS)
            intents = discord.Intents.default()
            continue
        except Exception as error:
            if isinstance(error, discord.ConnectionClosed) and error.code == _TOKEN_REFUSED:
                raise ConfigError(TOKEN) from error
            delay = delay if asyncio.get_running_loop().time() - began < LONGEST else FIRST
            if isinstance(error, _UNREACHABLE):
                log.warning("no connection to Discord (%s); the next attempt is in %.0f s", _plain(error), delay)
            else:
                log.exception("the bot failed; the next attempt is in %.0f s", delay)
        else:
            return
        await pause(delay * random.uniform(0.8, 1.2))
        delay = min(delay * 2, LONGEST)


def _plain(error: Exception) -> str:
    return str(error) or type(error).__name__


async def until_signalled(work: Awaitable[None]) -> None:
    """Do the work until it is over, or SIGTERM or SIGINT ends it in good order."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    for name in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows: Ctrl-C raises there by itself
            loop.add_signal_handler(name, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        log.info("asked to stop: everything is closed in good order")
