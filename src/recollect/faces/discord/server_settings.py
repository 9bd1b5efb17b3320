"""The settings of a server: what those who manage it set inside Discord, with what the operator set in charge.

An operator's own value wins; lists of the two are joined. What the servers set is in the store, and every change is in
its log: who, when, from what to what.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import discord
from pydantic import BaseModel, ConfigDict, ValidationError

from recollect import bot_state as state
from recollect.bot_state import BotState
from recollect.core.clock import Clock
from recollect.core.events import Event, EventKind
from recollect.core.state import Owner
from recollect.core.text import clip
from recollect.core.types import Audience, AudienceLevel, Memo, Subject, split_person
from recollect.faces.discord.localization import LANGUAGES, translated
from recollect.faces.discord.places import PLATFORM, person_of, place_of
from recollect.faces.discord.splitting import LIMIT, harmless
from recollect.memory import AsyncMemory
from recollect.policy.visibility import audience_covers_place
from recollect.settings.model import Discord
from recollect.settings.origins import DEFAULT, is_chosen
from recollect.view import View

log = logging.getLogger("recollect.discord")

Kind = Literal["channels", "roles", "channel", "role", "choice", "number"]
MENTIONS: dict[Kind, str] = {"channels": "#", "channel": "#", "roles": "@&", "role": "@&"}
"""How Discord writes them, so that it shows their names."""
LISTS = ("channels", "excluded_channels", "excluded_roles")
MAX_LORE_CHARS = 200
"""How much of a memory of the server is in the log."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that those who manage a server may change."""

    label: str
    meaning: str
    kind: Kind
    choices: tuple[tuple[str, str], ...] = ()
    """Values, each with what it means."""
    most: int = 0
    """The largest number."""


OPTIONS = {
    "channels": Option("Answering channels", "where I answer every message, not only mentions", "channels"),
    "excluded_channels": Option("Excluded channels", "where I neither listen nor answer", "channels"),
    "excluded_roles": Option("Excluded roles", "whose members I neither listen to nor answer", "roles"),
    "consent": Option(
        "Consent",
        "whether I remember people once they were told, or once they agreed",
        "choice",
        (("notice", "after the notice"), ("opt_in", "only who agreed, by a button or the role")),
    ),
    "consent_role": Option("Consent role", "members with this role have agreed to be remembered", "role"),
    "privacy_notice": Option(
        "Notice",
        "how people are told that I remember",
        "choice",
        (("reply", "in the channel, else by direct message"), ("dm", "by direct message, else in the channel")),
    ),
    "retention_days": Option(
        "Retention", "days after which I forget what was said here; 0 keeps it", "number", most=3650
    ),
    "memory_channel": Option("Memory channel", "where members see and change what I remember about them", "channel"),
    "learned_notices": Option(
        "Learned lines",
        "whether I post a line for each memory that I learn",
        "choice",
        (("off", "never"), ("here", "where it was said"), ("mirror", "in the memory channel")),
    ),
    "log_channel": Option("Log channel", "where I report what moderators change", "channel"),
    "language": Option(
        "Language",
        "of my notices and panels here",
        "choice",
        (
            ("en", "English"),
            ("de", "Deutsch"),
            ("fr", "Français"),
            ("es", "Español"),
            ("pt", "Português"),
            ("ja", "日本語"),
        ),
    ),
    "replies_per_minute": Option("Replies per minute", "per person; 0 for no limit", "number", most=1000),
    "daily_replies": Option(
        "Replies per day", "on this whole server, as a budget for the model; 0 for no limit", "number", most=1_000_000
    ),
    "daily_tokens": Option(
        "Tokens per day",
        "of the model on this server, to learn and to reply; 0 for no limit",
        "number",
        most=10**8,
    ),
}


