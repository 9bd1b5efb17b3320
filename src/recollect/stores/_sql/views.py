"""Views with the names of documents D and E; those that migrations create never change once released."""

from dataclasses import dataclass
from typing import LiteralString

_EMBEDDER_NAME: LiteralString = (
    "CASE substr(embedders.model, 1, 7) WHEN 'openai:' THEN substr(embedders.model, 8) ELSE embedders.model END"
)
"""The embedder as document D names it: OpenAI's models by their bare names."""
_BARE_ID: LiteralString = "substr(scopes.name, 6 + {find}(substr(scopes.name, 6), ':'))"
"""A person's id as it is on the platform."""


@dataclass(frozen=True, slots=True)
class Views:
    """The expressions that each store writes in its own way."""

    replace: LiteralString
    """Begins a view that replaces the one of the same name."""
    find: LiteralString
    """The function that finds a text in a text."""
    scope: LiteralString
    """The scope of a memo."""
    active: LiteralString
    """Whether a memo is, as a number."""
    evidence: LiteralString
    message: LiteralString
    tags: LiteralString
    metadata: LiteralString
    happened_at: LiteralString
    event_at: LiteralString
    event_trace: LiteralString
    """The source of messages that failed."""
    embedding: LiteralString
    """A vector in its table."""
    blob: LiteralString
    """A vector as little-endian 32-bit floats."""
    no_vectors: LiteralString
    serving: LiteralString
    """The condition that a set of vectors serves searches."""

    def memory_facts(self, guilds_only: bool = False) -> LiteralString:
        """The facts under the names of document D; those of guilds only since the migration for document D."""
        bare_id: LiteralString = _BARE_ID.format(find=self.find)
        is_lore: LiteralString = "substr(scopes.name, 1, 5) = 'lore:'"
        guild: LiteralString = "memos.guild"
        if guilds_only:
            guild = f"CASE WHEN {is_lore} THEN substr(scopes.name, 6) ELSE memos.guild END"
        where: LiteralString = f" WHERE {guild} IS NOT NULL" if guilds_only else ""
        return f"""
{self.replace.format(view="memory_facts")} AS SELECT
    memos.key AS id, memos.created AS created_at, memos.updated AS updated_at, {guild} AS guild_id,
    memos.channel AS channel_id, CASE WHEN {is_lore} THEN '__lore__' ELSE {bare_id} END AS subject,
    memos.text AS fact,
    CASE WHEN memos.label IN ('preference', 'profile', 'relationship', 'project', 'other', 'lore') THEN memos.label
         WHEN memos.kind IN ('preference', 'project', 'lore') THEN memos.kind
         WHEN memos.kind = 'person' THEN 'relationship'
         WHEN memos.kind = 'fact' THEN 'profile' ELSE 'other' END AS fact_type,
    {self.evidence} AS evidence_text, {self.message} AS source_message_id,
    memos.confidence AS confidence, {self.active} AS is_active
    FROM memos JOIN scopes ON scopes.id = {self.scope}{where};
"""

    def vectors(self, table: LiteralString | None) -> LiteralString:
        """The views that show vectors: those of the table that serves searches."""
        source: LiteralString = table or self.no_vectors
        return f"""
{self.replace.format(view="memories")} AS SELECT memos.id AS id,
    CASE WHEN memos.kind IN ('fact', 'preference', 'event', 'summary') THEN memos.kind ELSE 'fact' END AS category,
    memos.text AS content, {self.tags} AS keywords,
    (SELECT {self.embedding} FROM {source} AS vectors WHERE vectors.key = memos.key) AS embedding,
    {self.happened_at} AS created_at, coalesce({self.metadata}, '{{}}') AS metadata, memos.key AS rowid
    FROM memos WHERE memos.status = 'active';
{self.replace.format(view="memory_fact_vectors_native")} AS SELECT
    vectors.key AS fact_id, {_EMBEDDER_NAME} AS model, embedders.dims AS dims, {self.blob} AS embedding_blob
    FROM {source} AS vectors
    JOIN embedders ON embedders.corpus = 'memos' AND {self.serving};
"""

    def action_log(self, failed_job: LiteralString, error: LiteralString = "'bot_error'") -> LiteralString:
        """The log under the names of document D."""
        return f"""
CREATE VIEW action_log AS SELECT
    events.id AS id, {self.event_at} AS created_at,
    CASE events.kind
        WHEN 'memo.added' THEN 'memory_fact' WHEN 'memo.revised' THEN 'memory_fact'
        WHEN 'extract.call' THEN 'memory_extract_call' WHEN 'extract.error' THEN 'memory_extract_error'
        WHEN 'embedding.call' THEN 'memory_embedding_call' WHEN 'embedding.error' THEN 'memory_embedding_error'
        WHEN '{failed_job}' THEN {error} ELSE events.kind END AS kind,
    events.actor AS actor, scopes.name AS scope, events.reason AS content, coalesce(events.data, '{{}}') AS metadata
    FROM events LEFT JOIN scopes ON scopes.id = events.scope;
"""

    def bare_action_log(self, error: LiteralString = "'bot_error'") -> LiteralString:
        """The same with people's ids as they are on their platform."""
        bare_id: LiteralString = _BARE_ID.format(find=self.find)
        scope: LiteralString = f"CASE WHEN scopes.name LIKE 'user:%' THEN 'user:' || {bare_id} ELSE scopes.name END"
        actor: LiteralString = f"substr(events.actor, 1 + {self.find}(events.actor, ':')) AS actor"
        log = self.action_log("job.failed", error)
        return log.replace("scopes.name AS scope", f"{scope} AS scope").replace("events.actor AS actor", actor)

    @property
    def voice_error(self) -> LiteralString:
        """Whether to show errors of voice separately, as since the migration for document D."""
        return f"CASE WHEN {self.event_trace} LIKE 'voice%' THEN 'voice_error' ELSE 'bot_error' END"
