"""Consent to learning: paused until resumed, persisted per user, channel and guild. Units of work."""

from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.sessions import parse_session
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Place, Subject

_CHANNEL, _GUILD = "channel ", "guild "
"""Prefixes of the items of paused places: before a stream, and before a platform and a guild."""


def pause(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Stop learning from a user, requested by them or someone else; False when already paused."""
    if is_paused(tx, user):
        return False
    tx.state.append(StateKind.PAUSED, user, now.isoformat(), Owner.person(user))
    tx.events.add(Event(EventKind.LEARNING_PAUSED, now, by or user, Subject(user).scope))
    return True


def resume(tx: Tx, user: str, now: datetime, by: str = "") -> bool:
    """Learn from a user again; False when not paused."""
    if not tx.state.clear(StateKind.PAUSED, user):
        return False
    tx.events.add(Event(EventKind.LEARNING_RESUMED, now, by or user, Subject(user).scope))
    return True


def is_paused(tx: Tx, user: str) -> bool:
    return bool(tx.state.items(StateKind.PAUSED, user))


def is_silent(tx: Tx, message: Message) -> bool:
    """Whether nothing is learned from a message: its author is paused or withdrew their consent, or its channel or
    guild is paused or switched off.
    """
    is_stopped = is_paused(tx, message.person) or is_place_paused(tx, message.place)
    return is_stopped or _is_switched_off(tx, message.place) or _is_refused(tx, message)


def _is_switched_off(tx: Tx, place: Place) -> bool:
    """Whether those who manage the server switched memory off."""
    return place.platform == "discord" and bool(place.guild and tx.state.items(StateKind.SWITCHED_OFF, place.guild))


def _is_refused(tx: Tx, message: Message) -> bool:
    """Whether the author's last answer on this server was no, or they lost the role by which they had agreed; then
    pending messages are left alone.
    """
    if message.place.platform != "discord":
        return False
    answers = tx.state.items(StateKind.CONSENT, f"{message.place.guild or 0}:{message.author}")
    return bool(answers) and answers[-1] in ("no", "role-lost")


def pause_place(tx: Tx, place: Place, now: datetime, by: str) -> bool:
    """Stop learning from a channel or DM, or from a whole guild if none is named; False when already paused."""
    item = _item(place)
    if item in tx.state.items(StateKind.PAUSED_PLACES):
        return False
    tx.state.append(StateKind.PAUSED_PLACES, "", item, Owner.member(place.person, place.guild_key))
    tx.events.add(Event(EventKind.LEARNING_PAUSED, now, by, _scope(place)))
    return True


def resume_place(tx: Tx, place: Place, now: datetime, by: str) -> bool:
    """Learn from a channel or a guild again; False when not paused."""
    item = _item(place)
    if item not in tx.state.items(StateKind.PAUSED_PLACES):
        return False
    tx.state.remove(StateKind.PAUSED_PLACES, "", [item])
    tx.events.add(Event(EventKind.LEARNING_RESUMED, now, by, _scope(place)))
    return True


def is_place_paused(tx: Tx, place: Place) -> bool:
    return bool(paused_part(tx, place))


def paused_part(tx: Tx, place: Place) -> str:
    """What is paused at a place: `server`, `channel`, or nothing."""
    paused = tx.state.items(StateKind.PAUSED_PLACES)
    if not paused:  # nearly always
        return ""
    if place.guild is not None and _guild_item(place) in paused:
        return "server"
    return "channel" if f"{_CHANNEL}{place.stream}" in paused else ""


def paused_places(tx: Tx) -> list[Place]:
    """Channels, DMs and guilds from which nothing is learned."""
    places: list[Place] = []
    for item in tx.state.items(StateKind.PAUSED_PLACES):
        if item.startswith(_GUILD):
            platform, _, guild = item.removeprefix(_GUILD).partition(" ")
            places.append(Place(platform, guild))
        elif session := parse_session(item.removeprefix(_CHANNEL)):
            places.append(session.place)
    return places


def _item(place: Place) -> str:
    return _guild_item(place) if _is_guild(place) else f"{_CHANNEL}{place.stream}"


def _guild_item(place: Place) -> str:
    return f"{_GUILD}{place.platform} {place.guild}"


def _is_guild(place: Place) -> bool:
    return place.guild is not None and not place.channel and not place.thread


def _scope(place: Place) -> str:
    return Subject.lore(place.guild_key or "").scope if _is_guild(place) else place.stream
