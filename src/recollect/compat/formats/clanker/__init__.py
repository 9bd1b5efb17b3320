"""Clanker's files, read and written."""

from collections.abc import Sequence
from pathlib import Path

from recollect.compat.formats.clanker.reader import ClankerReader
from recollect.compat.formats.clanker.writer import left_out, write_clanker
from recollect.core.ports.format import ExportRecords, Section
from recollect.core.types import Memo


class Clanker(ClankerReader):
    writes: frozenset[Section] = frozenset({"messages", "vectors"})

    def left_out(self, memos: Sequence[Memo]) -> int:
        return left_out(memos)

    def write(self, records: ExportRecords, folder: Path) -> list[Path]:
        return write_clanker(records.memos, records.messages, folder, records.vectors)


def create(spec: str) -> Clanker:  # noqa: ARG001 - it has no options
    return Clanker()
