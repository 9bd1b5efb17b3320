"""Runs the bot: opens everything, replaces a client that failed, and ends on a signal."""

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
from recollect.faces.discord.client import Client, required_intents
from recollect.memory import AsyncMemory
from recollect.settings import Loaded, Settings

log = logging.getLogger("recollect.discord")

FIRST_DELAY_SECONDS, MAX_DELAY_SECONDS = 1.0, 300.0
"""Exponential backoff between attempts; a client that ran for the longest delay resets it."""
TOKEN_REFUSED_TEXT = (
    "Discord refuses the token: copy a new one from the developer portal (Bot, Reset Token) into DISCORD_TOKEN"  # noqa: S105 - says where to get one
)
INTENTS_REFUSED_TEXT = (
    "Discord does not allow this bot the privileged intents that it asks for (developer portal, Bot, Privileged "
    "Gateway Intents); it goes on with what it gets by mentions, replies and DMs"
)
_AUTHENTICATION_FAILED = 4004
"""Close code of the gateway."""
_UNREACHABLE = (discord.HTTPException, discord.GatewayNotFound, discord.ConnectionClosed, aiohttp.ClientError, OSError)

MakeClient = Callable[[discord.Intents], discord.Client]
Sleep = Callable[[float], Awaitable[None]]


async def serve(loaded: Loaded, token: str) -> None:
    """Run the bot until a signal ends it."""
    settings = loaded.settings
    configure_endpoints(settings)
    async with AsyncMemory.from_settings(loaded) as memory, open_chat_model(settings) as speaker:
        make = partial(Client, memory, speaker)
        await until_signalled(
            run_with_retries(lambda intents: make(intents=intents), token, required_intents(settings))
        )


def configure_endpoints(settings: Settings) -> None:
    """Apply configured addresses of Discord's API and gateway."""
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # the bot uses no voice
    if settings.discord.api_base_url:
        Route.BASE = settings.discord.api_base_url.rstrip("/")
    if settings.discord.gateway_url:
        DiscordWebSocket.DEFAULT_GATEWAY = URL(settings.discord.gateway_url)


@asynccontextmanager
async def open_chat_model(settings: Settings) -> AsyncGenerator[ChatModel | None]:
    """The configured model, if it can hold a conversation."""
    model = make_model(settings.model, settings.model_base_url)
    try:
        yield model if isinstance(model, ChatModel) else None
    finally:
        await model.close()


async def run_with_retries(
    make: MakeClient, token: str, intents: discord.Intents, sleep: Sleep = asyncio.sleep
) -> None:
    """Run one client after the other until one ends by itself; raises ConfigError when retrying can't help."""
    delay = FIRST_DELAY_SECONDS
    while True:
        client = make(intents)
        started = asyncio.get_running_loop().time()
        try:
            async with client:
                await client.start(token)
        except discord.LoginFailure as error:
            raise ConfigError(TOKEN_REFUSED_TEXT) from error
        except discord.PrivilegedIntentsRequired as error:
            if not (intents.message_content or intents.members):
                raise ConfigError(INTENTS_REFUSED_TEXT) from error
            log.warning(INTENTS_REFUSED_TEXT)
            intents = discord.Intents.default()
            continue
        except Exception as error:
            if isinstance(error, discord.ConnectionClosed) and error.code == _AUTHENTICATION_FAILED:
                raise ConfigError(TOKEN_REFUSED_TEXT) from error
            delay = delay if asyncio.get_running_loop().time() - started < MAX_DELAY_SECONDS else FIRST_DELAY_SECONDS
            if isinstance(error, _UNREACHABLE):
                log.warning("no connection to Discord (%s); retrying in %.0f s", _describe_error(error), delay)
            else:
                log.exception("the bot failed; retrying in %.0f s", delay)
        else:
            return
        await sleep(delay * random.uniform(0.8, 1.2))
        delay = min(delay * 2, MAX_DELAY_SECONDS)


def _describe_error(error: Exception) -> str:
    return str(error) or type(error).__name__


async def until_signalled(work: Awaitable[None]) -> None:
    """Run the work until it ends, or SIGTERM or SIGINT cancels it."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    for name in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):  # Windows: Ctrl-C raises there by itself
            loop.add_signal_handler(name, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        log.info("stopping on a signal")
