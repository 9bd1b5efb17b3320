"""Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up, and never slow.

import recollect

async with recollect.open("sqlite:///memory.db") as memory:
    await memory.remember("I prefer Rust over Go", user="ada")
    for found in await memory.search("which language?", user="ada"):
        print(found.what.text)
"""

from recollect.app import open
from recollect.core.errors import RecollectError
from recollect.core.outcomes import Ambiguous, CannotUndo, Forgotten, NoMatch, Remembered, Shown, Undoable, Undone
from recollect.core.ports import Filters
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Place, Status
from recollect.core.version import __version__
from recollect.memory import Memory
from recollect.recall.query import Found

__all__ = [
    "EVERYWHERE",
    "Ambiguous",
    "Audience",
    "CannotUndo",
    "Filters",
    "Forgotten",
    "Found",
    "Kind",
    "Memo",
    "Memory",
    "Message",
    "NoMatch",
    "Place",
    "RecollectError",
    "Remembered",
    "Shown",
    "Status",
    "Undoable",
    "Undone",
    "__version__",
    "open",
]
