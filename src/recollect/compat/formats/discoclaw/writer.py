"""Writes DiscoClaw's files: `durable/<user>.json` for each person, and `rolling/<session>.json`.

It has no place for a guild's lore, nor for other statuses than active and deprecated.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from recollect.core.types import Memo, Status, Summary
from recollect.transfer.exporting import check_empty
from recollect.transfer.mirror.json_files import durable_name, render_durable, render_summary, summary_name
from recollect.workspace.disk import create, make_folder


def write_discoclaw(memos: Sequence[Memo], summaries: Iterable[Summary], folder: Path) -> list[Path]:
    """Write both kinds of files into an empty folder; the same memory gives the same names and bytes."""
    check_empty(folder)
    people: dict[str, list[Memo]] = {}
    for memo in memos:
        if not memo.subject.is_lore:
            people.setdefault(memo.subject.id, []).append(memo)
    files = [(folder / "durable" / durable_name(user), render_durable(people[user])) for user in sorted(people)]
    newest = {summary.session: summary for summary in sorted(summaries, key=lambda summary: summary.sequence)}
    files += [(folder / "rolling" / summary_name(name), render_summary(newest[name])) for name in sorted(newest)]
    make_folder(folder)
    return [_write(path, data) for path, data in files if data is not None]


def left_out(memos: Iterable[Memo]) -> int:
    """How many memos have no place there."""
    return sum(memo.subject.is_lore for memo in memos if memo.status is not Status.DELETED)


def _write(path: Path, data: bytes) -> Path:
    make_folder(path.parent)
    create(path, data)
    return path
