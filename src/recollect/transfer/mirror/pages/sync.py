"""Applies what people do to the pages: an edit revises a memo, a new page adds one, a deleted page retires one.

Each page is one transaction together with its record, so an interrupted run resumes where it stopped.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from recollect.core.clock import Clock, to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Progress, Store, Tx, Vector
from recollect.core.reasons import Reason
from recollect.learning.apply import ChangeContext, add_tombstone, write
from recollect.policy.merge import retire
from recollect.transfer.mirror import disk
from recollect.transfer.mirror.pages import apply
from recollect.transfer.mirror.pages.apply import Note, PageSyncOptions
from recollect.transfer.mirror.pages.compare import Comparison, Differences, Edited, Fresh, scan
from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.state import Key, Record
from recollect.transfer.mirror.pages.writer import PageWriter

Embed = Callable[[str], Awaitable[tuple[str, Vector] | None]]

MAX_SAFE_DELETIONS = 5
"""This many deletions at once are always applied; otherwise, more than half of all pages counts as an accident."""


@dataclass(slots=True)
class Report:
    """The results, in the order of the pages; `refused` says why deletions were not applied."""

    notes: list[Note] = field(default_factory=list[Note])
    refused: str = ""

    def of(self, what: str) -> list[Note]:
        return [note for note in self.notes if note.outcome == what]

    @property
    def ok(self) -> bool:
        return not self.refused and not self.of("broken")


class PageSync:
    """Brings memory in step with the pages in a folder."""

    def __init__(self, store: Store, paths: PagePaths, embed: Embed, options: PageSyncOptions, clock: Clock) -> None:
        self._store = store
        self._paths = paths
        self._embed = embed
        self._options = options
        self._clock = clock
        self._pages = PageWriter(store, paths)

    async def run(self, *, dry_run: bool = False, force: bool = False, progress: Progress | None = None) -> Report:
        """Apply all changes, or only report them with `dry_run`. `force` allows any number of deletions."""
        files = await asyncio.to_thread(scan, self._paths)
        differences = await self._store.read(
            lambda tx: Comparison(tx, self._pages.records, self._paths, self._options.user).compare(files)
        )
        report = Report([Note("broken", path, detail=reason) for path, reason in differences.broken])
        report.refused = "" if force else _refusal(differences)
        if dry_run:
            preview = partial(self._preview, differences=differences, with_deletions=not report.refused)
            report.notes += await self._store.read(preview)
        else:
            await self._apply(differences, report, progress)
        report.notes.sort(key=lambda note: note.path)
        return report

    def _preview(self, tx: Tx, differences: Differences, with_deletions: bool) -> list[Note]:
        notes = [apply.preview(tx, change) for change in differences.edited]
        notes += [Note("new", change.file.path) for change in differences.fresh]
        notes += [Note("moved", path, key[1]) for key, path in differences.moved]
        if with_deletions:
            notes += [self._describe_deletion(tx, key, record) for key, record in differences.deleted]
        return [note for note in notes if note is not None]

    async def _apply(self, differences: Differences, report: Report, progress: Progress | None) -> None:
        for key, path in differences.moved:
            await self._store.write(partial(self._pages.records.move, key=key, path=path))
            report.notes.append(Note("moved", path, key[1]))
        for key in differences.stale:
            await self._pages.place(key)
        if not report.refused:  # before what is new: a page that was written again under another name takes its place
            report.notes += await self._retire_deleted(differences.deleted)
        total = len(differences.edited) + len(differences.fresh)
        for position, change in enumerate([*differences.edited, *differences.fresh], 1):
            report.notes += await self._take_over(change)
            if progress is not None:
                progress(position, total)

    async def _take_over(self, change: Edited | Fresh) -> list[Note]:
        words = change.page.words
        # Outside the transaction, which must not wait for a model.
        vector = await self._embed(words.text)
        arguments = (self._pages.records, self._options, self._context(), vector)

        def apply_change(tx: Tx) -> Note | None:
            if isinstance(change, Edited):
                return apply.edit(tx, change, *arguments)
            return apply.add(tx, change, *arguments)

        try:
            note = await self._store.write(apply_change)
            note = await self._follow_up(note) if note is not None else None
        except BadInput as error:
            return [Note("broken", change.file.path, detail=str(error))]
        except OSError as error:
            return [Note("broken", change.file.path, detail=f"taken over, but can't be written: {error}")]
        if note is None:
            return []
        warning = Note("secret", note.path, note.memo, f"left out of memory: {', '.join(words.labels)}")
        return [note, warning] if words.labels and note.outcome in ("new", "changed") else [note]

    async def _follow_up(self, note: Note) -> Note:
        """Make the changes on disk that follow from it."""
        if note.outcome == "aside":
            note = await asyncio.to_thread(self._set_aside, note)
        for key in note.keys:
            await self._pages.place(key)
        return note

    def _set_aside(self, note: Note) -> Note:
        path = self._pages.path(note.path)
        copy = disk.set_aside(path)
        disk.remove(path)
        return Note("aside", note.path, note.memo, f"{note.detail}; kept as {copy.name}", note.keys)

    async def _retire_deleted(self, deleted: list[tuple[Key, Record]]) -> list[Note]:
        """One change for all that one person deleted, so that it is undone as one."""
        contexts: dict[str, ChangeContext] = {}
        notes: list[Note] = []
        for key, record in deleted:
            context = contexts.setdefault(key[0].scope, self._context())
            note = await self._store.write(partial(self._retire, key=key, record=record, context=context))
            if note is not None and note.outcome == "restored":
                await self._pages.place(key)
            notes += [note] if note else []
        return notes

    def _retire(self, tx: Tx, key: Key, record: Record, context: ChangeContext) -> Note | None:
        memo = tx.memos.get(*key)
        note = self._describe_deletion(tx, key, record)
        if note is None:
            self._pages.records.drop(tx, key)
        elif note.outcome == "retired" and memo is not None:
            write(tx, [retire(memo, context.at, Reason.FILE_DELETED)], context)
            add_tombstone(tx, memo, context.at)
            self._pages.records.drop(tx, key)
        return note

    def _describe_deletion(self, tx: Tx, key: Key, record: Record) -> Note | None:
        """What becomes of a memo whose page is gone; nothing when it is out of use already."""
        memo = tx.memos.get(*key)
        if memo is None or not memo.active:
            return None
        # The person deleted an older version than memory has.
        if to_ms(memo.updated) > record.updated or self._pages.path(record.path).exists():
            return Note("restored", record.path, memo.id, "it changed in memory after its file was written")
        return Note("retired", record.path, memo.id, memo.text)

    def _context(self) -> ChangeContext:
        return ChangeContext(self._options.actor, self._clock(), secrets.token_hex(8))


def _refusal(differences: Differences) -> str:
    """Why deletions are not believed: an unmounted disk or a slip takes more than a person weeds out."""
    deleted, known = len(differences.deleted), differences.known_count
    if known > 1 and deleted == known:
        return f"all {known} files are gone; is their folder there?"
    if deleted > MAX_SAFE_DELETIONS and deleted * 2 > known:
        return f"{deleted} of {known} files are gone at once"
    return ""
