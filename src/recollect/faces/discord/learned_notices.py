"""A short line for each fact that was learned, with a link to the message it came from and buttons for its owner;
of a server's lore, for those who manage messages there.
"""

import logging
import re
from contextlib import suppress
from typing import Any

import discord

from recollect.core.errors import BadInput
from recollect.core.events import Event
from recollect.core.outcomes import Undone
from recollect.core.text import clip, collapse_spaces
from recollect.core.types import Audience, Memo, Origin, Place, Subject
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import carried_out
from recollect.faces.discord.places import PLATFORM, asked_in, link, place_of
from recollect.faces.discord.shards import has_channel
from recollect.faces.discord.splitting import LIMIT, harmless

log = logging.getLogger("recollect.discord")

LEARNED = {"memo.added": "Learned", "memo.revised": "Learned anew"}
LABELS = {"undo": "Undo", "forget": "Forget", "private": "Keep private"}
DONE = {"undo": "Undone.", "forget": "Forgotten.", "private": "Kept private."}
NOT_YOURS = "Only the person whom it is about can do that; about the whole server, those who manage messages."
CHANGED_SINCE = "It was changed since it was learned; use Forget, or `!memory undo` step by step."

Interaction = discord.Interaction[Any]


class LearnedNotices:
    def __init__(self, house: BotContext) -> None:
        self._house = house

    async def follow(self, event: Event) -> None:
        """Tell of something that was learned, where its talk may be heard; take that back when it is no longer so."""
        if self._house.settings.discord.learned_notices == "off" or event.memo is None:
            return
        try:
            memo = await self._memo(event.scope, event.memo)
            if not await self._is_ours(memo):
                return
            told = await self._house.notes.get(state.line(event.scope, event.memo))
            if told is not None:
                await self._keep_true(told, event, memo)
            elif memo is not None and _is_lesson(event) and await self._is_to_be_told(memo):
                await self._tell(event, memo)
        except (discord.DiscordException, OSError, ValueError) as error:
            log.info("nobody is told what was learned: %s", error)

    async def remove_stale(self) -> None:
        """After an erasure: lines about what is no longer there go, whatever is set now."""
        for name in await self._house.notes.names(state.LINE):
            scope, _, memo_id = name.removeprefix(state.LINE).rpartition(":")
            if await self._memo(scope, memo_id) is None:
                await self._take_down(name)

    async def _is_ours(self, memo: Memo | None) -> bool:
        """Whether it is for this process's shards to tell, or to take back."""
        channel = self._house.settings.discord.memory_channel or ""
        if self._house.settings.discord.learned_notices == "mirror" and channel.isdecimal():
            return await has_channel(self._house, int(channel))
        return self._house.is_ours(None if memo is None else memo.source.guild)

    async def _is_to_be_told(self, memo: Memo) -> bool:
        """Whether a line about it is due; about someone who does not know that they are remembered, there is none."""
        return memo.active and _is_learned(memo) and await self._house.was_notified(int(memo.source.actor))

    async def _memo(self, scope: str, memo_id: str) -> Memo | None:
        return await self._house.memory.store.read(lambda tx: tx.memos.get(Subject.of_scope(scope), memo_id))

    async def _keep_true(self, told: str, event: Event, memo: Memo | None) -> None:
        """A line about something that was retired, or may no longer be told where it stands, goes away; one about
        something that was said in other words since gets those.
        """
        channel = self._house.client.get_channel(int(told.partition("/")[0]))
        if memo is None or not memo.active or not await self._may_stay(channel, memo):
            await self._take_down(state.line(event.scope, event.memo or ""))
        elif _is_lesson(event) or event.kind == "memo.undone":
            await self._message(told).edit(content=_line(event, memo), view=_buttons(memo, event.id))

    async def _take_down(self, name: str) -> None:
        told = await self._house.notes.get(name)
        if told is not None:
            with suppress(discord.NotFound, discord.Forbidden):
                await self._message(told).delete()
            await self._house.notes.drop(name)

    def _message(self, told: str) -> discord.PartialMessage:
        where, _, message = told.partition("/")
        return self._house.client.get_partial_messageable(int(where)).get_partial_message(int(message))

    async def _may_stay(self, channel: object, memo: Memo) -> bool:
        if memo.source.guild is None:
            return True  # it stands in their own DM
        return await _may_be_told(self._house, memo, place_of(channel, int(memo.source.actor)))

    async def _tell(self, event: Event, memo: Memo) -> None:
        channel, place = await self._channel(memo, self._house.settings.discord.learned_notices)
        if not await _may_be_told(self._house, memo, place):
            return
        view = _buttons(memo, event.id)
        sent = await channel.send(_line(event, memo), view=view, silent=True, suppress_embeds=True)
        await self._house.notes.put(state.line(memo.subject.scope, memo.id), f"{sent.channel.id}/{sent.id}")

    async def _channel(self, memo: Memo, where: str) -> tuple[discord.abc.Messageable, Place]:
        client, source, user = self._house.client, memo.source, memo.source.actor
        if where == "here" and source.guild is None:
            person = client.get_user(int(user)) or await client.fetch_user(int(user))
            return person, Place(PLATFORM, dm=user)
        named = self._house.settings.discord.memory_channel if where == "mirror" else source.thread or source.channel
        channel = client.get_channel(int(named or 0))
        if not isinstance(channel, discord.abc.Messageable):
            raise ValueError(f"there is no channel {named}")  # noqa: TRY004 - what was found is not the caller's doing
        return channel, place_of(channel, int(user))


