"""Context menus of a message: remember it, forget it, or ask where a memory comes from."""

from contextlib import suppress
from typing import Any

import discord
from discord import app_commands

from recollect.core.outcomes import Refused
from recollect.core.types import Audience, AudienceLevel, Kind, Memo, Message, Place
from recollect.faces import outcome_text
from recollect.faces.discord.attachments import NOT_READ, attached_texts, read_files, unread_attachments
from recollect.faces.discord.consent import may_store_unaddressed, member_of, storing_problem
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import defer, run_work, send_answer, send_text
from recollect.faces.discord.messages import is_from_person, message_of, readable_text
from recollect.faces.discord.places import PLATFORM, interaction_place, with_unknown_readers
from recollect.faces.discord.slash_commands import ALL_CONTEXTS, ALL_INSTALLS, MENUS
from recollect.faces.wording import say
from recollect.policy.visibility import narrowest

NOT_A_PERSON = "I only remember what people say."
NO_TEXT = "There are no words in it to remember."
AUTHOR_NOT_NOTIFIED = "I may not keep what they say: they don't know yet that I remember things, or don't want it."
NOT_YOURS = "That was said to somebody else; only they may ask."
NOT_A_SOURCE = "Nothing that I remember about you comes from this message."

Interaction = discord.Interaction[Any]


class ContextMenus:
    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    def all(self) -> list[app_commands.ContextMenu]:
        actions = dict(zip(MENUS, (self._remember, self._why, self._forget), strict=True))
        return [
            app_commands.ContextMenu(
                name=name, callback=callback, allowed_contexts=ALL_CONTEXTS, allowed_installs=ALL_INSTALLS
            )
            for name, callback in actions.items()
        ]

    async def _remember(self, interaction: Interaction, message: discord.Message) -> None:
        await defer(interaction)
        if not is_from_person(message):
            await send_text(interaction, say(NOT_A_PERSON))
        else:
            await send_text(interaction, await run_work(lambda: self._store(interaction, message)))

    async def _message_text(self, message: discord.Message) -> str:
        """The text, captions and text files, a line each."""
        sent = attached_texts(message, await read_files(message))
        return "\n".join(filter(None, [readable_text(message, self._bot.me), *sent]))

    async def _store(self, interaction: Interaction, message: discord.Message) -> str:
        """Remember one's own message as a fact about oneself, another person's as a note that stays in its place.

        Both people must have got the privacy notice.
        """
        if problem := await storing_problem(self._bot, interaction):
            return problem
        is_own = message.author.id == interaction.user.id
        if not is_own and not await self._may_store_message_of(message.author, interaction):
            return say(AUTHOR_NOT_NOTIFIED)
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)
        text, source = await self._message_text(message), str(message.id)
        if not text:
            ignored = unread_attachments(message, {})
            return " ".join([say(NO_TEXT), *([say(NOT_READ, ", ".join(ignored))] if ignored else [])])
        audience = await self._audience(source, user, place, is_own=is_own)
        is_stored = await memory.timeline.message(PLATFORM, source) is not None
        if is_own:
            is_narrower = audience != place.audience
            outcome = await memory.remember(
                text, user=user, place=place, message=source, audience=audience if is_narrower else None
            )
        else:
            author = await memory.timeline.speaker(message_of(message, place, text))
            note = f"{author} said: {text}"
            outcome = await memory.remember(
                note,
                user=user,
                place=place,
                message=source,
                kind=Kind.PERSON,
                audience=audience,
                evidence=text if is_stored else None,  # so that it is removed when its author deletes these words
            )
        if isinstance(outcome, Refused):
            return outcome_text.render_refused(outcome)
        hearers = outcome_text.render_audience(outcome.memo, memory.settings.visibility)
        return "\n".join(filter(None, [outcome_text.render_remembered(outcome), hearers]))

    async def _may_store_message_of(self, author: discord.User | discord.Member, interaction: Interaction) -> bool:
        """Whether what someone said to others may be kept: they know, agree, and have neither opted out nor paused."""
        if interaction.guild is not None:
            with suppress(discord.NotFound):  # who left may have agreed all the same
                author = await member_of(interaction.guild, author)
        author_view = self._bot.memory.view(str(author.id), interaction_place(interaction))
        is_allowed_by_author = await may_store_unaddressed(self._bot, author, interaction.guild_id)
        return is_allowed_by_author and not await author_view.is_learning_paused()

    async def _audience(self, message_id: str, user: str, place: Place, *, is_own: bool) -> Audience:
        """The audience of a message's words: those who hear them here, if they could when it was written. For another's
        words, of which that is not known, nobody elsewhere.
        """
        said = await self._bot.memory.timeline.message(PLATFORM, message_id)
        if said is None and not is_own and place.guild is not None:
            place = with_unknown_readers(place)
        if said is None:
            return place.audience
        return narrowest([said.place.audience, place.audience]) or Audience(AudienceLevel.DM, user)

    async def _why(self, interaction: Interaction, message: discord.Message) -> None:
        await defer(interaction)
        if message.author.id == self._bot.me.id:
            await self._explain_reply(interaction, message)
            return
        memos = await self._memos_from(interaction, message)
        if not memos:
            await send_text(interaction, say(NOT_A_SOURCE))
            return
        await self._run_command(interaction, f"!memory why {memos[0].id}")

    async def _forget(self, interaction: Interaction, message: discord.Message) -> None:
        await defer(interaction)
        await send_text(interaction, await run_work(lambda: self._forget_message(interaction, message)))

    async def _forget_message(self, interaction: Interaction, message: discord.Message) -> str:
        """Forget what the user's memory has from a message; their own message is forgotten with it."""
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)
        memos = await self._memos_from(interaction, message)
        is_deleted = False
        if message.author.id == interaction.user.id and await memory.timeline.message(PLATFORM, str(message.id)):
            is_deleted = await memory.message_deleted(PLATFORM, str(message.id))
        left = await self._memos_from(interaction, message)  # what was stated by a command outlasts its message
        if left:
            await memory.view(user, place).forget_all(left)
        if not memos and not is_deleted:
            return say(NOT_A_SOURCE)
        learned = outcome_text.count_memories(len(memos))
        if not is_deleted:
            return say("Forgot what I knew from this message: {}.", learned)
        return say("Forgot this message and {} from it.", learned) if memos else say("Forgot this message.")

    async def _explain_reply(self, interaction: Interaction, message: discord.Message) -> None:
        """For one of the bot's replies: what its prompt would contain now, and why."""
        question = await self._question(message)
        if question is None:
            await send_text(interaction, say(NOT_A_SOURCE))
        elif question.author != str(interaction.user.id):
            await send_text(interaction, say(NOT_YOURS))
        else:
            await self._run_command(interaction, f"!memory show injected {question.text}")

    async def _question(self, message: discord.Message) -> Message | None:
        reference = message.reference.message_id if message.reference is not None else None
        replied = str(reference or "")
        return await self._bot.memory.timeline.message(PLATFORM, replied)

    async def _memos_from(self, interaction: Interaction, message: discord.Message) -> list[Memo]:
        """The user's own items from a message, as far as they are visible here."""
        user, place = str(interaction.user.id), interaction_place(interaction)
        visible = (await self._bot.memory.show(user=user, place=place)).memos
        return [memo for memo in visible if memo.source.message == str(message.id)]

    async def _run_command(self, interaction: Interaction, line: str) -> None:
        user, place = str(interaction.user.id), interaction_place(interaction)
        await send_answer(interaction, await self._bot.commands.answer(line, user=user, place=place))
