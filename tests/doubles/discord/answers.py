"""What the loopback Discord does with the bot's commands and with its answers to interactions."""

from typing import Any

from tests.doubles.discord.http import UNKNOWN_MESSAGE, Call, Refused, Routes
from tests.doubles.discord.interactions import ANSWER, CHOICES, DEFERRED, MODAL, UPDATE, Interaction, Interactions
from tests.doubles.discord.payloads import user_payload
from tests.doubles.discord.routes import checked, parts, pings
from tests.doubles.discord.things import LOADING, Json, Message

UNKNOWN_INTERACTION = Refused(404, 10062, "Unknown interaction")
UNKNOWN_WEBHOOK = Refused(404, 10015, "Unknown Webhook")
ANSWERED = Refused(400, 40060, "Interaction has already been acknowledged.")


class Answers:
    def __init__(self, interactions: Interactions) -> None:
        self._interactions = interactions

    @property
    def routes(self) -> Routes:
        commands, hook = r"/applications/{app:\d+}/commands", r"/webhooks/{app:\d+}/{token}"
        in_guild = r"/applications/{app:\d+}/guilds/{guild:\d+}/commands"
        return {
            f"GET {commands}": self._registered,
            f"PUT {commands}": self._register,
            f"GET {in_guild}": self._registered,
            f"PUT {in_guild}": self._register,
            r"POST /interactions/{id:\d+}/{token}/callback": self._answer,
            f"POST {hook}": self._follow_up,
            f"GET {hook}/messages/{{message}}": self._fetch,
            f"PATCH {hook}/messages/{{message}}": self._edit,
            f"DELETE {hook}/messages/{{message}}": self._delete,
        }

    def _registered(self, call: Call) -> list[Json]:
        return self._interactions.commands.get(_guild_of(call), [])

    def _register(self, call: Call) -> list[Json]:
        """All commands of a place anew; one that keeps its name keeps its id."""
        place, app = _guild_of(call), call.path["app"]
        known = {(one["type"], one["name"]): one["id"] for one in self._interactions.commands.get(place, [])}
        kept: list[Json] = []
        for given in call.body["items"]:
            kind = given.get("type", 1)
            number = known.get((kind, given["name"])) or str(call.world.new_id())
            own: Json = {"id": number, "application_id": app, "type": kind, "version": number}
            told: Json = {"description": "", "default_member_permissions": None} | given | own
            kept.append(told | ({"guild_id": str(place)} if place else {}))
        self._interactions.commands[place] = kept
        call.record("commands")
        return kept

    def _answer(self, call: Call) -> Json:
        asked = self._asked(call, UNKNOWN_INTERACTION)
        if asked.expired or asked.id != int(call.path["id"]):
            raise UNKNOWN_INTERACTION
        if asked.answered_with is not None:
            raise ANSWERED
        kind: int = call.body["type"]
        message = self._answered(call, asked, kind, call.body.get("data") or {})
        asked.answered_with = kind
        call.record("answer", message, asked.channel)
        return _callback(call, asked, kind, message)

    def _answered(self, call: Call, asked: Interaction, kind: int, data: Json) -> Message | None:
        if kind == MODAL:
            asked.modal = data
        elif kind == CHOICES:
            asked.choices = data["choices"]
        elif kind == UPDATE and asked.source is not None:
            checked(data, new=False)
            call.talk.edit(asked.source, **_fields(call, data), pings=pings(data, None))
        elif kind == ANSWER:
            checked(data, files=bool(call.files))
            return self._say(call, asked, data)
        elif kind == DEFERRED:
            return self._say(call, asked, {"flags": data.get("flags", 0) | LOADING})
        return asked.source

    def _say(self, call: Call, asked: Interaction, data: Json) -> Message:
        """A message of the bot that shows whom it answers."""
        fields: dict[str, Any] = {"content": "", "flags": data.get("flags", 0), "asked_by": _metadata(asked)}
        fields |= _fields(call, data)
        message = call.talk.post(asked.channel, call.world.bot, **fields, pings=pings(data, None))
        asked.messages.append(message)
        return message

    def _follow_up(self, call: Call) -> Json:
        """The first one after "thinking" takes the place of that; whether it is ephemeral was settled there."""
        asked = self._asked(call, UNKNOWN_WEBHOOK)
        if asked.answered_with is None:
            raise UNKNOWN_WEBHOOK
        checked(call.body, files=bool(call.files))
        original = asked.original
        if asked.answered_with == DEFERRED and original is not None and original.flags & LOADING:
            return self._change(call, original)
        message = self._say(call, asked, call.body)
        call.record("follow-up", message)
        return call.talk.full_payload(message)

    def _fetch(self, call: Call) -> Json:
        return call.talk.full_payload(self._message(call))

    def _edit(self, call: Call) -> Json:
        checked(call.body, new=False)
        return self._change(call, self._message(call))

    def _change(self, call: Call, message: Message) -> Json:
        settled = message.flags & ~LOADING
        call.talk.edit(message, flags=settled, **_fields(call, call.body), pings=pings(call.body, None))
        call.record("edit", message)
        return call.talk.full_payload(message)

    def _delete(self, call: Call) -> None:
        message = self._message(call)
        call.talk.delete(message)
        call.record("delete", message)

    def _asked(self, call: Call, otherwise: Refused) -> Interaction:
        asked = self._interactions.asked.get(call.path["token"])
        if asked is None:
            raise otherwise
        return asked

    def _message(self, call: Call) -> Message:
        """A message of an interaction, by its number or as the original answer."""
        asked = self._asked(call, UNKNOWN_WEBHOOK)
        named = call.path["message"]
        known = [asked.original] if named == "@original" else [asked.source, *asked.messages]
        for message in known:
            if message is not None and not message.deleted and named in ("@original", str(message.id)):
                return message
        raise UNKNOWN_MESSAGE


def _guild_of(call: Call) -> int | None:
    return int(call.path["guild"]) if "guild" in call.path else None


def _fields(call: Call, data: Json) -> dict[str, Any]:
    return parts(Call(call.world, call.talk, call.journal, call.path, call.query, data, call.files))


def _metadata(asked: Interaction) -> Json:
    told: Json = {"id": str(asked.id), "type": asked.kind, "user": user_payload(asked.user)}
    return told | {"authorizing_integration_owners": asked.owners}


def _callback(call: Call, asked: Interaction, kind: int, message: Message | None) -> Json:
    about: Json = {"id": str(asked.id), "type": asked.kind}
    if message is None or kind in (CHOICES, MODAL):
        return {"interaction": about}
    about |= {"response_message_id": str(message.id), "response_message_ephemeral": message.ephemeral}
    about |= {"response_message_loading": bool(message.flags & LOADING)}
    return {"interaction": about, "resource": {"type": kind, "message": call.talk.full_payload(message)}}
