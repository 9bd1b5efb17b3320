"""The tables, as ordered migrations; each is recorded in the transaction that makes it, under a lock for all processes.

Tables lie in a schema of their own, which every connection looks into first.
"""

import json
import logging
from collections.abc import Mapping
from typing import Any, LiteralString

from psycopg import errors, sql

from recollect.core.clock import now, to_ms
from recollect.core.errors import CorruptStore, StoreError, StoreUnwritable
from recollect.stores._sql import changes_from_log, identities
from recollect.stores._sql.database import Row
from recollect.stores._sql.migrations import IS_LAST_CHANGE, Dialect, Migration, refuse_newer, second_edition
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection, Database, lock_key
from recollect.stores.postgres.tables import OPERATION_TABLES, TABLES, VIEWS

log = logging.getLogger("recollect.stores")

_0001_FIRST_TABLES: LiteralString = OPERATION_TABLES + TABLES + VIEWS.action_log(failed_job="job.parked")

_0002_ALWAYS_SHOWN_MEMOS: LiteralString = """
CREATE INDEX memos_standing ON memos (scope, updated, key)
    WHERE status = 'active' AND (pinned OR kind = 'constraint');
"""

# For tables from before a word counted once: dropping the column drops its key.
_0003_WORDS_COUNTED_ONCE: LiteralString = "".join(
    f"""
ALTER TABLE {table} DROP COLUMN IF EXISTS times;
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = '{table}'::regclass AND contype = 'p') THEN
        ALTER TABLE {table} ADD PRIMARY KEY (scope, term, key);
    END IF;
END $$;
"""
    for table in ("memo_words", "message_words")
)

_0004_COMMITS: LiteralString = """
CREATE TABLE commits (                   -- recent ones, for a client that lost its connection during COMMIT
    token uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp()
);
"""

_RENAME_SCOPES: LiteralString = """
WITH renamed AS (
    SELECT id, CASE name WHEN 'files' THEN 'mirror' ELSE 'consolidate' || substr(name, 6) END AS name FROM scopes
    WHERE (name = 'files' OR name LIKE 'dream:%') AND id IN (SELECT scope FROM events WHERE actor = 'worker')
)
UPDATE scopes SET name = renamed.name, mark = CASE  -- as rows.handle makes it
    WHEN length(renamed.name) <= 200 THEN renamed.name
    ELSE left(renamed.name, 140) || encode(sha256(convert_to(renamed.name, 'UTF8')), 'hex') END
    FROM renamed WHERE renamed.id = scopes.id;
"""
_SOURCE = ("origin", "actor", "platform", "guild", "channel", "channel_name", "thread", "message", "evidence", "trace")
_MEMO: LiteralString = f"""
SELECT {changes_from_log.MEMO_COLUMNS}, tags, metadata, origin, actor, platform, guild, channel, channel_name, thread,
message, evidence, trace, heard FROM memos
WHERE scope = (SELECT scopes.id FROM scopes WHERE mark = $1) AND memos.id = $2
"""


def _provenance(row: Row) -> tuple[list[str], Mapping[str, Any]]:
    tags, metadata, *values = row
    return tags, dict(zip((*_SOURCE, "heard"), values, strict=True)) | {"metadata": json.loads(metadata or "{}")}


_MESSAGES_BY_AUTHOR: LiteralString = "CREATE INDEX messages_by_author ON messages (substr(author, 1, 64), key)"
_OMIT_LAST_STATES: LiteralString = f"""
UPDATE changes SET after = '' FROM memos JOIN scopes ON scopes.id = memos.scope
    WHERE after <> '' AND {IS_LAST_CHANGE} AND scopes.mark = changes.scope AND memos.id = changes.memo
    AND memos.text = after::json ->> 'text' AND memos.kind = after::json ->> 'kind'
    AND memos.status = coalesce(after::json ->> 'status', 'active') AND memos.audience = after::json ->> 'audience'
    AND memos.pinned = coalesce((after::json ->> 'pinned')::boolean, false);
"""

_DIALECT = Dialect(
    views=VIEWS,
    name='text COLLATE "C"',
    number="bigint",
    flag="smallint",
    table="",
    keyed_table="",
    jobs_of_kind="kind, id",
    rename_scopes=_RENAME_SCOPES,
    event_batch="data::json ->> 'batch'",
    changes_by=", id",
    memos=changes_from_log.MemoReader(_MEMO, _provenance),
    identities=identities.Statements(
        memos="SELECT key, (SELECT name FROM scopes WHERE scopes.id = scope), id, platform, actor, audience, heard "
        "FROM memos ORDER BY key",
        update_memo="UPDATE memos SET actor = $1, heard = $2, audience = $3 WHERE key = $4",
        rename_scope="UPDATE scopes SET name = $1, mark = $2 WHERE mark = $3",
        make_scope="INSERT INTO scopes (name, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        move_events="UPDATE events SET scope = (SELECT id FROM scopes WHERE mark = $1) "
        "WHERE scope = (SELECT id FROM scopes WHERE mark = $2) AND memo = $3",
    ),
    bare_ids="(md5(substr(name, 6 + strpos(substr(name, 6), ':')))) WHERE starts_with(name, 'user:')",
    serving="SELECT id FROM embedders WHERE corpus = 'memos' AND serving AND retired IS NULL ORDER BY id LIMIT 1",
    messages_by_author=("messages by author", _MESSAGES_BY_AUTHOR),
    omit_last_states=_OMIT_LAST_STATES,
)

