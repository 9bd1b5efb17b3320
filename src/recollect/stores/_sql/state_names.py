"""The names of state before it had owners, for the migration: each named a list, and often whose it was.

An unknown name becomes the key of `StateKind.OTHER`, whose records have no owner.
"""

import json
from collections.abc import Callable
from typing import LiteralString

from recollect.core.state import Owner, StateKind
from recollect.core.text import unescape
from recollect.core.types import Subject
from recollect.stores._sql.database import Database

Row = tuple[str, str, int, str, str | None, str | None]
"""Kind, key, number, item, person and guild: the columns of the table `state`, in this order."""
_Named = tuple[StateKind, str, Owner]

_NOBODY = Owner.nobody()
_WHOLE_NAMES: dict[str, StateKind] = {
    "journal": StateKind.DAILY_LOG,
    "gone": StateKind.UNSEEN_DELETIONS,
    "audiences.narrowed": StateKind.AUDIENCES_NARROWED,
    "web.ready": StateKind.WRITE_PROBE,
    "discord:commands": StateKind.COMMANDS,
    "discord:followed": StateKind.BOT_POSITION,
}
"""Lists without an owner and without a key."""
INDEXES: LiteralString = """
CREATE INDEX state_in_order ON state (kind, key, number);
CREATE INDEX state_by_person ON state (person) WHERE person IS NOT NULL;
CREATE INDEX state_by_guild ON state (guild) WHERE guild IS NOT NULL;
"""


def move(db: Database, table: LiteralString) -> None:
    """Give state an owner, which was part of its name; `table` creates the table that replaces `counters`."""
    db.run(table)
    db.run(INDEXES)
    rows = [_convert(*row) for row in db.rows("SELECT name, number, item FROM counters")]
    db.many("INSERT INTO state (kind, key, number, item, person, guild) VALUES ($1, $2, $3, $4, $5, $6)", rows)
    db.run("DROP TABLE counters")


def _convert(name: str, number: int, item: str) -> Row:
    """The row of `state` for a row of `counters`."""
    kind, key, owner = _parse(name, item)
    if kind is StateKind.UNSEEN_DELETIONS:
        item = item.removeprefix("gone:")
    return kind.value, key, number, item, owner.person_id, owner.guild_id


def _parse(name: str, item: str) -> _Named:
    if name in _WHOLE_NAMES:
        return _WHOLE_NAMES[name], "", _NOBODY
    if name in _SHARED:
        kind, owner_of = _SHARED[name]
        return kind, "", owner_of(item)
    for prefix, kind, owner_of in _PREFIXES:
        if name.startswith(prefix):
            key = name.removeprefix(prefix)
            return kind, key, owner_of(key, item)
    if name.startswith("files:"):
        account, _, pending = name.removeprefix("files:").partition(":")
        return (StateKind.MIRROR_PENDING, account, _file(item)) if pending == "owed" else _position(account)
    return StateKind.OTHER, name, _NOBODY


def _position(account: str) -> _Named:
    return StateKind.MIRROR_POSITION, account, _NOBODY


def _file(file: str) -> Owner:
    kind, _, name = file.partition(" ")
    owners = {"durable": Owner.person, "shortterm": Owner.guild, "rolling": Owner.of_session}
    return owners[kind](name) if kind in owners and name else _NOBODY


def _scope(scope: str) -> Owner:
    kind, _, name = scope.partition(":")
    return Owner.of_subject(Subject.of_scope(scope)) if kind in ("user", "lore") and name else _NOBODY


_SHARED: dict[str, tuple[StateKind, Callable[[str], Owner]]] = {
    "files:sessions": (StateKind.MIRROR_SESSIONS, Owner.of_session),
    "files:guilds": (StateKind.MIRROR_GUILDS, Owner.guild),
    "pages owner": (StateKind.PAGES_OWNER, Owner.person),
    "pages scopes": (StateKind.PAGE_SCOPES, _scope),
    "discord:owed": (StateKind.PENDING_SNAPSHOTS, lambda item: Owner.person(item.split(" ")[0])),
}
"""Lists without a key whose items say whose they are."""


