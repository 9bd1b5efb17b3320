"""What to beat: forty lines of SQL by hand, with FTS5, sqlite-vec partitioned by user, WAL and synchronous=FULL."""

from pathlib import Path

import apsw
import sqlite_vec

from recollect.core.types import Memo


class Script:
    """The same columns as our memos, one connection, one commit a save."""

    def __init__(self, path: Path, dims: int) -> None:
        self.db = apsw.Connection(str(path))
        self.db.enable_load_extension(True)
        self.db.load_extension(sqlite_vec.loadable_path())
        self.db.pragma("journal_mode", "wal")
        self.db.pragma("synchronous", "full")
        self.db.execute(
            "CREATE TABLE memos (key INTEGER PRIMARY KEY, user TEXT NOT NULL, id TEXT NOT NULL, kind TEXT NOT NULL,"
            " text TEXT NOT NULL, tags TEXT, status TEXT NOT NULL, confidence REAL, pinned INTEGER, audience TEXT,"
            " guild TEXT, channel TEXT, source TEXT, created INTEGER, updated INTEGER, UNIQUE (user, id));"
            "CREATE INDEX by_time ON memos (user, updated);"
            "CREATE TABLE events (id INTEGER PRIMARY KEY, kind TEXT, at INTEGER, actor TEXT, user TEXT, memo TEXT);"
            "CREATE VIRTUAL TABLE words USING fts5(text, content='memos', content_rowid='key', tokenize='porter');"
            f"CREATE VIRTUAL TABLE vectors USING vec0(key INTEGER PRIMARY KEY, user TEXT PARTITION KEY,"
            f" embedding float[{dims}] distance_metric=cosine);"
        )

    def save(self, memo: Memo, vector: bytes) -> None:
        with self.db:
            self._insert(memo, vector)

    def save_all(self, memos: list[tuple[Memo, bytes]]) -> None:
        with self.db:
            for memo, vector in memos:
                self._insert(memo, vector)

    def _insert(self, memo: Memo, vector: bytes) -> None:
        user, at = memo.subject.id, int(memo.created.timestamp() * 1000)
        values = (
            user, memo.id, memo.kind.value, memo.text, None, memo.status.value, memo.confidence, 0,
            str(memo.audience), memo.source.guild, memo.source.channel, '{"origin":"manual"}', at, at,
        )  # fmt: skip
        self.db.execute(
            "INSERT INTO memos (user, id, kind, text, tags, status, confidence, pinned, audience, guild, channel,"
            " source, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            values,
        )
        key = self.db.last_insert_rowid()
        self.db.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (key, memo.text))
        self.db.execute("INSERT INTO vectors (key, user, embedding) VALUES (?, ?, ?)", (key, user, vector))
        self.db.execute(
            "INSERT INTO events (kind, at, actor, user, memo) VALUES ('added', ?, ?, ?, ?)", (at, user, user, memo.id)
        )

    def search(self, user: str | None, terms: list[str], vector: bytes, limit: int = 10) -> list[int]:
        """Words and vectors of one user, or of all, fused by rank."""
        query = " OR ".join(f'"{term}"' for term in terms)
        mine = "" if user is None else " AND memos.user = ?"
        who = () if user is None else (user,)
        words = self.db.execute(
            f"SELECT memos.key FROM words JOIN memos ON memos.key = words.rowid WHERE words MATCH ?{mine}"
            " ORDER BY bm25(words) LIMIT 50",
            (query, *who),
        ).fetchall()
        mine = "" if user is None else " AND user = ?"
        near = self.db.execute(
            f"SELECT key FROM vectors WHERE embedding MATCH ? AND k = 50{mine}", (vector, *who)
        ).fetchall()
        scores: dict[int, float] = {}
        for lane in (words, near):
            for place, (key,) in enumerate(lane, 1):
                scores[key] = scores.get(key, 0.0) + 1 / (60 + place)
        best = sorted(scores, key=lambda key: -scores[key])[:limit]
        marks = ",".join("?" * len(best))
        return self.db.execute(f"SELECT key, text FROM memos WHERE key IN ({marks})", best).fetchall()

    def close(self) -> None:
        self.db.close()
