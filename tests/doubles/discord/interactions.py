"""Commands, buttons and forms as people use them: what they ask becomes an interaction, which the bot answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.doubles.discord.journal import Journal
from tests.doubles.discord.payloads import LARGEST_FILE, channel_payload, member_payload, role_payload, user_payload
from tests.doubles.discord.permissions import allowed, can
from tests.doubles.discord.talk import Talk
from tests.doubles.discord.things import LOADING, Channel, Guild, Json, Message, Role, User
from tests.doubles.discord.world import Event, World

COMMAND, COMPONENT, AUTOCOMPLETE, FORM = 2, 3, 4, 5
SLASH, USER_MENU, MESSAGE_MENU = 1, 2, 3
SUBCOMMAND, GROUP, BUTTON, TEXT_INPUT = 1, 2, 2, 4
ANSWER, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9
DUE = 3.0
"""Seconds in which a bot must answer."""


@dataclass(slots=True, eq=False)
class Interaction:
    """What somebody asked of the bot and what came back."""

    id: int
    kind: int
    user: User
    channel: Channel
    source: Message | None = None
    """The message whose button was pressed."""
    owners: Json = field(default_factory=dict[str, Any])
    answered_with: int | None = None
    messages: list[Message] = field(default_factory=list[Message])
    """The answer, then what followed it."""
    modal: Json | None = None
    choices: list[Json] = field(default_factory=list[Json])
    expired: bool = False

    @property
    def token(self) -> str:
        return f"interaction-{self.id}"

    @property
    def deferred(self) -> bool:
        return self.answered_with in (DEFERRED, DEFERRED_UPDATE)

    @property
    def message(self) -> Message:
        return self.messages[0]

    @property
    def content(self) -> str:
        return self.message.content

    @property
    def ephemeral(self) -> bool:
        return self.message.ephemeral

    @property
    def original(self) -> Message | None:
        """What the bot means by its original answer."""
        if self.answered_with in (DEFERRED_UPDATE, UPDATE):
            return self.source
        return self.messages[0] if self.messages else None

    @property
    def is_answered(self) -> bool:
        """Answered for good: a bot that said it is thinking has yet to say what."""
        return self.answered_with is not None and not (self.messages and self.messages[0].flags & LOADING)


class Interactions:
    def __init__(self, world: World, talk: Talk, journal: Journal, due: float = DUE) -> None:
        self.commands: dict[int | None, list[Json]] = {None: []}
        """What the bot registered, for all places under None, for one guild under its id."""
        self.asked: dict[str, Interaction] = {}
        self._world = world
        self._talk = talk
        self._journal = journal
        self._due = due

    async def slash(
        self, user: User, channel: Channel, name: str, arguments: Mapping[str, Any] | None = None
    ) -> Interaction:
        """`slash(user, channel, "memory remember", {"text": "…"})`, and the bot's answer."""
        return await self._ask(COMMAND, user, channel, self._slash_data(user, channel, name, arguments or {}))

    async def autocomplete(
        self, user: User, channel: Channel, name: str, arguments: Mapping[str, Any], focused: str | None = None
    ) -> list[Json]:
        """What the bot offers while somebody types the argument that is named last, or the focused one."""
        data = self._slash_data(user, channel, name, arguments, focused or [*arguments][-1])
        return (await self._ask(AUTOCOMPLETE, user, channel, data)).choices

    async def menu(self, user: User, target: Message | User, name: str, channel: Channel | None = None) -> Interaction:
        """A command of the menu that a message or a person has."""
        kind, where = (MESSAGE_MENU, target.channel) if isinstance(target, Message) else (USER_MENU, channel)
        if where is None:
            raise LookupError("say in which channel")
        command = self._command(kind, name, user, where)
        resolved = self._resolved([target], where.guild)
        data: Json = {"target_id": str(target.id), "resolved": resolved, "type": kind}
        return await self._ask(COMMAND, user, where, data | {"id": command["id"], "name": command["name"]})

    async def press(self, user: User, message: Message, label: str, values: Sequence[str] = ()) -> Interaction:
        """A button by its label or custom id; with `values`, a choice from a list."""
        found = component(message.components, label)
        if found.get("disabled"):
            raise LookupError(f"{label} is disabled")
        data: Json = {"custom_id": found["custom_id"], "component_type": found["type"]}
        data |= {} if found["type"] == BUTTON else {"values": [*values]}
        return await self._ask(COMPONENT, user, message.channel, data, message)

    async def submit(self, asked: Interaction, values: Mapping[str, str]) -> Interaction:
        """Fill in the form that an interaction opened; fields by label or custom id, the rest as it stands."""
        form = asked.modal
        if form is None:
            raise LookupError("no form was opened")
        left = dict(values)
        components = [_filled(one, left) for one in form["components"]]
        if left:
            raise LookupError(f"the form has no {', '.join(left)}")
        data: Json = {"custom_id": form["custom_id"], "components": components}
        return await self._ask(FORM, asked.user, asked.channel, data, asked.source)

    async def _ask(
        self, kind: int, user: User, channel: Channel, data: Json, source: Message | None = None
    ) -> Interaction:
        if not can(user, channel, "view_channel"):
            raise PermissionError(f"{user.name} can't see {channel.name}")
        asked = Interaction(self._world.new_id(), kind, user, channel, source, self._owners(user, channel))
        self.asked[asked.token] = asked
        packet = self._payload(asked, data)
        self._world.tell(Event("INTERACTION_CREATE", lambda _: packet, channel.guild, intent=0))
        try:
            await self._journal.until(lambda: asked.answered_with is not None, self._due, "no answer came")
        except TimeoutError:
            asked.expired = True
            raise
        await self._journal.until(lambda: asked.is_answered, otherwise="the bot thought on")
        return asked

    def _payload(self, asked: Interaction, data: Json) -> Json:
        user, channel, bot = asked.user, asked.channel, self._world.bot
        told: Json = {
            "id": str(asked.id),
            "application_id": str(bot.id),
            "type": asked.kind,
            "token": asked.token,
            "version": 1,
            "data": data,
            "channel_id": str(channel.id),
            "channel": channel_payload(channel, bot) | {"permissions": str(allowed(user, channel))},
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": asked.owners,
            "context": _context(channel, bot),
            "app_permissions": str(allowed(bot, channel)),
            "attachment_size_limit": LARGEST_FILE,
        }
        if asked.source is not None:
            told["message"] = self._talk.full_payload(asked.source)
        if channel.guild is None:
            return told | {"user": user_payload(user)}
        guild: Json = {"id": str(channel.guild.id), "locale": "en-US", "features": []}
        member = member_payload(channel.guild.members[user.id]) | {"permissions": str(allowed(user, channel))}
        return told | {"guild_id": guild["id"], "guild": guild, "guild_locale": "en-US", "member": member}

    def _owners(self, user: User, channel: Channel) -> Json:
        """Who installed the app that is used here: the guild, or the person for themselves."""
        if channel.guild is None:
            return {"0": "0"} if self._world.bot in channel.people else {"1": str(user.id)}
        inside = self._world.bot.id in channel.guild.members
        return {"0": str(channel.guild.id)} if inside else {"1": str(user.id)}

    def _command(self, kind: int, name: str, user: User, channel: Channel) -> Json:
        """What the bot registered under a name, if it is offered in such a place."""
        here = self.commands.get(channel.guild.id, []) if channel.guild else []
        offered = [*here, *self.commands[None]]
        owner, context = int(*self._owners(user, channel)), _context(channel, self._world.bot)
        for command in offered:
            if (command.get("type", SLASH), command["name"]) == (kind, name):
                if context not in (command.get("contexts") or (0, 1, 2)):
                    raise LookupError(f"{name} is not offered in such a place")
                if owner not in (command.get("integration_types") or (0,)):
                    raise LookupError(f"{name} needs the bot in the guild")
                return command
        names = ", ".join(command["name"] for command in offered)
        raise LookupError(f"the bot registered no {name}, only: {names or 'nothing'}")

    def _slash_data(
        self, user: User, channel: Channel, name: str, arguments: Mapping[str, Any], focused: str | None = None
    ) -> Json:
        first, *path = name.split()
        command = self._command(SLASH, first, user, channel)
        node, around = command, list[Json]()
        for word in path:
            node = _option(node, word)
            around.append({"name": word, "type": node["type"]})
        options = [_value(_option(node, key), value, focused) for key, value in arguments.items()]
        missing = [
            one["name"] for one in node.get("options", []) if one.get("required") and one["name"] not in arguments
        ]
        if missing and focused is None:
            raise LookupError(f"{name} needs {', '.join(missing)}")
        for level in reversed(around):
            options = [level | {"options": options}]
        resolved = self._resolved([*arguments.values()], channel.guild)
        return {"id": command["id"], "name": first, "type": SLASH, "options": options, "resolved": resolved}

    def _resolved(self, values: Sequence[object], guild: Guild | None) -> Json:
        """The things that arguments point to, as Discord sends them along."""
        found: Json = {}
        for value in values:
            if isinstance(value, User):
                found.setdefault("users", {})[str(value.id)] = user_payload(value)
                if guild and value.id in guild.members:
                    member = member_payload(guild.members[value.id], with_user=False) | {"permissions": "0"}
                    found.setdefault("members", {})[str(value.id)] = member
            elif isinstance(value, Role):
                found.setdefault("roles", {})[str(value.id)] = role_payload(value)
            elif isinstance(value, Channel):
                told = channel_payload(value, self._world.bot) | {"permissions": "0"}
                found.setdefault("channels", {})[str(value.id)] = told
            elif isinstance(value, Message):
                found.setdefault("messages", {})[str(value.id)] = self._talk.full_payload(value)
        return found


