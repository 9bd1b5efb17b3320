"""The memory channel: one pinned message per user, edited in place, with the memories that are visible there."""

import logging
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime

import discord

from recollect import bot_state as state
from recollect.core.state import Owner, StateKind
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Memo, Place, Summary
from recollect.faces.discord.consent import is_shown
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.places import person_of, place_of
from recollect.faces.discord.shards import has_channel
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.policy.rendering import discord_url
from recollect.policy.visibility import is_source_visible

log = logging.getLogger("recollect.discord")

MAX_SUMMARY_CHARS = 500
MAX_ITEM_CHARS = 300

Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel


class MemoryChannel:
    """Keeps the channel up to date. Failures are logged and affect nothing else."""

    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._displayed: dict[str, str] = {}
        self._last_problem = ""

    async def is_ours(self) -> bool:
        """Whether the channel belongs to this process."""
        channel_id = self._bot.settings.discord.memory_channel or ""
        return await has_channel(self._bot, int(channel_id)) if channel_id.isdecimal() else self._bot.is_ours(None)

    async def is_in(self, channels: Collection[int]) -> bool:
        channel_id = self._bot.settings.discord.memory_channel
        return channel_id.isdecimal() and int(channel_id) in channels and await self.is_ours()

    async def update(self, user: str, session: str | None = None) -> bool:
        """Show a user's current memory, and the summary of the conversation that changed; False when that failed."""
        channel_id = self._bot.settings.discord.memory_channel
        if not channel_id or not user.isdecimal():
            return True
        try:
            await self._update(int(channel_id), user, session)
        except (discord.DiscordException, OSError, ValueError) as error:
            self._warn_once(f"cannot write to the memory channel: {error}")
            return False
        return True

    async def remove_stale(self) -> None:
        """Remove the messages of people without memories, or without the privacy notice."""
        for user in await self._bot.state.keys(StateKind.SNAPSHOT_MESSAGE):
            memo_count = await self._bot.memory.timeline.memo_count(person_of(user))
            if memo_count and await self._bot.was_notified(int(user)):
                continue
            for session in await self._bot.state.keys(StateKind.SUMMARY_VIEWERS):
                await self._bot.state.remove(state.summary_viewers(session), user)
            self._displayed.pop(user, None)
            await self._remove_message(user)

    async def remove_all(self) -> None:
        """Remove everyone's message: the channel has a panel instead."""
        for user in await self._bot.state.keys(StateKind.SNAPSHOT_MESSAGE):
            await self._remove_message(user)

    async def _update(self, channel_id: int, user: str, session: str | None) -> None:
        client = self._bot.client
        channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        if not isinstance(channel, Channel):
            raise ValueError(f"{channel_id} is not a text channel of a server")  # noqa: TRY004 - it is a wrong setting
        if not await is_shown(self._bot, int(user), channel.guild.id) or not await _is_member(channel.guild, int(user)):
            await self._remove_message(user)  # never without their knowledge, nor to a server they are not in
            return
        place = place_of(client.get_channel(channel_id), int(user), channel.guild.id)
        listing = await self._bot.memory.show(user=user, place=place)
        summary = await self._summary(user, place, session)
        linked = place if self._bot.settings.memos.cite else None
        text = snapshot(user, listing.memos, summary, self._bot.clock(), linked)
        await self._publish(channel, user, text, has_content=bool(listing.memos or summary))

    async def _publish(self, channel: Channel, user: str, text: str, has_content: bool) -> None:
        if await self._edit_existing(channel, user, text):
            return
        if has_content:
            message = await self._find_pinned(channel, user)
            message = await channel.send(text) if message is None else await message.edit(content=text)
            await self._bot.state.put(
                state.snapshot_message(user), f"{channel.id}/{message.id}", Owner.person(person_of(user))
            )
            self._displayed[user] = _without_timestamp(text)
            await self._pin(message)

    async def _edit_existing(self, channel: Channel, user: str, text: str) -> bool:
        """Update the existing message; False when there is none."""
        stored = await self._bot.state.get(state.snapshot_message(user)) or ""
        channel_id, _, message_id = stored.partition("/")
        if channel_id != str(channel.id):
            await self._remove_message(user)
            return False
        try:
            if self._displayed.get(user) != _without_timestamp(text):
                await channel.get_partial_message(int(message_id)).edit(content=text)
        except discord.NotFound:
            log.info("the message of %s in the memory channel was deleted and is sent again", user)
            return False
        self._displayed[user] = _without_timestamp(text)
        return True

    async def _remove_message(self, user: str) -> None:
        """Delete the existing message, in whichever channel it is."""
        channel_id, _, message_id = (await self._bot.state.get(state.snapshot_message(user)) or "").partition("/")
        if message_id:
            with suppress(discord.NotFound, discord.Forbidden):
                await (
                    self._bot.client.get_partial_messageable(int(channel_id))
                    .get_partial_message(int(message_id))
                    .delete()
                )
            await self._bot.state.drop(state.snapshot_message(user))

    async def _find_pinned(self, channel: Channel, user: str) -> discord.Message | None:
        """A message that was pinned but not stored, because the bot was killed in between."""
        async for message in channel.pins():
            if message.author.id == self._bot.me.id and message.content.startswith(_header(user)):
                return message
        return None

    async def _pin(self, message: discord.Message) -> None:
        try:
            await message.pin(reason="what is remembered about one user")
        except discord.HTTPException as error:
            self._warn_once(f"cannot pin a message in the memory channel: {error}")

    async def _summary(self, user: str, place: Place, session: str | None) -> Summary | None:
        """The summary of the conversation that changed last, if its messages are visible here."""
        name = state.snapshot_session(user)
        previous = await self._bot.state.get(name)
        if session is not None and session != previous:
            await self._bot.state.put(name, session, Owner.person(person_of(user)))
            await self._bot.state.remove(state.summary_viewers(previous or ""), user)
        source_session = session or previous
        summary = None if source_session is None else await self._bot.memory.timeline.summary(source_session, place)
        if source_session is None or summary is None or not summary.text:
            return None
        await self._bot.state.add(state.summary_viewers(source_session), user, Owner.person(person_of(user)))
        return summary

    def _warn_once(self, problem: str) -> None:
        """Log a problem once, until another one occurs."""
        if problem != self._last_problem:
            log.warning("%s", problem, exc_info=log.isEnabledFor(logging.DEBUG))
        self._last_problem = problem


