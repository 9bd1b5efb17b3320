"""The tables, as ordered migrations; each is recorded in the transaction that makes it.

Rows of one scope lie together: a row's key is `scope << 32 | number`, so reading a scope is one range scan
however large the store is, and an index entry carries its scope with it.
"""

import json
from collections.abc import Callable
from pathlib import Path

from recollect.core.clock import now, to_ms
from recollect.core.errors import CorruptStore
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
from recollect.stores.sqlite.backup import keep_before_upgrade
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.views import MEMORY_FACTS, vector_views

APPLICATION = 0x52454343
"""Marks the file as ours (`RECC`)."""

_0001_FIRST_TABLES = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', 0);

CREATE TABLE scopes (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
    last INTEGER NOT NULL DEFAULT 0,     -- highest row number given out
    size INTEGER NOT NULL DEFAULT 0,     -- rows in the word index
    changes INTEGER NOT NULL DEFAULT 0   -- vectors written, replaced or removed so far
) STRICT;

CREATE TABLE messages (
    key INTEGER PRIMARY KEY, platform TEXT NOT NULL, id TEXT NOT NULL,
    session INTEGER NOT NULL, place INTEGER NOT NULL,
    author TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL,
    bot INTEGER NOT NULL, source TEXT NOT NULL, reply_to TEXT, edited INTEGER, deleted INTEGER,
    length INTEGER NOT NULL, asks REAL NOT NULL,  -- words, and the share of them that stands in questions
    UNIQUE (id, platform)
) STRICT;
CREATE INDEX messages_by_time ON messages (session, at);
CREATE INDEX messages_of_stream ON messages (key >> 32, at) WHERE deleted IS NULL;

