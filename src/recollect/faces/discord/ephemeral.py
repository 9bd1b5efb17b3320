"""Ephemeral answers, which only the asker sees: pages with buttons, confirmation dialogs and forms."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Any, Self, TypeVar, cast

import discord

from recollect.core.errors import BadInput, RecollectError, VersionConflict
from recollect.faces import outcome_text
from recollect.faces.commands.dispatcher import Answer
from recollect.faces.discord.context import BotContext
from recollect.faces.discord.languages import language_for_user
from recollect.faces.discord.localization import notice, translated
from recollect.faces.discord.quotas import refusal
from recollect.faces.discord.shards import is_allowed
from recollect.faces.discord.splitting import LIMIT, harmless, split
from recollect.faces.discord.streaming import attachment
from recollect.faces.wording import current_language, in_language, say, use_language

log = logging.getLogger("recollect.discord")

VIEW_TIMEOUT_SECONDS = 300.0
"""How long buttons and forms work."""
SWITCHED_OFF = "Memory commands are switched off."
NOT_ALLOWED = "I am not allowed to talk with you; the person who runs me can change that."
FAILED = "That did not work; it is in my log."
EXPIRED = "These buttons have expired, and nothing was changed. Please use the command again."
NOT_A_MANAGER = "That is for those who manage this server."
NOT_THE_ASKER = "That is only for whoever it was shown to."
UNCHANGED = "Nothing was changed."
READY = "It took a moment; now you can go on."
DEFER_AFTER_SECONDS = 1.5
"""How long a look-up may take before the first response, for which Discord waits three seconds."""

Interaction = discord.Interaction[Any]
T = TypeVar("T")
Work = Callable[[], Awaitable[str]]
May = Callable[[Interaction], bool]
_asker: ContextVar[int | None] = ContextVar("asker", default=None)


def use_asker(interaction: Interaction) -> None:
    """Panels and forms that are made until the running task ends are for this user alone. Discord shows them to nobody
    else, but what they show is theirs even if it did.
    """
    _asker.set(interaction.user.id)


async def defer(interaction: Interaction) -> None:
    """Acknowledge the interaction, once: Discord waits only three seconds for the first response."""
    if not interaction.response.is_done():
        await interaction.response.defer(ephemeral=True, thinking=True)


async def acknowledge(interaction: Interaction) -> None:
    """Acknowledge a button or a menu whose message is about to change; nothing is shown meanwhile."""
    if not interaction.response.is_done():
        await interaction.response.defer()


async def look_up(interaction: Interaction, work: Awaitable[T]) -> T:
    """The result of a look-up that the first response needs; a slow one defers the response."""
    task = asyncio.ensure_future(work)
    # Not `wait_for`: the look-up goes on while the response is deferred.
    await asyncio.wait([task], timeout=DEFER_AFTER_SECONDS)
    if not task.done():
        has_message = interaction.message is not None  # the message of a button, or of a button that opened a form
        await (acknowledge(interaction) if has_message else defer(interaction))
    return await task


async def update(interaction: Interaction, **fields: Any) -> None:
    """Change the message of a button or a menu, as the first response if there was none."""
    if interaction.response.is_done():
        await interaction.edit_original_response(**fields)
    else:
        await interaction.response.edit_message(**fields)


async def respond(interaction: Interaction, text: str) -> None:
    """Say something to whoever used a command, a button or a menu, as the first response if there was none."""
    if interaction.response.is_done():
        await interaction.followup.send(text, ephemeral=True)
    else:
        await interaction.response.send_message(text, ephemeral=True)


async def open_form(interaction: Interaction, form: "Form") -> None:
    """Open a form. Discord accepts one as the first response only; afterwards, a button opens it."""
    if interaction.response.is_done():
        await interaction.followup.send(say(READY), view=FormOffer(form), ephemeral=True)
    else:
        await interaction.response.send_modal(form)


async def send_answer(interaction: Interaction, command_answer: Answer | None) -> None:
    """Send a command's answer: its first page, with buttons when there are more."""
    if command_answer is None:
        await interaction.followup.send(say(SWITCHED_OFF), ephemeral=True)
        return
    file = command_answer.file
    files = [] if file is None else [attachment(file)]
    await send_pages(interaction, command_answer.pages, files)


async def send_text(interaction: Interaction, text: str) -> None:
    """Send a text, with markup and mentions in it disabled."""
    await send_pages(interaction, split(harmless(text)))


