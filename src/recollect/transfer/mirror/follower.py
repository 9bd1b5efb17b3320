"""Keeps files up to date with the store: follows the log and rewrites exactly what has changed.

Its position in the log is persisted, so a restart resumes there, and several processes may write the same files:
each writes a file until the disk holds what the store says. Failures are logged once and retried.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from recollect.core.clock import Clock
from recollect.core.errors import RecollectError
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Memo, Origin, Status, Subject
from recollect.recall import summary_changes, withheld
from recollect.recall.listing import without_pending
from recollect.transfer.mirror import daily_log, disk, snapshot
from recollect.transfer.mirror.exchanges import ExchangeFiles
from recollect.transfer.mirror.json_files import durable_name, render_durable, render_summary, summary_name
from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.writer import UNIT, PageWriter, unit_of
from recollect.transfer.mirror.state import MirrorState

log = logging.getLogger("recollect.mirror")

POLL_INTERVAL_SECONDS = 1.0
"""Time between two reads of the log; changes in between are written together."""
RETRY_DELAY_SECONDS = 30.0
"""Time until files that could not be written are retried."""
SNAPSHOT_INTERVAL = timedelta(minutes=5)
"""How often the snapshot is rebuilt from scratch."""
CLOSE_TIMEOUT_SECONDS = 5.0
"""Time limit of the last round on close; the remaining files are written at the next start."""
_EVENTS_PER_READ = 1000
_MAX_ATTEMPTS = 3

Render = Callable[[], Awaitable[bytes | None]]


@dataclass(frozen=True, slots=True)
class MirrorTargets:
    """Where files go; None for kinds that are not mirrored."""

    memory: Path
    """Folder of the daily logs and the snapshot."""
    durable: Path | None = None
    rolling: Path | None = None
    shortterm: Path | None = None
    snapshot: bool = False
    categories: PagePaths | None = None

    @property
    def any(self) -> bool:
        folders = (self.durable, self.rolling, self.shortterm, self.categories)
        return self.snapshot or any(folder is not None for folder in folders)


class MirrorWriter:
    """Writes files in the background once started; otherwise in `catch_up` and on close."""

    def __init__(
        self,
        store: Store,
        folders: MirrorTargets,
        clock: Clock,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._store = store
        self._folders = folders
        self._clock = clock
        self._pause = pause
        pages = folders.categories
        self._pages = None if pages is None else PageWriter(store, pages)
        shortterm = folders.shortterm
        optional = [*([pages.folder] if pages else []), *([shortterm] if shortterm else [])]
        self._state = MirrorState(folders.durable, folders.rolling, folders.memory, *optional)
        self._exchanges = None if shortterm is None else ExchangeFiles(shortterm, self._state, clock)
        self._snapshot_input = snapshot.SnapshotInput()
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._started = self._is_failing = False
        self._last_full_snapshot: datetime | None = None
        self._log_stamps: tuple[object, ...] = ()

    def start(self) -> None:
        if self._folders.any:
            self._started = True
            self._task = self._task or asyncio.create_task(self._run(), name="recollect-files")

    async def flush(self) -> None:
        """Have the daily log written now instead of after its usual delay."""
        with suppress(RecollectError):
            if await self._store.read(daily_log.has_pending):
                await self._store.write(lambda tx: daily_log.write_now(tx, self._clock()))

    async def close(self) -> None:
        """Stop, after bringing the files up to date a last time."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT_SECONDS):
                await self._attempt(self.catch_up)

    async def catch_up(self) -> None:
        """Bring the files up to date with the store."""
        if self._folders.any:
            async with self._lock:
                await self._follow()

    async def restore(self) -> None:
        """Rewrite every file that is missing or differs from the store."""
        await self._store.write(self._state.rewind)
        if self._exchanges is not None:
            self._exchanges.reset()
        await self._first_round()
        await self.rewrite()

    async def rewrite(self) -> str:
        """The snapshot as of now; it is written too, if it is kept."""
        async with self._lock:
            if self._folders.snapshot:
                await self._attempt(self._write_snapshot)
            return await self._snapshot(() if self._folders.snapshot else None)

    async def _run(self) -> None:
        await self._attempt(self._first_round)
        while True:
            await self._pause(RETRY_DELAY_SECONDS if self._is_failing else POLL_INTERVAL_SECONDS)
            await self._attempt(self.catch_up)

    async def _attempt(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run it; failures to write files are logged and never reach the caller."""
        try:
            await work()
        except Exception as error:  # noqa: BLE001 - nothing that happens to a file may reach a caller; it is logged
            self._log_failure(error)
        else:
            self._is_failing = False

    def _log_failure(self, error: Exception) -> None:
        if not self._is_failing:
            is_expected = isinstance(error, OSError | RecollectError)
            log.warning("files can't be kept up to date (%s); retrying", error, exc_info=None if is_expected else error)
        self._is_failing = True

    async def _first_round(self) -> None:
        async with self._lock:
            missing = await self._store.read(self._missing)
            await self._store.write(partial(self._state.add_pending, files=missing)) if missing else None
            await self._follow()

    def _missing(self, tx: Tx) -> list[str]:
        """Files that were deleted while no process was running."""
        files: list[str] = []
        if (folder := self._folders.durable) is not None:
            users = (subject.id for subject in tx.memos.subjects() if not subject.is_lore)
            files += [f"durable {user}" for user in users if not (folder / durable_name(user)).exists()]
        if (folder := self._folders.rolling) is not None:
            sessions = self._state.sessions(tx)
            files += [f"rolling {session}" for session in sessions if not (folder / summary_name(session)).exists()]
        return files

    async def _follow(self) -> None:
        """Process the log from the last position on, in batches."""
        changed: set[Subject] = set()
        error: OSError | None = None
        while True:
            events, pending = await self._store.read(lambda tx: self._state.unprocessed(tx, _EVENTS_PER_READ))
            failed: list[str] = []
            # Pending ones first: they failed in an earlier round.
            files = [*pending, *(file for event in events for file in _files_of(event)), *await self._summaries(events)]
            # Each file once per batch, however many events name it: it is rendered from the store as of now.
            for file in dict.fromkeys(files):
                try:
                    await self._write(file)
                except OSError as problem:
                    error = problem
                    failed.append(file)
            if self._exchanges is not None and _subjects(events):
                self._exchanges.reset()
            if events or pending:
                # After the files: a crash in between writes them once more, and never skips one.
                await self._store.write(partial(self._state.advance, events=events, pending=failed))
            changed |= _subjects(events)
            # A full batch means that more may follow.
            if len(events) < _EVENTS_PER_READ:
                break
        error = await self._write_exchanges() or error
        await self._renew_snapshot(changed)
        if error is not None:
            raise error

    async def _summaries(self, events: Sequence[Event]) -> list[str]:
        """Files of summaries that repeat a statement that was forgotten or restored."""
        if self._folders.rolling is None:
            return []
        sessions = await self._store.read(
            lambda tx: summary_changes.affected_sessions(tx, events, self._state.sessions(tx))
        )
        return [f"rolling {session}" for session in sessions]

    async def _write(self, file: str) -> None:
        kind, _, name = file.partition(" ")
        folders = self._folders
        if kind == "durable" and folders.durable is not None:
            render = partial(self._store.read, lambda tx: render_durable(_mirrored_memos(tx, Subject(name))))
            await self._write_until_current(file, folders.durable / durable_name(name), render)
        elif kind == "rolling" and folders.rolling is not None:
            render = partial(self._store.read, lambda tx: render_summary(withheld.screened_summary(tx, name)))
            await self._write_until_current(file, folders.rolling / summary_name(name), render)
        elif kind == UNIT and self._pages is not None:
            await self._pages.write(name)

    async def _write_exchanges(self) -> OSError | None:
        """Bring the short-term entries up to date; the last problem with a file, to be tried again."""
        files, error = self._exchanges, None
        if files is None:
            return None
        for guild in await self._store.read(files.stale):
            render = partial(self._store.read, partial(files.render, guild=guild))
            try:
                await self._write_until_current(f"shortterm {guild}", files.path(guild), render)
                files.mark_written(guild)
            except OSError as problem:
                error = problem
        return error

    async def _renew_snapshot(self, changed: Collection[Subject]) -> None:
        if not self._folders.snapshot:
            return
        days = await asyncio.to_thread(daily_log.log_signature, self._folders.memory, snapshot.MAX_LOG_DAYS)
        last = self._last_full_snapshot
        due = self._started and (last is None or abs(self._clock() - last) >= SNAPSHOT_INTERVAL)
        if due or changed or (self._started and days != self._log_stamps):
            await self._write_snapshot(None if due else changed)
            self._log_stamps = days

    async def _write_snapshot(self, changed: Collection[Subject] | None = None) -> None:
        """With the subjects that changed; from scratch without them."""

        async def render() -> bytes:
            return (await self._snapshot(changed)).encode()

        await self._write_until_current("snapshot", self._folders.memory / snapshot.NAME, render)
        self._last_full_snapshot = self._clock() if changed is None else self._last_full_snapshot

    async def _snapshot(self, changed: Collection[Subject] | None = None) -> str:
        gathered = await self._store.read(lambda tx: self._snapshot_input.gather(tx, changed))
        return await asyncio.to_thread(snapshot.render, gathered, self._folders.memory)

    async def _write_until_current(self, file: str, path: Path, render: Render) -> None:
        """Write until the disk holds what the store says: another process may be writing an older state."""
        for _ in range(_MAX_ATTEMPTS):
            current = await asyncio.to_thread(disk.read, path)
            target = await render()
            if current == target:
                return
            is_own = current is None or await self._store.read(
                lambda tx, current=current: self._state.is_own_content(tx, file, current)
            )
            if target is not None:
                await self._store.write(partial(self._state.write, file=file, data=target))
            await asyncio.to_thread(_replace, path, target, is_own)


def _replace(path: Path, target: bytes | None, is_own: bool) -> None:
    if not is_own:
        log.warning("%s was changed by someone else; their version is kept as %s", path, disk.set_aside(path).name)
    if target is None:
        disk.remove(path)
    else:
        disk.replace(path, target)


def _files_of(event: Event) -> list[str]:
    """Which files an event changes."""
    if event.kind.startswith("summary."):
        return [f"rolling {event.scope}"]
    durable = f"durable {Subject.of_scope(event.scope).id}" if event.scope.startswith("user:") else ""
    return [file for file in (durable, unit_of(event)) if file]


def _subjects(events: Iterable[Event]) -> set[Subject]:
    return {Subject.of_scope(event.scope) for event in events if event.scope.startswith(("user:", "lore:"))}


def _mirrored_memos(tx: Tx, subject: Subject) -> list[Memo]:
    """A user's memos of all statuses, except those that were deleted together with their message."""
    return [memo for memo in without_pending(tx.memos.list(subject)) if not _was_deleted_with_message(tx, memo)]


def _was_deleted_with_message(tx: Tx, memo: Memo) -> bool:
    source = memo.source
    if memo.status is not Status.ARCHIVED or source.message is None or source.origin is Origin.MANUAL:
        return False
    return tx.messages.get(source.platform, source.message) is None
