"""The file store: each memo as a page of Markdown that people read, edit, add and delete, as in Obsidian.

`Pages` writes them, `Index` takes over what people did to them, `Watch` does so whenever they change.
"""

from recollect.files.categories.index import Index, Report
from recollect.files.categories.pages import UNIT, Pages, unit_of
from recollect.files.categories.places import Shelves
from recollect.files.categories.taking import Note, Terms
from recollect.files.categories.watch import EVERY, Watch

__all__ = ["EVERY", "UNIT", "Index", "Note", "Pages", "Report", "Shelves", "Terms", "Watch", "unit_of"]
