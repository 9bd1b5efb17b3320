"""The tables, as ordered migrations; each is recorded in the transaction that makes it.

Rows of one scope lie together: a row's key is `scope << 32 | number`, so reading a scope is one range scan
however large the store is, and an index entry carries its scope with it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.core.clock import now, to_ms
from recollect.core.errors import CorruptStore
from recollect.stores._sql import changes_from_log, identities
from recollect.stores._sql.database import Row
from recollect.stores._sql.migrations import IS_LAST_CHANGE, Dialect, Migration, refuse_newer, second_edition
from recollect.stores.sqlite.backup import keep_before_upgrade
from recollect.stores.sqlite.database import APPLICATION, Database
from recollect.stores.sqlite.views import VIEWS

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

{VIEWS.memory_facts()}"""

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

_0003_ACTION_LOG = VIEWS.action_log(failed_job="job.parked")

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

_RENAME_SCOPES = """
UPDATE scopes SET name = iif(name = 'files', 'mirror', 'consolidate' || substr(name, 6))
    WHERE (name = 'files' OR name GLOB 'dream:*') AND id IN (SELECT scope FROM events WHERE actor = 'worker');
"""
_MEMO = f"""
SELECT {changes_from_log.MEMO_COLUMNS}, tags, guild, channel, source FROM memos
WHERE key >> 32 = +(SELECT scopes.id FROM scopes WHERE name = $1) AND memos.id = $2
"""


def _provenance(row: Row) -> tuple[list[str], Mapping[str, Any]]:
    tags, guild, channel, source = row
    return json.loads(tags or "[]"), {"guild": guild, "channel": channel, **json.loads(source)}


_MEMOS_OF_PEOPLE = """
SELECT key, (SELECT name FROM scopes WHERE scopes.id = key >> 32), id, coalesce(source ->> 'platform', 'local'),
coalesce(source ->> 'actor', ''), audience, source ->> 'heard' FROM memos ORDER BY key
"""
_UPDATE_MEMO = """
UPDATE memos SET source = json_patch(json_set(source, '$.actor', $1), json_object('heard', $2)), audience = $3
WHERE key = $4
"""
_MESSAGES_BY_AUTHOR = """
CREATE INDEX messages_by_author ON messages (author);
CREATE INDEX messages_at_a_place ON messages (place);
"""
_MESSAGES_THAT_ANSWER = "CREATE INDEX messages_that_answer ON messages (reply_to) WHERE bot AND reply_to IS NOT NULL;"
_OMIT_LAST_STATES = f"""
UPDATE changes SET after = '' WHERE after <> '' AND {IS_LAST_CHANGE} AND EXISTS (
    SELECT 1 FROM memos WHERE key >> 32 = +(SELECT scopes.id FROM scopes WHERE scopes.name = changes.scope)
    AND memos.id = changes.memo AND memos.text = after ->> 'text' AND memos.kind = after ->> 'kind'
    AND memos.status = coalesce(after ->> 'status', 'active') AND memos.audience = after ->> 'audience'
    AND memos.pinned = coalesce(after ->> 'pinned', 0));
"""
_DIALECT = Dialect(
    views=VIEWS,
    name="TEXT",
    number="INTEGER",
    flag="INTEGER",
    table="STRICT",
    keyed_table="STRICT, WITHOUT ROWID",
    jobs_of_kind="kind",
    rename_scopes=_RENAME_SCOPES,
    event_batch="data ->> 'batch'",
    changes_by="",
    memos=changes_from_log.MemoReader(_MEMO, _provenance),
    identities=identities.Statements(
        memos=_MEMOS_OF_PEOPLE,
        update_memo=_UPDATE_MEMO,
        rename_scope="UPDATE scopes SET name = $1 WHERE $2 <> '' AND name = $3",
        make_scope="INSERT INTO scopes (name) SELECT $1 WHERE $2 <> '' ON CONFLICT DO NOTHING",
        move_events="UPDATE events SET scope = (SELECT id FROM scopes WHERE name = $1) "
        "WHERE scope = (SELECT id FROM scopes WHERE name = $2) AND memo = $3",
    ),
    bare_ids="(substr(name, 6 + instr(substr(name, 6), ':'))) WHERE substr(name, 1, 5) = 'user:'",
    serving="SELECT id FROM embedders WHERE corpus = 'memos' AND serving",
    messages_by_author=("messages by author and place", _MESSAGES_BY_AUTHOR),
    omit_last_states=_OMIT_LAST_STATES,
)

MIGRATIONS: list[tuple[str, Migration]] = [
    ("first tables", _0001_FIRST_TABLES),
    ("heads of lanes, counters, what rests on a message", _0002_HEADS_OF_QUEUES),
    ("the log under the names of document D", _0003_ACTION_LOG),
    ("the log by kind and day", _0004_EVENT_DAYS),
    ("memos by time", _0005_MEMOS_BY_TIME),
    *second_edition(_DIALECT),
    ("messages by what they answer", _MESSAGES_THAT_ANSWER),
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
            version = db.pragma("user_version")  # read again: another process may have migrated it first
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
