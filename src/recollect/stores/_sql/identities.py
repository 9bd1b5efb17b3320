"""The migration to people of platforms: what belonged to the id `1042` becomes that of `discord:1042`.

The place of a memo tells whose it is; an id that was used on two platforms is split. Memos that have to move to
another scope are moved when the store is opened (`recall.identity_migration`), as only a complete store can index them.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, LiteralString

from recollect.core.state import StateKind
from recollect.core.text import unescape
from recollect.core.types import LOCAL, person_key
from recollect.stores._sql.database import Database, Row

_OF_SESSIONS = (
    *(StateKind.TURNS, StateKind.LATE_MESSAGES, StateKind.SPEAKERS, StateKind.UNLEARNED_MESSAGES),
    *(StateKind.DISPLAY_NAME, StateKind.MIRROR_SESSIONS, StateKind.LISTENED_CHANNEL, StateKind.SUMMARY_VIEWERS),
)
"""Kinds whose key, or else item, begins with a platform."""


_STATE_OF_PEOPLE: LiteralString = """
SELECT kind, key, number, item, person, guild FROM state WHERE person IS NOT NULL AND kind <> $1 ORDER BY number
"""
_COPY_TOMBSTONES: LiteralString = """
INSERT INTO tombstones (scope, fingerprint, at) SELECT $1, fingerprint, at FROM tombstones WHERE scope = $2
"""
_NOTE_SPLIT: LiteralString = """
INSERT INTO state (kind, key, number, item, person, guild) VALUES ($1, $2, 1, $3, $2, NULL)
"""


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements that differ between the stores."""

    memos: LiteralString
    """Key, scope, id, platform, actor, audience and who heard it, of memos that name a person."""
    update_memo: LiteralString
    """Actor, who heard it, audience, and the key."""
    rename_scope: LiteralString
    """The new name, as it is indexed, and the old one."""
    make_scope: LiteralString
    move_events: LiteralString
    """The new scope, the old one, and the memo."""


@dataclass(slots=True)
class _Plan:
    """The person behind each bare id."""

    said: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The platforms on which each person said something that is remembered."""
    noted: set[str] = field(default_factory=set[str])
    """People about whom the operator noted something, or an import brought it."""
    heard: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The platforms on which each person spoke."""

    def people(self) -> set[str]:
        return {*self.said, *self.noted, *self.heard}

    def platforms(self, user: str) -> set[str]:
        said, heard = self.said.get(user, set[str]()), self.heard.get(user, set[str]())
        return (said | heard if len(said | heard) > 1 else said or heard) or {LOCAL}

    def key(self, user: str, platform: str) -> str:
        """The person that a memo about this id belongs to, given the platform where it was said."""
        platforms = self.platforms(user)
        return person_key(platform if len(platforms) > 1 else next(iter(platforms)), user)

    def keys(self, user: str) -> list[str]:
        """Everyone who has this id."""
        return [person_key(platform, user) for platform in sorted(self.platforms(user))]


def convert(db: Database, say: Statements) -> None:
    """Convert everything but the places of memos that have to move; those are noted in the state."""
    memos = db.rows(say.memos)
    plan = _make_plan(db, memos)
    moved = list(_convert_memos(db, say, memos, plan))
    for user in sorted(plan.people()):
        keys = plan.keys(user)
        if keys == [user]:
            continue
        if len(keys) == 1:
            _rename(db, say, user, keys[0])
        else:
            _split(db, say, user, keys, [row for row in moved if row[0] == user])
    _convert_changes(db, plan)
    _convert_exchanges(db)
    _convert_state(db, plan)
    _convert_jobs(db, plan)


def _make_plan(db: Database, memos: Iterable[Row]) -> _Plan:
    plan = _Plan()
    for _, scope, _, platform, actor, *_ in memos:
        user = _user(scope)
        if user is None:
            continue
        if platform != LOCAL or actor == user:
            plan.said.setdefault(user, set()).add(platform)
        else:
            plan.noted.add(user)
    for author, platform in db.rows("SELECT DISTINCT author, platform FROM messages WHERE NOT bot"):
        plan.heard.setdefault(author, set()).add(platform)
    return plan


def _user(scope: str) -> str | None:
    return scope.removeprefix("user:") if scope.startswith("user:") else None


