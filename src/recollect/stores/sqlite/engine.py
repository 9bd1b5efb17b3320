"""How to talk to SQLite: one writer thread that commits waiting work together, and a few reader threads."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Generic, TypeVar

import apsw

from recollect.core.errors import StoreBusy, StoreUnwritable
from recollect.stores._sql.units import call, closed
from recollect.stores.sqlite import secure_delete
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.errors import translated
from recollect.stores.sqlite.forks import Usage
from recollect.stores.sqlite.reader import MAX_BRIEF_SECONDS, BriefReads, Reader, S, Stopwatch, run_read
from recollect.workspace.held_files import identity

T = TypeVar("T")

SCRUB_IDLE_SECONDS = 0.2
"""Time without work after which stale words are removed from the indexes."""
SCRUB_REST = 20
"""The next removal waits for this multiple of the time that it took."""
MAX_CLOSING_STEPS = 40
"""Steps of it for which closing waits: 80 MB of indexes."""
MAX_GROUP_SIZE = 512
"""Units of work that share one commit, at most."""
GROUP_COMMIT_WINDOW_SECONDS = 0.001
"""Patient work waits this long after a commit that a caller waited for, to share the commit of the next one."""
READER_THREADS = 4
READER_TURN_TIMEOUT_SECONDS = 0.02
"""A reader waits this long for the one before it: Python threads that alternate at each statement get half as much done
as one after the other, but no reader should wait long for a slow one.
"""


@dataclass(slots=True)
class _QueuedWork:
    work: Callable[[Any], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    reads: bool = False
    exclusive: bool = False
    background: bool = False
    result: Any = None
    error: BaseException | None = None


class Engine(Generic[S]):
    """Runs functions of a session: `write` durably in the writer's thread, `read` on a snapshot.

    A session is what `open_session` makes of a connection.
    """

    def __init__(
        self,
        path: Path | None,
        prepare: Callable[[Database], None],
        open_session: Callable[[Database], S],
        linger: float = GROUP_COMMIT_WINDOW_SECONDS,
        read_only: str = "",
    ) -> None:
        """`read_only` says why the file can't be written, and what to do; it is empty where it can."""
        self.path = path
        # A commit in memory costs nothing, so there is nothing to share.
        self._linger = 0.0 if path is None else linger
        self._read_only = read_only
        self._open_session = open_session
        self._writes: queue.SimpleQueue[_QueuedWork | None] = queue.SimpleQueue()
        self._reads: queue.SimpleQueue[_QueuedWork | None] = queue.SimpleQueue()
        self._turn = threading.Lock()
        self._brief_reads = BriefReads()
        self._caller_reader: Reader[S] | None = None
        """For brief reads, in the thread `_caller`."""
        self._caller = 0
        self._read_here_seconds = 0.0
        """What such reads took since other tasks had their turn."""
        self._expected = 0.0  # until when a caller that has just written may write again
        self._closed = False
        self._scrub_at = self._scrub_cost = 0.0
        self._writer_usage = Usage()
        try:
            with translated(path), self._writer_usage:
                self._writer = self._writer_usage.connection = Database(path, immutable=bool(read_only))
                try:
                    prepare(self._writer)
                except BaseException:
                    self._writer.close()
                    raise
        except BaseException:
            self._writer_usage.end()
            raise
        # One session for the writer's life: its caches are flushed or discarded by each transaction.
        self._session = open_session(self._writer)
        # The inode, not the name: SQLite keeps writing to an unlinked file without an error.
        self._file = None if path is None else identity(path)
        self._threads = [threading.Thread(target=self._serve_writes, name="recollect-write", daemon=True)]
        # A store in memory has one connection, which the writer's thread serves; no other could see its data.
        if path is not None:
            readers = (threading.Thread(target=self._serve_reads, daemon=True) for _ in range(READER_THREADS))
            self._threads += readers
        for thread in self._threads:
            thread.start()

    async def write(self, work: Callable[[S], T], *, background: bool = False) -> T:
        return await self._enqueue(self._writes, work, background=background)

    async def read(self, work: Callable[[S], T]) -> T:
        if self.path is None:
            return await self._enqueue(self._writes, work, reads=True)
        if self._brief_reads.includes(work) and (results := self._read_here(work)):
            # Let other ready tasks run, but not after each read: a turn of the loop costs as much as a statement.
            if self._read_here_seconds > MAX_BRIEF_SECONDS:
                self._read_here_seconds = 0.0
                await asyncio.sleep(0)
            return results[0]
        return await self._enqueue(self._reads, work, reads=True)

    def _read_here(self, work: Callable[[S], T]) -> tuple[T] | None:
        """The result, read in this thread; None if a reader thread has to do it.

        The first thread that asks has a connection for that, and does not wait: neither for a reader nor for a lock.
        """
        # Never block here: this is the event loop's thread.
        if self._closed or not self._turn.acquire(blocking=False):
            return None
        stopwatch = Stopwatch()
        try:
            if self._caller_reader is None:
                self._caller_reader, self._caller = self._make_reader(), threading.get_ident()
            if self._caller == threading.get_ident():
                return (self._caller_reader.run(work, waits=False),)
        except StoreBusy:
            pass
        finally:
            self._turn.release()
            seconds = stopwatch.seconds
            self._read_here_seconds += seconds
            self._brief_reads.took(work, seconds)
        return None

    def _make_reader(self) -> Reader[S]:
        return Reader(self.path, self._open_session, immutable=bool(self._read_only))

    async def run_exclusive(self, work: Callable[[Database], T]) -> T:
        """Run work on the writer's connection outside of any transaction, while nothing of ours is written."""
        return await self._enqueue(self._writes, lambda _: work(self._writer), exclusive=True)

    async def _enqueue(
        self,
        target: "queue.SimpleQueue[_QueuedWork | None]",
        work: Callable[[S], T],
        *,
        reads: bool = False,
        exclusive: bool = False,
        background: bool = False,
    ) -> T:
        if self._closed:
            raise closed()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        target.put(_QueuedWork(work, loop, future, reads, exclusive, background))
        return await future

    async def close(self) -> None:
        """Finish queued work, then release the file."""
        if self._closed:
            return
        self._closed = True
        # Behind all that is queued, so queued work is still done before the thread ends.
        self._writes.put(None)
        for _ in range(READER_THREADS):
            self._reads.put(None)
        # A read in the caller's thread may still be running in another event loop.
        with self._turn:
            if self._caller_reader is not None:
                self._caller_reader.close()
        for thread in self._threads:
            await asyncio.to_thread(thread.join)

    def _serve_reads(self) -> None:
        reader = self._make_reader()
        while (item := self._reads.get()) is not None:
            has_turn = self._turn.acquire(timeout=READER_TURN_TIMEOUT_SECONDS)
            stopwatch = Stopwatch()
            try:
                item.result = reader.run(item.work)
            except BaseException as error:  # noqa: BLE001 - handed to the caller
                item.error = error
            self._brief_reads.took(item.work, stopwatch.seconds)
            # Without the turn it ran beside a slow reader; releasing would hand over a turn that the slow one still
            # has.
            if has_turn:
                self._turn.release()
            _answer([item])
            # Otherwise the last caller's work and result stay referenced until the next read comes.
            del item
        reader.close()

    def _serve_writes(self) -> None:
        while True:
            group, last = self._next_group()
            if group:
                with self._writer_usage:
                    self._commit([item for item in group if not item.reads and not item.exclusive])
                    self._run_reads([item for item in group if item.reads])
                    self._run_exclusives([item for item in group if item.exclusive])
                _answer(group)
                if any(not item.background for item in group):
                    self._expected = monotonic() + self._linger
            if last:
                with self._writer_usage:
                    self._close_writer()
                self._writer_usage.end()
                return

    def _close_writer(self) -> None:
        with suppress(apsw.Error):
            for _ in range(MAX_CLOSING_STEPS):
                if not self._writer.has_stale_words or secure_delete.scrub_step(self._writer):
                    break
            self._writer.run("PRAGMA optimize")
        self._writer.close()

    def _next_group(self) -> tuple[list[_QueuedWork], bool]:
        """The waiting units of work, and whether they are the last.

        Patient work waits for callers that have just written: most write again, and one commit does both.
        """
        group: list[_QueuedWork] = []
        item = self._scrub_until_work()
        background = True
        while item is not None:
            group.append(item)
            background = background and item.background
            # Bounds what is repeated when one unit of the group fails.
            if len(group) == MAX_GROUP_SIZE:
                return group, False
            remaining = self._expected - monotonic() if background else 0.0
            try:
                item = self._writes.get(timeout=remaining) if remaining > 0 else self._writes.get_nowait()
            except queue.Empty:
                return group, False
        return group, True

    def _scrub_until_work(self) -> "_QueuedWork | None":
        """The next work; until it comes, stale words are removed from the indexes, a part at a time.

        That rewrites the indexes, so it rests many times as long as it took before it begins again.
        """
        while self._writer.has_stale_words and self.path is not None:
            idle_for = max(SCRUB_IDLE_SECONDS, self._scrub_at - monotonic())
            with suppress(queue.Empty):
                return self._writes.get(timeout=idle_for if self._scrub_cost == 0 else 0)
            began = monotonic()
            try:
                with self._writer_usage:
                    is_done = secure_delete.scrub_step(self._writer)
            except apsw.BusyError:  # later
                is_done = True
            except apsw.Error:  # the next read or write reports the error
                is_done, self._writer.has_stale_words = True, False
            self._scrub_cost += monotonic() - began
            if is_done:
                self._scrub_at, self._scrub_cost = monotonic() + SCRUB_REST * self._scrub_cost, 0.0
        return self._writes.get()

    def _commit(self, group: list[_QueuedWork]) -> None:
        """Commit a group at once; when a unit of it fails, all are rolled back and each is committed alone."""
        try:
            self._transact(group)
        except BaseException as error:  # noqa: BLE001 - handed to the callers
            # A busy file fails every unit alike, so each alone would only wait again for the whole timeout.
            if len(group) > 1 and not isinstance(error, StoreBusy):
                for item in group:
                    self._commit([item])
            else:
                for item in group:
                    item.error = error

    def _run_reads(self, group: list[_QueuedWork]) -> None:
        """Reads of a store that lives in memory, and so has this connection only."""
        for item in group:
            # The only connection can write; the pragma makes a read that writes fail as it does with a file.
            self._writer.pragma("query_only", True)
            try:
                with translated(self.path):
                    item.result = run_read(self._writer, self._session, item.work)
            except BaseException as error:  # noqa: BLE001 - handed to the caller
                item.error = error
            finally:
                self._writer.pragma("query_only", False)

    def _run_exclusives(self, group: list[_QueuedWork]) -> None:
        for item in group:
            try:
                with translated(self.path):
                    item.result = call(item.work, self._session)
            except BaseException as error:  # noqa: BLE001 - handed to the caller
                item.error = error

    def _transact(self, group: list[_QueuedWork]) -> None:
        if not group:
            return
        if self._read_only:
            raise StoreUnwritable(self._read_only)
        if self.path is not None and identity(self.path) != self._file:  # SQLite would go on with one that is deleted
            raise StoreUnwritable(
                f"{self.path} was deleted or replaced while it was in use; restart to use the new one"
            )
        try:
            with (
                translated(self.path),
                self._writer.transaction("BEGIN IMMEDIATE", give_way=self._writer_usage.let_forks_pass),
            ):
                for item in group:
                    item.result = call(item.work, self._session)
                # Index words and counters are collected in memory and written once per commit, not once per unit.
                self._session.flush()
                # Other processes and cached prompts compare this number to see whether anything was written.
                self._writer.run("UPDATE meta SET value = value + 1 WHERE name = 'generation'")
        except BaseException:
            self._session.discard()
            raise


def _answer(group: list[_QueuedWork]) -> None:
    """Wake the callers, one hop into each event loop."""
    loops = {item.loop for item in group}
    for loop in loops:
        with suppress(RuntimeError):  # the caller's loop is gone; the work is done all the same
            loop.call_soon_threadsafe(partial(_resolve, [item for item in group if item.loop is loop]))


def _resolve(items: list[_QueuedWork]) -> None:
    for item in items:
        # The caller was cancelled; its work is committed all the same.
        if item.future.done():
            continue
        if item.error is not None:
            item.future.set_exception(item.error)
        else:
            item.future.set_result(item.result)
