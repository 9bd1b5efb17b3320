"""Voice transcripts. The bot neither records nor recognizes speech: a separate recognizer passes transcripts in here,
and they are treated like written messages, with the same visibility, consent and pause rules.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

import discord

from recollect.core.errors import BadInput
from recollect.core.text import collapse_spaces
from recollect.core.types import Message
from recollect.faces.discord.consent import NO_CONSENT, may_be_kept, may_store_unaddressed
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.languages import language_of
from recollect.faces.discord.localization import notice
from recollect.faces.discord.places import place_of
from recollect.faces.discord.privacy_notice import NOT_NOTIFIED, ensure_notified, needs_notice
from recollect.faces.discord.quotas import count_tokens, refusal, within_budget
from recollect.faces.wording import current_language, in_language, say
from recollect.learning.ingest import transcript_message

log = logging.getLogger("recollect.discord")

VoiceChannel = discord.VoiceChannel | discord.StageChannel


@dataclass(frozen=True, slots=True)
class Transcript:
    """Who said what in which voice channel, and when; `trace` names the recognizer, such as `voice_realtime`."""

    channel: int
    speaker: int
    text: str
    said_at: datetime
    trace: str = "voice"


async def add_transcript(bot: BotContext, transcript: Transcript) -> bool:
    """Store a transcript; False when it is stored already, or memory does not apply to it."""
    message = await _message(bot, transcript)
    if message is None:
        return False
    channel = _channel(bot, transcript)
    speaker = await _speaker(channel, transcript)
    if not await may_store_unaddressed(bot, speaker, channel.guild.id):
        return False
    if await refusal(bot, "learn", speaker, channel.id, channel.guild, transcript.said_at):
        return False
    return bool(await bot.memory.add(message))


async def answer(bot: BotContext, transcript: Transcript) -> str | None:
    """The assistant's reply to a transcript, for the caller to speak; None when memory does not apply to it.

    Someone who did not get the privacy notice yet gets it first. Beyond the limits, the answer says so.
    """
    message = await _message(bot, transcript)
    if message is None:
        return None
    channel = _channel(bot, transcript)
    speaker = await _speaker(channel, transcript)
    with in_language(await language_of(bot, channel.guild)):
        return await _answer(bot, transcript, message, channel, speaker)


async def _answer(
    bot: BotContext, transcript: Transcript, message: Message, channel: VoiceChannel, speaker: discord.Member
) -> str:
    if needs_notice(bot, message.text) and not await ensure_notified(bot, speaker, channel):
        return say(NOT_NOTIFIED)
    if needs_notice(bot, message.text) and not await may_be_kept(bot, speaker, channel.guild.id):
        return say(NO_CONSENT)
    if key := await refusal(bot, "reply", speaker, channel.id, channel.guild):
        return notice(key, current_language())
    async with within_budget(bot, channel.guild.id) as has_tokens:
        if not has_tokens:
            return notice("spent", current_language())
        reply = await bot.assistant.reply(message)
        await count_tokens(bot, message.place, reply.usage)
    if reply.command_answer is None:
        reply_message = transcript_message(
            reply.text, bot.assistant.name, message.place, bot.clock(), trace=transcript.trace
        )
        await bot.assistant.record_reply(reply.text, message, reply_message.id)
    return reply.text


async def _message(bot: BotContext, transcript: Transcript) -> Message | None:
    """The transcript as a message, by the current permissions; None when memory does not apply to it."""
    channel = _channel(bot, transcript)
    try:
        speaker = await _speaker(channel, transcript)
    except discord.NotFound:
        log.info("%s speaks in %s but is not a member there", transcript.speaker, channel.id)
        return None
    text = collapse_spaces(transcript.text)
    if not text or speaker.bot or not await bot.access.allows(speaker, bot.client.guilds):
        return None
    if await bot.is_paused(speaker, channel):
        return None
    place = place_of(channel, speaker.id)
    return transcript_message(
        text, str(speaker.id), place, transcript.said_at, name=speaker.display_name, trace=transcript.trace
    )


def _channel(bot: BotContext, transcript: Transcript) -> VoiceChannel:
    channel = bot.client.get_channel(transcript.channel)
    if not isinstance(channel, VoiceChannel):
        raise BadInput(f"{transcript.channel} is not a voice channel that the bot sees")
    return channel


async def _speaker(channel: VoiceChannel, transcript: Transcript) -> discord.Member:
    member = channel.guild.get_member(transcript.speaker)
    return member or await channel.guild.fetch_member(transcript.speaker)
