"""The ear: Discord's events as a cog gets them, handed on to the assistant and to memory."""

import logging
from io import BytesIO
from typing import Any

import discord
from discord.ext import commands

from recollect.core.errors import RecollectError
from recollect.core.types import Message, Place
from recollect.faces.commands.dispatcher import Answer
from recollect.faces.commands.parse import parse
from recollect.faces.discord import edits, state, streaming
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.messages import is_addressed, is_heard, message_of, spoken
from recollect.faces.discord.places import place_of
from recollect.faces.discord.privacy_notice import announce, announce_unseen, keeps
from recollect.faces.discord.shards import admits

log = logging.getLogger("recollect.discord")

SWITCHED_OFF = "Memory is switched off here, so I neither listen nor answer; `!memory help` still works."
NO_WORDS = "I am here. Say something, or `!memory help`."
UNREADABLE = "I can only read what mentions me: please say it again, with a mention."
NO_EARS = "I can't listen to voice messages. Please write it to me."
BROKEN = "Something went wrong on my side; it is in my log."
NOTHING_SAID = "Noted."
NO_PUBLIC_EXPORT = (
    "Everyone here would read your export. `/memory export` shows what may be heard here to you alone; "
    "for everything, as a file, write me `!memory export` in a direct message."
)
A_FILE = "Everything that is remembered about you, as a file."


class MessageListener(commands.Cog):
    def __init__(self, house: BotContext) -> None:
        self._house = house

    @property
    def _me(self) -> discord.ClientUser:
        return self._house.me

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        house = self._house
        if not is_heard(message) or not await admits(house, message.author):
            return
        said = message_of(message, place_of(message.channel, message.author.id), spoken(message, self._me))
        self._reserve_own_names(message, said.place)
        addressed = is_addressed(message, self._me, house.settings.discord.channels)
        try:
            await self._take(message, said, addressed)
        except (discord.HTTPException, OSError, RecollectError) as error:
            log.warning("message %s is not answered: %s", message.id, error)
        except Exception:
            log.exception("message %s is not answered", message.id)
            await streaming.send(message, BROKEN)

    def _reserve_own_names(self, message: discord.Message, place: Place) -> None:
        """Nobody in a prompt is called as the bot is called here; its nickname may change at any time."""
        names = self._house.memory.names
        names.reserve(self._me.display_name)
        if message.guild is not None:
            names.reserve(message.guild.me.display_name, place)

    async def _take(self, message: discord.Message, said: Message, addressed: bool) -> None:
        order = parse(said.text) if self._house.settings.chat_commands.enabled else None
        if order is not None and order.verb == "export" and message.guild is not None:
            await streaming.send(message, NO_PUBLIC_EXPORT)
        elif order is not None:
            if not keeps(self._house, said.text) or await announce(self._house, message.author, message.channel):
                await self._reply(message, said)
        elif await self._house.is_paused(message.author, message.channel):
            if addressed:
                await streaming.send(message, SWITCHED_OFF)
        elif not said.text:
            if addressed:
                await streaming.send(message, self._instead(message))
        elif addressed:
            if await announce(self._house, message.author, message.channel):
                await self._house.listened(said.place, message.channel.id)  # before a reply that may fail
                await self._reply(message, said)
        elif await self._house.was_notified(message.author.id):
            await self._observe(message, said)

    def _instead(self, message: discord.Message) -> str:
        """What is said to a message without words: perhaps it has some that Discord does not show."""
        if message.flags.voice:
            return NO_EARS
        return NO_WORDS if edits.shows_text(self._house, message) else UNREADABLE

    async def _observe(self, message: discord.Message, said: Message) -> None:
        """Take note of what nobody expects an answer to."""
        try:
            await self._house.memory.add(said)
            await self._house.listened(said.place, message.channel.id)
        except RecollectError as error:
            log.warning("message %s could not be kept: %s", said.id, error)

    async def _reply(self, message: discord.Message, said: Message) -> None:
        draft = streaming.StreamedReply(message)
        async with streaming.typing(message.channel):
            reply = await self._house.assistant.reply(said, draft.append)
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
            await streaming.send(message, page, follows=number > 0, file=file if number == 0 else None)

    @commands.Cog.listener()
    async def on_app_command_completion(self, interaction: discord.Interaction[Any], command: object) -> None:
        """Who meets the bot by a command is told as well, where nobody else sees it."""
        del command
        await announce_unseen(self._house, interaction)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        await edits.edited(self._house, event.message)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await edits.deleted(self._house, [str(event.message_id)])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        await edits.deleted(self._house, map(str, sorted(event.message_ids)))

    @commands.Cog.listener()
    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self._house.parted(state.left(event.guild_id, event.user.id, self._house.clock()))