CREATE TABLE places (id INTEGER PRIMARY KEY, detail TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE memos (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL,
    content INTEGER NOT NULL,            -- fingerprint of the normal text
    tags TEXT, status TEXT NOT NULL, confidence REAL NOT NULL, pinned INTEGER NOT NULL,
    audience TEXT NOT NULL, guild TEXT, channel TEXT, source TEXT NOT NULL, label TEXT,
    created INTEGER NOT NULL, updated INTEGER NOT NULL, happened INTEGER, expires INTEGER,
    supersedes TEXT, superseded_by TEXT, hits INTEGER NOT NULL DEFAULT 0, used INTEGER
) STRICT;
CREATE UNIQUE INDEX memos_by_id ON memos (key >> 32, id);
CREATE INDEX memos_by_content ON memos (key >> 32, content);

CREATE TABLE tombstones (
    scope TEXT NOT NULL, fingerprint TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (scope, fingerprint)
) STRICT, WITHOUT ROWID;

CREATE TABLE summaries (
    session TEXT NOT NULL, sequence INTEGER NOT NULL, text TEXT, updated INTEGER NOT NULL, through INTEGER,
    PRIMARY KEY (session, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE exchanges (
    guild TEXT NOT NULL, id TEXT NOT NULL, channel TEXT NOT NULL, channel_name TEXT NOT NULL,
    author TEXT NOT NULL, text TEXT NOT NULL, at INTEGER NOT NULL, expires INTEGER NOT NULL,
    PRIMARY KEY (guild, at, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, lane TEXT NOT NULL, payload TEXT NOT NULL,
    state TEXT NOT NULL, due INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    worker TEXT, until INTEGER, dedupe TEXT, error TEXT
) STRICT;
CREATE UNIQUE INDEX jobs_once ON jobs (dedupe) WHERE dedupe IS NOT NULL;
CREATE INDEX jobs_by_lane ON jobs (lane, id) WHERE state <> 'parked';
CREATE INDEX jobs_by_due ON jobs (due) WHERE state = 'waiting';
CREATE INDEX jobs_by_lease ON jobs (until) WHERE state = 'claimed';

CREATE TABLE events (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL,
    scope INTEGER, memo TEXT, reason TEXT NOT NULL, data TEXT
) STRICT;
CREATE INDEX events_by_scope ON events (scope);

CREATE TABLE embedders (
    id INTEGER PRIMARY KEY AUTOINCREMENT, corpus TEXT NOT NULL, model TEXT NOT NULL, dims INTEGER NOT NULL,
    serving INTEGER NOT NULL, complete INTEGER NOT NULL DEFAULT 0,
    UNIQUE (corpus, model)               -- each has a table of vectors of its own
) STRICT;

CREATE TABLE unembedded (                -- rows written without a vector since some set was complete
    corpus TEXT NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (corpus, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE vector_edits (              -- vectors that did not simply join at the end of their scope
    scope INTEGER NOT NULL, change INTEGER NOT NULL, key INTEGER NOT NULL, PRIMARY KEY (scope, change, key)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE memo_words USING fts5(
    terms, content='', contentless_delete=1, tokenize="ascii tokenchars '+#'");
CREATE VIRTUAL TABLE memo_words_rows USING fts5vocab(memo_words, row);
CREATE VIRTUAL TABLE memo_words_places USING fts5vocab(memo_words, instance);
CREATE VIRTUAL TABLE message_words USING fts5(
    terms, content='', contentless_delete=1, tokenize="ascii tokenchars '+#'");
CREATE VIRTUAL TABLE message_words_rows USING fts5vocab(message_words, row);
CREATE VIRTUAL TABLE message_words_places USING fts5vocab(message_words, instance);

{MEMORY_FACTS};
"""

_0002_HEADS_OF_QUEUES = """
ALTER TABLE jobs ADD COLUMN realm TEXT NOT NULL DEFAULT '';
-- Only the first job of a lane that nobody works on is 'waiting'; those that can't be claimed yet are 'behind'.
UPDATE jobs SET state = 'behind' WHERE state = 'waiting' AND (
    EXISTS (SELECT 1 FROM jobs AS earlier
        WHERE earlier.lane = jobs.lane AND earlier.id < jobs.id AND earlier.state <> 'parked')
    OR lane IN (SELECT lane FROM jobs WHERE state = 'claimed'));
DROP INDEX jobs_by_due;
CREATE INDEX jobs_to_claim ON jobs (realm, due) WHERE state = 'waiting';
CREATE INDEX jobs_of_kind ON jobs (kind) WHERE state IN ('waiting', 'behind');
CREATE INDEX jobs_in_work ON jobs (lane) WHERE state = 'claimed';
INSERT INTO meta VALUES ('turn', '');    -- the realm that was served last

CREATE TABLE counters (                  -- numbered from 1 without gaps, so that the last number is the length
    name TEXT NOT NULL, number INTEGER NOT NULL, item TEXT NOT NULL,
    PRIMARY KEY (name, number), UNIQUE (name, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_counts (
    kind TEXT PRIMARY KEY, count INTEGER NOT NULL, last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO event_counts SELECT kind, count(*), max(at) FROM events GROUP BY kind;

CREATE INDEX memos_by_message ON memos (source ->> 'message') WHERE source ->> 'message' IS NOT NULL;
"""

_CREATED_AT = "strftime('%Y-%m-%dT%H:%M:%fZ', events.at / 1000.0, 'unixepoch')"
_0003_ACTION_LOG = action_log(_CREATED_AT, failed_job="job.parked")

_0004_EVENT_DAYS = """
CREATE TABLE event_days (                -- how many there were on each day since 1970, and when the last one was
    kind TEXT NOT NULL, day INTEGER NOT NULL, count INTEGER NOT NULL, last INTEGER NOT NULL, PRIMARY KEY (kind, day)
) STRICT, WITHOUT ROWID;
INSERT INTO event_days SELECT kind, at / 86400000, count(*), max(at) FROM events GROUP BY 1, 2;
DROP TABLE event_counts;
CREATE INDEX events_by_kind ON events (kind);
"""

_0005_MEMOS_BY_TIME = """
DROP TABLE memo_words_places;
DROP TABLE message_words_places;
CREATE INDEX memos_by_time ON memos (key >> 32, updated) WHERE status = 'active';
CREATE INDEX memos_standing ON memos (key >> 32, updated)
    WHERE status = 'active' AND (pinned OR kind = 'constraint');
"""

_0006_JOB_QUEUES = f"""
{QUEUES_AND_TENANTS}
CREATE INDEX jobs_of_kind ON jobs (kind) WHERE state IN ('waiting', 'blocked');
-- A dedupe key is the kind of its job, alone or before a colon.
UPDATE jobs SET dedupe = 'summarize' || substr(dedupe, 10) WHERE kind = 'summarise' AND dedupe GLOB 'summarise:*';
UPDATE jobs SET dedupe = 'consolidate' || substr(dedupe, 8) WHERE kind = 'reflect' AND dedupe GLOB 'reflect:*';
UPDATE jobs SET queue = 'consolidate' || substr(queue, 6) WHERE kind = 'reflect' AND queue GLOB 'dream:*';
{KINDS_OF_JOBS}
-- The worker logs under the queue of a job; anything else of that name is not a queue.
UPDATE scopes SET name = iif(name = 'files', 'mirror', 'consolidate' || substr(name, 6))
    WHERE (name = 'files' OR name GLOB 'dream:*') AND id IN (SELECT scope FROM events WHERE actor = 'worker');
-- People may be called 'dream' too: the actor is only ours in a batch that a consolidation logged.
UPDATE events SET actor = 'consolidation' WHERE actor = 'dream' AND (kind IN ('dream.done', 'dream.aborted')
    OR data ->> 'batch' IN (SELECT data ->> 'batch' FROM events WHERE kind IN ('dream.done', 'dream.aborted')));
{KINDS_OF_EVENTS}
DROP VIEW action_log;
{action_log(_CREATED_AT, failed_job="job.failed")}
"""
"""Names of the glossary in what is stored: queues and tenants of jobs, their states and kinds, kinds of events."""

_STATE_TABLE = """
CREATE TABLE state (                     -- lists of records, by kind and key; each record goes with its owner
    kind TEXT NOT NULL, key TEXT NOT NULL, number INTEGER NOT NULL, item TEXT NOT NULL, person TEXT, guild TEXT,
    PRIMARY KEY (kind, key, item)
) STRICT, WITHOUT ROWID;
"""


def _add_state_owners(db: Database) -> None:
    state_names.move(db, _STATE_TABLE)


def _show_documents(db: Database) -> None:
    """Document D: facts of guilds only, their vectors, errors of voice. Document E: ids that the tool prints."""
    serving = db.value("SELECT id FROM embedders WHERE corpus = 'memos' AND serving")
    db.run(vector_views(None if serving is None else table_of("memos", serving)))
    guild = "CASE WHEN scopes.name LIKE 'lore:%' THEN substr(scopes.name, 6) ELSE memos.guild END"
    facts = MEMORY_FACTS.replace("memos.guild AS", f"{guild} AS")
    db.run(f"DROP VIEW memory_facts; {facts} WHERE {guild} IS NOT NULL;")
    db.run("DROP VIEW action_log;")
    db.run(bare_action_log(_CREATED_AT, "instr", trace="events.data ->> 'trace'"))


_CHANGES_TABLE = """
CREATE TABLE changes (                   -- a row per memo and change; its id is that of the event that logs it
    id INTEGER PRIMARY KEY, scope TEXT NOT NULL, memo TEXT NOT NULL, batch TEXT,
    before TEXT, after TEXT,             -- the memo as JSON
    reason TEXT NOT NULL, detail TEXT NOT NULL, actor TEXT NOT NULL, at INTEGER NOT NULL, message TEXT,
    shared INTEGER NOT NULL,             -- whether `everywhere` was chosen explicitly
    undoes TEXT,                         -- the batch that it takes back
    undone INTEGER NOT NULL, undoable INTEGER NOT NULL
) STRICT;
CREATE INDEX changes_by_scope ON changes (scope);
CREATE INDEX changes_by_memo ON changes (scope, memo);
"""


def _record_changes(db: Database) -> None:
    columns = changes_from_log.MEMO_COLUMNS
    find = f"SELECT tags, guild, channel, source, {columns} FROM memos WHERE key >> 32 = ? AND id = ?"

    def find_memo(scope: str, memo: str) -> str | None:
        row = db.row(find, (db.value("SELECT id FROM scopes WHERE name = ?", (scope,)), memo))
        if row is None:
            return None
        tags, guild, channel, source, *values = row
        origin = {"guild": guild, "channel": channel, **json.loads(source)}
        return changes_from_log.memo_json(scope, tuple(values), json.loads(tags or "[]"), origin)

    changes_from_log.convert(db, _CHANGES_TABLE, find_memo)


_MEMOS_OF_PEOPLE = """
SELECT key, (SELECT name FROM scopes WHERE scopes.id = key >> 32), id, coalesce(source ->> 'platform', 'local'),
coalesce(source ->> 'actor', ''), audience, source ->> 'heard' FROM memos ORDER BY key
"""
_UPDATE_MEMO = """
UPDATE memos SET source = json_patch(json_set(source, '$.actor', $1), json_object('heard', $2)), audience = $3
WHERE key = $4
"""
_IDENTITIES = identities.Statements(
    memos=_MEMOS_OF_PEOPLE,
    update_memo=_UPDATE_MEMO,
    rename_scope="UPDATE scopes SET name = $1 WHERE $2 <> '' AND name = $3",
    make_scope="INSERT INTO scopes (name) SELECT $1 WHERE $2 <> '' ON CONFLICT DO NOTHING",
    move_events="UPDATE events SET scope = (SELECT id FROM scopes WHERE name = $1) "
    "WHERE scope = (SELECT id FROM scopes WHERE name = $2) AND memo = $3",
)


def _tell_platforms_apart(db: Database) -> None:
    """People get their platform into their key; the documents' views still show the bare id."""
    identities.convert(db, _IDENTITIES)
    db.run(f"DROP VIEW memory_facts; {MEMORY_FACTS}; DROP VIEW action_log;")
    db.run(
        "CREATE INDEX scopes_by_bare_id ON scopes (substr(name, 6 + instr(substr(name, 6), ':'))) "
        "WHERE substr(name, 1, 5) = 'user:'"
    )
    db.run(bare_action_log(_CREATED_AT, "instr"))


_MESSAGES_BY_AUTHOR = """
CREATE INDEX messages_by_author ON messages (author);
CREATE INDEX messages_at_a_place ON messages (place);
"""
_MEMO_VERSIONS = "ALTER TABLE memos ADD COLUMN version INTEGER NOT NULL DEFAULT 1;"
_OMIT_STATES_AFTER_CHANGES = f"""
{OMIT_STATES_BEFORE_NEXT_CHANGE}
UPDATE changes SET after = '' WHERE after <> '' AND {IS_LAST_CHANGE} AND EXISTS (
    SELECT 1 FROM memos WHERE key >> 32 = +(SELECT scopes.id FROM scopes WHERE scopes.name = changes.scope)
    AND memos.id = changes.memo AND memos.text = after ->> 'text' AND memos.kind = after ->> 'kind'
    AND memos.status = coalesce(after ->> 'status', 'active') AND memos.audience = after ->> 'audience'
    AND memos.pinned = coalesce(after ->> 'pinned', 0));
"""


Migration = str | Callable[[Database], None]
"""A script, or what SQL alone can't do."""

MIGRATIONS: list[tuple[str, Migration]] = [
    ("first tables", _0001_FIRST_TABLES),
    ("heads of lanes, counters, what rests on a message", _0002_HEADS_OF_QUEUES),
    ("the log under the names of document D", _0003_ACTION_LOG),
    ("the log by kind and day", _0004_EVENT_DAYS),
    ("memos by time", _0005_MEMOS_BY_TIME),
    ("queues and tenants of jobs, names of the glossary", _0006_JOB_QUEUES),
    ("state with owners", _add_state_owners),
    ("a secret, keyed fingerprints", tombstones.key_fingerprints),
    ("changes", _record_changes),
    ("people of platforms", _tell_platforms_apart),
    ("audiences of summaries and exchanges", summary_audiences.convert),
    ("views of documents D and E", _show_documents),
    ("versions of memos", _MEMO_VERSIONS),
    ("messages by author and place", _MESSAGES_BY_AUTHOR),
    ("changes without what the next one or the memo tells", _OMIT_STATES_AFTER_CHANGES),
]
"""Ordered; never changed once released, only added to."""


def migrate(db: Database) -> None:
    """Bring the file up to date, or refuse it untouched when it isn't ours or is newer than we are."""
    version: int = db.pragma("user_version")
    if db.pragma("application_id") != APPLICATION and db.value("SELECT count(*) FROM sqlite_schema"):
        raise CorruptStore(f"{db.filename} is an SQLite file of another program; it was left as it is.")
    refuse_newer(db.filename, version, len(MIGRATIONS))
    db.use_log()
    if version < len(MIGRATIONS):
        with db.transaction("BEGIN IMMEDIATE"):
            version = db.pragma("user_version")  # read again: another process may have been quicker
            if db.filename and 0 < version < len(MIGRATIONS):
                keep_before_upgrade(Path(db.filename), version, len(MIGRATIONS))
            _apply(db, after=version)


def create_tables(db: Database) -> None:
    """All tables in a new file."""
    with db.transaction("BEGIN IMMEDIATE"):
        _apply(db, after=0)
    db.use_log()


def _apply(db: Database, after: int) -> None:
    for number, (name, migration) in enumerate(MIGRATIONS[after:], after + 1):
        if number == 1:
            db.pragma("application_id", APPLICATION)
            db.run(
                "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL) STRICT"
            )
        if callable(migration):
            migration(db)
        else:
            db.run(migration)
        db.run("INSERT INTO migrations VALUES (?, ?, ?)", (number, name, to_ms(now())))
        db.pragma("user_version", number)
