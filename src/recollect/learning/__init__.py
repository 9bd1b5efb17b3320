"""From messages to memos, and back when a message is edited, deleted or withdrawn.

`learning.undo.undo(…)` loads a module when it is first named: most of them are needed by a few verbs or by jobs only.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.learning import (
        acknowledge,
        apply,
        batches,
        budget,
        changes,
        consent,
        consolidate,
        edit_memo,
        extract,
        extraction_records,
        ingest,
        lore,
        message_changes,
        relearn,
        restore,
        schedule,
        summarize,
        undo,
        withdraw,
    )

__all__ = [
    "acknowledge",
    "apply",
    "batches",
    "budget",
    "changes",
    "consent",
    "consolidate",
    "edit_memo",
    "extract",
    "extraction_records",
    "ingest",
    "lore",
    "message_changes",
    "relearn",
    "restore",
    "schedule",
    "summarize",
    "undo",
    "withdraw",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.{name}")