async def _may_be_told(house: BotContext, memo: Memo, place: Place) -> bool:
    lore = memo.subject.is_lore
    try:
        await house.memory.get(memo.id, user=memo.source.actor, place=place, lore=lore)
    except BadInput:  # it is not known there, or there is no lore
        return False
    return True


def _buttons(memo: Memo, change: int) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for action in ("undo", "forget") if memo.subject.is_lore else LABELS:
        view.add_item(NoticeButton(action, _owner(memo), memo.id, change if action == "undo" else None))
    return view


def _line(event: Event, memo: Memo) -> str:
    source, what = memo.source, LEARNED.get(event.kind, "Learned")
    jump = link(source.guild, source.thread or source.channel or "", source.message or "")
    line = harmless(f"{what}: [{memo.kind}] {clip(collapse_spaces(memo.text), 300)}")
    return f"{line[: LIMIT - 200]} – {jump}"


def _owner(memo: Memo) -> str:
    """Who decides about it: a user, or `lore` for those who manage messages where it is told."""
    return "lore" if memo.subject.is_lore else memo.subject.id


def _is_lesson(event: Event) -> bool:
    """Something was learned, or learned anew from a message; other changes are its owner's."""
    return event.kind == "memo.added" or (event.kind == "memo.revised" and "message" in event.data)


def _is_learned(memo: Memo) -> bool:
    """From what was said on Discord, rather than because someone said so to the bot."""
    source = memo.source
    learned = (Origin.SUMMARY, Origin.DISCORD, *((Origin.TOOL,) if memo.subject.is_lore else ()))
    return source.origin in learned and source.platform == PLATFORM and bool(source.message)


class NoticeButton(
    discord.ui.DynamicItem[discord.ui.Button[Any]],
    template=r"recollect:(?P<action>undo|forget|private):(?P<user>\d+|lore):(?P<memo>[\w.-]{1,64})"
    r"(?::(?P<change>\d{1,18}))?",
):
    """A button that works for as long as the message is there, restarts or not."""

    def __init__(self, action: str, user: str, memo: str, change: int | None = None) -> None:
        self.action, self.user, self.memo, self.change = action, user, memo, change
        style = discord.ButtonStyle.danger if action == "forget" else discord.ButtonStyle.secondary
        custom_id = f"recollect:{action}:{user}:{memo}{'' if change is None else f':{change}'}"
        super().__init__(discord.ui.Button(label=LABELS[action], style=style, custom_id=custom_id))

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> "NoticeButton":
        del interaction, item
        return cls(match["action"], match["user"], match["memo"], int(match["change"]) if match["change"] else None)

    async def callback(self, interaction: Interaction) -> None:
        house: BotContext = interaction.client.house
        if not self._is_theirs(interaction):
            await interaction.response.send_message(NOT_YOURS, ephemeral=True)
            return
        await interaction.response.defer()
        told = await carried_out(lambda: self._decide(house, str(interaction.user.id), asked_in(interaction)))
        if told in DONE.values():
            await interaction.edit_original_response(content=told, view=None)
            await house.notes.drop(state.line(self._scope(asked_in(interaction)), self.memo))
        else:
            await interaction.followup.send(told, ephemeral=True)

    @property
    def _lore(self) -> bool:
        return self.user == "lore"

    def _scope(self, place: Place) -> str:
        return (Subject.lore(place.guild_key or "") if self._lore else Subject(self.user)).scope

    def _is_theirs(self, interaction: Interaction) -> bool:
        if self._lore:
            return interaction.guild_id is not None and interaction.permissions.manage_messages
        return str(interaction.user.id) == self.user

    async def _decide(self, house: BotContext, who: str, place: Place) -> str:
        memory = house.memory
        if self.action == "private":
            await memory.share(self.memo, user=who, place=place, audience=Audience("dm", who))
        elif self.action == "forget":
            await memory.get(self.memo, user=who, place=place, lore=self._lore)
            await memory.forget(self.memo, user=who, place=place, lore=self._lore)
        else:
            done = await memory.undo(user=who, place=place, lore=self._lore, memo=self.memo, expected=self.change)
            if not isinstance(done, Undone):
                return CHANGED_SINCE
        house.assistant.forget_message(who)
        return DONE[self.action]
