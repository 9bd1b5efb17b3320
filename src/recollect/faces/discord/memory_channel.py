"""The memory channel: one pinned message a user, edited in place, with what of their memory may be heard there."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

import discord

from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Memo, Place, Subject, Summary
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.places import place_of, place_of_session
from recollect.faces.discord.shards import has_channel
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.policy.visibility import audience_covers_place
from recollect.recall import withheld

log = logging.getLogger("recollect.discord")

SUMMARY = 500
"""Characters of the rolling summary that are shown."""
ITEM = 300
"""Characters of one item that are shown."""


Channel = discord.TextChannel | discord.Thread | discord.VoiceChannel


class MemoryChannel:
    """Whatever goes wrong here is logged and changes nothing else."""

    def __init__(self, house: BotContext) -> None:
        self._house = house
        self._shown: dict[str, str] = {}
        self._complaint = ""

    async def is_ours(self) -> bool:
        """Whether it is this process that keeps the channel."""
        wanted = self._house.settings.discord.memory_channel or ""
        return await has_channel(self._house, int(wanted)) if wanted.isdecimal() else self._house.is_ours(None)

    async def update(self, user: str, session: str | None = None) -> bool:
        """Show a user's memory as it is now, and the summary of the conversation that brought this about;
        False when that failed.
        """
        wanted = self._house.settings.discord.memory_channel
        if not wanted or not user.isdecimal():
            return True
        try:
            await self._update(int(wanted), user, session)
        except (discord.DiscordException, OSError, ValueError) as error:
            self._complain(f"the memory channel can't be written: {error}")
            return False
        return True

    async def remove_stale(self) -> None:
        """At the start and after an erasure: messages about people of whom nothing is known any more, or who don't know
        that they are remembered, go.
        """
        for name in await self._house.notes.names(state.MIRROR):
            user = name.removeprefix(state.MIRROR)
            known = await self._house.memory.store.read(lambda tx, user=user: tx.memos.count(Subject(user)))
            if known and await self._house.was_notified(int(user)):
                continue
            for session in await self._house.notes.names(state.SHOWING):
                await self._house.notes.remove(session, user)
            self._shown.pop(user, None)
            await self._take_down(user)

    async def _update(self, channel_id: int, user: str, session: str | None) -> None:
        client = self._house.client
        channel = client.get_channel(channel_id) or await client.fetch_channel(channel_id)
        if not isinstance(channel, Channel):
            raise ValueError(f"{channel_id} is no text channel of a server")  # noqa: TRY004 - it is a wrong setting
        if not await self._house.was_notified(int(user)) or not await _is_member(channel.guild, int(user)):
            await self._take_down(user)  # nobody's memory is shown unknown to them, or to a server they are not in
            return
        place = place_of(client.get_channel(channel_id), int(user), channel.guild.id)
        shown = await self._house.memory.show(user=user, place=place)
        summary = await self._summary(user, place, session)
        text = snapshot(user, shown.memos, summary, self._house.clock())
        await self._put(channel, user, text, worth_it=bool(shown.memos or summary))

    async def _put(self, channel: Channel, user: str, text: str, worth_it: bool) -> None:
        if await self._edited(channel, user, text):
            return
        if worth_it:
            message = await self._earlier(channel, user)
            message = await channel.send(text) if message is None else await message.edit(content=text)
            await self._house.notes.put(state.mirror(user), f"{channel.id}/{message.id}")
            self._shown[user] = _timeless(text)
            await self._pin(message)

    async def _edited(self, channel: Channel, user: str, text: str) -> bool:
        """Bring the message that there is up to date; False when there is none."""
        noted = await self._house.notes.get(state.mirror(user)) or ""
        where, _, message_id = noted.partition("/")
        if where != str(channel.id):
            await self._take_down(user)
            return False
        try:
            if self._shown.get(user) != _timeless(text):
                await channel.get_partial_message(int(message_id)).edit(content=text)
        except discord.NotFound:
            log.info("the message in the memory channel about %s was deleted; there will be another", user)
            return False
        self._shown[user] = _timeless(text)
        return True

    async def _take_down(self, user: str) -> None:
        """Remove the message that there is, wherever it is."""
        where, _, message_id = (await self._house.notes.get(state.mirror(user)) or "").partition("/")
        if message_id:
            with suppress(discord.NotFound, discord.Forbidden):
                await (
                    self._house.client.get_partial_messageable(int(where)).get_partial_message(int(message_id)).delete()
                )
            await self._house.notes.drop(state.mirror(user))

    async def _earlier(self, channel: Channel, user: str) -> discord.Message | None:
        """One that was pinned but not noted, as when the bot was killed in between."""
        async for message in channel.pins():
            if message.author.id == self._house.me.id and message.content.startswith(_head(user)):
                return message
        return None

    async def _pin(self, message: discord.Message) -> None:
        try:
            await message.pin(reason="what is remembered about one user")
        except discord.HTTPException as error:
            self._complain(f"a message in the memory channel can't be pinned: {error}")

    async def _summary(self, user: str, place: Place, session: str | None) -> Summary | None:
        """Of the conversation that brought this about, or the last that did; only if its talk may be heard here."""
        name = f"mirrored:{user}"
        before = await self._house.notes.get(name)
        if session is not None and session != before:
            await self._house.notes.put(name, session)
            await self._house.notes.remove(state.showing(before or ""), user)
        named = session or before
        where = None if named is None else place_of_session(self._house.client, named)
        if named is None or where is None or not audience_covers_place(where.audience, place):
            return None
        found = await self._house.memory.store.read(lambda tx: withheld.summary(tx, named))
        if found is None or not found.text:
            return None
        await self._house.notes.add(state.showing(named), user)
        return found

    def _complain(self, problem: str) -> None:
        """Once, until something else goes wrong."""
        if problem != self._complaint:
            log.warning("%s", problem, exc_info=log.isEnabledFor(logging.DEBUG))
        self._complaint = problem


async def _is_member(guild: discord.Guild, user: int) -> bool:
    try:
        if guild.get_member(user) is None:
            await guild.fetch_member(user)
    except discord.NotFound:
        return False
    return True


def snapshot(user: str, memos: Sequence[Memo], summary: Summary | None, at: datetime) -> str:
    """What the channel shows of a user, newest items first, in one message; what has no room is counted."""
    end = f"updatedAt: {at:%Y-%m-%d %H:%M} UTC"
    if summary is not None:
        told = harmless(clip(collapse_spaces(summary.text), SUMMARY))[: 2 * SUMMARY]
        end = f"Rolling summary (updatedAt {summary.updated:%Y-%m-%d %H:%M}):\n{told}\n\n{end}"
    lines = [_head(user), "Durable memory (active):"]
    room = LIMIT - len("\n".join(lines)) - len(f"\n(999,999 more items on disk)\n\n{end}")
    kept = _fitting([_line(memo) for memo in memos], room)
    rest = len(memos) - len(kept)
    lines += kept or (["- nothing that may be told here"] if not memos else [])
    lines += [f"({rest:,} more items on disk)"] if rest else []
    return "\n".join([*lines, "", end])


def _head(user: str) -> str:
    return f"<@{user}>"


def _fitting(lines: Sequence[str], room: int) -> list[str]:
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _line(memo: Memo) -> str:
    return harmless(f"- [{memo.kind}] {clip(collapse_spaces(memo.text), ITEM)} (updatedAt {memo.updated:%Y-%m-%d})")


def _timeless(text: str) -> str:
    """Without its own time: the same memory is not shown again just because time passed."""
    return text.rpartition("\n")[0]
