"""What can be done with a message by a right click: remember it, or ask where knowledge comes from."""

from typing import Any

import discord
from discord import app_commands

from recollect.core.types import Kind, Memo, Message
from recollect.faces import outcome_text
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import answer, begin, carried_out, say
from recollect.faces.discord.messages import is_heard, spoken
from recollect.faces.discord.places import PLATFORM, asked_in
from recollect.faces.discord.privacy_notice import UNTOLD, announce_unseen
from recollect.faces.discord.slash_commands import BY_ANYONE, WHEREVER

NOT_A_PERSON = "I only remember what people say."
NO_WORDS = "There are no words in it to remember."
UNTOLD_AUTHOR = "They don't know yet that I remember things: I keep what they say once they have talked to me."
NOT_YOURS = "That was said to somebody else; only they may ask."
FROM_NOTHING = "Nothing that I remember about you comes from this message."

Interaction = discord.Interaction[Any]


class Menus:
    def __init__(self, house: BotContext) -> None:
        self._house = house

    def all(self) -> list[app_commands.ContextMenu]:
        actions = {"Remember this": self._remember, "Why do you know this?": self._why}
        return [
            app_commands.ContextMenu(
                name=name, callback=callback, allowed_contexts=WHEREVER, allowed_installs=BY_ANYONE
            )
            for name, callback in actions.items()
        ]

    async def _remember(self, interaction: Interaction, message: discord.Message) -> None:
        await begin(interaction)
        if not is_heard(message):
            await say(interaction, NOT_A_PERSON)
        elif not spoken(message, self._house.me):
            await say(interaction, NO_WORDS)
        else:
            await say(interaction, await carried_out(lambda: self._kept(interaction, message)))

    async def _kept(self, interaction: Interaction, message: discord.Message) -> str:
        """One's own words are a fact about oneself; another's are a note on them that stays where they were said.
        Of both, nothing is kept before they were told.
        """
        if not await announce_unseen(self._house, interaction):
            return UNTOLD
        if not await self._house.was_notified(message.author.id):
            return UNTOLD_AUTHOR
        memory, user, place = self._house.memory, str(interaction.user.id), asked_in(interaction)
        words, source = spoken(message, self._house.me), str(message.id)
        if message.author.id == interaction.user.id:
            done = await memory.remember(words, user=user, place=place, message=source)
        else:
            note = f"{message.author.display_name} said: {words}"
            done = await memory.remember(
                note, user=user, place=place, message=source, kind=Kind.PERSON, audience=place.audience
            )
        hearing = outcome_text.hearing(done.memo, memory.settings.visibility)
        return "\n".join(filter(None, [outcome_text.remembered(done), hearing]))

    async def _why(self, interaction: Interaction, message: discord.Message) -> None:
        await begin(interaction)
        if message.author.id == self._house.me.id:
            await self._why_said(interaction, message)
            return
        memos = await self._resting_on(interaction, message)
        if not memos:
            await say(interaction, FROM_NOTHING)
            return
        await self._order(interaction, f"!memory why {memos[0].id}")

    async def _why_said(self, interaction: Interaction, message: discord.Message) -> None:
        """Of an answer: what the prompt for it would carry now, and why."""
        question = await self._question(message)
        if question is None:
            await say(interaction, FROM_NOTHING)
        elif question.author != str(interaction.user.id):
            await say(interaction, NOT_YOURS)
        else:
            await self._order(interaction, f"!memory show injected {question.text}")

    async def _question(self, message: discord.Message) -> Message | None:
        reference = message.reference.message_id if message.reference is not None else None
        replied = str(reference or "")
        return await self._house.memory.store.read(lambda tx: tx.messages.get(PLATFORM, replied))

    async def _resting_on(self, interaction: Interaction, message: discord.Message) -> list[Memo]:
        """Their own items that come from a message, as far as they may be told here."""
        user, place = str(interaction.user.id), asked_in(interaction)
        heard = (await self._house.memory.show(user=user, place=place)).memos
        return [memo for memo in heard if memo.source.message == str(message.id)]

    async def _order(self, interaction: Interaction, line: str) -> None:
        user, place = str(interaction.user.id), asked_in(interaction)
        await answer(interaction, await self._house.orders.answer(line, user=user, place=place))
