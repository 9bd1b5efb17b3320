"""What was said aloud. The bot records nothing and recognises no speech: whoever runs a recogniser hands transcripts
in here, and they count like what is written, with the same walls, the same consent and the same pause.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

import discord

from recollect.core.errors import BadInput
from recollect.core.text import collapse_spaces
from recollect.core.types import Message
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.places import place_of
from recollect.faces.discord.privacy_notice import UNTOLD, announce, keeps
from recollect.learning.ingest import spoken

log = logging.getLogger("recollect.discord")

Voice = discord.VoiceChannel | discord.StageChannel


@dataclass(frozen=True, slots=True)
class Transcript:
    """Who said what in which voice channel, and when; `trace` names what transcribed it, as in `voice_realtime`."""

    channel: int
    speaker: int
    text: str
    at: datetime
    trace: str = "voice"


async def hear(house: BotContext, transcript: Transcript) -> bool:
    """Take note of something said aloud; False when it is known already, or none of our business."""
    said = await _said(house, transcript)
    if said is None or not await house.was_notified(transcript.speaker):
        return False
    return await house.memory.add(said)


async def answer(house: BotContext, transcript: Transcript) -> str | None:
    """What the assistant says to something that was said to it aloud, for whoever gives it a voice; None when it is
    none of our business. Who was not told yet that they are remembered is told first.
    """
    said = await _said(house, transcript)
    if said is None:
        return None
    channel = _channel(house, transcript)
    if keeps(house, said.text) and not await announce(house, await _speaker(channel, transcript), channel):
        return UNTOLD
    reply = await house.assistant.reply(said)
    if reply.order is None:
        own = spoken(reply.text, house.assistant.name, said.place, house.clock(), trace=transcript.trace)
        await house.assistant.said(reply.text, said, own.id)
    return reply.text


async def _said(house: BotContext, transcript: Transcript) -> Message | None:
    """The transcript as a message, by the permissions of now; None when it is not to be heard."""
    channel = _channel(house, transcript)
    try:
        speaker = await _speaker(channel, transcript)
    except discord.NotFound:
        log.info("%s speaks in %s but is no member there", transcript.speaker, channel.id)
        return None
    text = collapse_spaces(transcript.text)
    if not text or speaker.bot or not await house.door.allows(speaker, house.client.guilds):
        return None
    if await house.is_paused(speaker, channel):
        return None
    place = place_of(channel, speaker.id)
    return spoken(text, str(speaker.id), place, transcript.at, name=speaker.display_name, trace=transcript.trace)


def _channel(house: BotContext, transcript: Transcript) -> Voice:
    channel = house.client.get_channel(transcript.channel)
    if not isinstance(channel, Voice):
        raise BadInput(f"{transcript.channel} is no voice channel that the bot sees")
    return channel


async def _speaker(channel: Voice, transcript: Transcript) -> discord.Member:
    found = channel.guild.get_member(transcript.speaker)
    return found or await channel.guild.fetch_member(transcript.speaker)
