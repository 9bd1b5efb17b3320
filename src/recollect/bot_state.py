"""The bot's own state, persisted in the store: who was notified, which servers are switched off, which messages it
keeps up to date. Each name holds one value, or a list of them.
"""

from collections.abc import Collection
from datetime import datetime

from recollect.core.events import Event
from recollect.core.ports import Store, Tx

GUILDS_PREFIX = "inside:"
LISTENED_PREFIX = "heard:"
SNAPSHOT_PREFIX = "mirror:"
VIEWERS_PREFIX = "showing:"
NOTICE_PREFIX = "line:"
POSITION = "followed"


class BotState:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, name: str) -> str | None:
        return await self._store.read(lambda tx: _value(tx, name))

    async def put(self, name: str, value: str) -> None:
        await self._store.write(lambda tx: _put(tx, name, value))

    async def drop(self, name: str) -> bool:
        return bool(await self._store.write(lambda tx: tx.state.clear(_key(name))))

    async def names(self, prefix: str) -> list[str]:
        """The stored names that begin with this prefix."""
        start = _key("")
        keys = await self._store.read(lambda tx: tx.state.names(_key(prefix)))
        return [key.removeprefix(start) for key in keys]

    async def items(self, name: str) -> list[str]:
        return await self._store.read(lambda tx: tx.state.items(_key(name)))

    async def add(self, name: str, item: str) -> None:
        """Add an item to a list, once."""
        await self._store.write(lambda tx: tx.state.append(_key(name), item))

    async def remove(self, name: str, item: str) -> None:
        """Remove an item from a list."""
        await self._store.write(lambda tx: _remove(tx, name, item))

    async def advance(self, position: tuple[str, int], pending: tuple[str, Collection[str]]) -> None:
        """Store the position in the log together with the work that it leaves pending."""
        await self._store.write(lambda tx: _advance(tx, position, pending))

    async def log_event(self, event: Event) -> None:
        """Add an event to memory's log."""
        await self._store.write(lambda tx: tx.events.add(event))


def notified(user: int) -> str:
    """Name of the value that says that someone got the privacy notice."""
    return f"told:{user}"


def switched_off(guild: int) -> str:
    """Name of the value that says that a server's administrators switched memory off."""
    return f"off:{guild}"


def member_guilds(bot: int) -> str:
    """Name of the list of servers that a bot is in."""
    return f"{GUILDS_PREFIX}{bot}"


def listened_channel(session: str) -> str:
    """Name of the value that holds the channel of a conversation."""
    return f"{LISTENED_PREFIX}{session}"


def role_guild(role: str) -> str:
    """Name of the value that holds the server of an allowed role."""
    return f"home:{role}"


def log_position(shard: str) -> str:
    """Name of the value that holds how far the process with these shards has followed the log."""
    return f"{POSITION}:{shard}" if shard else POSITION


def snapshot_message(user: str) -> str:
    """Name of the value that holds someone's message in the memory channel."""
    return f"{SNAPSHOT_PREFIX}{user}"


def summary_viewers(session: str) -> str:
    """Name of the list of people whose snapshot shows the summary of this conversation."""
    return f"{VIEWERS_PREFIX}{session}"


def notice_message(scope: str, memo: str) -> str:
    """Name of the value that holds the message which announced a memo."""
    return f"{NOTICE_PREFIX}{scope}:{memo}"


def departure_event(guild: int, user: int | None, now: datetime) -> Event:
    """The event that the bot, or a member, left a server."""
    data = {"platform": "discord", "guild": str(guild), "user": None if user is None else str(user)}
    return Event("member.left" if user is not None else "guild.left", now, data=data)


def _key(name: str) -> str:
    return f"discord:{name}"


def _value(tx: Tx, name: str) -> str | None:
    values = tx.state.items(_key(name))
    return values[-1] if values else None


def _put(tx: Tx, name: str, value: str) -> None:
    tx.state.clear(_key(name))
    tx.state.append(_key(name), value)


def _remove(tx: Tx, name: str, item: str) -> None:
    for other in tx.state.clear(_key(name)):
        if other != item:
            tx.state.append(_key(name), other)


def _advance(tx: Tx, position: tuple[str, int], pending: tuple[str, Collection[str]]) -> None:
    _put(tx, position[0], str(position[1]))
    for item in pending[1]:
        tx.state.append(_key(pending[0]), item)
