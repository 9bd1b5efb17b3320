"""What the views of documents D and E show of an SQLite file."""

from recollect.stores._sql.views import Views

VIEWS = Views(
    replace="DROP VIEW IF EXISTS {view}; CREATE VIEW {view}",
    find="instr",
    scope="memos.key >> 32",
    active="memos.status = 'active'",
    evidence="memos.source ->> 'evidence'",
    message="memos.source ->> 'message'",
    tags="coalesce(memos.tags, '[]')",
    metadata="memos.source -> 'metadata'",
    happened_at="strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(memos.happened, memos.created) / 1000.0, 'unixepoch')",
    event_at="strftime('%Y-%m-%dT%H:%M:%fZ', events.at / 1000.0, 'unixepoch')",
    event_trace="events.data ->> 'trace'",
    embedding="embedding",
    blob="vectors.embedding",
    no_vectors="(SELECT key, NULL AS embedding FROM memos WHERE false)",
    serving="embedders.serving",
)
