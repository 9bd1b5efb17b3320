"""Consent: whether what someone says may be kept, overheard and shown, and the buttons by which they decide.

People have to be informed (the privacy notice) and, where a server requires it, to have agreed by a button or a role.
Whoever declined is not remembered, whatever the server requires.
"""

from dataclasses import dataclass
from typing import Any

import discord

from recollect import bot_state as state
from recollect.core.errors import RecollectError
from recollect.core.state import Owner
from recollect.faces.discord.context import BotContext, log
from recollect.faces.discord.ephemeral import PersistentButton, defer
from recollect.faces.discord.languages import language_of
from recollect.faces.discord.localization import notice
from recollect.faces.discord.places import person_of, place_of
from recollect.faces.discord.privacy_notice import (
    NOT_NOTIFIED,
    ensure_notified_privately,
    notify,
    render_notice,
)
from recollect.faces.wording import current_language, say

OVERHEARING, MIRROR = "overhearing", "mirror"
"""What people may opt out of: messages that don't address the bot, and the memory channel with learned lines."""
YES, NO = "yes", "no"
BY_ROLE, ROLE_LOST = "role", "role-lost"
"""Stored in place of an answer: someone agreed by a role, or no longer has it."""
SWITCHED_OFF_HERE = "Memory is switched off here, so I keep nothing new."
MAX_ANSWERED = 10
"""Messages of one person that are answered once they agreed, the newest ones."""
NO_CONSENT = "I remember only what people say who agreed to it; /memory privacy is where you agree."

Interaction = discord.Interaction[Any]
Person = discord.User | discord.Member


@dataclass(frozen=True, slots=True)
class ConsentStatus:
    """Whether someone got the notice, agreed, and opted out of features, on one server or in direct messages."""

    was_told: bool
    answer: str | None
    has_role: bool
    is_asked: bool
    """Whether the server asks for an agreement."""
    opt_outs: frozenset[str]

    @property
    def agrees(self) -> bool:
        """Whether they agreed, as far as that is needed."""
        return self.answer != NO and (not self.is_asked or self.answer == YES or self.has_role)

    @property
    def may_be_kept(self) -> bool:
        return self.was_told and self.agrees

    @property
    def may_store_unaddressed(self) -> bool:
        return self.may_be_kept and OVERHEARING not in self.opt_outs


async def member_of(guild: discord.Guild, user: Person) -> discord.Member:
    """Someone with their roles on a server, which users and authors of fetched messages lack. Raises NotFound if they
    are not on it.
    """
    if isinstance(user, discord.Member) and user.guild.id == guild.id:
        return user
    return guild.get_member(user.id) or await guild.fetch_member(user.id)


async def consent_status(bot: BotContext, user: Person, guild: int | None) -> ConsentStatus:
    """Someone's consent on a server; without one, in direct messages. A consent by a role, and its loss, are stored
    for what still waits to be learned. Raises RecollectError.
    """
    server = await bot.server_settings.of(guild)
    roles = {str(role.id) for role in user.roles} if isinstance(user, discord.Member) else set[str]()
    has_role = bool(server.consent_role) and server.consent_role in roles
    status, stored = await _consent_status(bot, user.id, guild, has_role, server.consent == "opt_in")
    if guild is not None and isinstance(user, discord.Member):
        await _note_role(bot, user.id, guild, status, stored)
    return status


async def _note_role(bot: BotContext, user: int, guild: int, status: ConsentStatus, stored: str | None) -> None:
    if stored in (YES, NO):
        return
    by_role = BY_ROLE if status.has_role else None if stored is None else ROLE_LOST
    wanted = by_role if status.is_asked else None
    if wanted == stored:
        return
    if wanted is None:
        await bot.state.drop(state.consent(guild, user))
    else:
        await bot.state.put(state.consent(guild, user), wanted, Owner.member(person_of(user), str(guild)))
    if wanted == ROLE_LOST:
        bot.client.dispatch("opted_out", user)


async def note_roles(bot: BotContext, before: discord.Member, after: discord.Member) -> None:
    """Someone's roles changed: they may have agreed by one, or no longer agree."""
    try:
        role = (await bot.server_settings.of(after.guild.id)).consent_role
        if role in {str(changed.id) for changed in {*before.roles} ^ {*after.roles}}:
            await consent_status(bot, after, after.guild.id)
    except RecollectError as error:
        log.warning("cannot store whether %s agrees by a role: %s", after.id, error)


async def is_shown(bot: BotContext, user: int, guild: int | None) -> bool:
    """Whether memories of someone may be shown to others: in the memory channel and in learned lines."""
    status, stored = await _consent_status(bot, user, guild, False, False)
    if stored == ROLE_LOST and (await bot.server_settings.of(guild)).consent == "opt_in":
        return False
    return status.may_be_kept and MIRROR not in status.opt_outs


async def _consent_status(
    bot: BotContext, user: int, guild: int | None, has_role: bool, is_asked: bool
) -> tuple[ConsentStatus, str | None]:
    """Someone's consent, and what is stored of it."""
    names = state.notified(user), state.consent(guild or 0, user), state.opt_outs(user)
    notices, answers, opt_outs = await bot.state.lists(*names)
    was_told = bool(notices) or user in bot.notified or bot.settings.discord.privacy_notice == "off"
    stored = answers[-1] if answers else None
    answer = stored if stored in (YES, NO) else None
    return ConsentStatus(was_told, answer, has_role, is_asked, frozenset(opt_outs)), stored


