"""`/memory …`: the same commands as `!memory …`, with answers that only the user sees."""

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands

from recollect import bot_state as state
from recollect.core.errors import BadInput
from recollect.core.outcomes import Forgotten
from recollect.core.state import Owner
from recollect.core.text import clip, collapse_spaces, fold
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.faces.commands import erase as erasing
from recollect.faces.commands.help import USAGE
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import ConfirmDialog, EditForm, defer, send_answer, send_text
from recollect.faces.discord.places import interaction_place
from recollect.faces.discord.privacy_notice import NOT_NOTIFIED, ensure_notified_privately, needs_notice
from recollect.policy.merge import COVERAGE
from recollect.recall.listing import find

WITHOUT_ARGUMENT = ("forgotten", "undo", "redo", "pause", "resume", "help")
WITH_ITEM = ("why", "pin", "unpin", "share", "private")
WITH_TEXT = {"remember": "What I shall remember about you", "search": "What you want to know"}
ERASE_DESCRIPTION = "Erase all that I know of you, for good; you are asked first"
MAX_CHOICES, MAX_LABEL_CHARS = 25, 100
"""Discord's limits for autocompletion."""
SWITCH_REPLIES = {
    "on": "Memory is on here: I listen and learn again.",
    "off": "Memory is off here: I neither listen nor learn nor answer, until an administrator switches it on again.",
}
ALL_CONTEXTS = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
ALL_INSTALLS = app_commands.AppInstallationType(guild=True, user=True)

Interaction = discord.Interaction[Any]
Command = app_commands.Command[Any, ..., None]


