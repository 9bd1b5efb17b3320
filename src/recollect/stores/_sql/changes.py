"""The record of changes: what each did to each memo, and whether it was undone.

The memo after a change is the one before its next change, or else the memo as it is now: it is not written again.
"""

import json
from collections.abc import Collection
from datetime import datetime
from typing import Any, LiteralString, cast

from recollect.core.changes import Step
from recollect.core.clock import from_ms, to_ms
from recollect.core.ports.changes import StepField
from recollect.core.reasons import Reason, decode_reason
from recollect.core.serialization import memo_from_json, memo_to_json
from recollect.core.types import Memo
from recollect.stores._sql.database import Database, Row
from recollect.stores._sql.memos import Memos
from recollect.stores._sql.rows import encode

COLUMNS = "id, scope, memo, batch, before, after, reason, detail, actor, at, message, shared, undoes, undone, undoable"
INSERT: LiteralString = (
    f"INSERT INTO changes ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
)
FOUND_LATER = ""
"""Stands for the memo after a change: see above. NULL if there was none, or if it was redacted."""
# With the memo before the next change: NULL if there is none, empty if it is not known.
_SELECT: LiteralString = f"""
SELECT {COLUMNS}, CASE after WHEN '' THEN (
    SELECT coalesce(later.before, '') FROM changes AS later
    WHERE later.scope = changes.scope AND later.memo = changes.memo AND later.id > changes.id
    ORDER BY later.id LIMIT 1) END
FROM changes
"""
# A step in effect: somebody's decision that was not undone, and not an undo itself.
_HOLDS: LiteralString = "batch IS NOT NULL AND undoes IS NULL AND undone = 0"
_LAST: LiteralString = f"{_SELECT} WHERE scope = $1 AND {_HOLDS} ORDER BY id DESC LIMIT 1"
_LAST_OF_MEMO: LiteralString = f"{_SELECT} WHERE scope = $1 AND memo = $2 AND {_HOLDS} ORDER BY id DESC LIMIT 1"
# The newest change or undo; a change that was undone counts, as what was undone before it can't be redone.
_LAST_CHANGE_OR_UNDO: LiteralString = f"""
{_SELECT} WHERE scope = $1 AND batch IS NOT NULL AND (undoes IS NULL OR (undone = 0 AND undoable = 1))
ORDER BY id DESC LIMIT 1
"""
_OF_BATCH: LiteralString = f"{_SELECT} WHERE scope = $1 AND batch = $2 ORDER BY id DESC"
_OF_MEMO: LiteralString = f"{_SELECT} WHERE scope = $1 AND memo = $2 ORDER BY id DESC"
_OF_MESSAGE: LiteralString = f"{_SELECT} WHERE message = $1 ORDER BY id DESC"
_UNDONE_AT = "SELECT memo, max(at) FROM changes WHERE scope = $1 AND undoes IS NOT NULL AND undone = 0 GROUP BY memo"
_CHANGED_SINCE = "SELECT DISTINCT memo FROM changes WHERE scope = $1 AND id > $2"
_EMPTIED: dict[StepField, LiteralString] = {
    "memo": "memo = ''",
    "message": "message = NULL",
    "before": "before = NULL",
    "after": "after = NULL",
}


