"""The bot's own state, persisted in the store: who was notified, which servers are switched off, which messages it
keeps up to date. Each name holds one value, or a list of them, and each of these has an owner.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.state import Owner, StateKind
from recollect.core.types import person_key
from recollect.recall.guild_names import guild_name, note_guild_name

Name = tuple[StateKind, str]
"""Kind and key."""


PENDING_SNAPSHOTS: Name = (StateKind.PENDING_SNAPSHOTS, "")
"""Name of the list of snapshots to update, as `user`, or `user session` when a conversation's summary changed."""


class BotState:
    def __init__(self, store: Store) -> None:
        self._store = store

    async def get(self, name: Name) -> str | None:
        return await self._store.read(lambda tx: _value(tx, name))

    async def put(self, name: Name, value: str, owner: Owner) -> None:
        await self._store.write(lambda tx: _put(tx, name, value, owner))

    async def change(self, name: Name, make: Callable[[str | None], str | None], owner: Owner) -> bool:
        """Put what is made of the stored value, in one transaction; False if that is None, which changes nothing."""
        return await self._store.write(lambda tx: _change(tx, name, make, owner))

    async def drop(self, name: Name) -> bool:
        return bool(await self._store.write(lambda tx: tx.state.clear(*name)))

    async def drop_all(self, names: Collection[Name]) -> None:
        """Drop several, in one transaction."""
        if names:
            await self._store.write(lambda tx: [tx.state.clear(*name) for name in names])

    async def keys(self, kind: StateKind) -> list[str]:
        """The stored keys of a kind."""
        return await self._store.read(lambda tx: tx.state.keys(kind))

    async def values(self, kind: StateKind) -> dict[str, str]:
        """The stored values of a kind, by key."""
        lists = await self._store.read(lambda tx: tx.state.lists(kind))
        return {key: items[-1] for key, items in lists.items()}

    async def items(self, name: Name) -> list[str]:
        return await self._store.read(lambda tx: tx.state.items(*name))

    async def lists(self, *names: Name) -> list[list[str]]:
        """The items of several lists, in one transaction."""
        return await self._store.read(lambda tx: [tx.state.items(*name) for name in names])

    async def add(self, name: Name, item: str, owner: Owner) -> None:
        """Add an item to a list, once."""
        await self._store.write(lambda tx: tx.state.append(*name, item, owner))

    async def remove(self, name: Name, item: str) -> None:
        """Remove an item from a list."""
        await self._store.write(lambda tx: tx.state.remove(*name, [item]))

    async def advance(self, shard: str, position: int, snapshots: Collection[str]) -> None:
        """Store the position in the log together with the snapshots that are still to be updated."""
        await self._store.write(lambda tx: _advance(tx, shard, position, snapshots))

    async def name_guilds(self, names: Mapping[str, str]) -> None:
        """Store the names of servers, by id; unchanged names are not written."""
        stored_names = await self._store.read(lambda tx: {guild: guild_name(tx, guild) for guild in names})
        changed = {guild: name for guild, name in names.items() if stored_names[guild] != name}
        if changed:
            await self._store.write(lambda tx: [note_guild_name(tx, guild, name) for guild, name in changed.items()])

    async def log_event(self, event: Event) -> None:
        """Add an event to memory's log."""
        await self._store.write(lambda tx: tx.events.add(event))


def _named(kind: StateKind) -> Callable[[int | str], Name]:
    return lambda key: (kind, str(key))


# The names of values and lists; `StateKind` says what the keys and the items are.
notified = _named(StateKind.NOTIFIED)
switched_off = _named(StateKind.SWITCHED_OFF)
member_guilds = _named(StateKind.BOT_GUILDS)
listened_channel = _named(StateKind.LISTENED_CHANNEL)
role_guild = _named(StateKind.ROLE_GUILD)
log_position = _named(StateKind.BOT_POSITION)
snapshot_message = _named(StateKind.SNAPSHOT_MESSAGE)
snapshot_session = _named(StateKind.SNAPSHOT_SESSION)
summary_viewers = _named(StateKind.SUMMARY_VIEWERS)
guild_settings = _named(StateKind.GUILD_SETTINGS)
opt_outs = _named(StateKind.OPT_OUTS)
daily_replies = _named(StateKind.DAILY_REPLIES)
last_online = _named(StateKind.LAST_ONLINE)
swept = _named(StateKind.SWEPT)
resynced_places = _named(StateKind.RESYNCED_PLACES)
permissions_changed = _named(StateKind.PERMISSIONS_CHANGED)
welcomed = _named(StateKind.WELCOMED)
panel_message = _named(StateKind.PANEL_MESSAGE)


def notice_message(scope: str, memo: str) -> Name:
    """Name of the value that holds the message which announced a memo."""
    return StateKind.NOTICE_MESSAGE, f"{scope}:{memo}"


def missed_notice(scope: str, memo: str) -> Name:
    """Name of the value that holds the event about a memo which could not be shown yet."""
    return StateKind.MISSED_NOTICE, f"{scope}:{memo}"


def unread_since(guild: int, channel: int) -> Name:
    """Name of the value that says since when a channel can't be read; channel 0 stands for the whole server."""
    return StateKind.UNREAD_SINCE, f"{guild}:{channel}"


def consent(guild: int, user: int) -> Name:
    """Name of the value that says whether someone agreed to be remembered on a server."""
    return StateKind.CONSENT, f"{guild}:{user}"


def departure_event(guild: int, user: int | None, now: datetime) -> Event:
    """The event that the bot, or a member, left a server."""
    data = {"platform": "discord", "guild": str(guild), "user": None if user is None else str(user)}
    return Event(EventKind.MEMBER_LEFT if user is not None else EventKind.GUILD_LEFT, now, data=data)


def _value(tx: Tx, name: Name) -> str | None:
    values = tx.state.items(*name)
    return values[-1] if values else None


def _put(tx: Tx, name: Name, value: str, owner: Owner) -> None:
    tx.state.clear(*name)
    tx.state.append(*name, value, owner)


def _change(tx: Tx, name: Name, make: Callable[[str | None], str | None], owner: Owner) -> bool:
    value = make(_value(tx, name))
    if value is not None:
        _put(tx, name, value, owner)
    return value is not None


def _advance(tx: Tx, shard: str, position: int, snapshots: Collection[str]) -> None:
    _put(tx, log_position(shard), str(position), Owner.nobody())
    for item in snapshots:
        user = item.partition(" ")[0]
        tx.state.append(*PENDING_SNAPSHOTS, item, Owner.person(person_key("discord", user)))