def component(components: Sequence[Json], name: str) -> Json:
    """The button or list with this label or custom id, wherever it is nested."""
    offered = _leaves(components)
    for one in offered:
        if name in (one.get("label"), one.get("custom_id"), one.get("placeholder")):
            return one
    labels = ", ".join(str(one.get("label") or one.get("custom_id")) for one in offered)
    raise LookupError(f"the message offers no {name}, only: {labels or 'nothing'}")


def _leaves(components: Sequence[Json]) -> list[Json]:
    found: list[Json] = []
    for one in components:
        inside = [*one.get("components", []), *([one["accessory"]] if "accessory" in one else [])]
        found += _leaves(inside) if inside else [one]
    return [one for one in found if "custom_id" in one]


def _filled(part: Json, values: dict[str, str], label: str = "") -> Json:
    """One part of a form with what was typed into it; `values` loses what is used."""
    if "components" in part:
        return part | {"components": [_filled(one, values) for one in part["components"]]}
    if "component" in part:
        return part | {"component": _filled(part["component"], values, part.get("label", ""))}
    if part["type"] != TEXT_INPUT:
        return part
    names = {part["custom_id"], part.get("label") or label} & values.keys()
    value = values.pop(names.pop()) if names else part.get("value") or ""
    return {"type": TEXT_INPUT, "custom_id": part["custom_id"], "value": value}


def _option(node: Json, name: str) -> Json:
    for option in node.get("options", []):
        if option["name"] == name:
            return option
    raise LookupError(f"{node['name']} has no {name}")


def _value(option: Json, value: Any, focused: str | None) -> Json:
    plain = str(value.id) if isinstance(value, User | Role | Channel) else value
    told: Json = {"name": option["name"], "type": option["type"], "value": plain}
    return told | ({"focused": True} if option["name"] == focused else {})


def _context(channel: Channel, bot: User) -> int:
    if channel.guild is not None:
        return 0
    return 1 if bot in channel.people else 2