class SlashCommands:
    """Builds the commands; each runs a chat command, after a confirmation when something would be lost."""

    def __init__(self, bot: BotContext) -> None:
        self._bot = bot

    def group(self) -> app_commands.Group:
        group = app_commands.Group(
            name="memory",
            description="What I remember about you: see it, change it, delete it",
            allowed_contexts=ALL_CONTEXTS,
            allowed_installs=ALL_INSTALLS,
        )
        general = [self._command("show", self._show), self._command("export", self._export)]
        general += [self._without_argument(verb) for verb in WITHOUT_ARGUMENT] + [
            self._with_text(verb) for verb in WITH_TEXT
        ]
        with_item = [self._with_item(verb) for verb in WITH_ITEM]
        with_item.append(self._command("forget", self._forget))
        with_item.append(self._command("edit", self._edit, "Give an item other words"))
        for command in with_item:
            command.autocomplete("which")(self._choices)
        restore = self._with_item("restore")
        restore.autocomplete("which")(self._forgotten_choices)
        destructive = [self._command("reset", self._reset), self._command("erase", self._erase, ERASE_DESCRIPTION)]
        for command in (*general, *with_item, restore, *destructive):
            group.add_command(command)
        return group

    def server(self) -> Command:
        """The switch for a whole server; Discord shows it to those who manage it."""
        command: Command = app_commands.Command(
            name="memory-server",
            description="Switch my memory on or off for this whole server",
            callback=self._switch,
            allowed_contexts=app_commands.AppCommandContext(guild=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
        )
        command.default_permissions = discord.Permissions(manage_guild=True)
        return command

    def _command(self, verb: str, callback: Any, meaning: str = "") -> Command:
        description = meaning or USAGE[verb][1]
        return app_commands.Command(
            name=verb, description=description[0].upper() + description[1:MAX_LABEL_CHARS], callback=callback
        )

    def _without_argument(self, verb: str) -> Command:
        async def callback(interaction: Interaction) -> None:
            await self._run_command(interaction, verb)

        return self._command(verb, callback)

    def _with_item(self, verb: str) -> Command:
        @app_commands.describe(which="The item: choose it, or type a part of it")
        async def callback(interaction: Interaction, which: str) -> None:
            await self._run_command(interaction, verb, which)

        return self._command(verb, callback)

    def _with_text(self, verb: str) -> Command:
        @app_commands.describe(words=WITH_TEXT[verb])
        async def callback(interaction: Interaction, words: str) -> None:
            await self._run_command(interaction, verb, words)

        return self._command(verb, callback)

    async def _run_command(self, interaction: Interaction, verb: str, words: str = "") -> None:
        await defer(interaction)
        line = f"!memory {verb} {words}".rstrip()
        if needs_notice(self._bot, line) and not await ensure_notified_privately(self._bot, interaction):
            await send_text(interaction, NOT_NOTIFIED)
            return
        user, place = str(interaction.user.id), interaction_place(interaction)
        await send_answer(interaction, await self._bot.commands.answer(line, user=user, place=place))

    @app_commands.describe(injected="Only what my next answer would be given, and why")
    async def _show(self, interaction: Interaction, injected: bool = False) -> None:
        await self._run_command(interaction, "show", "injected" if injected else "")

    @app_commands.describe(json="As JSON rather than to read")
    async def _export(self, interaction: Interaction, json: bool = False) -> None:
        await self._run_command(interaction, "export", "json" if json else "")

    @app_commands.describe(which="The item: choose it, or type a part of it to forget all that match")
    async def _forget(self, interaction: Interaction, which: str) -> None:
        await defer(interaction)
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)
        share = COVERAGE if memory.settings.forget_mode == "coverage60" else 0.0
        matches = find(await self._memos(interaction), which, share)
        if not matches:
            await send_text(interaction, outcome_text.nothing_matched(outcome_text.echo(which)))
            return

        async def forget() -> str:
            outcomes = [await memory.forget(memo.id, user=user, place=place) for memo in matches]
            forgotten = [outcome for outcome in outcomes if isinstance(outcome, Forgotten)]
            return outcome_text.render_forgotten(matches, _describe_request(which, matches), *forgotten)

        listed = [outcome_text.line(memo) for memo in matches]
        question = "\n".join([f"Forget {outcome_text.count_noun(len(matches))}?", *listed])
        await ConfirmDialog("Forget", forget).ask(interaction, question)

    @app_commands.describe(which="The item: choose it, or type a part of it")
    async def _edit(self, interaction: Interaction, which: str) -> None:
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)
        matches = await memory.view(user, place).find(which)
        if len(matches) != 1:
            await defer(interaction)
            await send_text(interaction, f"{outcome_text.count_noun(len(matches))} match; choose one from the list.")
            return
        (memo,) = matches

        async def change(submitted: Interaction, words: str) -> str:
            if not await ensure_notified_privately(self._bot, submitted):
                return NOT_NOTIFIED
            changed = await memory.update(memo.id, words, user=user, place=place)
            audience = outcome_text.render_audience(changed, memory.settings.visibility)
            return "\n".join(filter(None, [outcome_text.changed("Changed", changed), audience]))

        await interaction.response.send_modal(EditForm(memo.text, change))

    async def _reset(self, interaction: Interaction) -> None:
        await defer(interaction)
        memory, user, place = self._bot.memory, str(interaction.user.id), interaction_place(interaction)

        async def reset() -> str:
            return outcome_text.cleared(await memory.reset(user=user, place=place))

        await ConfirmDialog("Clear", reset).ask(interaction, "Clear the rolling summary of this conversation?")

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
            await send_text(interaction, erasing.NOTHING_TO_ERASE)
        else:
            await ConfirmDialog("Erase", erase).ask(interaction, question)

    @app_commands.describe(memory="Whether I remember what is said on this server")
    @app_commands.choices(memory=[app_commands.Choice(name=name, value=name) for name in SWITCH_REPLIES])
    async def _switch(self, interaction: Interaction, memory: str) -> None:
        await defer(interaction)
        guild = interaction.guild_id
        if guild is None or not interaction.permissions.manage_guild:
            await send_text(interaction, "That is for those who manage this server.")
            return
        if memory == "off":
            await self._bot.state.put(state.switched_off(guild), self._bot.clock().isoformat(), Owner.guild(str(guild)))
        else:
            await self._bot.state.drop(state.switched_off(guild))
        await send_text(interaction, SWITCH_REPLIES[memory])

    async def _memos(self, interaction: Interaction) -> tuple[Memo, ...]:
        listing = await self._bot.memory.show(user=str(interaction.user.id), place=interaction_place(interaction))
        return listing.memos

    async def _choices(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """The user's own items that are visible here, newest first."""
        return _matching_choices(await self._memos(interaction), current)

    async def _forgotten_choices(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """What can be restored here, newest first."""
        view = self._bot.memory.view(str(interaction.user.id), interaction_place(interaction))
        return _matching_choices((await view.forgotten()).memos, current)


def _matching_choices(memos: Sequence[Memo], current: str) -> list[app_commands.Choice[str]]:
    part = fold(collapse_spaces(current))
    matching = [memo for memo in memos if part in fold(collapse_spaces(memo.text))]
    return [
        app_commands.Choice(name=clip(memo.text, MAX_LABEL_CHARS), value=memo.id) for memo in matching[:MAX_CHOICES]
    ]


def _describe_request(which: str, matches: list[Memo]) -> str:
    """The request in words: an id says nothing to people."""
    return matches[0].text if which in {memo.id for memo in matches} else outcome_text.echo(which)
