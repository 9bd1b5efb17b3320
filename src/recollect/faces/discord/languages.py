"""The language in which someone is answered: on a server the server's, and in direct messages their own."""

import logging
from typing import Any

import discord

from recollect.core.errors import RecollectError
from recollect.core.types import Place
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.localization import LANGUAGES
from recollect.faces.discord.places import PLATFORM
from recollect.faces.wording import current_language, use_language
from recollect.language import detection

log = logging.getLogger("recollect.discord")

MAX_LOCALES = 5_000
"""Size of the cache of people's languages, as their clients last reported them: messages don't include the language."""
RECENT_MESSAGES = 8
"""Messages from which the language of someone is detected if nothing else is known."""

Interaction = discord.Interaction[Any]


async def language_of(bot: BotContext, guild: discord.Guild | None) -> str:
    """The language of notices on a server: the one that was chosen, else that of the server. In direct messages, the
    one that is used already.
    """
    return current_language() if guild is None else await bot.server_settings.language(guild.id)


async def panel_language(bot: BotContext, interaction: Interaction) -> str:
    """The language of a panel: the server's, and in direct messages the user's own."""
    if interaction.guild is None:
        return LANGUAGES.get(interaction.locale, "")
    return await language_of(bot, interaction.guild)


async def language_for_user(bot: BotContext, interaction: Interaction) -> str:
    """The language for whoever used a command, a button, a menu or a form, which tells what they speak."""
    locales = bot.locales
    locales[interaction.user.id] = LANGUAGES.get(interaction.locale, "")
    locales.move_to_end(interaction.user.id)
    while len(locales) > MAX_LOCALES:
        locales.popitem(last=False)
    try:
        return await panel_language(bot, interaction)
    except RecollectError as error:
        log.warning("cannot read the language of an answer: %s", error)
        return ""


async def use_language_of(bot: BotContext, message: discord.Message) -> None:
    """Answer a message in the language of its server, or of its author."""
    try:
        use_language(await _language_for_author(bot, message))
    except RecollectError as error:
        log.warning("cannot read the language of an answer: %s", error)


async def _language_for_author(bot: BotContext, message: discord.Message) -> str:
    if message.guild is not None:
        return await language_of(bot, message.guild)
    return await language_of_person(bot, message.author.id)


async def language_of_person(bot: BotContext, user: int) -> str:
    """The language of someone in direct messages: that of their Discord, else of what they wrote there."""
    if user in bot.locales:
        return bot.locales[user]
    recent = await bot.memory.timeline.recent(Place(PLATFORM, dm=str(user)), RECENT_MESSAGES)
    words = " ".join(said.text for said in recent if said.author == str(user))
    return detection.detect(words) if words and detection.is_certain(words) else ""
