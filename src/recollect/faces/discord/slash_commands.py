"""`/memory …`: the same orders as `!memory …`, seen by nobody but whoever gives them."""

from typing import Any

import discord
from discord import app_commands

from recollect.core.errors import BadInput
from recollect.core.text import clip, collapse_spaces, fold
from recollect.core.types import Memo
from recollect.faces import outcome_text
from recollect.faces.commands import erase as erasing
from recollect.faces.commands.help import USAGE
from recollect.faces.discord import state
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.ephemeral import ConfirmDialog, EditForm, answer, begin, say
from recollect.faces.discord.places import asked_in
from recollect.faces.discord.privacy_notice import UNTOLD, announce_unseen, keeps
from recollect.policy.merge import COVERAGE
from recollect.recall.listing import find

PLAIN = ("undo", "pause", "resume", "help")
ABOUT_ONE = ("why", "pin", "unpin", "share", "private")
IN_WORDS = {"remember": "What I shall remember about you", "search": "What you want to know"}
ERASE = "Erase all that I know of you, for good; you are asked first"
CHOICES, LABEL = 25, 100
"""Discord's limits: choices that it shows, and characters of one."""
SERVER = {
    "on": "Memory is on here: I listen and learn again.",
    "off": "Memory is off here: I neither listen nor learn nor answer, until an administrator switches it on again.",
}
WHEREVER = app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True)
BY_ANYONE = app_commands.AppInstallationType(guild=True, user=True)

Interaction = discord.Interaction[Any]
Command = app_commands.Command[Any, ..., None]


