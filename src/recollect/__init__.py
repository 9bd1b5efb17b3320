"""Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up, and never slow.

from recollect import AsyncMemory

async with AsyncMemory("memory.db") as memory:
    await memory.remember("I prefer Rust over Go", user="ada")
    for hit in await memory.search("which language?", user="ada"):
        print(hit.text)
"""

from recollect.core.errors import RecollectError, VersionConflict
from recollect.core.outcomes import (
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

__all__ = [
    "EVERYWHERE",
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
