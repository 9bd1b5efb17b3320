"""Telling people, once, that they are remembered, and how to see, stop and delete that."""

import logging

import discord

from recollect.bot.house import House

log = logging.getLogger("recollect.bot")

NOTICE = (
    "I remember what people tell me, so that I can use it later: `!memory show` lists what I know about you, "
    "`!memory pause` stops me learning, `!memory forget …` and `!memory erase` delete."
)


async def announce(house: House, who: discord.User | discord.Member, channel: discord.abc.Messageable) -> None:
    """Tell someone who has spoken to the bot here: in a DM if that is set and they take one, else in the channel."""
    how = house.settings.bot.announce
    if how == "off" or not await house.tell(who.id):
        return
    if how == "dm" and not isinstance(channel, discord.DMChannel):
        try:
            await who.send(NOTICE)
        except (discord.HTTPException, OSError) as error:
            log.info("%s can't be told in a DM: %s", who.id, error)
        else:
            return
    await channel.send(NOTICE)