def _convert_memos(db: Database, say: Statements, memos: Iterable[Row], plan: _Plan) -> Iterator[tuple[str, str, str]]:
    """Yields id, memo and new owner of the memos of people."""
    for key, scope, memo, platform, actor, audience, heard in memos:
        user = _user(scope)
        owner = "" if user is None else plan.key(user, platform)
        rewrite = _rewriter(user, owner, platform)
        values = rewrite(actor), _audience(heard, rewrite), _audience(audience, rewrite)
        if values != (actor, heard, audience):
            db.run(say.update_memo, (*values, key))
        if user is not None:
            yield user, memo, owner


def _rewriter(user: str | None, owner: str, platform: str) -> Callable[[str], str]:
    def rewrite(name: str) -> str:
        if name == user:
            return owner
        return person_key(platform, name) if name else name

    return rewrite


def _audience(audience: str | None, rewrite: Callable[[str], str]) -> str | None:
    if audience is None or not audience.startswith("dm:"):
        return audience
    return f"dm:{rewrite(audience.removeprefix('dm:'))}"


def _rename(db: Database, say: Statements, user: str, owner: str) -> None:
    for kind in ("user", "consolidate"):
        old, new = f"{kind}:{user}", f"{kind}:{owner}"
        db.run(say.rename_scope, (new, db.handle(new), db.handle(old)))
    for table in ("changes", "tombstones"):
        statement: LiteralString = f"UPDATE {table} SET scope = $1 WHERE scope = $2"
        db.run(statement, (db.handle(f"user:{owner}"), db.handle(f"user:{user}")))
    for table in ("events", "changes"):
        statement = f"UPDATE {table} SET actor = $1 WHERE actor = $2"
        db.run(statement, (owner, user))


def _split(db: Database, say: Statements, user: str, keys: list[str], memos: list[tuple[str, str, str]]) -> None:
    """Divide the record of changes by memo; what was forgotten by one is not learned again by the others either."""
    old = db.handle(f"user:{user}")
    for key in keys:
        new = db.handle(f"user:{key}")
        if key == user:
            continue
        db.run(say.make_scope, (f"user:{key}", new))
        db.run(_COPY_TOMBSTONES, (new, old))
        for _, memo, _ in (row for row in memos if row[2] == key):
            db.run("UPDATE changes SET scope = $1 WHERE scope = $2 AND memo = $3", (new, old, db.handle(memo)))
            db.run(say.move_events, (new, old, db.handle(memo)))
        db.run(_NOTE_SPLIT, (StateKind.IDENTITIES_SPLIT.value, key, user))


def _convert_changes(db: Database, plan: _Plan) -> None:
    """The memos before and after each change."""
    for row_id, before, after in db.rows("SELECT id, before, after FROM changes WHERE substr(scope, 1, 5) = 'user:'"):
        converted = [None if text is None else _memo_json(text, plan) for text in (before, after)]
        if converted != [before, after]:
            db.run("UPDATE changes SET before = $1, after = $2 WHERE id = $3", (*converted, row_id))


def _memo_json(text: str, plan: _Plan) -> str:
    memo: dict[str, Any] = json.loads(text)
    source: dict[str, Any] = memo.get("source", {})
    user, platform = memo["subject"], source.get("platform", LOCAL)
    owner = plan.key(user, platform)
    rewrite = _rewriter(user, owner, platform)
    memo |= {"subject": owner, "audience": _audience(memo["audience"], rewrite)}
    if actor := source.get("actor"):
        source["actor"] = rewrite(actor)
    if heard := source.get("heard"):
        source["heard"] = _audience(heard, rewrite)
    return json.dumps(memo, ensure_ascii=False, separators=(",", ":"))


def _convert_exchanges(db: Database) -> None:
    """An exchange names the message that asks."""
    for guild, at, exchange, author in db.rows("SELECT guild, at, id, author FROM exchanges"):
        asked = db.row("SELECT platform FROM messages WHERE id = $1 AND author = $2", (exchange.split("/")[0], author))
        if asked is not None and asked[0] != LOCAL:
            values = person_key(asked[0], author), guild, at, exchange
            db.run("UPDATE exchanges SET author = $1 WHERE guild = $2 AND at = $3 AND id = $4", values)


