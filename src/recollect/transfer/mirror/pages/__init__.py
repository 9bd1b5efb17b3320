"""The file store: each memo as a page of Markdown that people read, edit, add and delete, as in Obsidian.

`PageWriter` writes them, `PageSync` applies what people did to them, `Watch` does so whenever they change.
"""

from recollect.transfer.mirror.pages.apply import Note, PageSyncOptions
from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.sync import PageSync, Report
from recollect.transfer.mirror.pages.watch import POLL_INTERVAL_SECONDS, Watch
from recollect.transfer.mirror.pages.writer import UNIT, PageWriter, unit_of

__all__ = [
    "POLL_INTERVAL_SECONDS",
    "UNIT",
    "Note",
    "PagePaths",
    "PageSync",
    "PageSyncOptions",
    "PageWriter",
    "Report",
    "Watch",
    "unit_of",
]
