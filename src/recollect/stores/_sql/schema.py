"""Parts of migrations that are the same for every SQL store; as migrations, never changed once released."""

from typing import LiteralString

from recollect.core.errors import NewerSchema


def action_log(
    created_at: LiteralString, failed_job: LiteralString, trace: LiteralString | None = None
) -> LiteralString:
    """The log under the names of document D; `trace` is where an event says which source of messages failed."""
    error = f"CASE WHEN {trace} LIKE 'voice%' THEN 'voice_error' ELSE 'bot_error' END" if trace else "'bot_error'"
    return f"""
CREATE VIEW action_log AS SELECT
    events.id AS id, {created_at} AS created_at,
    CASE events.kind
        WHEN 'memo.added' THEN 'memory_fact' WHEN 'memo.revised' THEN 'memory_fact'
        WHEN 'extract.call' THEN 'memory_extract_call' WHEN 'extract.error' THEN 'memory_extract_error'
        WHEN 'embedding.call' THEN 'memory_embedding_call' WHEN 'embedding.error' THEN 'memory_embedding_error'
        WHEN '{failed_job}' THEN {error} ELSE events.kind END AS kind,
    events.actor AS actor, scopes.name AS scope, events.reason AS content, coalesce(events.data, '{{}}') AS metadata
    FROM events LEFT JOIN scopes ON scopes.id = events.scope;
"""


def bare_action_log(
    created_at: LiteralString, find: LiteralString, trace: LiteralString | None = None
) -> LiteralString:
    """The same with people's ids as they are on their platform; `find` is the function that finds a text in a text."""
    bare: LiteralString = f"substr(scopes.name, 6 + {find}(substr(scopes.name, 6), ':'))"
    scope: LiteralString = f"CASE WHEN scopes.name LIKE 'user:%' THEN 'user:' || {bare} ELSE scopes.name END AS scope"
    actor: LiteralString = f"substr(events.actor, 1 + {find}(events.actor, ':')) AS actor"
    log = action_log(created_at, failed_job="job.failed", trace=trace)
    return log.replace("scopes.name AS scope", scope).replace("events.actor AS actor", actor)


EMBEDDER_NAME: LiteralString = (
    "CASE substr(embedders.model, 1, 7) WHEN 'openai:' THEN substr(embedders.model, 8) ELSE embedders.model END"
)
"""The embedder as document D names it: OpenAI's models by their bare names."""

QUEUES_AND_TENANTS: LiteralString = """
DROP INDEX jobs_by_lane;
DROP INDEX jobs_of_kind;
ALTER TABLE jobs RENAME COLUMN lane TO queue;
ALTER TABLE jobs RENAME COLUMN realm TO tenant;
UPDATE jobs SET state = CASE state WHEN 'behind' THEN 'blocked' ELSE 'failed' END WHERE state IN ('behind', 'parked');
CREATE INDEX jobs_by_queue ON jobs (queue, id) WHERE state <> 'failed';
"""
KINDS_OF_JOBS: LiteralString = """
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
KINDS_OF_EVENTS: LiteralString = "".join(
    f"""
UPDATE {table} SET kind = CASE kind
    WHEN 'dream.done' THEN 'consolidation.done' WHEN 'dream.aborted' THEN 'consolidation.aborted'
    WHEN 'job.parked' THEN 'job.failed' WHEN 'summarise.error' THEN 'summarize.error'
    WHEN 'reflect.error' THEN 'consolidate.error' WHEN 'journal.error' THEN 'daily_log.error' ELSE kind END
    WHERE kind IN ('dream.done', 'dream.aborted', 'job.parked', 'summarise.error', 'reflect.error', 'journal.error');
"""
    for table in ("events", "event_days")
)


OMIT_STATES_BEFORE_NEXT_CHANGE: LiteralString = """
UPDATE changes SET after = '' WHERE after = (
    SELECT later.before FROM changes AS later
    WHERE later.scope = changes.scope AND later.memo = changes.memo AND later.id > changes.id
    ORDER BY later.id LIMIT 1);
"""
IS_LAST_CHANGE: LiteralString = """
NOT EXISTS (SELECT 1 FROM changes AS later
    WHERE later.scope = changes.scope AND later.memo = changes.memo AND later.id > changes.id)
"""


def refuse_newer(store: object, version: int, known: int) -> None:
    if version > known:
        raise NewerSchema(
            f"{store} was written by a newer recollect (schema {version}, this one knows {known}); it was left as it "
            "is. Update recollect: pip install --upgrade recollect"
        )
