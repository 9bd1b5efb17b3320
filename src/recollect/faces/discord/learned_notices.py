"""Learned notices: a short message per learned fact, with a link to its source and buttons for its owner, or, for a
server's lore, for those who manage messages there.
"""

import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import aiohttp
import discord

from recollect import bot_state as state
from recollect.core.errors import BadInput
from recollect.core.events import Event, EventKind
from recollect.core.state import Owner, StateKind
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Audience, Kind, Memo, Origin, Place, Subject, split_person
from recollect.faces.discord.consent import is_shown
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.languages import language_of_person
from recollect.faces.discord.localization import translated
from recollect.faces.discord.notice_buttons import notice_buttons
from recollect.faces.discord.places import PLATFORM, message_link, place_of
from recollect.faces.discord.server_settings import EffectiveSettings
from recollect.faces.discord.shards import has_channel
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.faces.discord.streaming import is_passing
from recollect.faces.wording import in_language, say

log = logging.getLogger("recollect.discord")

HEADINGS: dict[str, str] = {EventKind.MEMO_ADDED: "Learned", EventKind.MEMO_REVISED: "Updated"}
PAGE_NOTICES = 200
"""Notices whose memos are read at once."""
ARCHIVED = 50083
"""Discord's error code for what it refuses in an archived thread."""
MAX_NOTICES, MAX_SERVER_NOTICES = 1000, 5000
"""Newest notices that stay in a channel, and on a server: each is checked again whenever its permissions change, which
those of a role change for all channels.
"""

Interaction = discord.Interaction[Any]


