"""Answers that only the asker sees: in pages to leaf through, behind a question when something would be lost,
and in a form to fill in.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from io import BytesIO
from typing import Any

import discord

from recollect.core.errors import RecollectError
from recollect.faces import outcome_text
from recollect.faces.commands.dispatcher import Answer
from recollect.faces.discord.splitting import LIMIT, harmless, split

log = logging.getLogger("recollect.discord")

PATIENCE = 300.0
"""Seconds for which buttons work."""
SWITCHED_OFF = "Memory commands are switched off."
KEPT = "Nothing was changed."

Interaction = discord.Interaction[Any]
Work = Callable[[], Awaitable[str]]


async def begin(interaction: Interaction) -> None:
    """Take the time that memory needs: Discord waits three seconds for the first sign."""
    await interaction.response.defer(ephemeral=True, thinking=True)


async def answer(interaction: Interaction, found: Answer | None) -> None:
    """Answer an order: its first page, with buttons when there are more."""
    if found is None:
        await interaction.followup.send(SWITCHED_OFF, ephemeral=True)
        return
    file = found.file
    files = [] if file is None else [discord.File(BytesIO(file.text.encode()), file.name)]
    await show(interaction, found.pages, files)


async def say(interaction: Interaction, text: str) -> None:
    """Say something in our own words, with people's words in it."""
    await show(interaction, split(harmless(text)))


async def show(interaction: Interaction, pages: Sequence[str], files: Sequence[discord.File] = ()) -> None:
    first = pages[0] if pages else KEPT
    view = Pager(pages) if len(pages) > 1 else discord.utils.MISSING
    await interaction.followup.send(first, files=list(files), view=view, ephemeral=True)


async def carried_out(work: Work) -> str:
    """What came of it, or what went wrong, in words."""
    try:
        return await work()
    except RecollectError as error:
        log.warning("a button or a form failed: %s", error)
        return outcome_text.problem(error)


class Pager(discord.ui.View):
    """Pages to leaf through."""

    def __init__(self, pages: Sequence[str]) -> None:
        super().__init__(timeout=PATIENCE)
        self._pages = pages
        self._at = 0
        self._mark()

    def _mark(self) -> None:
        self.earlier.disabled = self._at == 0
        self.later.disabled = self._at == len(self._pages) - 1
        self.later.label = f"Next ({self._at + 1} of {len(self._pages)})"

    async def _turn(self, interaction: Interaction, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._pages) - 1))
        self._mark()
        await interaction.response.edit_message(content=self._pages[self._at], view=self)

    @discord.ui.button(label="Back", style=discord.ButtonStyle.secondary)
    async def earlier(self, interaction: Interaction, button: "discord.ui.Button[Pager]") -> None:
        del button
        await self._turn(interaction, -1)

    @discord.ui.button(label="Next", style=discord.ButtonStyle.secondary)
    async def later(self, interaction: Interaction, button: "discord.ui.Button[Pager]") -> None:
        del button
        await self._turn(interaction, 1)


class ConfirmDialog(discord.ui.View):
    """Asks before something is done that takes something away."""

    def __init__(self, label: str, work: Work) -> None:
        super().__init__(timeout=PATIENCE)
        self._work = work
        self.yes.label = label

    async def ask(self, interaction: Interaction, question: str) -> None:
        pages = split(harmless(question), LIMIT)
        await interaction.followup.send(pages[0], view=self, ephemeral=True)

    @discord.ui.button(style=discord.ButtonStyle.danger)
    async def yes(self, interaction: Interaction, button: "discord.ui.Button[ConfirmDialog]") -> None:
        del button
        self.stop()
        await interaction.response.defer()
        told = await carried_out(self._work)
        await interaction.edit_original_response(content=split(harmless(told))[0], view=None)

    @discord.ui.button(label="Keep", style=discord.ButtonStyle.secondary)
    async def no(self, interaction: Interaction, button: "discord.ui.Button[ConfirmDialog]") -> None:
        del button
        self.stop()
        await interaction.response.edit_message(content=KEPT, view=None)


class EditForm(discord.ui.Modal, title="Other words"):
    """A form with the words of a memo, to change them."""

    words: "discord.ui.TextInput[EditForm]" = discord.ui.TextInput(
        label="What shall I remember instead?", style=discord.TextStyle.paragraph, max_length=LIMIT
    )

    def __init__(self, text: str, change: Callable[[Interaction, str], Awaitable[str]]) -> None:
        super().__init__(timeout=PATIENCE)
        self.words.default = text[:LIMIT]
        self._change = change

    async def on_submit(self, interaction: Interaction, /) -> None:
        await begin(interaction)
        await say(interaction, await carried_out(lambda: self._change(interaction, self.words.value)))
