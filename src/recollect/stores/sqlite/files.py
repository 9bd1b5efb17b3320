"""Reads the bytes of a store through SQLite, which keeps its locks when it closes the file; see `held_files`."""

from collections.abc import Iterator
from pathlib import Path

import apsw

CHUNK_BYTES = 8 << 20


def chunks(path: Path, size: int = CHUNK_BYTES) -> Iterator[bytes]:
    """The content of a store or of its log, piece by piece; nothing where there is no file."""
    kind = apsw.SQLITE_OPEN_WAL if path.name.endswith("-wal") else apsw.SQLITE_OPEN_MAIN_DB
    try:
        file = apsw.VFSFile("", str(path), [kind | apsw.SQLITE_OPEN_READONLY, 0])
    except apsw.CantOpenError:
        return
    try:
        end = file.xFileSize()
        for start in range(0, end, size):
            yield file.xRead(min(size, end - start), start)
    finally:
        file.xClose()