class LearnedNotices:
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot
        self._doomed: dict[state.Name, None] = {}
        """Notices that are to go: they are too many, or Discord did not let the bot remove them yet."""
        self._unshown: dict[str, int] | None = None
        """Cache: by scope and memo, the last event that Discord did not let the bot show yet."""

    async def follow(self, event: Event) -> None:
        """Post a notice about a learned memo where it is visible; update or remove the notice when the memo changes.
        What fails for a passing reason is noted, and shown by `show_missed`.
        """
        try:
            await self._show(event)
        except (discord.DiscordException, aiohttp.ClientError, OSError, ValueError) as error:
            log.info("cannot show what was learned: %s", error)
            if is_passing(error):
                await self._note_missed(event)

    async def _show(self, event: Event) -> None:
        if event.memo is None:
            return
        memo = await self._memo(event.scope, event.memo)
        if not await self._is_followed(event, memo) or not await self._is_ours(memo):
            return
        location = await self._bot.state.get(state.notice_message(event.scope, event.memo))
        if location is not None:
            await self._refresh(location, event, memo)
        elif memo is not None and _is_learning_event(event) and await self._is_due(memo):
            await self._post(event, memo)

    async def show_missed(self, most: int) -> bool:
        """Show some of the events that Discord did not let the bot show; False if it still refuses one."""
        missed = list((await self._missed()).items())[:most]
        for key, event_id in missed:
            # Dropped first: what fails again is noted again.
            await self._drop_missed(key)
            events = await self._bot.memory.timeline.events_after(event_id - 1, 1)
            if events and events[0].id == event_id:
                await self.follow(events[0])
        return (await self._missed()).keys().isdisjoint(key for key, _ in missed)

    async def _missed(self) -> dict[str, int]:
        if self._unshown is None:
            stored = await self._bot.state.values(StateKind.MISSED_NOTICE)
            self._unshown = {key: int(event) for key, event in stored.items() if await self._is_ours_by_key(key)}
        return self._unshown

    async def _is_ours_by_key(self, key: str) -> bool:
        scope, _, memo_id = key.rpartition(":")
        return await self._is_ours(await self._memo(scope, memo_id))

    async def _note_missed(self, event: Event) -> None:
        name = state.missed_notice(event.scope, event.memo or "")
        (await self._missed())[name[1]] = event.id
        await self._bot.state.put(name, str(event.id), Owner.of_subject(Subject.of_scope(event.scope)))

    async def _drop_missed(self, key: str) -> None:
        """An event was shown, or a later one of the same memory."""
        if (await self._missed()).pop(key, None) is not None:
            await self._bot.state.drop((StateKind.MISSED_NOTICE, key))

    async def _server_settings(self, memo: Memo | None) -> EffectiveSettings:
        guild = None if memo is None or memo.source.guild is None else memo.source.guild
        return await self._bot.server_settings.of(int(guild) if guild and guild.isdecimal() else None)

    async def _is_followed(self, event: Event, memo: Memo | None) -> bool:
        """Whether there may be a notice: notices are on, or one was posted while they were."""
        if (await self._server_settings(memo)).learned_notices != "off":
            return True
        return (
            memo is None and await self._bot.state.get(state.notice_message(event.scope, event.memo or "")) is not None
        )

    async def remove_stale(self) -> None:
        """After an erasure: remove notices about memos that no longer exist, even if notices are off now."""
        async for name, memo in self._memos(await self._bot.state.keys(StateKind.NOTICE_MESSAGE)):
            if memo is None:
                await self._remove_notice(name)

    async def remove_invisible(self, channels: Collection[int]) -> None:
        """Remove notices that not everyone who can read these channels now may see: their permissions changed."""
        locations = await self._bot.state.values(StateKind.NOTICE_MESSAGE)
        channel_of = {key: int(location.partition("/")[0]) for key, location in locations.items()}
        async for name in self._outdated({key: one for key, one in channel_of.items() if one in channels}):
            await self._remove_notice(name)

    async def _outdated(self, channel_of: Mapping[str, int]) -> AsyncIterator[state.Name]:
        """Those of these notices whose memo is gone, has other words, or is not for everyone in the channel now."""
        answers: dict[tuple[int, Subject, Audience], bool] = {}  # there may be thousands of lines
        async for name, memo in self._memos([*channel_of]):
            if memo is None or not _may_announce(memo):
                yield name
                continue
            channel = self._bot.client.get_channel(channel_of[name[1]])
            question = channel_of[name[1]], memo.subject, memo.audience
            if question not in answers:  # in an outage, nobody can tell
                answers[question] = channel is None or await self._is_still_visible(channel, memo)
            if not answers[question]:
                yield name

    async def remove_of(self, person: str) -> None:
        """Remove the notices about someone on servers where they no longer agree: consent is given per server."""
        user, shown = int(split_person(person)[1]), dict[int | None, bool]()
        keys = await self._bot.state.keys(StateKind.NOTICE_MESSAGE)
        async for name, memo in self._memos([key for key in keys if key.rpartition(":")[0] == Subject(person).scope]):
            guild = None if memo is None or memo.source.guild is None else int(memo.source.guild)
            if guild not in shown:
                shown[guild] = await is_shown(self._bot, user, guild)
            if memo is None or not shown[guild]:
                await self._remove_notice(name)

    async def collect_obsolete(self) -> None:
        """Look through all notices of this process's channels for those that are to go: those that the bot could not
        remove when their memo went, and, oldest first, those beyond the limits of a channel and of a server.
        """
        by_channel: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
        for key, location in (await self._bot.state.values(StateKind.NOTICE_MESSAGE)).items():
            channel_id, _, message_id = location.partition("/")
            by_channel[int(channel_id)].append((int(message_id), key))
        ours = {one: sorted(notices) for one, notices in by_channel.items() if await has_channel(self._bot, one)}
        channel_of = {key: channel_id for channel_id, notices in ours.items() for _, key in notices}
        self._doomed |= {name: None async for name in self._outdated(channel_of)}
        by_server: defaultdict[int | None, list[tuple[int, str]]] = defaultdict(list)
        for channel_id, notices in ours.items():
            by_server[self._server_of(channel_id)] += notices[-MAX_NOTICES:]
        surplus = [notice for notices in ours.values() for notice in notices[:-MAX_NOTICES]]
        surplus += [notice for notices in by_server.values() for notice in sorted(notices)[:-MAX_SERVER_NOTICES]]
        self._doomed |= {(StateKind.NOTICE_MESSAGE, key): None for _, key in sorted(surplus)}

    def _server_of(self, channel_id: int) -> int | None:
        """The server of a channel; None for direct messages, and for threads that are archived."""
        guild = getattr(self._bot.client.get_channel(channel_id), "guild", None)
        return None if guild is None else guild.id

    async def remove_obsolete(self, most: int) -> bool:
        """Remove some of them; False if Discord refused one, which is then the last to be tried again."""
        names = list(self._doomed)[:most]
        for name in names:
            del self._doomed[name]
            await self._remove_notice(name)
        return self._doomed.keys().isdisjoint(names)

    async def _is_ours(self, memo: Memo | None) -> bool:
        """Whether the notice belongs to this process's shards."""
        server = await self._server_settings(memo)
        if server.learned_notices == "mirror" and server.memory_channel.isdecimal():
            return await has_channel(self._bot, int(server.memory_channel))
        return self._bot.is_ours(None if memo is None else memo.source.guild)

    async def _is_due(self, memo: Memo) -> bool:
        """Whether a notice is due; there is none about someone who did not get the privacy notice."""
        guild = None if memo.source.guild is None else int(memo.source.guild)
        return _may_announce(memo) and await is_shown(self._bot, _speaker_id(memo), guild)

    async def _memos(self, keys: Sequence[str]) -> AsyncIterator[tuple[state.Name, Memo | None]]:
        """The memos of notices, many in one read: a large server has thousands."""
        for start in range(0, len(keys), PAGE_NOTICES):
            parts = [key.rpartition(":") for key in keys[start : start + PAGE_NOTICES]]
            named = [(scope, memo_id) for scope, _, memo_id in parts]
            for name, memo in zip(named, await self._bot.memory.timeline.memos(named), strict=True):
                yield state.notice_message(*name), memo

    async def _memo(self, scope: str, memo_id: str) -> Memo | None:
        return await self._bot.memory.timeline.memo(scope, memo_id)

    async def _refresh(self, location: str, event: Event, memo: Memo | None) -> None:
        """Remove the notice of a memo that was retired, got other words from its owner, or is no longer visible there;
        update one of which something else was learned.
        """
        channel = self._bot.client.get_channel(int(location.partition("/")[0]))
        if memo is None or not _may_announce(memo) or not await self._is_still_visible(channel, memo):
            await self._remove_notice(state.notice_message(event.scope, event.memo or ""))
        elif _is_learning_event(event) or event.kind in (EventKind.MEMO_UNDONE, EventKind.MEMO_REDONE):
            language = await self._language(memo)
            fields: dict[str, Any] = {
                "content": _render(event, memo, language),
                "view": notice_buttons(memo, event.id, language),
            }
            try:
                await self._message(location).edit(**fields)
            except discord.HTTPException as error:
                if is_passing(error):
                    raise
                log.info("the line %s can't be changed, and goes: %s", location, error)
                await self._remove_notice(state.notice_message(event.scope, memo.id))
            else:
                await self._drop_missed(f"{event.scope}:{memo.id}")

    async def _remove_notice(self, name: state.Name) -> None:
        location = await self._bot.state.get(name)
        if location is not None:
            try:
                with suppress(discord.NotFound):
                    await self._delete(self._message(location))
            except (discord.DiscordException, OSError) as error:
                log.info("the line %s can't be removed yet: %s", location, error)
                self._doomed[name] = None
            else:
                await self._bot.state.drop(name)
                await self._drop_missed(name[1])

    async def _delete(self, message: discord.PartialMessage) -> None:
        """Delete a message; in an archived thread Discord refuses that, so such a thread is opened for a moment."""
        try:
            await message.delete()
        except discord.HTTPException as error:
            thread = await self._bot.client.fetch_channel(message.channel.id) if error.code == ARCHIVED else None
            if not isinstance(thread, discord.Thread):
                raise
            await thread.edit(archived=False)
            try:
                await message.delete()
            finally:
                with suppress(discord.Forbidden):  # it is archived again in time
                    await thread.edit(archived=True)

    def _message(self, location: str) -> discord.PartialMessage:
        channel_id, _, message_id = location.partition("/")
        return self._bot.client.get_partial_messageable(int(channel_id)).get_partial_message(int(message_id))

    async def _is_still_visible(self, channel: object, memo: Memo) -> bool:
        if memo.source.guild is None:
            return True  # the notice is in their own DM
        return await _is_visible(self._bot, memo, place_of(channel, _speaker_id(memo)))

    async def _post(self, event: Event, memo: Memo) -> None:
        server = await self._server_settings(memo)
        channel, place = await self._channel(memo, server.learned_notices, server.memory_channel)
        if not await _is_visible(self._bot, memo, place):
            return
        language = await self._language(memo)
        view = notice_buttons(memo, event.id, language)
        sent = await channel.send(_render(event, memo, language), view=view, silent=True, suppress_embeds=True)
        name, owner = state.notice_message(memo.subject.scope, memo.id), Owner.of_subject(memo.subject)
        await self._bot.state.put(name, f"{sent.channel.id}/{sent.id}", owner)
        await self._drop_missed(name[1])
        # What changed while Discord took the message found no notice to remove.
        current = await self._memo(memo.subject.scope, memo.id)
        if current is None or not _may_announce(current) or not await self._is_still_visible(channel, current):
            await self._remove_notice(name)

    async def _language(self, memo: Memo) -> str:
        if memo.source.guild is None:
            return await language_of_person(self._bot, _speaker_id(memo))
        return await self._bot.server_settings.language(int(memo.source.guild))

    async def _channel(self, memo: Memo, target: str, memory_channel: str) -> tuple[discord.abc.Messageable, Place]:
        client, source, user = self._bot.client, memo.source, _speaker_id(memo)
        if target == "here" and source.guild is None:
            person = client.get_user(user) or await client.fetch_user(user)
            return person, Place(PLATFORM, dm=str(user))
        channel_id = memory_channel if target == "mirror" else source.thread or source.channel
        channel = client.get_channel(int(channel_id or 0))
        if not isinstance(channel, discord.abc.Messageable):
            raise ValueError(f"there is no channel {channel_id}")  # noqa: TRY004 - not an error of the caller's
        return channel, place_of(channel, user)


