"""The tables of messages and memos, with their indexes.

Keys of rows come from one sequence and say nothing about their scope, which stands beside them. Nothing that a person
may write is in an index at full length, as PostgreSQL refuses entries beyond a third of a page: see `rows.handle`.
"""

from typing import LiteralString

from recollect.stores._sql.views import Views

_ROWS = """
CREATE SEQUENCE row_keys;

CREATE TABLE scopes (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    mark text COLLATE "C" NOT NULL UNIQUE,   -- the name as far as an index takes it
    last bigint NOT NULL DEFAULT 0,          -- highest row number given out
    size bigint NOT NULL DEFAULT 0           -- rows in the word index
) WITH (fillfactor = 50);                    -- written with every row, so there is room for that on the page

CREATE TABLE places (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mark text COLLATE "C" NOT NULL UNIQUE,   -- fingerprint of the detail
    detail text NOT NULL, guild text, channel text, dm text
);

CREATE TABLE messages (
    key bigint PRIMARY KEY, scope integer NOT NULL, number bigint NOT NULL,
    platform text NOT NULL, id text COLLATE "C" NOT NULL, session integer NOT NULL, place integer NOT NULL,
    author text NOT NULL, name text NOT NULL, text text NOT NULL, at bigint NOT NULL,
    bot boolean NOT NULL, source text NOT NULL, reply_to text COLLATE "C", edited bigint, deleted bigint,
    length integer NOT NULL, asks double precision NOT NULL,  -- words, and the share of them that stands in questions
    UNIQUE (id, platform)
);
CREATE INDEX messages_of_session ON messages (session, at, key) WHERE deleted IS NULL;
CREATE INDEX messages_of_stream ON messages (scope, at, key) WHERE deleted IS NULL;
CREATE INDEX messages_that_answer ON messages (reply_to) WHERE bot;
CREATE INDEX messages_at_a_place ON messages (place);

CREATE TABLE memos (
    key bigint PRIMARY KEY, scope integer NOT NULL, number bigint NOT NULL,
    id text COLLATE "C" NOT NULL, kind text NOT NULL, text text NOT NULL,
    content bigint NOT NULL,                 -- fingerprint of the normal text
    tags text[] NOT NULL, status text NOT NULL, confidence double precision NOT NULL, pinned boolean NOT NULL,
    audience text NOT NULL, label text,
    created bigint NOT NULL, updated bigint NOT NULL, happened bigint, expires bigint,
    supersedes text, superseded_by text, hits bigint NOT NULL DEFAULT 0, used bigint,
    origin text NOT NULL, actor text NOT NULL, platform text NOT NULL, guild text, channel text, channel_name text,
    thread text, message text COLLATE "C", evidence text, trace text, metadata text, heard text,
    UNIQUE (scope, id)
) WITH (fillfactor = 90);
CREATE INDEX memos_by_content ON memos (scope, content);
CREATE INDEX memos_by_time ON memos (scope, updated, key);
CREATE INDEX memos_by_message ON memos (message) WHERE message IS NOT NULL;

-- The planner is to know the large scopes one by one: their rows are read in order, not all of them and sorted.
ALTER TABLE messages ALTER COLUMN scope SET STATISTICS 1000, ALTER COLUMN session SET STATISTICS 1000;
ALTER TABLE memos ALTER COLUMN scope SET STATISTICS 1000;

CREATE TABLE tombstones (
    scope text COLLATE "C" NOT NULL, fingerprint text COLLATE "C" NOT NULL, at bigint NOT NULL,
    PRIMARY KEY (scope, fingerprint)
);
"""

_INDEXES = """
CREATE TABLE memo_words (
    scope integer NOT NULL, term text COLLATE "C" NOT NULL, key bigint NOT NULL,
    PRIMARY KEY (scope, term, key)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX memo_words_of_row ON memo_words (key);

CREATE TABLE message_words (
    scope integer NOT NULL, term text COLLATE "C" NOT NULL, key bigint NOT NULL,
    PRIMARY KEY (scope, term, key)
) WITH (autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX message_words_of_row ON message_words (key);

CREATE TABLE embedders (                     -- each has a table of vectors of its own
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, corpus text NOT NULL, model text NOT NULL,
    dims integer NOT NULL, serving boolean NOT NULL, complete boolean NOT NULL DEFAULT false,
    retired timestamptz                      -- since when nobody uses it; its table goes when no reader can need it
);
CREATE UNIQUE INDEX embedders_in_use ON embedders (corpus, model) WHERE retired IS NULL;

CREATE TABLE unembedded (                    -- rows written without a vector since some set was complete
    corpus text NOT NULL, key bigint NOT NULL, PRIMARY KEY (corpus, key)
);
"""