async def may_be_kept(bot: BotContext, user: Person, guild: int | None) -> bool:
    """Whether what someone says may be stored; not if that can't be read."""
    try:
        return (await consent_status(bot, user, guild)).may_be_kept
    except RecollectError as error:
        log.warning("cannot read whether %s may be remembered: %s", user.id, error)
        return False


async def may_store_unaddressed(bot: BotContext, user: Person, guild: int | None) -> bool:
    """Whether messages that don't address the bot may be stored, too."""
    try:
        return (await consent_status(bot, user, guild)).may_store_unaddressed
    except RecollectError as error:
        log.warning("cannot read whether %s may be overheard: %s", user.id, error)
        return False


async def storing_problem(bot: BotContext, interaction: Interaction) -> str:
    """Why nothing may be stored that the user of a command, a menu or a form says; empty if it may."""
    if not await ensure_notified_privately(bot, interaction):
        return say(NOT_NOTIFIED)
    if await bot.is_paused(interaction.user, interaction.channel):
        return say(SWITCHED_OFF_HERE)
    return "" if await may_be_kept(bot, interaction.user, interaction.guild_id) else say(NO_CONSENT)


async def decide(bot: BotContext, user: int, guild: int | None, answer: str) -> None:
    """Store someone's yes or no."""
    owner = Owner.member(person_of(user), None if guild is None else str(guild))
    await bot.state.put(state.consent(guild or 0, user), answer, owner)
    if answer == YES:
        await bot.mark_notified(user)
    else:
        bot.client.dispatch("opted_out", user)


async def opt(bot: BotContext, user: int, what: str, *, out: bool) -> None:
    """Opt out of something, or in again."""
    if out:
        await bot.state.add(state.opt_outs(user), what, Owner.person(person_of(user)))
        if what == MIRROR:
            bot.client.dispatch("opted_out", user)
    else:
        await bot.state.remove(state.opt_outs(user), what)


async def ask(bot: BotContext, message: discord.Message) -> None:
    """Ask the author of a message for their consent, in the channel, else by direct message."""
    guild, user = message.guild, message.author
    # Where it was said, and to whom, is noted now: the answer may come after the channel was opened to others.
    bot.note_asked(message, place_of(message.channel, user.id))
    # Each of their messages would ask again otherwise.
    if not bot.limits.is_first("asked for consent", user.id, bot.clock()):
        return
    language = await language_of(bot, guild)
    question = f"{await render_notice(bot, guild)}\n\n{notice('consent', language)}"

    async def reply(text: str) -> None:
        reference = message.to_reference(fail_if_not_exists=False)
        sent = await message.channel.send(
            text, view=consent_view(guild and guild.id, language), reference=reference, mention_author=False
        )
        bot.note_question(message.id, sent.id)

    async def write(text: str) -> None:
        sent = await user.send(text, view=consent_view(guild and guild.id, language))
        bot.note_question(message.id, sent.id)

    await notify(bot, user.id, [reply, write] if guild is not None else [reply], question, again=True)


def consent_view(guild: int | None, language: str = "") -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(ConsentButton(YES, guild or 0, notice("agree", language)))
    view.add_item(ConsentButton(NO, guild or 0, notice("decline", language)))
    return view


class ConsentButton(PersistentButton, template=r"recollect:consent:(?P<answer>yes|no):(?P<guild>\d+)"):
    """Whoever presses it decides for themselves."""

    def __init__(self, answer: str, guild: int | str, label: str = "") -> None:
        self.answer, self.guild = answer, int(guild)
        style = discord.ButtonStyle.success if answer == YES else discord.ButtonStyle.secondary
        custom_id = f"recollect:consent:{answer}:{guild}"
        super().__init__(discord.ui.Button(label=label or answer, style=style, custom_id=custom_id))

    async def press(self, interaction: Interaction) -> None:
        bot: BotContext = interaction.client.bot
        await defer(interaction)
        await decide(bot, interaction.user.id, self.guild or None, self.answer)
        key = "agreed" if self.answer == YES else "declined"
        await interaction.followup.send(notice(key, current_language()), ephemeral=True)
        if self.answer == YES:
            await _answer_questions(bot, interaction)


async def _answer_questions(bot: BotContext, interaction: Interaction) -> None:
    """Answer the messages on which someone was asked, if they are theirs: others may press the button, too."""
    asked_in = None if interaction.message is None else interaction.message.id
    waiting = {} if asked_in is None else bot.asked_with(asked_in, interaction.user.id)
    reference = None if interaction.message is None else interaction.message.reference
    if reference is not None and reference.message_id is not None:
        waiting[reference.message_id] = reference.channel_id
    for message_id in sorted(waiting)[-MAX_ANSWERED:]:
        channel = bot.client.get_channel(waiting[message_id])
        if not isinstance(channel, discord.abc.Messageable) and interaction.channel_id == waiting[message_id]:
            channel = interaction.channel  # a direct message, which may not be known
        if isinstance(channel, discord.abc.Messageable):
            await _answer_question(bot, interaction, channel, message_id)


async def _answer_question(
    bot: BotContext, interaction: Interaction, channel: discord.abc.Messageable, message_id: int
) -> None:
    try:
        message = await channel.fetch_message(message_id)
    except (discord.HTTPException, OSError) as error:
        log.info("a message on which someone was asked for consent can't be read: %s", error)
        return
    if message.author.id != interaction.user.id:
        return
    if message.guild is not None:
        try:
            message.author = await member_of(message.guild, interaction.user)
        except discord.NotFound:
            return  # they left
    bot.client.dispatch("consented_message", message)
