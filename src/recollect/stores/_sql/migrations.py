"""The migrations that every SQL store has, from the first edition to the second; never changed once released."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, LiteralString

from recollect.core.errors import NewerSchema
from recollect.stores._sql import changes_from_log, identities, state_names, summary_audiences, tombstones
from recollect.stores._sql.database import Database
from recollect.stores._sql.vectors import table_of
from recollect.stores._sql.views import Views

Migration = LiteralString | Callable[[Any], None]
"""A script, or what SQL alone can't do."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Expressions that differ between the stores."""

    views: Views
    name: LiteralString
    """The type of texts that are ordered by their bytes."""
    number: LiteralString
    flag: LiteralString
    table: LiteralString
    """Ends a table."""
    keyed_table: LiteralString
    """Ends a table without other columns than those of its key and a few more."""
    jobs_of_kind: LiteralString
    """The columns of this index."""
    rename_scopes: LiteralString
    """Scopes that are queues of jobs get their new names."""
    event_batch: LiteralString
    changes_by: LiteralString
    """Further columns at the end of the indexes of changes."""
    memos: changes_from_log.MemoReader
    identities: identities.Statements
    bare_ids: LiteralString
    """The index of people by their ids as they are on their platform."""
    serving: LiteralString
    """The id of the set of vectors of memos that serves searches."""
    messages_by_author: tuple[str, LiteralString]
    omit_last_states: LiteralString
    """The state after a change is what the memo is now."""


_QUEUES_AND_TENANTS: LiteralString = """
DROP INDEX jobs_by_lane;
DROP INDEX jobs_of_kind;
ALTER TABLE jobs RENAME COLUMN lane TO queue;
ALTER TABLE jobs RENAME COLUMN realm TO tenant;
UPDATE jobs SET state = CASE state WHEN 'behind' THEN 'blocked' ELSE 'failed' END WHERE state IN ('behind', 'parked');
CREATE INDEX jobs_by_queue ON jobs (queue, id) WHERE state <> 'failed';
"""
_KINDS_OF_JOBS: LiteralString = """
UPDATE jobs SET dedupe = 'daily_log' WHERE kind = 'journal' AND dedupe = 'journal';
UPDATE jobs SET queue = 'mirror' WHERE kind = 'journal' AND queue = 'files';
UPDATE jobs SET tenant = 'consolidate' WHERE kind = 'reflect' AND tenant = 'dreams';
UPDATE jobs SET tenant = 'mirror' WHERE kind = 'journal' AND tenant = 'files';
UPDATE meta SET value = CASE value WHEN 'dreams' THEN 'consolidate' ELSE 'mirror' END
    WHERE name = 'turn' AND value IN ('dreams', 'files');
UPDATE jobs SET kind = CASE kind
    WHEN 'summarise' THEN 'summarize' WHEN 'reflect' THEN 'consolidate' ELSE 'daily_log' END
    WHERE kind IN ('summarise', 'reflect', 'journal');
"""
_KINDS_OF_EVENTS: LiteralString = "".join(
    f"""
UPDATE {table} SET kind = CASE kind
    WHEN 'dream.done' THEN 'consolidation.done' WHEN 'dream.aborted' THEN 'consolidation.aborted'
    WHEN 'job.parked' THEN 'job.failed' WHEN 'summarise.error' THEN 'summarize.error'
    WHEN 'reflect.error' THEN 'consolidate.error' WHEN 'journal.error' THEN 'daily_log.error' ELSE kind END
    WHERE kind IN ('dream.done', 'dream.aborted', 'job.parked', 'summarise.error', 'reflect.error', 'journal.error');
"""
    for table in ("events", "event_days")
)
_OMIT_STATES_BEFORE_NEXT_CHANGE: LiteralString = """
UPDATE changes SET after = '' WHERE after = (
    SELECT later.before FROM changes AS later
    WHERE later.scope = changes.scope AND later.memo = changes.memo AND later.id > changes.id
    ORDER BY later.id LIMIT 1);
"""
IS_LAST_CHANGE: LiteralString = """
NOT EXISTS (SELECT 1 FROM changes AS later
    WHERE later.scope = changes.scope AND later.memo = changes.memo AND later.id > changes.id)
"""


