"""`/memory …`: what people may do with their own memory. Only the user sees the answers."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from discord import app_commands

from recollect.core.errors import BadInput, RecollectError
from recollect.core.outcomes import NotFound
from recollect.core.text import clip, collapse_spaces, fold
from recollect.core.types import Memo, Place
from recollect.faces import outcome_text
from recollect.faces.commands import erase as erasing
from recollect.faces.discord.consent import storing_problem
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import (
    ConfirmDialog,
    EditForm,
    defer,
    look_up,
    open_form,
    send_answer,
    send_text,
)
from recollect.faces.discord.languages import panel_language
from recollect.faces.discord.localization import LANGUAGES, notice, translated
from recollect.faces.discord.memo_panel import MemoPanel
from recollect.faces.discord.places import PLATFORM, interaction_place
from recollect.faces.discord.privacy_notice import needs_notice
from recollect.faces.discord.privacy_panel import privacy_panel
from recollect.faces.wording import say
from recollect.view import View

DESCRIPTIONS = {
    "list": "What I remember about you, page by page",
    "search": "Find what fits a question",
    "remember": "Remember something about you",
    "edit": "Give a memory other words",
    "forget": "Forget a memory, or all that match; you are asked first",
    "undo": "Take back the last change; again for the one before it",
    "why": "Where a memory comes from, and what happened to it",
    "export": "What I remember about you, as a file for you alone",
    "privacy": "What I keep, who runs me, and what you allow",
    "pause": "Stop learning from what you say",
    "resume": "Learn from what you say again",
    "erase": "Erase all that I know of you, for good; you are asked first",
    "help": "All commands, also those that are typed",
}
WITHOUT_ARGUMENT = ("undo", "pause", "resume")
MENUS = ("Remember this", "Why do you know this?", "Forget this")
"""What people find under Apps on a message."""
EXPORT_ATTACHED = "Everything that is remembered about you, as a file."
LIST_TITLE = "What I remember about you"
MAX_RESULTS = 50
MAX_CHOICES, MAX_LABEL_CHARS = 25, 100
"""Discord's limits for autocompletion."""
ALL_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
ALL_INSTALLS = app_commands.AppInstallationType(guild=True, user=True)

Interaction = discord.Interaction[Any]
Command = app_commands.Command[Any, ..., None]


