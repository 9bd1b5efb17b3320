"""The tables, as ordered migrations; each is recorded in the transaction that makes it, under a lock for all processes.

Tables lie in a schema of their own, which every connection looks into first.
"""

import json
import logging
from collections.abc import Callable
from typing import LiteralString

from psycopg import errors, sql

from recollect.core.clock import now, to_ms
from recollect.core.errors import CorruptStore, StoreError, StoreUnwritable
from recollect.stores._sql import changes_from_log, identities, state_names, summary_audiences, tombstones
from recollect.stores._sql.schema import (
    IS_LAST_CHANGE,
    KINDS_OF_EVENTS,
    KINDS_OF_JOBS,
    OMIT_STATES_BEFORE_NEXT_CHANGE,
    QUEUES_AND_TENANTS,
    action_log,
    bare_action_log,
    refuse_newer,
)
from recollect.stores._sql.vectors import table_of
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection, Database, handle, lock_key
from recollect.stores.postgres.tables import MEMORY_FACTS, OPERATION_TABLES, TABLES, vector_views

log = logging.getLogger("recollect.stores")

_CREATED_AT: LiteralString = (
    """to_char(to_timestamp(events.at / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')"""
)
_0001_FIRST_TABLES: LiteralString = OPERATION_TABLES + TABLES + action_log(_CREATED_AT, failed_job="job.parked")

_0002_ALWAYS_SHOWN_MEMOS: LiteralString = """
CREATE INDEX memos_standing ON memos (scope, updated, key)
    WHERE status = 'active' AND (pinned OR kind = 'constraint');
"""

# For tables made before a word counted once: with the column goes the key that held it.
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

_0005_JOB_QUEUES: LiteralString = f"""
{QUEUES_AND_TENANTS}
CREATE INDEX jobs_of_kind ON jobs (kind, id) WHERE state IN ('waiting', 'blocked');
-- A dedupe key is the kind of its job, alone or before a colon.
UPDATE jobs SET dedupe = 'summarize' || substr(dedupe, 10) WHERE kind = 'summarise' AND dedupe LIKE 'summarise:%';
UPDATE jobs SET dedupe = 'consolidate' || substr(dedupe, 8) WHERE kind = 'reflect' AND dedupe LIKE 'reflect:%';
UPDATE jobs SET queue = 'consolidate' || substr(queue, 6) WHERE kind = 'reflect' AND queue LIKE 'dream:%';
{KINDS_OF_JOBS}
-- The worker logs under the queue of a job; anything else of that name is not a queue.
WITH renamed AS (
    SELECT id, CASE name WHEN 'files' THEN 'mirror' ELSE 'consolidate' || substr(name, 6) END AS name FROM scopes
    WHERE (name = 'files' OR name LIKE 'dream:%') AND id IN (SELECT scope FROM events WHERE actor = 'worker')
)
UPDATE scopes SET name = renamed.name, mark = CASE  -- as rows.handle makes it
    WHEN length(renamed.name) <= 200 THEN renamed.name
    ELSE left(renamed.name, 140) || encode(sha256(convert_to(renamed.name, 'UTF8')), 'hex') END
    FROM renamed WHERE renamed.id = scopes.id;
-- People may be called 'dream' too: the actor is only ours in a batch that a consolidation logged.
UPDATE events SET actor = 'consolidation' WHERE actor = 'dream' AND (kind IN ('dream.done', 'dream.aborted')
    OR data::json ->> 'batch' IN (
        SELECT data::json ->> 'batch' FROM events WHERE kind IN ('dream.done', 'dream.aborted')));
{KINDS_OF_EVENTS}
DROP VIEW action_log;
{action_log(_CREATED_AT, failed_job="job.failed")}
"""
"""Names of the glossary in what is stored: queues and tenants of jobs, their states and kinds, kinds of events."""

_STATE_TABLE: LiteralString = """
CREATE TABLE state (                     -- lists of records, by kind and key; each record goes with its owner
    kind text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL, number bigint NOT NULL,
    item text COLLATE "C" NOT NULL, person text COLLATE "C", guild text COLLATE "C",
    PRIMARY KEY (kind, key, item)
);
"""


def _database(connection: Connection) -> Database:
    """The connection as shared code sees it, in the transaction that the caller has begun."""
    db = Database(connection, writing=True)
    db.begun = True
    return db


def _add_state_owners(connection: Connection) -> None:
    state_names.move(_database(connection), _STATE_TABLE)


def _key_fingerprints(connection: Connection) -> None:
    tombstones.key_fingerprints(_database(connection))


_CHANGES_TABLE: LiteralString = """
CREATE TABLE changes (                   -- a row per memo and change; its id is that of the event that logs it
    id bigint PRIMARY KEY, scope text COLLATE "C" NOT NULL, memo text COLLATE "C" NOT NULL, batch text COLLATE "C",
    before text, after text,             -- the memo as JSON
    reason text NOT NULL, detail text NOT NULL, actor text NOT NULL, at bigint NOT NULL, message text COLLATE "C",
    shared smallint NOT NULL,            -- whether `everywhere` was chosen explicitly
    undoes text COLLATE "C",             -- the batch that it takes back
    undone smallint NOT NULL, undoable smallint NOT NULL
);
CREATE INDEX changes_by_scope ON changes (scope, id);
CREATE INDEX changes_by_memo ON changes (scope, memo, id);
"""
_SOURCE = ("origin", "actor", "platform", "guild", "channel", "channel_name", "thread", "message", "evidence", "trace")
_FIND_MEMO: LiteralString = f"""
SELECT tags, origin, actor, platform, guild, channel, channel_name, thread, message, evidence, trace, heard, metadata,
{changes_from_log.MEMO_COLUMNS} FROM memos WHERE scope = (SELECT id FROM scopes WHERE mark = %s) AND id = %s
"""


