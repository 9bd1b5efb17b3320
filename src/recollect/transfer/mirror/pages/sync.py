"""Takes over what people do to the pages: an edit is a revision, a new page a memo, a deleted one a retirement.

Each page is one transaction together with what we know of it, so an interrupted run goes on where it stopped.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from recollect.core.clock import Clock, to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Progress, Store, Tx, Vector
from recollect.learning.apply import ChangeContext, add_tombstone, write
from recollect.policy.merge import retire
from recollect.transfer.mirror import disk
from recollect.transfer.mirror.pages import apply
from recollect.transfer.mirror.pages.apply import Note, PageSyncOptions
from recollect.transfer.mirror.pages.compare import Comparison, Differences, Edited, Fresh, look
from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.state import Key, Record
from recollect.transfer.mirror.pages.writer import PageWriter

Embed = Callable[[str], Awaitable[tuple[str, Vector] | None]]

FEW = 5
"""Pages that may go at one time, however few there are; more than half of all at once is taken for an accident."""


@dataclass(slots=True)
class Report:
    """What came of it, in the order of the pages; `refused` says why pages that are gone were not followed."""

    notes: list[Note] = field(default_factory=list[Note])
    refused: str = ""

    def of(self, what: str) -> list[Note]:
        return [note for note in self.notes if note.what == what]

    @property
    def ok(self) -> bool:
        return not self.refused and not self.of("broken")


class PageSync:
    """Brings memory in step with the pages in a folder."""

    def __init__(self, store: Store, shelves: PagePaths, embed: Embed, terms: PageSyncOptions, clock: Clock) -> None:
        self._store = store
        self._shelves = shelves
        self._embed = embed
        self._terms = terms
        self._clock = clock
        self._pages = PageWriter(store, shelves)

    async def run(self, *, dry_run: bool = False, force: bool = False, progress: Progress | None = None) -> Report:
        """Take everything over; with `dry_run`, only tell. `force` lets any number of deletions through."""
        seen = await asyncio.to_thread(look, self._shelves)
        found = await self._store.read(
            lambda tx: Comparison(tx, self._pages.records, self._shelves, self._terms.user).compare(seen)
        )
        report = Report([Note("broken", path, detail=reason) for path, reason in found.broken])
        report.refused = "" if force else _refusal(found)
        if dry_run:
            report.notes += await self._store.read(partial(self._foretell, found=found, gone=not report.refused))
        else:
            await self._apply(found, report, progress)
        report.notes.sort(key=lambda note: note.path)
        return report

    def _foretell(self, tx: Tx, found: Differences, gone: bool) -> list[Note]:
        notes = [apply.preview(tx, one) for one in found.edited]
        notes += [Note("new", one.seen.path) for one in found.fresh]
        notes += [Note("moved", path, key[1]) for key, path in found.moved]
        notes += [self._parting(tx, key, record) for key, record in found.gone] if gone else []
        return [note for note in notes if note is not None]

    async def _apply(self, found: Differences, report: Report, progress: Progress | None) -> None:
        for key, path in found.moved:
            await self._store.write(partial(self._pages.records.move, key=key, path=path))
            report.notes.append(Note("moved", path, key[1]))
        for key in found.stale:
            await self._pages.place(key)
        if not report.refused:  # before what is new: a page that was written again under another name takes its place
            report.notes += await self._let_go(found.gone)
        total = len(found.edited) + len(found.fresh)
        for done, one in enumerate([*found.edited, *found.fresh], 1):
            report.notes += await self._take(one)
            if progress is not None:
                progress(done, total)

    async def _take(self, one: Edited | Fresh) -> list[Note]:
        words = one.page.words
        vector = await self._embed(words.text)
        cause = self._cause()
        take = partial(
            apply.edit if isinstance(one, Edited) else apply.add,  # pyright: ignore[reportArgumentType] - by its type
            one=one,
            records=self._pages.records,
            terms=self._terms,
            cause=cause,
            vector=vector,
        )
        try:
            note: Note | None = await self._store.write(take)
            note = await self._follow_up(note) if note is not None else None
        except BadInput as error:
            return [Note("broken", one.seen.path, detail=str(error))]
        except OSError as error:
            return [Note("broken", one.seen.path, detail=f"taken over, but can't be written: {error}")]
        if note is None:
            return []
        hidden = Note("secret", note.path, note.memo, f"left out of memory: {', '.join(words.found)}")
        return [note, hidden] if words.found and note.what in ("new", "changed") else [note]

    async def _follow_up(self, note: Note) -> Note:
        """Do on the disk what follows."""
        if note.what == "aside":
            note = await asyncio.to_thread(self._set_aside, note)
        for key in note.keys:
            await self._pages.place(key)
        return note

    def _set_aside(self, note: Note) -> Note:
        path = self._pages.path(note.path)
        kept = disk.set_aside(path)
        disk.remove(path)
        return Note("aside", note.path, note.memo, f"{note.detail}; kept as {kept.name}", note.keys)

    async def _let_go(self, gone: list[tuple[Key, Record]]) -> list[Note]:
        """One change for all that one person deleted, so that it is undone as one."""
        causes: dict[str, ChangeContext] = {}
        notes: list[Note] = []
        for key, record in gone:
            cause = causes.setdefault(key[0].scope, self._cause())
            note = await self._store.write(partial(self._retire, key=key, record=record, cause=cause))
            if note is not None and note.what == "restored":
                await self._pages.place(key)
            notes += [note] if note else []
        return notes

    def _retire(self, tx: Tx, key: Key, record: Record, cause: ChangeContext) -> Note | None:
        memo = tx.memos.get(*key)
        note = self._parting(tx, key, record)
        if note is None:
            self._pages.records.drop(tx, key)
        elif note.what == "retired" and memo is not None:
            write(tx, [retire(memo, cause.at, "its file was deleted")], cause)
            add_tombstone(tx, memo, cause.at)
            self._pages.records.drop(tx, key)
        return note

    def _parting(self, tx: Tx, key: Key, record: Record) -> Note | None:
        """What becomes of a memo whose page is gone; nothing when it is out of use already."""
        memo = tx.memos.get(*key)
        if memo is None or not memo.active:
            return None
        if to_ms(memo.updated) > record.updated or self._pages.path(record.path).exists():
            return Note("restored", record.path, memo.id, "it changed in memory after its file was written")
        return Note("retired", record.path, memo.id, memo.text)

    def _cause(self) -> ChangeContext:
        return ChangeContext(self._terms.actor, self._clock(), secrets.token_hex(8))


def _refusal(found: Differences) -> str:
    """Why deletions are not believed: an unmounted disk or a slip takes more than a person weeds out."""
    gone, known = len(found.gone), found.known
    if known > 1 and gone == known:
        return f"all {known} files are gone; is their folder there?"
    if gone > FEW and gone * 2 > known:
        return f"{gone} of {known} files are gone at once"
    return ""
