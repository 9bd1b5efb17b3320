"""Receives Discord's message events and hands them to the assistant and to memory."""

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import discord
from discord.ext import commands

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.types import Message, Place
from recollect.faces.assistant.assistant import Reply
from recollect.faces.commands.dispatcher import Answer
from recollect.faces.commands.parse import ParsedCommand, parse
from recollect.faces.discord import message_changes, streaming
from recollect.faces.discord.attachments import NOT_READ, Files, read_files, unread_attachments
from recollect.faces.discord.consent import NO, ask, consent_status, may_store_unaddressed, note_roles
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.languages import language_of, use_language_of
from recollect.faces.discord.localization import notice
from recollect.faces.discord.messages import full_text, is_addressed, is_from_person, message_of, readable_text
from recollect.faces.discord.onboarding import is_served, render_not_served
from recollect.faces.discord.permissions import is_shut_out
from recollect.faces.discord.places import PLATFORM, place_of, with_unknown_readers
from recollect.faces.discord.privacy_notice import (
    STORING_VERBS,
    ensure_notified,
    ensure_notified_privately,
    needs_notice,
)
from recollect.faces.discord.privacy_panel import privacy_answer
from recollect.faces.discord.quotas import What, count_tokens, refusal, within_budget
from recollect.faces.discord.shards import is_allowed
from recollect.faces.discord.slash_commands import EXPORT_ATTACHED
from recollect.faces.discord.splitting import harmless
from recollect.faces.wording import say
from recollect.policy.visibility import covers_audience_of, narrower

log = logging.getLogger("recollect.discord")

SWITCHED_OFF = "Memory is switched off here, so I neither listen nor answer; `!memory help` still works."
NO_WORDS = "I am here. Say something, or `!memory help`."
UNREADABLE = "I can only read what mentions me: please say it again, with a mention."
NO_VOICE_MESSAGES = "I can't listen to voice messages. Please write it to me."
INTERNAL_ERROR = "Something went wrong on my side; it is in my log."
EMPTY_REPLY = "Noted."
NO_PUBLIC_EXPORT = (
    "Everyone here would read your export. `/memory export` gives it to you alone, and so does `!memory export` in a "
    "direct message."
)

MAX_KNOWN_IDS = 1_000
"""Ids of handled messages that are remembered: more than can arrive while the bot catches up on a place."""