_BYTES: LiteralString = " || ".join(f"substring(float4send(number) FROM {byte} FOR 1)" for byte in ("4", "3", "2", "1"))
_BLOB: LiteralString = (
    f"(SELECT string_agg({_BYTES}, ''::bytea ORDER BY place) "
    "FROM unnest(vectors.embedding::real[]) WITH ORDINALITY AS component (number, place))"
)
"""A vector as little-endian 32-bit floats."""

VIEWS = Views(
    replace="CREATE OR REPLACE VIEW {view}",
    find="strpos",
    scope="memos.scope",
    active="(memos.status = 'active')::integer",
    evidence="memos.evidence",
    message="memos.message",
    tags="array_to_json(memos.tags)::text",
    metadata="memos.metadata",
    happened_at="to_char(to_timestamp(coalesce(memos.happened, memos.created) / 1000.0) AT TIME ZONE 'UTC', "
    """'YYYY-MM-DD"T"HH24:MI:SS"Z"')""",
    event_at="to_char(to_timestamp(events.at / 1000.0) AT TIME ZONE 'UTC', "
    """'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
    event_trace="events.data::json ->> 'trace'",
    embedding="embedding::vector",
    blob=_BLOB,
    no_vectors="(SELECT key, NULL::vector AS embedding FROM memos WHERE false)",
    serving="embedders.serving AND embedders.retired IS NULL",
)

TABLES: LiteralString = f"{_ROWS}{_INDEXES}{VIEWS.memory_facts()}{VIEWS.vectors(None)}"

OPERATION_TABLES: LiteralString = """
CREATE TABLE meta (name text COLLATE "C" PRIMARY KEY, value text NOT NULL);
INSERT INTO meta VALUES ('turn', '');    -- the realm that was served last

CREATE TABLE generations (               -- each transaction that writes adds one somewhere; what counts is the sum
    shard int PRIMARY KEY, value bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO generations SELECT shard, 0 FROM generate_series(0, 31) AS shard;  -- as many as SHARDS

CREATE TABLE summaries (
    session text COLLATE "C" NOT NULL, sequence bigint NOT NULL, text text, updated bigint NOT NULL, through bigint,
    PRIMARY KEY (session, sequence)
);

CREATE TABLE exchanges (
    guild text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, channel text NOT NULL, channel_name text NOT NULL,
    author text COLLATE "C" NOT NULL, text text NOT NULL, at bigint NOT NULL, expires bigint NOT NULL,
    PRIMARY KEY (guild, at, id)
);

CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text COLLATE "C" NOT NULL,
    lane text COLLATE "C" NOT NULL, payload text NOT NULL,
    -- Only the first job of a lane that nobody works on is 'waiting'; those that can't be claimed yet are 'behind'.
    state text COLLATE "C" NOT NULL, due bigint NOT NULL, attempts int NOT NULL DEFAULT 0,
    worker text COLLATE "C", until bigint, dedupe text COLLATE "C", error text, realm text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE UNIQUE INDEX jobs_once ON jobs (dedupe) WHERE dedupe IS NOT NULL;
CREATE INDEX jobs_by_lane ON jobs (lane, id) WHERE state <> 'parked';
CREATE INDEX jobs_to_claim ON jobs (realm, due, id) WHERE state = 'waiting';
CREATE INDEX jobs_of_kind ON jobs (kind, id) WHERE state IN ('waiting', 'behind');
CREATE INDEX jobs_in_work ON jobs (lane) WHERE state = 'claimed';
CREATE INDEX jobs_by_lease ON jobs (until) WHERE state = 'claimed';

CREATE TABLE counters (                  -- numbered from 1 without gaps, so that the last number is the length
    name text COLLATE "C" NOT NULL, number bigint NOT NULL, item text COLLATE "C" NOT NULL,
    PRIMARY KEY (name, number), UNIQUE (name, item)
);

CREATE TABLE events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text COLLATE "C" NOT NULL, at bigint NOT NULL,
    actor text NOT NULL, scope bigint, memo text COLLATE "C", reason text NOT NULL, data text,
    -- Ids are assigned before the commit, so followers of the log order by transaction first.
    transaction bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint
);
CREATE UNIQUE INDEX events_in_order ON events (transaction, id);
CREATE INDEX events_by_scope ON events (scope, id) WHERE scope IS NOT NULL;
CREATE INDEX events_by_kind ON events (kind, id);

CREATE TABLE event_days (                -- how many, for each day since 1970
    kind text COLLATE "C" NOT NULL, day int NOT NULL, shard int NOT NULL, count bigint NOT NULL, last bigint NOT NULL,
    PRIMARY KEY (kind, day, shard)
);
CREATE INDEX event_days_by_day ON event_days (day);
"""
"""Summaries, jobs, the log, and the store's own counts."""
