"""Which summaries read differently after memos were forgotten, restored or revised."""

from collections.abc import Iterable

from recollect.core.changes import Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.text import clip
from recollect.core.types import Subject
from recollect.recall.withheld import MAX_TEXT_CHARS, Retired, screen

_CHANGE_KINDS = (EventKind.MEMO_RETIRED, EventKind.MEMO_REVISED, EventKind.MEMO_UNDONE, EventKind.MEMO_REDONE)


def affected_sessions(tx: Tx, events: Iterable[Event], sessions: Iterable[str]) -> list[str]:
    """The sessions whose summary repeats what these events retired or restored, so that it now reads differently."""
    changes = [event for event in events if event.kind in _CHANGE_KINDS]
    steps = tx.changes.find([event.id for event in changes])
    items = [item for event in changes for item in _changed_statements(tx, event, steps.get(event.id))]
    if not items:
        return []
    changed = screen(items)
    return [session for session in sessions if (summary := tx.summaries.get(session)) and changed.repeats(summary.text)]


def _changed_statements(tx: Tx, event: Event, step: Step | None) -> list[Retired]:
    """The texts that a memo had before an event, and has now; none where it was merely restated."""
    if not event.memo:
        return []
    before = None if step is None else step.before
    current = tx.memos.get(Subject.of_scope(event.scope), event.memo)
    if event.kind == EventKind.MEMO_REVISED and before and before.active and current and before.text == current.text:
        return []
    texts = dict.fromkeys(memo.text for memo in (before, current) if memo is not None)
    return [Retired(event.scope, event.memo, clip(text, MAX_TEXT_CHARS), event.at) for text in texts]