def _unlearned(key: str, _: str) -> Owner:
    session, _, person = key.rpartition(":")
    return Owner.member(unescape(person, ":"), Owner.of_session(session).guild_id)


def _display_name(key: str, item: str) -> Owner:
    """The place of the name is a guild, or a channel without one."""
    platform, *place = (unescape(part, ":") for part in key.split(":")[:-1])
    has_guild = len(place) == 1 and not place[0].startswith((f"{platform}:channel:", f"{platform}:thread:"))
    return Owner.member(item, place[0] if has_guild else None)


def _planned(_: str, item: str) -> Owner:
    try:
        plan = json.loads(item)
    except ValueError:
        return _NOBODY
    return Owner(plan[0], plan[1])


def _erasing(key: str, _: str) -> Owner:
    if key.startswith("guild "):
        return Owner.guild(key.removeprefix("guild "))
    person, _, guild = key.removeprefix("user ").partition(" in guild ")
    return Owner.member(person, guild or None)


def _withheld(key: str, item: str) -> Owner:
    """A statement goes with the person that it is about, and with the first guild in which it was visible."""
    owner = _scope(key)
    try:
        guilds = json.loads(item)[-1]
    except ValueError:
        return owner
    return owner if owner.guild_id is not None or not guilds else Owner.member(owner.person_id, guilds[0])


def _withheld_in_guild(key: str, item: str) -> Owner:
    try:
        scope = json.loads(item)[0]
    except ValueError:
        return Owner.guild(key)
    return Owner.member(_scope(scope).person_id, key)


_PREFIXES: list[tuple[str, StateKind, Callable[[str, str], Owner]]] = [
    ("turns:", StateKind.TURNS, lambda key, _: Owner.of_session(key)),
    ("late:", StateKind.LATE_MESSAGES, lambda key, _: Owner.of_session(key)),
    ("speakers:", StateKind.SPEAKERS, lambda key, item: Owner.member(item, Owner.of_session(key).guild_id)),
    ("learn:user:", StateKind.UNLEARNED_TURNS, lambda key, _: Owner.person(key)),
    ("learn:", StateKind.UNLEARNED_MESSAGES, _unlearned),
    ("paused:", StateKind.PAUSED, lambda key, _: Owner.person(key)),
    ("gone:", StateKind.UNSEEN_DELETION, lambda _, __: _NOBODY),
    ("planned:", StateKind.PLANNED_ERASURE, _planned),
    ("erasing:", StateKind.RUNNING_ERASURE, _erasing),
    ("retired:guild:", StateKind.WITHHELD_IN_GUILD, _withheld_in_guild),
    ("retired:", StateKind.WITHHELD, _withheld),
    ("called:", StateKind.DISPLAY_NAME, _display_name),
    ("file:", StateKind.FILE_DIGESTS, lambda key, _: _file(key)),
    ("pages ids ", StateKind.PAGE_MEMOS, lambda key, _: _scope(key)),
    ("pages memo ", StateKind.PAGE, lambda key, _: _scope(key.rpartition(" ")[0])),
    ("discord:told:", StateKind.NOTIFIED, lambda key, _: Owner.person(key)),
    ("discord:off:", StateKind.SWITCHED_OFF, lambda key, _: Owner.guild(key)),
    ("discord:inside:", StateKind.BOT_GUILDS, lambda _, item: Owner.guild(item)),
    ("discord:heard:", StateKind.LISTENED_CHANNEL, lambda key, _: Owner.of_session(key)),
    ("discord:home:", StateKind.ROLE_GUILD, lambda _, item: Owner.guild(item)),
    ("discord:followed:", StateKind.BOT_POSITION, lambda _, __: _NOBODY),
    ("discord:mirror:", StateKind.SNAPSHOT_MESSAGE, lambda key, _: Owner.person(key)),
    ("discord:mirrored:", StateKind.SNAPSHOT_SESSION, lambda key, _: Owner.person(key)),
    ("discord:showing:", StateKind.SUMMARY_VIEWERS, lambda _, item: Owner.person(item)),
    ("discord:line:", StateKind.NOTICE_MESSAGE, lambda key, _: _scope(key.rpartition(":")[0])),
]
"""Names that begin with this; the rest is the key. The first that fits counts."""
