"""A copy of memos as files that other programs know: a person's `durable.json`, or a folder of pages."""

from collections.abc import Sequence
from pathlib import Path

from recollect.core.ports.format import ExportRecords, Section
from recollect.core.types import Memo, Status
from recollect.transfer.exporting import check_empty
from recollect.transfer.mirror.json_files import VERSION, render_durable
from recollect.transfer.mirror.pages.markdown import rerender
from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.workspace.disk import create, make_folder

_EMPTY = f'{{\n  "version": {VERSION},\n  "updatedAt": 0,\n  "items": []\n}}\n'.encode()


def durable(memos: Sequence[Memo]) -> bytes:
    """All memos that were not deleted, as one file of facts."""
    return render_durable(memos) or _EMPTY


def write_pages(memos: Sequence[Memo], folder: Path) -> list[Path]:
    """Write a page for each memo in use into an empty folder; the same memos give the same names and bytes."""
    check_empty(folder)
    paths = PagePaths(folder, per_user=False)
    active = sorted((memo for memo in memos if memo.active), key=lambda memo: (memo.created, memo.id))
    make_folder(folder)
    return [_write(paths, memo) for memo in active]


class PageFolder:
    """The export format `pages`: a folder with a page for each memo in use."""

    name = "pages"
    writes: frozenset[Section] = frozenset()

    def left_out(self, memos: Sequence[Memo]) -> int:
        return sum(not memo.active for memo in memos if memo.status is not Status.DELETED)

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        return write_pages(records.memos, folder)


def _write(paths: PagePaths, memo: Memo) -> Path:
    data = rerender(memo, None)
    for name in paths.names(memo, None if memo.subject.is_lore else memo.subject.id):
        path = paths.folder / name
        make_folder(path.parent)
        if create(path, data):
            return path
    raise AssertionError("names don't end")  # pragma: no cover
