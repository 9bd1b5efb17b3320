"""DevClaw's files, read and written."""

from collections.abc import Sequence
from pathlib import Path

from recollect.compat.formats.devclaw.reader import DevClawReader
from recollect.compat.formats.devclaw.writer import left_out, write_devclaw
from recollect.core.ports.format import ExportRecords, Section
from recollect.core.types import Memo
from recollect.transfer.mirror.export import write_pages


class DevClaw(DevClawReader):
    writes: frozenset[Section] = frozenset(())

    def left_out(self, memos: Sequence[Memo]) -> int:
        return left_out(memos)

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        pages = write_pages(records.memos, folder / "memory")
        return [*write_devclaw(records.memos, folder), *pages]


def create(spec: str) -> DevClaw:  # noqa: ARG001 - it has no options
    return DevClaw()