async def send_pages(interaction: Interaction, pages: Sequence[str], files: Sequence[discord.File] = ()) -> None:
    first = pages[0] if pages else translated(UNCHANGED, current_language())
    view = Pager(pages) if len(pages) > 1 else discord.utils.MISSING
    await interaction.followup.send(first, files=list(files), view=view, ephemeral=True)


async def run_work(work: Work) -> str:
    """The result of the work, or its error as text."""
    try:
        return await work()
    except RecollectError as error:
        log.warning("a button or a form failed: %s", error)
        return describe_error(error)


def describe_error(error: RecollectError) -> str:
    """An error for people. One that is not about what they gave may name hosts and files, which are for the log."""
    is_theirs = isinstance(error, BadInput | VersionConflict)
    return outcome_text.problem(error) if is_theirs else say(outcome_text.OUT_OF_REACH)


def anyone(interaction: Interaction) -> bool:
    del interaction
    return True


def is_manager(interaction: Interaction) -> bool:
    return interaction.guild_id is not None and interaction.permissions.manage_guild


async def is_admitted(interaction: Interaction, may: May = anyone, asker: int | None = None) -> bool:
    """Whether to handle a button, a menu or a form: from someone who is allowed, and still `may`, within the limits;
    if it was made for an asker, from nobody else. Others are told.
    """
    language, problem = await look_up(interaction, _admission(interaction))
    use_language(language)
    use_asker(interaction)
    if problem is None and asker not in (None, interaction.user.id):
        problem = say(NOT_THE_ASKER)
    if problem is None and not may(interaction):
        problem = translated(NOT_A_MANAGER, language)
    if problem is not None:
        await respond(interaction, problem)
    return problem is None


async def _admission(interaction: Interaction) -> tuple[str, str | None]:
    """The language of the answers, and why there are none."""
    bot: BotContext = interaction.client.bot
    language = await language_for_user(bot, interaction)
    with in_language(language):
        return language, await _refusal(bot, interaction)


async def _refusal(bot: BotContext, interaction: Interaction) -> str | None:
    if not await is_allowed(bot, interaction.user):
        return say(NOT_ALLOWED)
    key = await refusal(bot, "command", interaction.user, interaction.channel_id or 0, interaction.guild)
    return None if key is None else notice(key, current_language())


async def report_failure(interaction: Interaction, error: Exception) -> None:
    """Log why a button, a menu or a form failed, and tell whoever used it."""
    log.error("a button, a menu or a form failed", exc_info=error)
    text = outcome_text.problem(error) if isinstance(error, BadInput) else say(FAILED)
    try:
        await defer(interaction)
        await interaction.followup.send(text, ephemeral=True)
    except discord.HTTPException as failure:
        log.info("the failure could not be reported: %s", failure)


def is_expired(interaction: Interaction) -> bool:
    """Whether a button, a menu or a form is obsolete: it timed out, or the bot was restarted."""
    data, views = interaction.data or {}, interaction.client._connection._view_store  # pyright: ignore[reportPrivateUsage]
    custom_id = str(data.get("custom_id", ""))
    if interaction.type is discord.InteractionType.modal_submit:
        return custom_id not in views._modals  # pyright: ignore[reportPrivateUsage]
    if interaction.type is not discord.InteractionType.component or interaction.message is None:
        return False
    # Persistent buttons are made anew from their id, so they never expire.
    if any(pattern.fullmatch(custom_id) for pattern in views._dynamic_items):  # pyright: ignore[reportPrivateUsage]
        return False
    items = views._views.get(interaction.message.id, {})  # pyright: ignore[reportPrivateUsage]
    return (data.get("component_type"), custom_id) not in items


async def report_expired(interaction: Interaction) -> None:
    use_language(await language_for_user(interaction.client.bot, interaction))
    try:
        await interaction.response.send_message(say(EXPIRED), ephemeral=True)
    except (discord.DiscordException, OSError) as error:
        log.info("cannot say that a button has expired: %s", error)


class PersistentButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template="recollect:"):
    """A button that works across restarts, for as long as its message exists. Each named group of its template is an
    argument of its class.
    """

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        del interaction, item
        return cast("Callable[..., Self]", cls)(**match.groupdict())

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        return await is_admitted(interaction)

    async def callback(self, interaction: Interaction) -> None:
        try:
            await self.press(interaction)
        except Exception as error:  # noqa: BLE001 - it is logged, and told
            await report_failure(interaction, error)

    async def press(self, interaction: Interaction) -> None:
        """What the button does."""
        raise NotImplementedError