class ChosenSettings(BaseModel):
    """The settings of one server's managers; None stands for the operator's."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    channels: tuple[str, ...] = ()
    excluded_channels: tuple[str, ...] = ()
    excluded_roles: tuple[str, ...] = ()
    memory_channel: str | None = None
    log_channel: str | None = None
    privacy_notice: Literal["dm", "reply"] | None = None
    consent: Literal["notice", "opt_in"] | None = None
    consent_role: str | None = None
    learned_notices: Literal["off", "here", "mirror"] | None = None
    language: str | None = None
    replies_per_minute: int | None = None
    daily_replies: int | None = None


@dataclass(frozen=True, slots=True)
class EffectiveSettings:
    """The settings in effect on a server or, without one, in direct messages."""

    channels: frozenset[str]
    excluded_channels: frozenset[str]
    excluded_roles: frozenset[str]
    memory_channel: str
    log_channel: str
    privacy_notice: str
    consent: str
    consent_role: str
    learned_notices: str
    language: str
    replies_per_minute: int
    daily_replies: int


class ServerSettings:
    """Reads and changes the settings of servers; each server belongs to one process, so what was read stays valid."""

    def __init__(self, client: discord.Client, memory: AsyncMemory, clock: Clock) -> None:
        self._client, self._memory, self._clock = client, memory, clock
        self._settings: dict[int, ChosenSettings] = {}
        self._lock = asyncio.Lock()
        """Held during a change: two at once would each store the settings without the other's."""

    @property
    def _options(self) -> Discord:
        return self._memory.settings.discord

    @property
    def _state(self) -> BotState:
        return self._memory.engine.bot_state

    def is_locked(self, name: str, guild: int) -> bool:
        """Whether the operator set it for all servers."""
        if name in LISTS or not hasattr(self._options, name):
            return False
        if name == "memory_channel":
            return self._operators_channel_is_in(guild)
        if name == "consent":  # a server may be stricter
            return self._options.consent == "opt_in"
        if name == "daily_tokens":  # likewise
            return False
        return is_chosen(self._memory.loaded.origins.get(f"discord.{name}", DEFAULT))

    def _operators_channel_is_in(self, guild: int) -> bool:
        """The operator may name one memory channel; the other servers choose their own."""
        channel_id = self._options.memory_channel
        channel = self._client.get_channel(int(channel_id)) if channel_id.isdecimal() else None
        return getattr(getattr(channel, "guild", None), "id", None) == guild

    async def of(self, guild: int | None) -> EffectiveSettings:
        options = self._memory.settings.discord
        chosen = ChosenSettings() if guild is None else await self.settings(guild)

        def pick(name: str, operators: Any) -> Any:
            value = getattr(chosen, name)
            return operators if value is None or self.is_locked(name, guild or 0) else value

        memory_channel = chosen.memory_channel or ""
        return EffectiveSettings(
            frozenset((*options.channels, *chosen.channels)),
            frozenset((*options.excluded_channels, *chosen.excluded_channels)),
            frozenset((*options.excluded_roles, *chosen.excluded_roles)),
            options.memory_channel if guild is None or self._operators_channel_is_in(guild) else memory_channel,
            chosen.log_channel or "",
            pick("privacy_notice", options.privacy_notice),
            pick("consent", options.consent),
            chosen.consent_role or "",
            pick("learned_notices", options.learned_notices),
            chosen.language or "",
            pick("replies_per_minute", options.replies_per_minute),
            pick("daily_replies", options.daily_replies),
        )

    async def language(self, guild: int) -> str:
        """The language that was chosen, else that of the server."""
        server = self._client.get_guild(guild)
        return (await self.of(guild)).language or (LANGUAGES.get(server.preferred_locale, "") if server else "")

    async def settings(self, guild: int) -> ChosenSettings:
        if guild not in self._settings:
            stored = await self._state.get(state.guild_settings(guild))
            self._settings[guild] = _parse(stored, guild)
        return self._settings[guild]

    async def value(self, guild: int, name: str) -> Any:
        """The effective value of a setting."""
        if name == "retention_days":
            return await self._memory.privacy.retention_days(str(guild)) or 0
        if name == "daily_tokens":
            return (await self._memory.engine.reply_budget.use(_tenant(guild))).limit or 0
        held = getattr(await self.of(guild), name)
        if name not in LISTS:
            return held
        chosen = set(getattr(await self.settings(guild), name))  # the operator's may be those of other servers
        return tuple(sorted(item for item in held if item in chosen or self.is_on(guild, item)))

    def is_on(self, guild: int, item: str) -> bool:
        """Whether a server has a channel or role with this id."""
        found = self._client.get_guild(guild) if item.isdecimal() else None
        return found is not None and bool(found.get_channel_or_thread(int(item)) or found.get_role(int(item)))

    async def change(self, guild: int, name: str, value: Any, by: int) -> None:
        """Set one option, and log who did it; the value is that of an `Option`."""
        async with self._lock:
            before = await self.value(guild, name)
            await self._store(guild, name, value)
            after = await self.value(guild, name)
        await self.record(guild, by, name, before, after)

    async def _store(self, guild: int, name: str, value: Any) -> None:
        if name == "retention_days":
            await self._memory.privacy.set_retention(str(guild), int(value) or None)
            self._memory.worker.wake()
        elif name == "daily_tokens":
            await self._memory.engine.reply_budget.set_limit(_tenant(guild), int(value) or None)
            self._memory.worker.wake()
        else:
            settings = await self.settings(guild)
            changed = ChosenSettings.model_validate({**settings.model_dump(), name: value or _empty(name, value)})
            stored = changed.model_dump_json(exclude_defaults=True)
            await self._state.put(state.guild_settings(guild), stored, Owner.guild(str(guild)))
            self._settings[guild] = changed

    async def record(self, guild: int, by: int, what: str, before: Any, after: Any) -> None:
        """Log what someone who manages a server changed there."""
        data = {"platform": "discord", "guild": str(guild), "setting": what, "before": before, "after": after}
        scope = Subject.lore(str(guild)).scope
        await self._state.log_event(Event(EventKind.GUILD_CHANGED, self._clock(), person_of(by), scope, data=data))
        await self.report(guild, f"<@{by}> {describe_change(data, await self.language(guild))}")

    async def record_lore(self, view: View, before: Memo) -> None:
        """Log what a moderator made of a memory of the server; what people do to their own is not anyone's business.
        What was said behind closed doors is not quoted: others read the log.
        """
        if not view.lore or view.place.guild is None:
            return
        memo = await self._memory.timeline.memo(before.subject.scope, before.id)
        after = memo.text if memo is not None and memo.active else ""
        what = "changed a memory of the server" if after else "forgot a memory of the server"
        guild, by = int(view.place.guild), int(split_person(view.user)[1])
        is_quoted = await self._is_for_log(guild, before.audience)
        texts = (clip(before.text, MAX_LORE_CHARS), clip(after, MAX_LORE_CHARS)) if is_quoted else ("", "")
        await self.record(guild, by, what, *texts)

    async def _is_for_log(self, guild: int, audience: Audience) -> bool:
        """Whether those who manage the server, and all readers of its log channel, may be told what has an audience."""
        channel = await self._log_channel(guild)
        is_for_server = audience.level in (AudienceLevel.GUILD, AudienceLevel.EVERYWHERE)
        return is_for_server and (channel is None or audience_covers_place(audience, place_of(channel, 0)))

    async def report(self, guild: int, text: str) -> None:
        """Post to the moderators' log channel, if they chose one."""
        channel = await self._log_channel(guild)
        if channel is not None:
            try:
                await channel.send(text[:LIMIT], suppress_embeds=True, silent=True)
            except (discord.HTTPException, OSError) as error:
                log.info("cannot write to the log channel of the server %s: %s", guild, error)

    async def _log_channel(self, guild: int) -> discord.abc.Messageable | None:
        channel_id = (await self.settings(guild)).log_channel
        channel = None if channel_id is None else self._client.get_channel(int(channel_id))
        return channel if isinstance(channel, discord.abc.Messageable) else None

    async def audit(self, guild: int, limit: int = 100) -> list[Event]:
        """The changes on a server, newest first."""
        scope = Subject.lore(str(guild)).scope
        return await self._memory.timeline.events_of(scope, (EventKind.GUILD_CHANGED,), limit)


