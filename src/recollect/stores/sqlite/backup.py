"""Copies of the file: on request while it is in use, and by itself before an upgrade of its tables."""

import logging
import shlex
import shutil
from itertools import count
from pathlib import Path

import apsw

from recollect.core.errors import CorruptStore, StoreUnwritable
from recollect.core.ports import Progress
from recollect.stores._sql.backup import new_backup
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.errors import translated
from recollect.workspace.disk import UPGRADE_COPY

log = logging.getLogger("recollect.stores")


def backup(path: Path | None, db: Database, target: Path, progress: Progress | None = None) -> None:
    """Copy the store while it is in use."""
    with new_backup(target) as partial, translated(target):
        _copy(path, db, partial, progress)


def _copy(path: Path | None, db: Database, target: Path, progress: Progress | None) -> None:
    copy = Database(target)
    try:
        with copy.backup("main", db, "main") as steps:
            while not steps.done:
                steps.step(2_000)
                if progress is not None:
                    progress(steps.page_count - steps.remaining, steps.page_count)
        copy.pragma("journal_mode", "delete")
        if copy.value("PRAGMA quick_check(1)") != "ok":
            raise CorruptStore(f"the copy of {path} is damaged, so the store is; run 'recollect doctor'")
    finally:
        copy.close()


def keep_before_upgrade(path: Path, version: int, upgraded: int) -> None:
    """Keep a copy of what the file holds now, beside it. The caller holds the writer's lock."""
    source = Database(path, read_only=True)
    try:
        copy = _unused_name(path, _state(source), upgraded)
        if not copy.exists():
            _require_space(path, source, version, upgraded)
            backup(path, source, copy)
    finally:
        source.close()
    log.warning(
        "%s is brought from schema %d to %d; what it held before is kept in %s. When all is well, delete that: rm %s",
        *(path, version, upgraded, copy, shlex.quote(str(copy))),
    )


def _unused_name(path: Path, state: tuple[int, int], upgraded: int) -> Path:
    """The name of the copy; one that an interrupted upgrade has made is used again if nothing was written since."""
    names = (f"{path.name}{UPGRADE_COPY}{upgraded}{'' if number == 1 else f'.{number}'}" for number in count(1))
    copies = (path.with_name(name) for name in names)
    return next(copy for copy in copies if not copy.exists() or _state_of_file(copy) == state)


def _state(db: Database) -> tuple[int, int]:
    """The schema version, and the number of transactions that wrote to the file."""
    return db.pragma("user_version"), db.value("SELECT value FROM meta WHERE name = 'generation'")


def _state_of_file(path: Path) -> tuple[int, int] | None:
    try:
        db = Database(path, read_only=True)
    except apsw.Error:
        return None
    try:
        return _state(db)
    except apsw.Error:
        return None
    finally:
        db.close()


def _require_space(path: Path, db: Database, version: int, upgraded: int) -> None:
    """Room for the copy, and for the tables that the upgrade rewrites."""
    needed: int = 2 * db.pragma("page_count") * db.pragma("page_size")
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreUnwritable(
            f"{path} has to be brought from schema {version} to {upgraded}, and a copy of it kept: that needs "
            f"{needed / 1e6:,.0f} MB in {path.parent}, where {free / 1e6:,.0f} MB are free. Nothing was changed; "
            "free some space and try again."
        )