class Changes:
    def __init__(self, db: Database, memos: Memos[Any]) -> None:
        self._db = db
        self._memos = memos

    def add(self, step: Step) -> None:
        self._db.run(INSERT, self._row(step))

    def find(self, ids: Collection[int]) -> dict[int, Step]:
        if not ids:
            return {}
        sql: LiteralString = f"{_SELECT} WHERE id {self._db.among}"
        return {row[0]: self._read(row) for row in self._db.rows(sql, (self._db.array(ids),))}

    def last(self, scope: str) -> Step | None:
        return next(iter(self._of(scope, _LAST)), None)

    def last_undo(self, scope: str) -> Step | None:
        step = next(iter(self._of(scope, _LAST_CHANGE_OR_UNDO)), None)
        return step if step is not None and step.undoes is not None else None

    def last_of_memo(self, scope: str, memo: str) -> Step | None:
        return next(iter(self._of(scope, _LAST_OF_MEMO, self._db.handle(memo))), None)

    def of_batch(self, scope: str, batch: str) -> list[Step]:
        return self._of(scope, _OF_BATCH, batch)

    def of_memo(self, scope: str, memo: str) -> list[Step]:
        return self._of(scope, _OF_MEMO, self._db.handle(memo))

    def caused_by(self, message: str) -> list[Step]:
        return [self._read(row) for row in self._db.rows(_OF_MESSAGE, (self._db.handle(message),))]

    def mark_undone(self, ids: Collection[int], undone: bool = True) -> None:
        self._db.many("UPDATE changes SET undone = $1 WHERE id = $2", [(int(undone), step) for step in ids])

    def count_causes(self, scope: str, reasons: Collection[Reason]) -> dict[str, int]:
        names = cast("LiteralString", ", ".join(f"${number}" for number in range(2, len(reasons) + 2)))
        sql: LiteralString = (
            "SELECT memo, count(DISTINCT coalesce(message, batch)) FROM changes "
            f"WHERE scope = $1 AND reason IN ({names}) GROUP BY memo"
        )
        return dict(self._db.rows(sql, (self._db.handle(scope), *(reason.value for reason in reasons))))

    def undone_at(self, scope: str) -> dict[str, datetime]:
        return {memo: from_ms(at) for memo, at in self._db.rows(_UNDONE_AT, (self._db.handle(scope),))}

    def changed_since(self, scope: str, event: int) -> set[str]:
        return {memo for (memo,) in self._db.rows(_CHANGED_SINCE, (self._db.handle(scope), event))}

    def redact(self, ids: Collection[int], fields: Collection[StepField]) -> None:
        emptied: LiteralString = ", ".join(_EMPTIED[name] for name in sorted(fields))
        self._db.many(
            f"UPDATE changes SET {emptied}, detail = '', undoable = 0 WHERE id = $1", [(step,) for step in ids]
        )

    def _of(self, scope: str, sql: LiteralString, *values: object) -> list[Step]:
        self._db.lock(f"subject:{scope}")  # the unit's decisions depend on what is read here
        return [self._read(row) for row in self._db.rows(sql, (self._db.handle(scope), *values))]

    def _row(self, step: Step) -> Row:
        handle = self._db.handle
        return (
            step.id,
            handle(step.scope),
            handle(step.memo),
            step.batch,
            None if step.before is None else encode(memo_to_json(step.before)),
            None if step.after is None else FOUND_LATER,
            step.reason.value if step.reason else "",
            step.detail,
            step.actor,
            to_ms(step.at),
            None if step.message is None else handle(step.message),
            int(step.shared),
            step.undoes,
            int(step.undone),
            int(step.undoable),
        )

    def _read(self, row: Row) -> Step:
        step_id, scope, memo, batch, before, after, reason, detail, actor, at, message, *flags = row
        shared, undoes, undone, undoable, before_next = flags
        # The state after a step is stored once: as the next step's `before`, or as the memo itself.
        is_current = after == FOUND_LATER and before_next is None
        return Step(
            id=step_id,
            scope=scope,
            memo=memo,
            batch=batch,
            before=_decode(before),
            after=self._memos.stored(scope, memo) if is_current else _decode(after or before_next),
            reason=decode_reason(reason)[0] if reason else None,
            detail=detail,
            actor=actor,
            at=from_ms(at),
            message=message,
            shared=bool(shared),
            undoes=undoes,
            undone=bool(undone),
            undoable=bool(undoable),
        )


def _decode(text: str | None) -> Memo | None:
    return memo_from_json(json.loads(text)) if text else None