def _record_changes(connection: Connection) -> None:
    def find_memo(scope: str, memo: str) -> str | None:
        row = connection.execute(_FIND_MEMO, (handle(scope), handle(memo))).fetchone()
        if row is None:
            return None
        tags, *values = row
        metadata = json.loads(values[11] or "{}")
        source = dict(zip((*_SOURCE, "heard"), values[:11], strict=True)) | {"metadata": metadata}
        return changes_from_log.memo_json(scope, tuple(values[12:]), tags, source)

    changes_from_log.convert(_database(connection), _CHANGES_TABLE, find_memo)


_IDENTITIES = identities.Statements(
    memos="SELECT key, (SELECT name FROM scopes WHERE scopes.id = scope), id, platform, actor, audience, heard "
    "FROM memos ORDER BY key",
    update_memo="UPDATE memos SET actor = $1, heard = $2, audience = $3 WHERE key = $4",
    rename_scope="UPDATE scopes SET name = $1, mark = $2 WHERE mark = $3",
    make_scope="INSERT INTO scopes (name, mark) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    move_events="UPDATE events SET scope = (SELECT id FROM scopes WHERE mark = $1) "
    "WHERE scope = (SELECT id FROM scopes WHERE mark = $2) AND memo = $3",
)


def _tell_platforms_apart(connection: Connection) -> None:
    """People get their platform into their key; the documents' views still show the bare id."""
    identities.convert(_database(connection), _IDENTITIES)
    connection.execute(f"{MEMORY_FACTS}; DROP VIEW action_log;")
    connection.execute(
        "CREATE INDEX scopes_by_bare_id ON scopes (md5(substr(name, 6 + strpos(substr(name, 6), ':')))) "
        "WHERE starts_with(name, 'user:')"
    )
    connection.execute(bare_action_log(_CREATED_AT, "strpos"))


def _record_audiences(connection: Connection) -> None:
    summary_audiences.convert(_database(connection))


def _show_documents(connection: Connection) -> None:
    """Document D: facts of guilds only, their vectors, errors of voice. Document E: ids that the tool prints."""
    row = connection.execute(
        "SELECT id FROM embedders WHERE corpus = 'memos' AND serving AND retired IS NULL ORDER BY id LIMIT 1"
    ).fetchone()
    connection.execute(vector_views(None if row is None else table_of("memos", row[0])))
    guild: LiteralString = (
        "CASE WHEN starts_with(scopes.name, 'lore:') THEN substr(scopes.name, 6) ELSE memos.guild END"
    )
    facts = MEMORY_FACTS.replace("memos.guild AS", f"{guild} AS")
    connection.execute(f"{facts} WHERE {guild} IS NOT NULL; DROP VIEW action_log;")
    connection.execute(bare_action_log(_CREATED_AT, "strpos", trace="events.data::json ->> 'trace'"))


_MESSAGES_BY_AUTHOR: LiteralString = "CREATE INDEX messages_by_author ON messages (substr(author, 1, 64), key)"
_MEMO_VERSIONS: LiteralString = "ALTER TABLE memos ADD COLUMN version bigint NOT NULL DEFAULT 1"
_OMIT_STATES_AFTER_CHANGES: LiteralString = f"""
{OMIT_STATES_BEFORE_NEXT_CHANGE}
UPDATE changes SET after = '' FROM memos JOIN scopes ON scopes.id = memos.scope
    WHERE after <> '' AND {IS_LAST_CHANGE} AND scopes.mark = changes.scope AND memos.id = changes.memo
    AND memos.text = after::json ->> 'text' AND memos.kind = after::json ->> 'kind'
    AND memos.status = coalesce(after::json ->> 'status', 'active') AND memos.audience = after::json ->> 'audience'
    AND memos.pinned = coalesce((after::json ->> 'pinned')::boolean, false);
"""

Migration = LiteralString | Callable[[Connection], None]
"""A script, or what SQL alone can't do."""

MIGRATIONS: list[tuple[str, Migration]] = [
    ("first tables", _0001_FIRST_TABLES),
    ("memos that are always shown", _0002_ALWAYS_SHOWN_MEMOS),
    ("words counted once", _0003_WORDS_COUNTED_ONCE),
    ("what was committed", _0004_COMMITS),
    ("queues and tenants of jobs, names of the glossary", _0005_JOB_QUEUES),
    ("state with owners", _add_state_owners),
    ("a secret, keyed fingerprints", _key_fingerprints),
    ("changes", _record_changes),
    ("people of platforms", _tell_platforms_apart),
    ("audiences of summaries and exchanges", _record_audiences),
    ("views of documents D and E", _show_documents),
    ("versions of memos", _MEMO_VERSIONS),
    ("messages by author", _MESSAGES_BY_AUTHOR),
    ("changes without what the next one or the memo tells", _OMIT_STATES_AFTER_CHANGES),
]
"""Ordered; never changed once released, only added to."""

_RECORD: LiteralString = "CREATE TABLE migrations (number int PRIMARY KEY, name text NOT NULL, at bigint NOT NULL)"


def migrate(connection: Connection, address: Address) -> None:
    """Bring the schema up to date, or refuse it untouched when it isn't ours or is newer than we are."""
    with connection.transaction():
        version = _supported_version(connection, address)
        if version < len(MIGRATIONS) or _is_from_elsewhere(connection):
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock_key("migration"),))
            _apply(
                connection, address, after=_supported_version(connection, address)
            )  # another process may have been quicker
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
            script(connection)
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