class Panel(discord.ui.View):
    """A view for one user, whose failures are logged and told to them."""

    may: May = staticmethod(anyone)
    """Who may use it: their rights may have changed since it was shown."""

    def __init__(self, *, timeout: float | None = VIEW_TIMEOUT_SECONDS) -> None:
        super().__init__(timeout=timeout)
        self._asker = _asker.get()

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        return await is_admitted(interaction, self.may, self._asker)

    async def on_error(self, interaction: Interaction, error: Exception, item: discord.ui.Item[Any], /) -> None:
        del item
        await report_failure(interaction, error)


class Pager(Panel):
    """Pages with buttons to go back and forward."""

    def __init__(self, pages: Sequence[str]) -> None:
        super().__init__()
        self._pages = pages
        self._index = 0
        self.back.label = say("Back")
        self._update_buttons()

    def _update_buttons(self) -> None:
        self.back.disabled = self._index == 0
        self.forward.disabled = self._index == len(self._pages) - 1
        self.forward.label = say("Next ({} of {})", self._index + 1, len(self._pages))

    async def _go(self, interaction: Interaction, by: int) -> None:
        self._index = max(0, min(self._index + by, len(self._pages) - 1))
        self._update_buttons()
        await update(interaction, content=self._pages[self._index], view=self)

    @discord.ui.button(label="Back", style=discord.ButtonStyle.secondary)
    async def back(self, interaction: Interaction, button: "discord.ui.Button[Pager]") -> None:
        del button
        await self._go(interaction, -1)

    @discord.ui.button(label="Next", style=discord.ButtonStyle.secondary)
    async def forward(self, interaction: Interaction, button: "discord.ui.Button[Pager]") -> None:
        del button
        await self._go(interaction, 1)


class ConfirmDialog(Panel):
    """Asks before something is deleted."""

    def __init__(self, label: str, work: Work, language: str = "", may: May = anyone) -> None:
        super().__init__()
        self._work, self._language, self.may = work, language, may
        self.confirm.label, self.cancel.label = translated(label, language), translated("Keep", language)

    async def ask(self, interaction: Interaction, question: str) -> None:
        pages = split(harmless(question), LIMIT)
        await interaction.followup.send(pages[0], view=self, ephemeral=True)

    @discord.ui.button(style=discord.ButtonStyle.danger)
    async def confirm(self, interaction: Interaction, button: "discord.ui.Button[ConfirmDialog]") -> None:
        del button
        self.stop()
        await acknowledge(interaction)
        text = await run_work(self._work)
        await interaction.edit_original_response(content=split(harmless(text))[0], view=None)

    @discord.ui.button(label="Keep", style=discord.ButtonStyle.secondary)
    async def cancel(self, interaction: Interaction, button: "discord.ui.Button[ConfirmDialog]") -> None:
        del button
        self.stop()
        await update(interaction, content=translated(UNCHANGED, self._language), view=None)


class FormOffer(Panel):
    """A button that opens a form which was ready too late to open by itself."""

    def __init__(self, form: "Form") -> None:
        super().__init__()
        self._form, self.may = form, form.may
        self.open.label = form.title

    @discord.ui.button(style=discord.ButtonStyle.primary)
    async def open(self, interaction: Interaction, button: "discord.ui.Button[FormOffer]") -> None:
        del button
        await open_form(interaction, self._form)


class Form(discord.ui.Modal):
    """A form whose failures are logged and told to whoever filled it in, who must still be allowed to."""

    may: May = staticmethod(anyone)

    async def interaction_check(self, interaction: Interaction, /) -> bool:
        return await is_admitted(interaction, self.may)

    async def on_error(self, interaction: Interaction, error: Exception, /) -> None:
        await report_failure(interaction, error)


class EditForm(Form):
    """A form to edit the text of a memo."""

    def __init__(self, text: str, change: Callable[[Interaction, str], Awaitable[str]], may: May = anyone) -> None:
        super().__init__(title=say("Other words"), timeout=VIEW_TIMEOUT_SECONDS)
        self._change, self.may = change, may
        self.words: discord.ui.TextInput[EditForm] = discord.ui.TextInput(
            label=say("What shall I remember instead?"),
            style=discord.TextStyle.paragraph,
            default=text[:LIMIT],
            max_length=LIMIT,
        )
        self.add_item(self.words)

    async def on_submit(self, interaction: Interaction, /) -> None:
        await defer(interaction)
        await send_text(interaction, await run_work(lambda: self._change(interaction, self.words.value)))
