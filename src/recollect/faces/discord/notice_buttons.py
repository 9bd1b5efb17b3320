"""The buttons of a learned notice: for the owner of a memory or, for a server's lore, for those who manage messages."""

import logging

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.outcomes import Undone
from recollect.core.types import Audience, Memo, Place, Subject, split_person
from recollect.faces import outcome_text
from recollect.faces.discord.consent import storing_problem
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import (
    EditForm,
    Interaction,
    PersistentButton,
    acknowledge,
    defer,
    describe_error,
    look_up,
    open_form,
    respond,
    send_answer,
)
from recollect.faces.discord.localization import translated
from recollect.faces.discord.places import interaction_place, person_of
from recollect.faces.wording import say
from recollect.view import View

log = logging.getLogger("recollect.discord")

LABELS = {"undo": "Undo", "edit": "Edit", "why": "Why", "forget": "Forget", "private": "Keep private"}
OUTCOMES = {"undo": "Undone.", "forget": "Forgotten.", "private": "Kept private."}
NOT_YOURS = "Only the person it is about can do that; for a whole server, those who manage messages."
CHANGED_SINCE = "It has changed since it was learned; use Forget, or `!memory undo` step by step."


def notice_buttons(memo: Memo, change: int, language: str) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    for action in ("undo", "edit", "forget") if memo.subject.is_lore else LABELS:
        button = NoticeButton(action, _owner_id(memo), memo.id, change if action == "undo" else None)
        button.item.label = translated(LABELS[action], language)
        view.add_item(button)
    return view


def _owner_id(memo: Memo) -> str:
    """Who may press the buttons: a user, or `lore` for those who manage messages there."""
    return "lore" if memo.subject.is_lore else split_person(memo.subject.id)[1]


class NoticeButton(
    PersistentButton,
    template=r"recollect:(?P<action>undo|edit|why|forget|private):(?P<user>\d+|lore):(?P<memo>[\w.-]{1,64})"
    r"(?::(?P<change>\d{1,18}))?",
):
    """For the owner of a memory; `change` is what Undo takes back."""

    def __init__(self, action: str, user: str, memo: str, change: int | str | None = None) -> None:
        self.action, self.user, self.memo = action, user, memo
        self.change = None if change is None else int(change)
        style = discord.ButtonStyle.danger if action == "forget" else discord.ButtonStyle.secondary
        custom_id = f"recollect:{action}:{user}:{memo}{'' if change is None else f':{change}'}"
        super().__init__(discord.ui.Button(label=LABELS[action], style=style, custom_id=custom_id))

    async def press(self, interaction: Interaction) -> None:
        bot: BotContext = interaction.client.bot
        if not self._may_decide(interaction):
            await respond(interaction, say(NOT_YOURS))
            return
        place = interaction_place(interaction)
        if self.action == "edit":
            await self._ask_for_words(interaction, bot)
            return
        if self.action == "why":
            await defer(interaction)
            line, user = f"!memory why {self.memo}", str(interaction.user.id)
            await send_answer(interaction, await bot.commands.answer(line, user=user, place=place))
            return
        await acknowledge(interaction)
        try:
            is_done = await self._apply(bot, self._memory(bot, interaction))
        except RecollectError as error:
            log.warning("a button failed: %s", error)
            await interaction.followup.send(describe_error(error), ephemeral=True)
            return
        if is_done:
            await interaction.edit_original_response(content=say(OUTCOMES[self.action]), view=None)
            await bot.state.drop(state.notice_message(self._scope(place), self.memo))
        else:
            await interaction.followup.send(say(CHANGED_SINCE), ephemeral=True)

    async def _ask_for_words(self, interaction: Interaction, bot: BotContext) -> None:
        view = self._memory(bot, interaction)
        try:
            memo = await look_up(interaction, view.get(self.memo))
        except RecollectError as error:
            log.warning("cannot read the memory of a button: %s", error)
            await respond(interaction, describe_error(error))
            return

        async def change(submitted: Interaction, words: str) -> str:
            if not memo.subject.is_lore and (problem := await storing_problem(bot, submitted)):
                return problem
            changed = await view.update(self.memo, words, version=memo.version)
            await bot.server_settings.record_lore(view, memo)
            return outcome_text.changed("Changed", changed)

        await open_form(interaction, EditForm(memo.text, change, self._may_decide))

    @property
    def _is_lore(self) -> bool:
        return self.user == "lore"

    def _scope(self, place: Place) -> str:
        return (Subject.lore(place.guild_key or "") if self._is_lore else Subject(person_of(self.user))).scope

    def _may_decide(self, interaction: Interaction) -> bool:
        if self._is_lore:
            return interaction.guild_id is not None and interaction.permissions.manage_messages
        return str(interaction.user.id) == self.user

    def _memory(self, bot: BotContext, interaction: Interaction) -> View:
        return bot.memory.view(str(interaction.user.id), interaction_place(interaction), lore=self._is_lore)

    async def _apply(self, bot: BotContext, view: View) -> bool:
        """Whether it was done; not if the memory was changed since it was learned."""
        before = await bot.memory.timeline.memo(self._scope(view.place), self.memo)
        if self.action == "private":
            await view.share(self.memo, audience=Audience("dm", split_person(view.user)[1]))
        elif self.action == "forget":
            await view.get(self.memo)
            await view.forget(self.memo)
        elif not isinstance(await view.undo(memo=self.memo, expected=self.change), Undone):
            return False
        if before is not None:
            await bot.server_settings.record_lore(view, before)
        return True