def _convert_state(db: Database, plan: _Plan) -> None:
    rows = db.rows(_STATE_OF_PEOPLE, (StateKind.IDENTITIES_SPLIT.value,))
    for kind, key, number, item, person, guild in rows:
        owners = _owners(kind, key, item, person, plan)
        if owners == [person]:
            continue
        db.run("DELETE FROM state WHERE kind = $1 AND key = $2 AND item = $3", (kind, key, item))
        for owner in owners:
            names = _renamed(kind, key, item, person, owner)
            db.run(
                "INSERT INTO state (kind, key, number, item, person, guild) VALUES ($1, $2, $3, $4, $5, $6) "
                "ON CONFLICT DO NOTHING",
                (kind, names[0], number, names[1], owner, guild),
            )


def _owners(kind: str, key: str, item: str, person: str, plan: _Plan) -> list[str]:
    if kind.startswith("discord_"):
        return [person_key("discord", person)]
    name = key or item
    name = name.removeprefix("rolling ")
    if kind in _OF_SESSIONS or name != (key or item):
        return [person_key(unescape(name.split(":")[0], ":"), person)]
    if person in plan.people():
        return plan.keys(person)
    # Nothing else is known of them. Pausing applies on every platform.
    platforms = {platform for spoken in plan.heard.values() for platform in spoken} or {LOCAL}
    if len(platforms) > 1 and kind != StateKind.PAUSED:
        return [person]
    return [person_key(platform, person) for platform in sorted(platforms)]


def _renamed(kind: str, key: str, item: str, user: str, owner: str) -> tuple[str, str]:
    """Key and item of a record, by the person's new name. The bot's own records have ids of Discord."""
    for prefix in ("user:", "durable "):
        key = _replace_start(key, f"{prefix}{user}", f"{prefix}{owner}")
        item = _replace_start(item, f"{prefix}{user}", f"{prefix}{owner}")
    match kind:
        case StateKind.PAUSED | StateKind.UNLEARNED_TURNS:
            key = owner
        case StateKind.PAGES_OWNER:
            item = owner
        case StateKind.PLANNED_ERASURE | StateKind.RUNNING_ERASURE:
            key = _replace_start(key, f"user {user}", f"user {owner}")
            item = f"author {owner}" if item == f"author {user}" else _json_item(item, user, owner)
        case StateKind.WITHHELD | StateKind.WITHHELD_IN_GUILD:
            item = _json_item(item, f"user:{user}", f"user:{owner}")
        case _:
            pass
    return key, item


def _replace_start(text: str, old: str, new: str) -> str:
    is_start = text.startswith(old) and text[len(old) : len(old) + 1] in ("", " ", ":")
    return new + text[len(old) :] if is_start else text


def _json_item(item: str, old: str, new: str) -> str:
    """A list, with a name in it replaced."""
    try:
        values = json.loads(item)
    except ValueError:
        return item
    return json.dumps([new if value == old else value for value in values], ensure_ascii=False)


def _convert_jobs(db: Database, plan: _Plan) -> None:
    for job, kind, queue, dedupe, payload in db.rows("SELECT id, kind, queue, dedupe, payload FROM jobs"):
        values: Mapping[str, Any] = json.loads(payload)
        user = values.get("user") if kind in ("consolidate", "erase") else _user(queue)
        if user is None or user not in plan.people():
            continue
        messages = values.get("messages") or [f"{plan.keys(user)[0].partition(':')[0]}/"]
        owner = plan.key(user, unescape(messages[0].partition("/")[0], "/"))
        renamed = dict(values) | ({"user": owner} if "user" in values else {})
        names = [None if name is None else _job_name(name, user, owner) for name in (queue, dedupe)]
        sql: LiteralString = "UPDATE jobs SET queue = $1, dedupe = $2, payload = $3 WHERE id = $4"
        db.run(sql, (*names, json.dumps(renamed, ensure_ascii=False, separators=(",", ":")), job))


def _job_name(name: str, user: str, owner: str) -> str:
    for prefix in ("user:", "consolidate:", "erase:user "):
        name = _replace_start(name, f"{prefix}{user}", f"{prefix}{owner}")
    return name
