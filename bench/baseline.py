"""What to beat: a hundred lines of SQL by hand.

FTS5 with the user inside the index, so that matching never leaves a person's rows; sqlite-vec partitioned by user in
small chunks; WAL, synchronous=FULL, one connection, one commit per save; both lists fused by rank.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import apsw
import sqlite_vec

if TYPE_CHECKING:  # the script takes part in runs that have another version of the package, or none
    from pathlib import Path

    from recollect.core.types import Memo

CANDIDATES = 50
CHUNK_ROWS = 128
"""Vectors are scanned in whole chunks; the default of 1,024 makes a person with ten memos pay for a thousand."""


class Row(NamedTuple):
    """The same columns as our memos."""

    user: str
    id: str
    text: str
    at: int
    kind: str = "fact"
    status: str = "active"
    confidence: float = 1.0
    audience: str = "dm"
    guild: str | None = None
    channel: str | None = None


def row_of(memo: "Memo") -> Row:
    return Row(
        memo.subject.id,
        memo.id,
        memo.text,
        int(memo.created.timestamp() * 1000),
        memo.kind.value,
        memo.status.value,
        memo.confidence,
        str(memo.audience),
        memo.source.guild,
        memo.source.channel,
    )


class Script:
    """Memos, their words and vectors, a log, and messages."""

    def __init__(self, path: "Path", dims: int) -> None:
        self.db = apsw.Connection(str(path))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.pragma("journal_mode", "wal")
        self.db.pragma("synchronous", "full")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS memos (key INTEGER PRIMARY KEY, user TEXT NOT NULL, id TEXT NOT NULL,"
            " kind TEXT NOT NULL, text TEXT NOT NULL, tags TEXT, status TEXT NOT NULL, confidence REAL, pinned INTEGER,"
            " audience TEXT, guild TEXT, channel TEXT, source TEXT, created INTEGER, updated INTEGER,"
            " UNIQUE (user, id));"
            "CREATE INDEX IF NOT EXISTS by_time ON memos (user, updated);"
            "CREATE TABLE IF NOT EXISTS events (id INTEGER PRIMARY KEY, kind TEXT, at INTEGER, actor TEXT, user TEXT,"
            " memo TEXT);"
            "CREATE TABLE IF NOT EXISTS messages (key INTEGER PRIMARY KEY, id TEXT UNIQUE, channel TEXT, user TEXT,"
            " text TEXT, at INTEGER);"
            "CREATE INDEX IF NOT EXISTS by_channel ON messages (channel, key);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(user, text, content='memos', content_rowid='key',"
            " tokenize='porter');"
            "CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0(key INTEGER PRIMARY KEY, user TEXT PARTITION KEY,"
            f" embedding float[{dims}] distance_metric=cosine, chunk_size={CHUNK_ROWS});"
        )

    def save(self, row: Row, vector: bytes) -> None:
        with self.db:
            self._insert(row, vector)

    def save_all(self, rows: Iterable[tuple[Row, bytes]]) -> None:
        with self.db:
            for row, vector in rows:
                self._insert(row, vector)

    def _insert(self, row: Row, vector: bytes) -> None:
        self.db.execute(
            "INSERT INTO memos (user, id, kind, text, status, confidence, pinned, audience, guild, channel, source,"
            " created, updated) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?, ?, '{\"origin\":\"manual\"}', ?, ?)",
            (row.user, row.id, row.kind, row.text, row.status, row.confidence, row.audience, row.guild, row.channel,
             row.at, row.at),
        )  # fmt: skip
        key = self.db.last_insert_rowid()
        self.db.execute("INSERT INTO words (rowid, user, text) VALUES (?, ?, ?)", (key, row.user, row.text))
        self.db.execute("INSERT INTO vectors (key, user, embedding) VALUES (?, ?, ?)", (key, row.user, vector))
        self.db.execute(
            "INSERT INTO events (kind, at, actor, user, memo) VALUES ('added', ?, ?, ?, ?)",
            (row.at, row.user, row.user, row.id),
        )

    def search(self, user: str | None, terms: Sequence[str], vector: bytes, limit: int = 10) -> list[tuple[int, str]]:
        """Words and vectors of one user, or of all, fused by rank."""
        matching = "text : (" + " OR ".join(f'"{term}"' for term in terms) + ")"
        query = matching if user is None else f'user : "{user}" AND {matching}'
        words = self.db.execute(
            f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 0.0, 1.0) LIMIT {CANDIDATES}", (query,)
        ).fetchall()
        mine, who = ("", ()) if user is None else (" AND user = ?", (user,))
        near = self.db.execute(
            f"SELECT key FROM vectors WHERE embedding MATCH ? AND k = {CANDIDATES}{mine}", (vector, *who)
        ).fetchall()
        scores: dict[int, float] = {}
        for ranked in (words, near):
            for place, (key,) in enumerate(ranked, 1):
                scores[key] = scores.get(key, 0.0) + 1 / (60 + place)
        best = sorted(scores, key=lambda key: -scores[key])[:limit]
        marks = ",".join("?" * len(best))
        texts = dict(self.db.execute(f"SELECT key, text FROM memos WHERE key IN ({marks})", best).fetchall())
        return [(key, texts[key]) for key in best]

    def add(self, message_id: str, channel: str, user: str, text: str, at: int) -> None:
        """Keep a message."""
        with self.db:
            self.db.execute(
                "INSERT OR IGNORE INTO messages (id, channel, user, text, at) VALUES (?, ?, ?, ?, ?)",
                (message_id, channel, user, text, at),
            )

    def context(self, channel: str, user: str, terms: Sequence[str], vector: bytes) -> str:
        """A prompt: what is known about the user that matters now, and the last messages of the channel."""
        known = "\n".join(f"- {text}" for _, text in self.search(user, terms, vector))
        rows = self.db.execute(
            "SELECT user, text FROM messages WHERE channel = ? ORDER BY key DESC LIMIT 20", (channel,)
        ).fetchall()
        talk = "\n".join(f"{who}: {text}" for who, text in reversed(rows))
        return f"# What you know\n{known}\n\n# The conversation\n{talk}"

    def texts(self, user: str) -> list[str]:
        return [text for (text,) in self.db.execute("SELECT text FROM memos WHERE user = ?", (user,))]

    def close(self) -> None:
        self.db.close()


def terms_of(text: str) -> list[str]:
    """Words worth matching, as a script by hand would choose them."""
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > 2] or ["nothing"]
