"""Receives Discord's message events and hands them to the assistant and to memory."""

import logging
from io import BytesIO
from typing import Any

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.types import Message, Place
from recollect.faces.commands.dispatcher import Answer
from recollect.faces.commands.parse import parse
from recollect.faces.discord import edits, streaming
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.messages import is_addressed, is_from_person, message_of, readable_text
from recollect.faces.discord.places import place_of
from recollect.faces.discord.privacy_notice import ensure_notified, ensure_notified_privately, needs_notice
from recollect.faces.discord.shards import is_allowed
from recollect.faces.discord.splitting import harmless

log = logging.getLogger("recollect.discord")

SWITCHED_OFF = "Memory is switched off here, so I neither listen nor answer; `!memory help` still works."
NO_WORDS = "I am here. Say something, or `!memory help`."
UNREADABLE = "I can only read what mentions me: please say it again, with a mention."
NO_VOICE_MESSAGES = "I can't listen to voice messages. Please write it to me."
INTERNAL_ERROR = "Something went wrong on my side; it is in my log."
EMPTY_REPLY = "Noted."
NO_PUBLIC_EXPORT = (
    "Everyone here would read your export. `/memory export` shows what may be heard here to you alone; "
    "for everything, as a file, write me `!memory export` in a direct message."
)
EXPORT_ATTACHED = "Everything that is remembered about you, as a file."


class MessageListener(commands.Cog):
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    @property
    def _me(self) -> discord.ClientUser:
        return self._bot.me

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        bot = self._bot
        if not is_from_person(message) or not await is_allowed(bot, message.author):
            return
        chat_message = message_of(
            message, place_of(message.channel, message.author.id), readable_text(message, self._me)
        )
        self._reserve_own_names(message, chat_message.place)
        try:
            await self._handle(message, chat_message)
        except (discord.HTTPException, OSError, RecollectError) as error:
            log.warning("message %s is not answered: %s", message.id, error)
        except Exception:
            log.exception("message %s is not answered", message.id)
            await streaming.send(message, INTERNAL_ERROR)

    def _reserve_own_names(self, message: discord.Message, place: Place) -> None:
        """Keep the bot's names here from other people in prompts; its nickname may change at any time."""
        names = self._bot.memory.names
        names.reserve(self._me.display_name)
        if message.guild is not None:
            names.reserve(message.guild.me.display_name, place)

    async def _handle(self, message: discord.Message, chat_message: Message) -> None:
        expects_answer = is_addressed(message, self._me, self._bot.settings.discord.channels)
        command = parse(chat_message.text) if self._bot.settings.chat_commands.enabled else None
        if command is not None and command.verb == "export" and message.guild is not None:
            await streaming.send(message, NO_PUBLIC_EXPORT)
        elif command is not None:
            if not needs_notice(self._bot, chat_message.text) or await ensure_notified(
                self._bot, message.author, message.channel
            ):
                await self._reply(message, chat_message)
        elif await self._bot.is_paused(message.author, message.channel):
            if expects_answer:
                await streaming.send(message, SWITCHED_OFF)
        elif not chat_message.text:
            if expects_answer:
                await streaming.send(message, self._describe_empty(message))
        elif expects_answer:
            if await ensure_notified(self._bot, message.author, message.channel):
                await self._bot.record_place(chat_message.place, message.channel.id)  # first, as the reply may fail
                await self._reply(message, chat_message)
        elif await self._bot.was_notified(message.author.id):
            await self._store(message, chat_message)

    def _describe_empty(self, message: discord.Message) -> str:
        """The answer to a message without text, which Discord may merely not show."""
        if message.flags.voice:
            return NO_VOICE_MESSAGES
        return NO_WORDS if edits.shows_text(self._bot, message) else UNREADABLE

    async def _store(self, message: discord.Message, chat_message: Message) -> None:
        """Store a message that expects no answer."""
        try:
            await self._bot.memory.add(chat_message)
            await self._bot.record_place(chat_message.place, message.channel.id)
        except RecollectError as error:
            log.warning("message %s could not be kept: %s", chat_message.id, error)

    async def _reply(self, message: discord.Message, chat_message: Message) -> None:
        draft = streaming.StreamedReply(message)
        async with streaming.typing(message.channel):
            reply = await self._bot.assistant.reply(chat_message, draft.append)
            if reply.command_answer is not None:
                await self._send_answer(message, reply.command_answer)
                return
            text = reply.text.strip() or EMPTY_REPLY
            sent = await draft.finish(harmless(text) if reply.is_offline else text)
        await self._bot.assistant.record_reply(text, chat_message, str(sent[0].id))

    async def _send_answer(self, message: discord.Message, answer: Answer) -> None:
        """Send a command's answer page by page; with a file, a text of several pages is left out."""
        pages, file = answer.pages, None
        if answer.file is not None:
            file = discord.File(BytesIO(answer.file.text.encode()), answer.file.name)
            pages = pages if len(pages) == 1 else (EXPORT_ATTACHED,)
        for index, page in enumerate(pages):
            await streaming.send(message, page, follows=index > 0, file=file if index == 0 else None)

    @commands.Cog.listener()
    async def on_app_command_completion(self, interaction: discord.Interaction[Any], command: object) -> None:
        """Someone whose first contact is a slash command gets the privacy notice too, as an ephemeral message."""
        del command
        await ensure_notified_privately(self._bot, interaction)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        await edits.apply_edit(self._bot, event.message)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await edits.apply_deletions(self._bot, [str(event.message_id)])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        await edits.apply_deletions(self._bot, map(str, sorted(event.message_ids)))

    @commands.Cog.listener()
    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self._bot.record_departure(state.departure_event(event.guild_id, event.user.id, self._bot.clock()))
