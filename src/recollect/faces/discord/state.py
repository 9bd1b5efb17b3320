"""What the bot itself has to know after a restart, in the store: who was told, which servers are switched off,
where a user's mirror is. One value a name, or a list of them.
"""

from collections.abc import Collection
from datetime import datetime

from recollect.core.events import Event
from recollect.core.ports import Store, Tx

INSIDE, HEARD, MIRROR, SHOWING, LINE = "inside:", "heard:", "mirror:", "showing:", "line:"
FOLLOWED = "followed"
"""How the names of notes begin that there are many of."""


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
        """The notes that there are whose names begin like this."""
        start = _key("")
        found = await self._store.read(lambda tx: tx.state.names(_key(prefix)))
        return [name.removeprefix(start) for name in found]

    async def items(self, name: str) -> list[str]:
        return await self._store.read(lambda tx: tx.state.items(_key(name)))

    async def add(self, name: str, item: str) -> None:
        """Put an item into a list, once."""
        await self._store.write(lambda tx: tx.state.append(_key(name), item))

    async def remove(self, name: str, item: str) -> None:
        """Take an item out of a list."""
        await self._store.write(lambda tx: _remove(tx, name, item))

    async def advance(self, position: tuple[str, int], owing: tuple[str, Collection[str]]) -> None:
        """Note how far we have come, together with what that leaves to be done."""
        await self._store.write(lambda tx: _advance(tx, position, owing))

    async def tell(self, event: Event) -> None:
        """A line in the log."""
        await self._store.write(lambda tx: tx.events.add(event))


def told(user: int) -> str:
    """The note that someone knows that they are remembered."""
    return f"told:{user}"


def switched_off(guild: int) -> str:
    """The note that a server's administrators want no memory there."""
    return f"off:{guild}"


def inside(bot: int) -> str:
    """The list of the servers that a bot is in."""
    return f"{INSIDE}{bot}"


def heard(session: str) -> str:
    """The note of the channel in which a conversation was listened to."""
    return f"{HEARD}{session}"


def home(role: str) -> str:
    """The note of the server that has a role which lets people in."""
    return f"home:{role}"


def followed(shard: str) -> str:
    """The note of how far the process with these shards has followed the log."""
    return f"{FOLLOWED}:{shard}" if shard else FOLLOWED


def mirror(user: str) -> str:
    """The note of the message that shows someone's memory in the memory channel."""
    return f"{MIRROR}{user}"


def showing(session: str) -> str:
    """The list of those whose mirror shows the summary of this conversation."""
    return f"{SHOWING}{session}"


def line(scope: str, memo: str) -> str:
    """The note of the message that told that something was learned."""
    return f"{LINE}{scope}:{memo}"


def left(guild: int, user: int | None, at: datetime) -> Event:
    """The event that the bot, or a member, left a server."""
    data = {"platform": "discord", "guild": str(guild), "user": None if user is None else str(user)}
    return Event("member.left" if user is not None else "guild.left", at, data=data)


def _key(name: str) -> str:
    return f"discord:{name}"


def _value(tx: Tx, name: str) -> str | None:
    found = tx.state.items(_key(name))
    return found[-1] if found else None


def _put(tx: Tx, name: str, value: str) -> None:
    tx.state.clear(_key(name))
    tx.state.append(_key(name), value)


def _remove(tx: Tx, name: str, item: str) -> None:
    for other in tx.state.clear(_key(name)):
        if other != item:
            tx.state.append(_key(name), other)


def _advance(tx: Tx, position: tuple[str, int], owing: tuple[str, Collection[str]]) -> None:
    _put(tx, position[0], str(position[1]))
    for item in owing[1]:
        tx.state.append(_key(owing[0]), item)
