"""Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up, and never slow.

import recollect

async with recollect.open("sqlite:///memory.db") as memory:
    await memory.remember("I prefer Rust over Go", user="ada")
    for found in await memory.search("which language?", user="ada"):
        print(found.what.text)
"""

from recollect.app import open
from recollect.commands import Ambiguous, Forgotten, NoMatch, Remembered, Shown
from recollect.errors import RecollectError
from recollect.memory import Memory
from recollect.ports import Filters
from recollect.recall import Found
from recollect.types import EVERYWHERE, Audience, Kind, Memo, Message, Place, Status
from recollect.undoing import CannotUndo, Undoable, Undone
from recollect.version import __version__

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