def _tenant(guild: int) -> str:
    """The tenant of the server's budget."""
    return f"{PLATFORM}:{guild}"


def describe_change(data: Mapping[str, Any], language: str = "") -> str:
    """A change, as the log channel and the audit show it; empty when its details were erased."""
    name = str(data.get("setting", ""))
    option = OPTIONS.get(name)
    before, after = (_render(data.get(key), option, language) for key in ("before", "after"))
    label = harmless(translated(name, language))
    if option is not None:
        label = translated("set {}", language).format(translated(option.label, language))
    return f"{label}: {before} → {after}" if before != after else label


def _render(value: Any, option: Option | None, language: str) -> str:
    """A value as people read it: channels and roles by name, choices by what they mean."""
    items: Sequence[Any] = cast("Sequence[Any]", value) if isinstance(value, list | tuple) else (value,)
    sign = "" if option is None else MENTIONS.get(option.kind, "")
    choices = () if option is None else option.choices
    meanings = {name: translated(meaning, language) for name, meaning in choices}
    texts = [str(item) for item in items if item not in (None, "", 0)]
    shown = [f"<{sign}{text}>" if sign else harmless(meanings.get(text, text)) for text in texts]
    return ", ".join(shown) or translated("nothing", language)


def _empty(name: str, value: Any) -> Any:
    """What is stored for an empty value: a number of 0 is one."""
    return value if OPTIONS[name].kind == "number" else () if name in LISTS else None


def _parse(stored: str | None, guild: int) -> ChosenSettings:
    try:
        return ChosenSettings.model_validate_json(stored or "{}")
    except ValidationError:
        log.exception(
            "cannot read the settings of the server %s; until they are set, only those who agreed are remembered",
            guild,
        )
        return ChosenSettings(consent="opt_in")