def second_edition(dialect: Dialect) -> list[tuple[str, Migration]]:
    author_name, author_index = dialect.messages_by_author
    return [
        ("queues and tenants of jobs, names of the glossary", _rename_to_glossary(dialect)),
        ("state with owners", partial(state_names.move, table=_state_table(dialect))),
        ("a secret, keyed fingerprints", tombstones.key_fingerprints),
        ("changes", partial(changes_from_log.convert, table=_changes_table(dialect), memos=dialect.memos)),
        ("people of platforms", partial(_tell_platforms_apart, dialect)),
        ("audiences of summaries and exchanges", summary_audiences.convert),
        ("views of documents D and E", partial(_show_documents, dialect)),
        ("versions of memos", f"ALTER TABLE memos ADD COLUMN version {dialect.number} NOT NULL DEFAULT 1;"),
        (author_name, author_index),
        (
            "changes without what the next one or the memo tells",
            _OMIT_STATES_BEFORE_NEXT_CHANGE + dialect.omit_last_states,
        ),
    ]


def _rename_to_glossary(dialect: Dialect) -> LiteralString:
    """Rename stored values to the glossary's terms: queues, tenants, states and kinds of jobs, kinds of events."""
    batch = dialect.event_batch
    return f"""
{_QUEUES_AND_TENANTS}
CREATE INDEX jobs_of_kind ON jobs ({dialect.jobs_of_kind}) WHERE state IN ('waiting', 'blocked');
-- A dedupe key is the kind of its job, alone or before a colon.
UPDATE jobs SET dedupe = 'summarize' || substr(dedupe, 10)
    WHERE kind = 'summarise' AND substr(dedupe, 1, 10) = 'summarise:';
UPDATE jobs SET dedupe = 'consolidate' || substr(dedupe, 8)
    WHERE kind = 'reflect' AND substr(dedupe, 1, 8) = 'reflect:';
UPDATE jobs SET queue = 'consolidate' || substr(queue, 6) WHERE kind = 'reflect' AND substr(queue, 1, 6) = 'dream:';
{_KINDS_OF_JOBS}
-- The worker logs under the queue of a job; anything else of that name is not a queue.
{dialect.rename_scopes}
-- People may be called 'dream' too: the actor is only ours in a batch that a consolidation logged.
UPDATE events SET actor = 'consolidation' WHERE actor = 'dream' AND (kind IN ('dream.done', 'dream.aborted')
    OR {batch} IN (SELECT {batch} FROM events WHERE kind IN ('dream.done', 'dream.aborted')));
{_KINDS_OF_EVENTS}
DROP VIEW action_log;
{dialect.views.action_log(failed_job="job.failed")}
"""


def _state_table(dialect: Dialect) -> LiteralString:
    name = dialect.name
    return f"""
CREATE TABLE state (                     -- lists of records, by kind and key; each record goes with its owner
    kind {name} NOT NULL, key {name} NOT NULL, number {dialect.number} NOT NULL, item {name} NOT NULL,
    person {name}, guild {name}, PRIMARY KEY (kind, key, item)
) {dialect.keyed_table};
"""


def _changes_table(dialect: Dialect) -> LiteralString:
    name, flag = dialect.name, dialect.flag
    return f"""
CREATE TABLE changes (                   -- a row per memo and change; its id is that of the event that logs it
    id {dialect.number} PRIMARY KEY, scope {name} NOT NULL, memo {name} NOT NULL, batch {name},
    before TEXT, after TEXT,             -- the memo as JSON
    reason TEXT NOT NULL, detail TEXT NOT NULL, actor TEXT NOT NULL, at {dialect.number} NOT NULL, message {name},
    shared {flag} NOT NULL,              -- whether `everywhere` was chosen explicitly
    undoes {name},                       -- the batch that it takes back
    undone {flag} NOT NULL, undoable {flag} NOT NULL
) {dialect.table};
CREATE INDEX changes_by_scope ON changes (scope{dialect.changes_by});
CREATE INDEX changes_by_memo ON changes (scope, memo{dialect.changes_by});
"""


def _tell_platforms_apart(dialect: Dialect, db: Database) -> None:
    """Add the platform to people's keys; the documents' views still show the bare id."""
    identities.convert(db, dialect.identities)
    db.script(f"{dialect.views.memory_facts()} DROP VIEW action_log; {dialect.views.bare_action_log()}")
    db.run(f"CREATE INDEX scopes_by_bare_id ON scopes {dialect.bare_ids}")


def _show_documents(dialect: Dialect, db: Database) -> None:
    """Document D: facts of guilds only, their vectors, errors of voice. Document E: ids that the tool prints."""
    views, serving = dialect.views, db.value(dialect.serving)
    db.script(views.vectors(None if serving is None else table_of("memos", serving)))
    db.script(
        f"{views.memory_facts(guilds_only=True)} DROP VIEW action_log; {views.bare_action_log(views.voice_error)}"
    )


def refuse_newer(store: object, version: int, known: int) -> None:
    if version > known:
        raise NewerSchema(
            f"{store} was written by a newer recollect (schema {version}, this one knows {known}); it was left as it "
            "is. Update recollect: pip install --upgrade recollect"
        )