class MessageListener(commands.Cog):
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._live: deque[int] = deque(maxlen=MAX_KNOWN_IDS)
        self._caught_up: deque[int] = deque(maxlen=MAX_KNOWN_IDS)
        self._consented: deque[int] = deque(maxlen=MAX_KNOWN_IDS)
        self._hinted: set[int] = set()

    @property
    def _me(self) -> discord.ClientUser:
        return self._bot.me

    @commands.Cog.listener()
    async def on_message(self, message: discord.Message) -> None:
        # The gateway may deliver late what catching up has already handled.
        if message.id not in self._caught_up and not is_shut_out(message.channel):
            # Before the first await: catching up may ask for it in the meantime.
            self._live.append(message.id)
            await self.handle(message, place_of(message.channel, message.author.id))

    @commands.Cog.listener()
    async def on_consented_message(self, message: discord.Message) -> None:
        """Answer the message on which someone was asked for their consent, once: they may press the button again."""
        if message.id in self._consented or await self._is_stored(message):
            return
        self._consented.append(message.id)
        # Between question and consent the channel may have been opened: the message keeps its former readers.
        asked, now = self._bot.asked.pop(message.id, None), place_of(message.channel, message.author.id)
        await self.handle(message, now, with_unknown_readers(now) if asked is None else narrower(asked.place, now))

    async def _is_stored(self, message: discord.Message) -> bool:
        try:
            return await self._bot.memory.timeline.message(PLATFORM, str(message.id)) is not None
        except RecollectError as error:
            log.warning("cannot read whether message %s was answered: %s", message.id, error)
            return False

    def claim_missed(self, message_id: int) -> bool:
        """Whether a message is to be caught up on: it did not come live, and is ignored if it still does."""
        if message_id in self._live:
            return False
        self._caught_up.append(message_id)
        return True

    async def handle(self, message: discord.Message, place: Place, then: Place | None = None) -> None:
        """Answer a message, or listen to it; whatever fails is logged. `then` is the place with those who could read
        the message when it was written, if it comes late.
        """
        # Answering other bots would invite endless exchanges.
        if not is_from_person(message):
            return
        if not await is_allowed(self._bot, message.author):
            await self._hint(message)
            return
        await use_language_of(self._bot, message)
        chat_message = message_of(message, place, readable_text(message, self._me))
        # Before the message enters any prompt.
        self._reserve_own_names(message, chat_message.place)
        try:
            await self._handle(message, chat_message, then or place)
        except (discord.HTTPException, OSError, RecollectError) as error:
            log.warning("message %s is not answered: %s", message.id, error)
        except Exception:
            log.exception("message %s is not answered", message.id)
            await streaming.send(message, say(INTERNAL_ERROR))
        finally:
            await message_changes.apply_meanwhile(self._bot, message)

    async def _hint(self, message: discord.Message) -> None:
        """Say once, on a server that is not allowed, whom to ask. Others who are not allowed get no answer, and nobody
        does while the bot is allowed nowhere.
        """
        guild, access = message.guild, self._bot.access
        if guild is None or self._me not in message.mentions or not (access.guilds or access.roles):
            return
        if guild.id in self._hinted or is_served(self._bot, guild):
            return
        self._hinted.add(guild.id)
        await use_language_of(self._bot, message)
        await streaming.send(message, render_not_served(self._bot, guild))

    def _reserve_own_names(self, message: discord.Message, place: Place) -> None:
        """Keep the bot's names here from other people in prompts; its nickname may change at any time."""
        names = self._bot.memory.names
        names.reserve(self._me.display_name)
        if message.guild is not None:
            names.reserve(message.guild.me.display_name, place)

    async def _handle(self, message: discord.Message, chat_message: Message, then: Place) -> None:
        expects_answer = await self._expects_answer(message)
        # Commands come before the pause: forgetting and export must work while memory is switched off.
        command = parse(chat_message.text) if self._bot.settings.chat_commands.enabled else None
        if command is not None:
            is_late = then != chat_message.place
            here = replace(chat_message.place, public=False, readers="") if is_late else chat_message.place
            await self._run_command(message, replace(chat_message, place=here), command)
        elif await self._bot.is_paused(message.author, message.channel):
            if expects_answer:
                await streaming.send(message, say(SWITCHED_OFF))
        elif not full_text(message, self._me):
            if expects_answer:
                await streaming.send(message, say(self._describe_empty(message)))
        elif expects_answer:
            await self._answer(message, chat_message, then)
        elif await self._may_overhear(message):
            await self._store(message, replace(await self._with_files(message, chat_message), place=then))

    async def _answer(self, message: discord.Message, chat_message: Message, then: Place) -> None:
        """Reply to someone who was informed and agreed; beyond the limits of replies, only listen."""
        if not await self._may_be_kept(message):
            return
        may_write = streaming.may_write(message)
        if not may_write:  # a reply would cost tokens, and reach nobody
            log.warning("message %s is not answered: the bot may not write in %s", message.id, message.channel.id)
        if may_write and await self._is_admitted(message, "reply"):
            async with within_budget(self._bot, _guild_id(message) or message.author.id) as has_tokens:
                if has_tokens:
                    await self._answer_admitted(message, chat_message, then)
                    return
            await self._tell_once(message, "spent")
        if await self._is_admitted(message, "learn"):
            await self._store(message, replace(await self._with_files(message, chat_message), place=then))

    async def _answer_admitted(self, message: discord.Message, chat_message: Message, then: Place) -> None:
        await self._bot.record_place(chat_message.place, message.channel.id)  # first, as the reply may fail
        files = await read_files(message)
        complete = replace(chat_message, text=full_text(message, self._me, files))
        if then == complete.place or await self._store(message, replace(complete, place=then)):
            await self._reply(message, complete, files)  # for the current readers

    async def _with_files(self, message: discord.Message, chat_message: Message) -> Message:
        """The message with what it carries besides its words."""
        return replace(chat_message, text=full_text(message, self._me, await read_files(message)))

    async def _may_overhear(self, message: discord.Message) -> bool:
        is_allowed_by_author = await may_store_unaddressed(self._bot, message.author, _guild_id(message))
        return is_allowed_by_author and await self._is_admitted(message, "learn")

    async def _expects_answer(self, message: discord.Message) -> bool:
        try:
            channels = (await self._bot.server_settings.of(_guild_id(message))).channels
        except RecollectError as error:
            log.warning("cannot read where every message is answered: %s", error)
            channels = frozenset(self._bot.settings.discord.channels)
        return is_addressed(message, self._me, channels)

    async def is_meant_for_bot(self, message: discord.Message) -> bool:
        """Whether a message is a command, or expects an answer."""
        is_command = self._bot.settings.chat_commands.enabled and parse(readable_text(message, self._me)) is not None
        return is_command or await self._expects_answer(message)

    async def _run_command(self, message: discord.Message, chat_message: Message, command: ParsedCommand) -> None:
        if not await self._is_admitted(message, "command"):
            return
        if command.verb in STORING_VERBS and await self._bot.is_paused(message.author, message.channel):
            await streaming.send(message, say(SWITCHED_OFF))
            return
        # An export on a server would show its readers what was said in private.
        if command.verb == "export" and message.guild is not None:
            await streaming.send(message, say(NO_PUBLIC_EXPORT))
        elif command.verb == "privacy":
            await streaming.send(message, await privacy_answer(self._bot, message, command.words))
        elif not needs_notice(self._bot, chat_message.text) or await self._may_be_kept(message):
            await self._answer_command(message, chat_message, command.verb)

    async def _may_be_kept(self, message: discord.Message) -> bool:
        """Whether the author was informed and agreed; if not, they are now, unless too many people need it at once."""
        bot, guild = self._bot, _guild_id(message)
        try:
            status = await consent_status(bot, message.author, guild)
        except RecollectError as error:
            log.warning("cannot read whether %s agreed: %s", message.author.id, error)
            return await ensure_notified(bot, message.author, message.channel, message)
        if status.may_be_kept:
            return True
        if not await self._is_admitted(message, "tell"):
            return False
        if status.agrees:
            return await ensure_notified(bot, message.author, message.channel, message)
        if status.answer == NO:
            await self._tell_once(message, "declined")
        else:
            await ask(bot, message)
        return False

    async def _is_admitted(self, message: discord.Message, what: What) -> bool:
        """Whether that is within the limits; who exceeds them is told once a minute, unless they expect no answer."""
        at = message.created_at if what == "learn" else None  # missed messages were not written all at once
        reason = await refusal(self._bot, what, message.author, message.channel.id, message.guild, at)
        if reason is not None and what != "learn":
            await self._tell_once(message, reason)
        return reason is None

    async def _tell_once(self, message: discord.Message, key: str) -> None:
        where = message.author.id if key in ("too_fast", "declined") else message.channel.id
        if self._bot.limits.is_first(key, where, self._bot.clock()):
            await streaming.send(message, notice(key, await language_of(self._bot, message.guild)))

    def _describe_empty(self, message: discord.Message) -> str:
        """The answer to a message without text, which Discord may merely not show."""
        if message.flags.voice:
            return NO_VOICE_MESSAGES
        return NO_WORDS if message_changes.shows_text(self._bot, message) else UNREADABLE

    async def _store(self, message: discord.Message, chat_message: Message) -> bool:
        """Store a message without an answer; False when that failed."""
        try:
            await self._bot.memory.add(chat_message)
            await self._bot.record_place(chat_message.place, message.channel.id)
        except RecollectError as error:
            log.warning("message %s could not be kept: %s", chat_message.id, error)
            return False
        return True

    async def _reply(self, message: discord.Message, chat_message: Message, files: Files) -> None:
        draft = streaming.StreamedReply(message)

        def append(piece: str) -> None:
            if _is_still_for(chat_message.place, message):
                draft.append(piece)

        async with streaming.typing(message.channel):
            while True:
                reply = await self._make_reply(chat_message, append)
                if reply.command_answer is not None:
                    await self._send_answer(message, reply.command_answer)
                    return
                if _is_still_for(chat_message.place, message):
                    text = reply.text.strip() or say(EMPTY_REPLY)
                    if reply.is_offline and (skipped := unread_attachments(message, files)):  # a model says so itself
                        text = f"{text}\n{say(NOT_READ, ', '.join(skipped))}"
                    sent = await draft.finish(harmless(text) if reply.is_offline else text)
                    if _is_still_for(chat_message.place, message):
                        break
                # The channel was opened to others meanwhile: they get an answer that is for them.
                chat_message = replace(chat_message, place=place_of(message.channel, message.author.id))
                draft.clear()
        # By Discord's clock, as the messages around it.
        await self._bot.assistant.record_reply(text, chat_message, str(sent[0].id), sent[0].created_at)

    async def _answer_command(self, message: discord.Message, chat_message: Message, verb: str) -> None:
        async with streaming.typing(message.channel):
            # That took a request: what is shown is for those who can read the channel now. What is stored is for those
            # who could when it was said.
            if verb not in STORING_VERBS and not _is_still_for(chat_message.place, message):
                chat_message = replace(chat_message, place=place_of(message.channel, message.author.id))
            reply = await self._bot.assistant.reply(chat_message)
            if reply.command_answer is not None:
                await self._send_answer(message, reply.command_answer)

    async def _make_reply(self, chat_message: Message, show: Callable[[str], None]) -> Reply:
        reply = await self._bot.assistant.reply(chat_message, show)
        # At once: Discord may refuse it, but the tokens are spent.
        await count_tokens(self._bot, chat_message.place, reply.usage)
        return reply

    async def _send_answer(self, message: discord.Message, answer: Answer) -> None:
        """Send a command's answer page by page; with a file, a text of several pages is left out."""
        pages, file = answer.pages, None
        if answer.file is not None:
            file = streaming.attachment(answer.file)
            pages = pages if len(pages) == 1 else (say(EXPORT_ATTACHED),)
        for index, page in enumerate(pages):
            await streaming.send(message, page, follows=index > 0, file=file if index == 0 else None)

    @commands.Cog.listener()
    async def on_app_command_completion(self, interaction: discord.Interaction[Any], command: object) -> None:
        """Someone whose first contact is a slash command gets the privacy notice too, as an ephemeral message."""
        del command
        await ensure_notified_privately(self._bot, interaction)

    @commands.Cog.listener()
    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        # Noted first, as the message may still be on its way into the store; `apply_meanwhile` then repeats the change.
        self._bot.note_changed(event.message_id, event.message)
        await message_changes.apply_edit(self._bot, event.message)

    @commands.Cog.listener()
    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        self._bot.note_changed(event.message_id)
        await message_changes.apply_deletions(self._bot, [str(event.message_id)])

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in event.message_ids:
            self._bot.note_changed(message_id)
        await message_changes.apply_deletions(self._bot, map(str, sorted(event.message_ids)))

    @commands.Cog.listener()
    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        await note_roles(self._bot, before, after)

    @commands.Cog.listener()
    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        await self._bot.record_departure(state.departure_event(event.guild_id, event.user.id, self._bot.clock()))


def _is_still_for(place: Place, message: discord.Message) -> bool:
    """Whether all who can read a message's channel now are among those of a place."""
    return covers_audience_of(place, place_of(message.channel, message.author.id))


def _guild_id(message: discord.Message) -> int | None:
    return None if message.guild is None else message.guild.id
