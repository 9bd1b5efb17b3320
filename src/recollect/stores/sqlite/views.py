"""What is stored, under the names of documents D and E."""

from recollect.stores._sql.schema import EMBEDDER_NAME

MEMORY_FACTS = """
CREATE VIEW memory_facts AS SELECT
    memos.key AS id, memos.created AS created_at, memos.updated AS updated_at, memos.guild AS guild_id,
    memos.channel AS channel_id,
    CASE WHEN scopes.name LIKE 'lore:%' THEN '__lore__'
         ELSE substr(scopes.name, 6 + instr(substr(scopes.name, 6), ':')) END AS subject,
    memos.text AS fact,
    CASE WHEN memos.label IN ('preference', 'profile', 'relationship', 'project', 'other', 'lore') THEN memos.label
         WHEN memos.kind IN ('preference', 'project', 'lore') THEN memos.kind
         WHEN memos.kind = 'person' THEN 'relationship'
         WHEN memos.kind = 'fact' THEN 'profile' ELSE 'other' END AS fact_type,
    memos.source ->> 'evidence' AS evidence_text, memos.source ->> 'message' AS source_message_id,
    memos.confidence AS confidence, memos.status = 'active' AS is_active
    FROM memos JOIN scopes ON scopes.id = memos.key >> 32"""
"""The facts under the names of document D."""

_VECTOR_VIEWS = """
DROP VIEW IF EXISTS memories;
CREATE VIEW memories AS SELECT
    memos.id AS id,
    CASE WHEN memos.kind IN ('fact', 'preference', 'event', 'summary') THEN memos.kind ELSE 'fact' END AS category,
    memos.text AS content, coalesce(memos.tags, '[]') AS keywords, {embedding} AS embedding,
    strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(memos.happened, memos.created) / 1000.0, 'unixepoch') AS created_at,
    coalesce(memos.source -> 'metadata', '{{}}') AS metadata, memos.key AS rowid
    FROM memos WHERE memos.status = 'active';
DROP VIEW IF EXISTS memory_fact_vectors_native;
CREATE VIEW memory_fact_vectors_native AS SELECT
    vectors.key AS fact_id, {model} AS model, embedders.dims AS dims, vectors.embedding AS embedding_blob
    FROM {vectors} AS vectors JOIN embedders ON embedders.corpus = 'memos' AND embedders.serving;
"""
_NO_VECTORS = "(SELECT key, NULL AS embedding FROM memos WHERE false)"


def vector_views(vector_table: str | None) -> str:
    """The views of documents D and E that show vectors: those of the table that serves searches."""
    embedding = "NULL"
    if vector_table:
        embedding = f"(SELECT embedding FROM {vector_table} WHERE {vector_table}.key = memos.key)"
    return _VECTOR_VIEWS.format(embedding=embedding, vectors=vector_table or _NO_VECTORS, model=EMBEDDER_NAME)
