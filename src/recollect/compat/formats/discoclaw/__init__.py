"""DiscoClaw's files, read and written."""

from collections.abc import Sequence
from pathlib import Path

from recollect.compat.formats.discoclaw.reader import DiscoClawReader
from recollect.compat.formats.discoclaw.writer import left_out, write_discoclaw
from recollect.core.ports.format import ExportRecords, Section
from recollect.core.types import Memo


class DiscoClaw(DiscoClawReader):
    writes: frozenset[Section] = frozenset({"summaries"})

    def left_out(self, memos: Sequence[Memo]) -> int:
        return left_out(memos)

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        return write_discoclaw(records.memos, records.summaries, folder)


def create(spec: str) -> DiscoClaw:  # noqa: ARG001 - it has no options
    return DiscoClaw()
