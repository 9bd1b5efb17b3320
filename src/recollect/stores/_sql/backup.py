"""Backups that appear under their name only when they are complete."""

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect.core.errors import BadInput, StoreUnwritable
from recollect.workspace.disk import make_folder, sync


@contextmanager
def new_backup(target: Path) -> Generator[Path]:
    """The file to write to; it is synced and renamed on success, and removed otherwise."""
    if target.exists():
        raise BadInput(f"{target} exists already; a backup never overwrites")
    partial = target.with_name(target.name + ".part")
    try:
        make_folder(target.parent)
        partial.unlink(missing_ok=True)
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.rename(target)
        sync(target.parent)
    except OSError as error:
        raise StoreUnwritable(f"cannot write the backup {target}: {error.strerror}") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
