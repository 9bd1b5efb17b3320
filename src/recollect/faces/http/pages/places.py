"""Places that people can be asked about: those where they have been, by the names of their conversations."""

from collections.abc import Iterator

from recollect.core.ports import Tx
from recollect.core.text import unescape
from recollect.core.types import Place, Provenance, Status, Subject

_LOOKED = 500
"""Memos of a person, and conversations, that are looked through for places."""
_MOST = 60


def parsed(name: str) -> Place | None:
    """The place of a conversation's name, as `Place.session` gives it; None when it is no such name."""
    parts = [unescape(part, ":") for part in name.split(":")]
    if len(parts) > 4 and parts[-2] == "user":  # one user's share of it
        parts = parts[:-2]
    match parts:
        case [platform, "dm", person]:
            return Place(platform, dm=person)
        case [platform, "channel", channel]:
            return Place(platform, channel=channel)
        case [platform, guild, "channel", channel]:
            return Place(platform, guild, channel)
        case [platform, guild, "thread", thread]:
            return Place(platform, guild, thread=thread)
        case [platform, guild, "channel", channel, "thread", thread]:
            return Place(platform, guild, channel, thread)
        case _:
            return None


def resolved(tx: Tx, where: Place) -> Place:
    """The place as it was when something was last said there: with its name, and whether it is public."""
    said = tx.messages.recent(where, 1)
    return said[-1].place if said else where


def known(tx: Tx, user: str) -> list[Place]:
    """Where a person may be: their DM first, then where their memos come from, then other conversations."""
    found: dict[str, Place] = {}
    for where in (*_own(tx, user), *_talks(tx)):
        if where.session not in found and where.dm in (None, user):
            found[where.session] = resolved(tx, where)
        if len(found) >= _MOST:
            break
    return sorted(found.values(), key=lambda where: (where.dm is None, where.guild or "", where.name or ""))


def _own(tx: Tx, user: str) -> Iterator[Place]:
    memos = tx.memos.list(Subject(user), [Status.ACTIVE], _LOOKED) if user else []
    platforms = [memo.source.platform for memo in memos if memo.source.platform != "local"]
    if user:
        yield Place(platforms[0] if platforms else "local", dm=user)
    for memo in memos:
        if memo.source.channel or memo.source.thread:
            yield _of(memo.source)


def _of(source: Provenance) -> Place:
    public = source.heard is not None and source.heard.level == "guild"
    if source.guild is None:
        return Place(source.platform, dm=source.actor, channel=source.channel)
    return Place(source.platform, source.guild, source.channel, source.thread, name=source.channel_name, public=public)


def _talks(tx: Tx) -> Iterator[Place]:
    for name in tx.summaries.sessions()[:_LOOKED]:
        where = parsed(name)
        if where is not None:
            yield where