class SlashCommands:
    """Builds the commands; destructive ones ask for confirmation."""

    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    def group(self) -> app_commands.Group:
        group = app_commands.Group(
            name="memory",
            description="What I remember about you: see it, change it, delete it",
            allowed_contexts=ALL_CONTEXTS,
            allowed_installs=ALL_INSTALLS,
        )
        callbacks: dict[str, Any] = {verb: self._without_argument(verb) for verb in WITHOUT_ARGUMENT}
        callbacks |= {"list": self._list, "search": self._search, "remember": self._remember, "edit": self._edit}
        callbacks |= {"forget": self._forget, "why": self._why, "export": self._export, "privacy": self._privacy}
        callbacks |= {"erase": self._erase, "help": self._help}
        for verb, description in DESCRIPTIONS.items():
            command: Command = app_commands.Command(name=verb, description=description, callback=callbacks[verb])
            if verb in ("edit", "forget", "why"):
                command.autocomplete("which")(self._choices)
            group.add_command(command)
        return group

    def _without_argument(self, verb: str) -> Any:
        async def callback(interaction: Interaction) -> None:
            await self._run_command(interaction, verb)

        return callback

    async def _run_command(self, interaction: Interaction, verb: str, words: str = "") -> None:
        await defer(interaction)
        line = f"!memory {verb} {words}".rstrip()
        if needs_notice(self._bot, line) and (problem := await storing_problem(self._bot, interaction)):
            await send_text(interaction, problem)
            return
        user, place = str(interaction.user.id), interaction_place(interaction)
        await send_answer(interaction, await self._bot.commands.answer(line, user=user, place=place))

    def _view(self, interaction: Interaction) -> View:
        return self._bot.memory.view(str(interaction.user.id), interaction_place(interaction))

    async def _list(self, interaction: Interaction) -> None:
        await defer(interaction)
        await self.send_list(interaction)

    async def send_list(self, interaction: Interaction) -> None:
        """Show someone's own memories, in answer to an interaction that was deferred."""
        view = self._view(interaction)
        load = partial(_active, view)
        language = await panel_language(self._bot, interaction)
        await MemoPanel(self._bot, view, translated(LIST_TITLE, language), load, await load(), language).send(
            interaction
        )

    @app_commands.describe(words="What you want to know")
    async def _search(self, interaction: Interaction, words: str) -> None:
        await defer(interaction)
        view = self._view(interaction)

        async def load() -> Sequence[Memo]:
            hits = await view.search(words, limit=MAX_RESULTS, strict=True)
            return [hit.item for hit in hits if isinstance(hit.item, Memo)]

        memos = await load()
        if memos:
            title = say("What fits “{}”", clip(collapse_spaces(words), 100))
            language = await panel_language(self._bot, interaction)
            await MemoPanel(self._bot, view, title, load, memos, language).send(interaction)
        else:
            await send_text(interaction, outcome_text.render_no_match(outcome_text.quote_input(words)))

    @app_commands.describe(words="What I shall remember about you")
    async def _remember(self, interaction: Interaction, words: str) -> None:
        await self._run_command(interaction, "remember", words)

    @app_commands.describe(which="The memory: choose it, or type a part of it")
    async def _why(self, interaction: Interaction, which: str) -> None:
        await self._run_command(interaction, "why", which)

    async def _privacy(self, interaction: Interaction) -> None:
        await defer(interaction)
        embed, panel = await privacy_panel(self._bot, interaction)
        await interaction.followup.send(embed=embed, view=panel, ephemeral=True)

    @app_commands.describe(json="Only the file, without the text to read")
    async def _export(self, interaction: Interaction, json: bool = False) -> None:
        """Everything, wherever it is asked for: nobody else sees the answer."""
        await defer(interaction)
        user = str(interaction.user.id)
        answer = await self._bot.commands.answer("!memory export", user=user, place=Place(PLATFORM, dm=user))
        if answer is not None and (json or len(answer.pages) > 1):
            answer = replace(answer, pages=(say(EXPORT_ATTACHED),))
        await send_answer(interaction, answer)

    @app_commands.describe(which="The memory: choose it, or type a part of it to forget all that match")
    async def _forget(self, interaction: Interaction, which: str) -> None:
        await defer(interaction)
        view = self._view(interaction)
        matches = await view.find(which, to_forget=True)
        if not matches:
            await send_text(interaction, outcome_text.render_no_match(outcome_text.quote_input(which)))
            return

        async def forget() -> str:
            outcome = await view.forget_all(matches)
            if isinstance(outcome, NotFound):
                return outcome_text.render_no_match(outcome_text.quote_input(which))
            return outcome_text.render_forgotten(outcome, _describe_request(which, matches))

        listed = [outcome_text.line(memo) for memo in matches]
        question = "\n".join([say("Forget {}?", outcome_text.count_memories(len(matches))), *listed])
        await ConfirmDialog("Forget", forget).ask(interaction, question)

    @app_commands.describe(which="The memory: choose it, or type a part of it")
    async def _edit(self, interaction: Interaction, which: str) -> None:
        view = self._view(interaction)
        matches = await look_up(interaction, view.find(which))
        if len(matches) != 1:
            await defer(interaction)
            await send_text(
                interaction, say("{} match; choose one from the list.", outcome_text.count_memories(len(matches)))
            )
            return
        (memo,) = matches

        async def change(submitted: Interaction, words: str) -> str:
            if problem := await storing_problem(self._bot, submitted):
                return problem
            changed = await view.update(memo.id, words, version=memo.version)
            audience = outcome_text.render_audience(changed, self._bot.settings.visibility)
            return "\n".join(filter(None, [outcome_text.changed("Changed", changed), audience]))

        await open_form(interaction, EditForm(memo.text, change))

    @app_commands.describe(here="Only what you left on this server")
    async def _erase(self, interaction: Interaction, here: bool = False) -> None:
        await defer(interaction)
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)
        view = memory.view(user, place)

        async def erase() -> str:
            return await erasing.run_erasure(view, here=here)

        try:
            question = await erasing.render_question(view, here=here)
        except BadInput as error:
            await send_text(interaction, outcome_text.problem(error))
            return
        if question is None:
            await send_text(interaction, say(erasing.NOTHING_TO_ERASE))
        else:
            await ConfirmDialog("Erase", erase).ask(interaction, question)

    async def _help(self, interaction: Interaction) -> None:
        await defer(interaction)
        embed = discord.Embed(description=render_help(LANGUAGES.get(interaction.locale, "")))
        await interaction.followup.send(embed=embed, ephemeral=True)

    async def _memos(self, interaction: Interaction) -> tuple[Memo, ...]:
        return (await self._view(interaction).show()).memos

    async def _choices(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """The user's own memories that are visible here, newest first."""
        try:
            return _matching_choices(await self._memos(interaction), current)
        except RecollectError:
            return []  # the command itself reports the error


def render_help(language: str = "") -> str:
    """The names of commands and menus in a language."""
    group = translated("memory", language)
    lines = [
        f"- **/{group} {translated(verb, language)}** – {translated(description, language)}"
        for verb, description in DESCRIPTIONS.items()
    ]
    menus = ", ".join(f"**{translated(menu, language)}**" for menu in MENUS)
    return "\n".join([*lines, "", notice("help", language).format(menus)])


async def _active(view: View) -> Sequence[Memo]:
    return (await view.show()).memos


def _matching_choices(memos: Sequence[Memo], current: str) -> list[app_commands.Choice[str]]:
    part = fold(collapse_spaces(current))
    matching = [memo for memo in memos if part in fold(collapse_spaces(memo.text))]
    return [
        app_commands.Choice(name=clip(memo.text, MAX_LABEL_CHARS), value=memo.id) for memo in matching[:MAX_CHOICES]
    ]


def _describe_request(which: str, matches: Sequence[Memo]) -> str:
    """The request in words: people don't recognize ids."""
    return matches[0].text if which in {memo.id for memo in matches} else outcome_text.quote_input(which)
