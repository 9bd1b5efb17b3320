"""Telling people, once, that they are remembered, and how to see, stop and delete that. It comes before everything
else: nothing of a person is learned, kept or published until a notice has reached them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import aiohttp
import discord

from recollect.core.errors import RecollectError
from recollect.faces.commands.parse import parse
from recollect.faces.discord.context import BotContext

log = logging.getLogger("recollect.discord")

NOTICE = (
    "I remember what people tell me, so that I can use it later: `!memory show` lists what I know about you, "
    "`!memory pause` stops me learning, `!memory forget …` and `!memory erase` delete."
)
UNTOLD = (
    "I can't send you my notice about what I remember, so I keep nothing of what you say. "
    "Please allow direct messages from this server, and try again."
)
SEND_TIMEOUT_S = 5.0
"""For each way: the reply waits for it, and discord.py would try for half a minute while Discord has trouble."""

Send = Callable[[str], Awaitable[object]]


def keeps(house: BotContext, text: str) -> bool:
    """Whether something of the speaker is kept when this is answered: all but commands that only look or delete."""
    order = parse(text) if house.settings.chat_commands.enabled else None
    return order is None or order.verb == "remember"


async def announce(house: BotContext, who: discord.User | discord.Member, channel: discord.abc.Messageable) -> bool:
    """Tell someone who speaks to the bot here, unless they know: by DM or in the channel, as set, else the other way.
    False when neither works; then nothing of theirs may be kept, and the next message is another attempt.
    """
    if isinstance(channel, discord.DMChannel):
        return await _inform(house, who.id, [channel.send])
    ways: list[Send] = [channel.send, who.send]
    return await _inform(house, who.id, ways if house.settings.discord.privacy_notice == "reply" else ways[::-1])


async def announce_unseen(house: BotContext, interaction: discord.Interaction[Any]) -> bool:
    """Tell someone who uses a command, a menu or a form, where nobody else sees it; else by DM."""
    ways: list[Send] = [partial(interaction.followup.send, ephemeral=True), interaction.user.send]
    return await _inform(house, interaction.user.id, ways)


async def _inform(house: BotContext, user: int, ways: Sequence[Send]) -> bool:
    turn = house.telling.setdefault(user, asyncio.Lock())  # two messages at once make one notice
    async with turn:
        if await _is_told(house, user):
            return True
        problems: list[str] = []
        for send in ways:
            try:
                async with asyncio.timeout(SEND_TIMEOUT_S):
                    await send(NOTICE)
            except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
                problems.append(str(error) or type(error).__name__)
            else:
                await _note(house, user)
                return True
        if user not in house.unreached:
            house.unreached.add(user)
            log.warning(
                "%s can't be told that they are remembered, so nothing they say is kept: %s", user, "; ".join(problems)
            )
        return False


async def _is_told(house: BotContext, user: int) -> bool:
    try:
        return await house.was_notified(user)
    except RecollectError as error:  # being told twice does no harm, and the reply does not depend on the store
        log.warning("whether %s was told that they are remembered can't be read: %s", user, error)
        return False


async def _note(house: BotContext, user: int) -> None:
    house.unreached.discard(user)
    try:
        await house.notify(user)
    except RecollectError as error:
        house.told.add(user)
        log.warning("that %s was told that they are remembered can't be noted: %s", user, error)
