"""Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up, and never slow.

from recollect import Memory

memory = Memory("memory.db")
memory.add("I moved to Lisbon in May", user="ada")
for hit in memory.search("where do I live?", user="ada"):
    print(hit.text)

`AsyncMemory` is the same with `await`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recollect.core.errors import BadInput, RecollectError, UnknownMemo, VersionConflict
    from recollect.core.outcomes import (
        Added,
        AlreadyActive,
        AlreadyKnown,
        Ambiguous,
        CannotRestore,
        CannotUndo,
        Forgotten,
        Listing,
        NotFound,
        Redone,
        Refused,
        Remembered,
        Restored,
        Undoable,
        Undone,
    )
    from recollect.core.ports import Filters
    from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Place, Status
    from recollect.core.version import __version__
    from recollect.memory import AsyncMemory
    from recollect.prompting.assemble import Prompt
    from recollect.recall.query import Hit
    from recollect.sync import Memory

__all__ = [
    "EVERYWHERE",
    "Added",
    "AlreadyActive",
    "AlreadyKnown",
    "Ambiguous",
    "AsyncMemory",
    "Audience",
    "BadInput",
    "CannotRestore",
    "CannotUndo",
    "Filters",
    "Forgotten",
    "Hit",
    "Kind",
    "Listing",
    "Memo",
    "Memory",
    "Message",
    "NotFound",
    "Place",
    "Prompt",
    "RecollectError",
    "Redone",
    "Refused",
    "Remembered",
    "Restored",
    "Status",
    "Undoable",
    "Undone",
    "UnknownMemo",
    "VersionConflict",
    "__version__",
]

_MODULES = {
    "AsyncMemory": "memory",
    "Filters": "core.ports",
    "Hit": "recall.query",
    "Memory": "sync",
    "Prompt": "prompting.assemble",
    "__version__": "core.version",
    **dict.fromkeys(("BadInput", "RecollectError", "UnknownMemo", "VersionConflict"), "core.errors"),
    **dict.fromkeys(("EVERYWHERE", "Audience", "Kind", "Memo", "Message", "Place", "Status"), "core.types"),
}
"""Where a name lives, outcomes aside. Names are imported when they are first used, so that a program which only needs
some of them, such as the command line, does not wait for the others.
"""

_ELSEWHERE = {
    "open": 'Memory("memory.db")',
    **dict.fromkeys(("Client", "SyncClient", "MemoryClient", "AsyncMemoryClient"), "recollect.client"),
    **dict.fromkeys(("add", "search", "remember", "context"), "the method of a memory, as in Memory().add(…)"),
    "Mem0": "recollect.adapters.mem0",
}
"""Names that people look for here, and what they are for."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        advice = f": use {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        raise AttributeError(f"module 'recollect' has no attribute {name!r}{advice}")
    value = getattr(import_module(f"recollect.{_MODULES.get(name, 'core.outcomes')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
