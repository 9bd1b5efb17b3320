"""Places to choose from: where a person has been, and other conversations."""

from collections.abc import Iterator
from dataclasses import replace

from recollect.core.ports import Tx
from recollect.core.sessions import parse_session
from recollect.core.text import escape, join_escaped, unescape
from recollect.core.types import (
    LOCAL,
    AudienceLevel,
    Place,
    Provenance,
    Status,
    Subject,
    split_person,
    with_bare_id,
)
from recollect.recall.guild_names import named_guilds

MAX_SCANNED = 500
"""Memos of a person, and conversations, that are scanned for places."""
MAX_PLACES = 60
MAX_STREAMS = 5_000
"""Conversations whose guilds are looked for."""


def guild_places(guild: str) -> list[Place]:
    """Possible places of a guild, by its `guild_key`: on the platform that it names, else on Discord or here."""
    platform, separator, bare = guild.partition("~")
    return [Place(unescape(platform, "~"), bare)] if separator else [Place("discord", guild), Place(LOCAL, guild)]


def conversation_streams(tx: Tx, guild: str | None = None) -> list[str]:
    """Names of the channels and DMs in which messages were kept, of a guild or of all."""
    if guild is not None:
        prefixes = (join_escaped(":", place.platform, place.guild or "") for place in guild_places(guild))
        return [name for prefix in prefixes for name in tx.messages.streams(f"{prefix}:")]
    platforms = {LOCAL, "discord", *(split_person(person)[0] for person, _ in tx.messages.speakers())}
    return [name for platform in sorted(platforms) for name in tx.messages.streams(f"{escape(platform, ':')}:")]


def known_guilds(tx: Tx, limit: int = 1_000) -> set[str]:
    """Guilds, by `guild_key`, that have channels with messages, lore, or a name."""
    sessions = (parse_session(name) for name in conversation_streams(tx)[:MAX_STREAMS])
    guilds = {session.place.guild_key for session in sessions if session and session.place.guild_key}
    with_lore = {subject.guild or "" for subject, _ in tx.memos.owners(limit=limit, lore=True)}
    return guilds | with_lore | set(named_guilds(tx))


def resolve_place(tx: Tx, place: Place) -> Place:
    """The place as of the last message there: with its name, and whether it is public."""
    messages = tx.messages.recent(place, 1)
    return messages[-1].place if messages else place


def known_places(tx: Tx, user: str) -> list[Place]:
    """Where a person may be: their DM first, then sources of their memos, then other conversations there."""
    places: dict[str, Place] = {}
    for place in (*_own_places(tx, user), *_conversations(tx, user)):
        if place.session not in places and place.person in (None, user):
            places[place.session] = resolve_place(tx, place)
        if len(places) >= MAX_PLACES:
            break
    return sorted(places.values(), key=lambda place: (place.dm is None, place.guild or "", place.name or ""))


def _own_places(tx: Tx, user: str) -> Iterator[Place]:
    memos = tx.memos.list(Subject(user), [Status.ACTIVE], MAX_SCANNED) if user else []
    if user:
        platform, bare = split_person(user)
        yield Place(platform, dm=bare)
    for memo in memos:
        if memo.source.channel or memo.source.thread:
            yield _source_place(memo.source)


def _source_place(source: Provenance) -> Place:
    public = source.heard is not None and source.heard.level is AudienceLevel.GUILD
    readers = "" if source.heard is None else source.heard.readers
    if source.guild is None:
        return with_bare_id(Place(source.platform, dm=source.actor, channel=source.channel))
    place = Place(source.platform, source.guild, source.channel, source.thread, name=source.channel_name, public=public)
    return replace(place, readers=readers)


def _conversations(tx: Tx, user: str) -> list[Place]:
    """Conversations on a person's platform. A local id may contain a colon, too: then no platform has that name."""
    sessions = map(parse_session, tx.summaries.sessions()[:MAX_SCANNED])
    places = [session.place for session in sessions if session is not None]
    platforms = {place.platform for place in places}
    own = next((name for name in (split_person(user)[0], LOCAL) if name in platforms), None)
    return [place for place in places if not user or place.platform == own]