MIGRATIONS: list[tuple[str, Migration]] = [
    ("first tables", _0001_FIRST_TABLES),
    ("memos that are always shown", _0002_ALWAYS_SHOWN_MEMOS),
    ("words counted once", _0003_WORDS_COUNTED_ONCE),
    ("what was committed", _0004_COMMITS),
    *second_edition(_DIALECT),
]
"""Ordered; never changed once released, only added to."""

_RECORD: LiteralString = "CREATE TABLE migrations (number int PRIMARY KEY, name text NOT NULL, at bigint NOT NULL)"


def migrate(connection: Connection, address: Address) -> None:
    """Bring the schema up to date, or refuse it untouched when it isn't ours or is newer than we are."""
    with connection.transaction():
        # Checked without a lock first: the usual start must not wait for anybody.
        version = _supported_version(connection, address)
        if version < len(MIGRATIONS) or _is_from_elsewhere(connection):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key("migration"),))
            _apply(
                connection, address, after=_supported_version(connection, address)
            )  # another process may have migrated it first
            if _is_from_elsewhere(connection):
                _renumber(connection)


def _supported_version(connection: Connection, address: Address) -> int:
    """The version; raises if this release doesn't support it."""
    version = version_of(connection, address)
    if version is None:
        raise CorruptStore(
            f"the schema {address.schema} of {address} holds tables of another program; it was left as it is. "
            "Choose another one with schema= in the address."
        )
    refuse_newer(address, version, len(MIGRATIONS))
    return version


def version_of(connection: Connection, address: Address) -> int | None:
    """How many migrations were made, 0 where there are no tables; None when the tables are not ours."""
    tables = {
        name
        for (name,) in connection.execute(
            "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace "
            "WHERE nspname = %s AND relkind IN ('r', 'v', 'm', 'p')",
            (address.schema,),
        )
    }
    if not tables:
        return 0
    if not {"migrations", "generations"} <= tables:
        return None
    row = connection.execute("SELECT max(number) FROM migrations").fetchone()
    return row[0] if row else None


def _database(connection: Connection) -> Database:
    """The connection as migrations see it, in the transaction that the caller has begun."""
    db = Database(connection, writing=True)
    db.begun = True
    return db


def _apply(connection: Connection, address: Address, after: int) -> None:
    if 0 < after < len(MIGRATIONS):
        log.warning(
            "%s is brought from schema %d to %d, in one transaction: if it fails, all stays as it was. recollect keeps "
            "no copy of a server's database; before you update recollect again, make one: pg_dump --format=custom "
            "--schema=%s --file=recollect.dump <database>",
            *(address, after, len(MIGRATIONS), address.schema),
        )
    if after == 0:
        _prepare_database(connection, address)
    for number, (name, script) in enumerate(MIGRATIONS[after:], after + 1):
        if callable(script):
            script(_database(connection))
        else:
            connection.execute(script)
        connection.execute("INSERT INTO migrations VALUES (%s, %s, %s)", (number, name, to_ms(now())))


def _prepare_database(connection: Connection, address: Address) -> None:
    """Create what the first table needs."""
    row = connection.execute("SHOW server_encoding").fetchone()
    if row != ("UTF8",):
        raise StoreError(f"{address} can't hold every text: make a database with ENCODING 'UTF8' and name that one")
    try:
        if not _has(connection, "SELECT 1 FROM pg_namespace WHERE nspname = %s", address.schema):
            connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(address.schema)))
        if not _has(connection, "SELECT 1 FROM pg_extension WHERE extname = %s", "vector"):
            connection.execute("CREATE EXTENSION vector SCHEMA public")
    except errors.InsufficientPrivilege as error:
        raise StoreUnwritable(
            f"{address} doesn't let us make the schema {address.schema} and the extension 'vector'; let its "
            f"administrator run once: CREATE EXTENSION vector; CREATE SCHEMA {address.schema} AUTHORIZATION <user>"
        ) from error
    except (errors.UndefinedFile, errors.FeatureNotSupported) as error:
        raise StoreError(f"{address} lacks the extension 'vector': {EXTENSION_ADVICE}") from error
    connection.execute(_RECORD)


def _has(connection: Connection, sql: LiteralString, name: str) -> bool:
    """Looked up first: without the right to create it, IF NOT EXISTS is refused too."""
    return connection.execute(sql, (name,)).fetchone() is not None


EXTENSION_ADVICE = (
    "install pgvector on the server (Debian: postgresql-<version>-pgvector; Docker: pgvector/pgvector), then try again"
)


def _is_from_elsewhere(connection: Connection) -> bool:
    """Whether the log was copied here from a server that was further on with its transactions."""
    row = connection.execute(
        "SELECT max(transaction) >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint FROM events"
    ).fetchone()
    return bool(row and row[0])


def _renumber(connection: Connection) -> None:
    """Put all events that are there before those of any transaction to come, in the order that they have."""
    connection.execute(
        "UPDATE events SET transaction = place - (1::bigint << 62) FROM ("
        "SELECT id, row_number() OVER (ORDER BY transaction, id) AS place FROM events) AS ordered "
        "WHERE ordered.id = events.id"
    )