async def _is_visible(bot: BotContext, memo: Memo, place: Place) -> bool:
    lore = memo.subject.is_lore
    try:
        await bot.memory.get(memo.id, user=memo.source.actor, place=place, lore=lore)
    except BadInput:  # it is not visible there, or there is no lore
        return False
    return True


def _render(event: Event, memo: Memo, language: str) -> str:
    source, heading = memo.source, translated(HEADINGS.get(event.kind, "Learned"), language)
    jump = message_link(source.guild, source.thread or source.channel or "", source.message or "")
    with in_language(language):
        kind = say(memo.kind.value)
    line = harmless(f"{heading}: [{kind}] {clip(collapse_spaces(memo.text), 300)}")
    return f"{line[: LIMIT - 200]} – {jump}"


def _speaker_id(memo: Memo) -> int:
    """Who said it on Discord; raises ValueError for someone of another platform."""
    return int(split_person(memo.source.actor)[1])


def _is_learning_event(event: Event) -> bool:
    """Whether a message caused the change; other changes are its owner's."""
    return event.kind == EventKind.MEMO_ADDED or (event.kind == EventKind.MEMO_REVISED and "message" in event.data)


def _may_announce(memo: Memo) -> bool:
    """Whether a line may tell it: it was learned from a conversation on Discord, rather than stated in a command, and
    is not about someone else, who may not know the bot.
    """
    source = memo.source
    origins = (Origin.SUMMARY, Origin.DISCORD, *((Origin.TOOL,) if memo.subject.is_lore else ()))
    is_learned = source.origin in origins and source.platform == PLATFORM and bool(source.message)
    return memo.active and is_learned and memo.kind is not Kind.PERSON