async def _is_member(guild: discord.Guild, user: int) -> bool:
    try:
        if guild.get_member(user) is None:
            await guild.fetch_member(user)
    except discord.NotFound:
        return False
    return True


def snapshot(
    user: str, memos: Sequence[Memo], summary: Summary | None, now: datetime, place: Place | None = None
) -> str:
    """The message about a user: newest items first, with a count of those that don't fit.

    Each links to its message if that may be read in the given place, and unless links would displace items.
    """
    footer = f"updatedAt: {now:%Y-%m-%d %H:%M} UTC"
    if summary is not None:
        text = harmless(clip(collapse_spaces(summary.text), MAX_SUMMARY_CHARS))[: 2 * MAX_SUMMARY_CHARS]
        footer = f"Rolling summary (updatedAt {summary.updated:%Y-%m-%d %H:%M}):\n{text}\n\n{footer}"
    lines = [_header(user), "Durable memory (active):"]
    remaining_chars = LIMIT - len("\n".join(lines)) - len(f"\n(999,999 more items on disk)\n\n{footer}")
    linked = [_line(memo) + ("" if place is None else _link(memo, place)) for memo in memos]
    displayed = _fit_lines(linked, remaining_chars)
    if len(displayed) < len(memos):
        displayed = _fit_lines([_line(memo) for memo in memos], remaining_chars)
    omitted = len(memos) - len(displayed)
    lines += displayed or (["- nothing that may be told here"] if not memos else [])
    lines += [f"({omitted:,} more items on disk)"] if omitted else []
    return "\n".join([*lines, "", footer])


def _header(user: str) -> str:
    return f"<@{user}>"


def _fit_lines(lines: Sequence[str], remaining_chars: int) -> list[str]:
    displayed: list[str] = []
    for line in lines:
        remaining_chars -= len(line) + 1
        if remaining_chars < 0:
            break
        displayed.append(line)
    return displayed


def _line(memo: Memo) -> str:
    return harmless(
        f"- [{memo.kind}] {clip(collapse_spaces(memo.text), MAX_ITEM_CHARS)} (updatedAt {memo.updated:%Y-%m-%d})"
    )


def _link(memo: Memo, place: Place) -> str:
    """` [#dev ↗](https://…)`"""
    url = discord_url(memo.source) if is_source_visible(memo, place) else None
    channel = memo.source.channel_name
    return f" [{f'#{harmless(channel)} ' if channel else ''}↗]({url})" if url else ""


def _without_timestamp(text: str) -> str:
    """The text without its timestamp: an unchanged memory is not edited just because time passed."""
    return text.rpartition("\n")[0]
