"""A migration, never changed once released: the record of changes is made from the log, which had copies of memos.

An event had the memo before it. The memo after it is the one before its next event, or else the memo as it is now.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, LiteralString

from recollect.core.clock import from_ms
from recollect.core.reasons import Reason, decode_reason
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.rows import encode

_PAGE: LiteralString = """
SELECT events.id, kind, at, actor, name, memo, reason, data FROM events JOIN scopes ON scopes.id = events.scope
WHERE kind IN ('memo.added', 'memo.revised', 'memo.retired', 'memo.undone', 'memo.erased') AND events.id < $1
ORDER BY events.id DESC LIMIT 2000
"""
_NEWEST = (1 << 63) - 1
MEMO_COLUMNS: LiteralString = (
    "memos.id, kind, label, text, status, confidence, pinned, audience, supersedes, superseded_by, hits, created, "
    "updated, happened, expires"
)
_NAMES = (
    "id", "kind", "label", "text", "status", "confidence", "pinned", "audience", "supersedes", "superseded_by", "hits",
    "created", "updated", "happened", "expires",
)  # fmt: skip
_TIMES = ("created", "updated", "happened", "expires")
_UNKNOWN = object()

_INDEXES: LiteralString = """
CREATE INDEX changes_by_batch ON changes (batch);
CREATE INDEX changes_by_message ON changes (message) WHERE message IS NOT NULL;
"""
_PUT: LiteralString = "INSERT INTO changes VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"


@dataclass(frozen=True, slots=True)
class MemoReader:
    """How a store reads a memo."""

    sql: LiteralString
    """`MEMO_COLUMNS` and its provenance, of the memo with a scope and an id."""
    provenance: Callable[[Row], tuple[Collection[str], Mapping[str, Any]]]
    """Tags and source."""

    def find(self, db: Database, scope: str, memo: str) -> str | None:
        """The JSON of the memo."""
        row = db.row(self.sql, (db.handle(scope), db.handle(memo)))
        return None if row is None else _memo_json(scope, row[: len(_NAMES)], *self.provenance(row[len(_NAMES) :]))


def convert(db: Database, table: LiteralString, memos: MemoReader) -> None:
    """Move what undo reads from the log to a table of its own, which `table` creates."""
    db.run(table)
    db.run(_INDEXES)
    reader, before = _LogReader(partial(memos.find, db), db.handle), _NEWEST
    while events := db.rows(_PAGE, (before,)):
        converted = list(reader.convert(events))
        db.many(_PUT, [row for row, _ in converted])
        db.many("UPDATE events SET data = $1 WHERE id = $2", [(data, row[0]) for row, data in converted])
        before = events[-1][0]


def _memo_json(scope: str, row: Row, tags: Collection[str], source: Mapping[str, Any]) -> str:
    """A memo as the log wrote it, from `MEMO_COLUMNS` and its provenance."""
    fields = dict(zip(_NAMES, row, strict=True))
    fields |= {name: from_ms(fields[name]).isoformat() for name in _TIMES if fields[name] is not None}
    kind, _, name = scope.partition(":")
    subject = {"subject": "__lore__", "subject_guild": name} if kind == "lore" else {"subject": name}
    origin = {name: value for name, value in source.items() if value}
    fields |= {**subject, "tags": list(tags), "pinned": bool(fields["pinned"]), "source": origin}
    return encode({name: value for name, value in fields.items() if value or type(value) in (int, float)})


class _LogReader:
    """Reads events, newest first, and makes the rows of `changes` from them."""

    def __init__(self, find_memo: Callable[[str, str], str | None], handle: Callable[[str], str]) -> None:
        self._find_memo = find_memo
        self._handle = handle
        self._after: dict[tuple[str, str], object] = {}
        """The state of each memo before its next event; None where that is unknown."""
        self._undone: set[tuple[str, str, str | None]] = set()
        """Scope and batch of what was taken back; with a memo if it was taken back alone."""

    def convert(self, events: Collection[Row]) -> Iterator[tuple[Row, str | None]]:
        """For each event the row, and what remains of its data."""
        for event_id, kind, at, actor, scope, memo, reason, text in events:
            data: dict[str, Any] = json.loads(text) if text else {}
            cause = decode_reason(reason)
            if kind == "memo.erased":
                erased = (event_id, self._handle(scope), "", "", None, None, Reason.ERASED.value)
                yield (*erased, "", actor, at, None, 0, None, 0, 0), text
            elif memo is not None:
                before, after = data.pop("before", None), self._state_after(scope, memo)
                self._after[scope, memo] = before if kind != "memo.undone" else None
                batch, undoes, message = data.get("batch"), data.get("undoes"), data.get("message")
                shared = int(bool(data.pop("shared", False)))
                if kind == "memo.undone":
                    self._undone.add((scope, str(undoes), memo if data.get("alone") else None))
                undone = not {(scope, batch, None), (scope, batch, memo)}.isdisjoint(self._undone)
                states = (None if before is None else encode(before), after)
                row = (event_id, self._handle(scope), self._handle(memo), batch, *states)
                row = (*row, cause[0].value if cause[0] else "", cause[1], actor, at)
                message = None if message is None else self._handle(str(message))
                undoable = bool(batch) and kind != "memo.undone"
                yield (*row, message, shared, undoes, int(undone), int(undoable)), encode(data) if data else None

    def _state_after(self, scope: str, memo: str) -> str | None:
        state = self._after.get((scope, memo), _UNKNOWN)
        if state is _UNKNOWN:
            return self._find_memo(scope, memo)
        return None if state is None else encode(state)
