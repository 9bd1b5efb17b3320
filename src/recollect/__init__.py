"""Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up, and never slow.

from recollect import Memory

memory = Memory("memory.db")
memory.add("I moved to Lisbon in May", user="ada")
for hit in memory.search("where do I live?", user="ada"):
    print(hit.text)

`AsyncMemory` is the same with `await`.
"""

from recollect.core.errors import RecollectError, VersionConflict
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
    "VersionConflict",
    "__version__",
]
