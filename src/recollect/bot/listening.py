"""The ear: Discord's events as a cog gets them, handed on to the assistant and to memory."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from io import BytesIO

import discord
from discord.ext import commands

from recollect.bot import drafts, notes
from recollect.bot.house import House
from recollect.bot.places import PLATFORM, place_of
from recollect.bot.words import is_addressed, is_heard, message_of, spoken
from recollect.errors import RecollectError
from recollect.orders import Answer
from recollect.orders.order import parse
from recollect.types import Message

log = logging.getLogger("recollect.bot")

NOTICE = (
    "I remember what people tell me, so that I can use it later: `!memory show` lists what I know about you, "
    "`!memory pause` stops me learning, `!memory forget …` deletes."
)
SWITCHED_OFF = "Memory is switched off here, so I neither listen nor answer; `!memory help` still works."
NO_WORDS = "I am here. Say something, or `!memory help`."
BROKEN = "Something went wrong on my side; it is in my log."
NOTHING_SAID = "Noted."
A_FILE = "Everything that is remembered about you, as a file."


class Ear(commands.Cog):
    def __init__(self, house: House) -> None:
        self._house = house

    @property
    def _me(self) -> discord.ClientUser:
        return self._house.me

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        house = self._house
        if not is_heard(message) or not await house.door.admits(message.author, house.client.guilds):
            return
        said = message_of(message, place_of(message.channel, message.author.id), spoken(message, self._me))
        addressed = is_addressed(message, self._me, house.settings.bot.channels)
        try:
            await self._take(message, said, addressed)
        except (discord.HTTPException, OSError, RecollectError) as error:
            log.warning("message %s is not answered: %s", message.id, error)
        except Exception:
            log.exception("message %s is not answered", message.id)
            await drafts.send(message, BROKEN)

    async def _take(self, message: discord.Message, said: Message, addressed: bool) -> None:
        if self._house.settings.commands.enabled and parse(said.text) is not None:
            await self._reply(message, said)
        elif await self._house.is_deaf(message):
            if addressed:
                await drafts.send(message, SWITCHED_OFF)
        elif not said.text:
            if addressed:
                await drafts.send(message, NO_WORDS)
        elif addressed:
            await self._reply(message, said)
            await self._announce(message)
        elif await self._house.is_told(message.author.id):
            await self._observe(said)

    async def _observe(self, said: Message) -> None:
        """Take note of what nobody expects an answer to."""
        try:
            await self._house.memory.observe(said)
        except RecollectError as error:
            log.warning("message %s could not be kept: %s", said.id, error)

    async def _reply(self, message: discord.Message, said: Message) -> None:
        draft = drafts.Draft(message)
        async with drafts.typing(message.channel):
            reply = await self._house.assistant.reply(said, draft.feed)
            if reply.order is not None:
                await self._answer(message, reply.order)
                return
            text = reply.text.strip() or NOTHING_SAID
            sent = await draft.finish(text)
        await self._house.assistant.said(text, said, str(sent[0].id))

    async def _answer(self, message: discord.Message, order: Answer) -> None:
        """An order's answer, page by page; what is to be kept comes as a file, and then a long text is not needed."""
        pages, file = order.pages, None
        if order.file is not None:
            file = discord.File(BytesIO(order.file.text.encode()), order.file.name)
            pages = pages if len(pages) == 1 else (A_FILE,)
        for number, page in enumerate(pages):
            await drafts.send(message, page, follows=number > 0, file=file if number == 0 else None)

    async def _announce(self, message: discord.Message) -> None:
        """Tell someone, once, that they are remembered."""
        how = self._house.settings.bot.announce
        if how == "off" or not await self._house.tell(message.author.id):
            return
        if how == "dm" and message.guild is not None:
            try:
                await message.author.send(NOTICE)
            except (discord.HTTPException, OSError) as error:
                log.info("%s can't be told in a DM: %s", message.author.id, error)
            else:
                return
        await message.channel.send(NOTICE)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        message = event.message
        if message.edited_at is None or not is_heard(message) or not self._shows_text(message):
            return
        place, text = place_of(message.channel, message.author.id), spoken(message, self._me)
        edited = partial(self._house.memory.edited, text=text, at=message.edited_at, place=place)
        await self._change(message.id, edited, text)

    async def _change(self, message: int, change: Callable[[str, str], Awaitable[object]], text: str = "") -> None:
        """Memory and the conversation hear that a message is not what it was. Discord also tells of pins and
        previews, which change no words.
        """
        house, message_id = self._house, str(message)
        try:
            known = await house.memory.store.read(lambda tx: tx.journal.get(PLATFORM, message_id))
            if known is not None and known.text != text:
                await change(PLATFORM, message_id)
                house.assistant.changed(known.place)
        except RecollectError as error:
            log.warning("the change of message %s is not known to memory: %s", message, error)

    def _shows_text(self, message: discord.Message) -> bool:
        """Without the intent for it, Discord shows the text only of what is meant for the bot."""
        return self._house.client.intents.message_content or message.guild is None or self._me in message.mentions

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._forget([event.message_id])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        await self._forget(sorted(event.message_ids))

    async def _forget(self, messages: Iterable[int]) -> None:
        for message in messages:
            await self._change(message, self._house.memory.deleted)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self._house.parted(notes.left(guild.id, None, self._house.clock()))

    @commands.Cog.listener()
    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self._house.parted(notes.left(event.guild_id, event.user.id, self._house.clock()))