class Slash:
    """Makes the commands; each hands an order on, or asks first when something would be lost."""

    def __init__(self, house: BotContext) -> None:
        self._house = house

    def group(self) -> app_commands.Group:
        made = app_commands.Group(
            name="memory",
            description="What I remember about you: see it, change it, delete it",
            allowed_contexts=WHEREVER,
            allowed_installs=BY_ANYONE,
        )
        whole = [self._command("show", self._show), self._command("export", self._export)]
        one = [self._about_one(verb) for verb in ABOUT_ONE]
        one += [self._command("forget", self._forget), self._command("edit", self._edit, "Give an item other words")]
        for command in one:
            command.autocomplete("which")(self._choices)
        whole += [self._plain(verb) for verb in PLAIN] + [self._in_words(verb) for verb in IN_WORDS]
        lossy = [self._command("reset", self._reset), self._command("erase", self._erase, ERASE)]
        for command in (*whole, *one, *lossy):
            made.add_command(command)
        return made

    def server(self) -> Command:
        """The switch for a whole server; Discord shows it to those who manage it."""
        made: Command = app_commands.Command(
            name="memory-server",
            description="Switch my memory on or off for this whole server",
            callback=self._switch,
            allowed_contexts=app_commands.AppCommandContext(guild=True),
            allowed_installs=app_commands.AppInstallationType(guild=True),
        )
        made.default_permissions = discord.Permissions(manage_guild=True)
        return made

    def _command(self, verb: str, callback: Any, meaning: str = "") -> Command:
        told = meaning or USAGE[verb][1]
        return app_commands.Command(name=verb, description=told[0].upper() + told[1:LABEL], callback=callback)

    def _plain(self, verb: str) -> Command:
        async def callback(interaction: Interaction) -> None:
            await self._order(interaction, verb)

        return self._command(verb, callback)

    def _about_one(self, verb: str) -> Command:
        @app_commands.describe(which="The item: choose it, or type a part of it")
        async def callback(interaction: Interaction, which: str) -> None:
            await self._order(interaction, verb, which)

        return self._command(verb, callback)

    def _in_words(self, verb: str) -> Command:
        @app_commands.describe(words=IN_WORDS[verb])
        async def callback(interaction: Interaction, words: str) -> None:
            await self._order(interaction, verb, words)

        return self._command(verb, callback)

    async def _order(self, interaction: Interaction, verb: str, words: str = "") -> None:
        await begin(interaction)
        line = f"!memory {verb} {words}".rstrip()
        if keeps(self._house, line) and not await announce_unseen(self._house, interaction):
            await say(interaction, UNTOLD)
            return
        user, place = str(interaction.user.id), asked_in(interaction)
        await answer(interaction, await self._house.orders.answer(line, user=user, place=place))
        self._house.assistant.forget_message(user)

    @app_commands.describe(injected="Only what my next answer would be given, and why")
    async def _show(self, interaction: Interaction, injected: bool = False) -> None:
        await self._order(interaction, "show", "injected" if injected else "")

    @app_commands.describe(json="As JSON rather than to read")
    async def _export(self, interaction: Interaction, json: bool = False) -> None:
        await self._order(interaction, "export", "json" if json else "")

    @app_commands.describe(which="The item: choose it, or type a part of it to forget all that match")
    async def _forget(self, interaction: Interaction, which: str) -> None:
        await begin(interaction)
        memory, user, place = self._house.memory, str(interaction.user.id), asked_in(interaction)
        share = COVERAGE if memory.settings.forget_mode == "coverage60" else 0.0
        matches = find(await self._memos(interaction), which, share)
        if not matches:
            await say(interaction, outcome_text.nothing_matched(outcome_text.echo(which)))
            return

        async def forget() -> str:
            for memo in matches:
                await memory.forget(memo.id, user=user, place=place)
            self._house.assistant.forget_message(user)
            return outcome_text.forgotten(matches, _meant(which, matches))

        listed = [outcome_text.line(memo, place) for memo in matches]
        question = "\n".join([f"Forget {outcome_text.counted(len(matches))}?", *listed])
        await ConfirmDialog("Forget", forget).ask(interaction, question)

    @app_commands.describe(which="The item: choose it, or type a part of it")
    async def _edit(self, interaction: Interaction, which: str) -> None:
        memory, user, place = self._house.memory, str(interaction.user.id), asked_in(interaction)
        matches = find(await self._memos(interaction), which, 0.0)
        if len(matches) != 1:
            await begin(interaction)
            await say(interaction, f"{outcome_text.counted(len(matches))} match; choose one from the list.")
            return
        (memo,) = matches

        async def change(submitted: Interaction, words: str) -> str:
            if not await announce_unseen(self._house, submitted):
                return UNTOLD
            changed = await memory.update(memo.id, words, user=user, place=place)
            hearing = outcome_text.hearing(changed, memory.settings.visibility)
            return "\n".join(filter(None, [outcome_text.changed("Changed", changed), hearing]))

        await interaction.response.send_modal(EditForm(memo.text, change))

    async def _reset(self, interaction: Interaction) -> None:
        await begin(interaction)
        memory, user, place = self._house.memory, str(interaction.user.id), asked_in(interaction)

        async def reset() -> str:
            return outcome_text.cleared(await memory.reset(user=user, place=place))

        await ConfirmDialog("Clear", reset).ask(interaction, "Clear the rolling summary of this conversation?")

    @app_commands.describe(here="Only what you left on this server")
    async def _erase(self, interaction: Interaction, here: bool = False) -> None:
        await begin(interaction)
        memory, user, place = self._house.memory, str(interaction.user.id), asked_in(interaction)
        try:
            target = erasing.whose(user, place, here=here)
        except BadInput as error:
            await say(interaction, outcome_text.problem(error))
            return

        async def erase() -> str:
            told = await erasing.erased(memory, target)
            self._house.assistant.forget_message(user)
            return told

        question = await erasing.question(memory, target)
        if question is None:
            await say(interaction, erasing.NOTHING)
        else:
            await ConfirmDialog("Erase", erase).ask(interaction, question)

    @app_commands.describe(memory="Whether I remember what is said on this server")
    @app_commands.choices(memory=[app_commands.Choice(name=name, value=name) for name in SERVER])
    async def _switch(self, interaction: Interaction, memory: str) -> None:
        await begin(interaction)
        guild = interaction.guild_id
        if guild is None or not interaction.permissions.manage_guild:
            await say(interaction, "That is for those who manage this server.")
            return
        if memory == "off":
            await self._house.notes.put(state.switched_off(guild), self._house.clock().isoformat())
        else:
            await self._house.notes.drop(state.switched_off(guild))
        await say(interaction, SERVER[memory])

    async def _memos(self, interaction: Interaction) -> tuple[Memo, ...]:
        shown = await self._house.memory.show(user=str(interaction.user.id), place=asked_in(interaction))
        return shown.memos

    async def _choices(self, interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        """Their own items as far as they may be heard here, newest first."""
        part = fold(collapse_spaces(current))
        fitting = [memo for memo in await self._memos(interaction) if part in fold(collapse_spaces(memo.text))]
        return [app_commands.Choice(name=clip(memo.text, LABEL), value=memo.id) for memo in fitting[:CHOICES]]


def _meant(which: str, matches: list[Memo]) -> str:
    """What was asked for, in words: an id says nothing to people."""
    return matches[0].text if which in {memo.id for memo in matches} else outcome_text.echo(which)
