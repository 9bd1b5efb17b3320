"""Copies everything in one store into another, of any kind; an interrupted copy resumes where it stopped.

The target keeps a bookmark, written together with each batch: its source, the progress, and the checksum
of everything that was written. So a target with writes of others is detected and never overwritten.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from recollect.core.errors import BadInput, StoreError
from recollect.core.ports import Progress, Store, Tx
from recollect.core.ports.archive import SECTIONS, Cursor, Name, Page, Record, fingerprint

PROTOCOL_VERSION = 4
"""Raised whenever sections, their columns or their contents change: old checksums are meaningless then."""
_CHECKSUM_MODULUS = 1 << 128


@dataclass(frozen=True, slots=True)
class Total:
    """How many records there are, and the sum of their fingerprints: the same in whatever order they are read."""

    count: int = 0
    checksum: int = 0

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Total":
        return cls(len(records), sum(map(fingerprint, records)) % _CHECKSUM_MODULUS)

    def __add__(self, other: "Total") -> "Total":
        return Total(self.count + other.count, (self.checksum + other.checksum) % _CHECKSUM_MODULUS)

    def __sub__(self, other: "Total") -> "Total":
        return Total(self.count - other.count, (self.checksum - other.checksum) % _CHECKSUM_MODULUS)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """The source of the copy, what the target holds of each section, and where reading continues."""

    source: str
    totals: Mapping[str, Total] = field(default_factory=lambda: dict.fromkeys(SECTIONS, Total()))
    section: str | None = next(iter(SECTIONS))
    """The section that is being copied; None at the end."""
    after: Cursor | None = None
    complete: bool = False
    """Whether both sides agreed at the end."""
    version: int = PROTOCOL_VERSION

    def adding(self, section: str, records: Sequence[Record]) -> "Bookmark":
        return replace(self, totals={**self.totals, section: self.totals[section] + Total.of(records)})

    def without(self, section: str, records: Sequence[Record]) -> "Bookmark":
        return replace(self, totals={**self.totals, section: self.totals[section] - Total.of(records)})

    def past(self, section: str, after: Cursor | None) -> "Bookmark":
        """Behind a page of this section: at its next one, or else at the next section."""
        names = list(SECTIONS)
        remaining = names[names.index(section) + (after is None) :]
        return replace(self, section=remaining[0] if remaining else None, after=after)

    def __str__(self) -> str:
        totals = {name: (total.count, f"{total.checksum:x}") for name, total in self.totals.items()}
        position = {"source": self.source, "section": self.section, "after": self.after, "complete": self.complete}
        return json.dumps({"version": self.version, **position, "totals": totals})

    @classmethod
    def parse(cls, text: str) -> "Bookmark":
        values: dict[str, Any] = json.loads(text)
        totals = {name: Total(count, int(checksum, 16)) for name, (count, checksum) in values["totals"].items()}
        after = None if values["after"] is None else tuple(values["after"])
        return cls(values["source"], totals, values["section"], after, values["complete"], values.get("version", 1))


BATCH = 1_000
"""Records per read and write."""


_OTHER_VERSION = (
    "the target holds a copy, perhaps half of one, that another version of recollect made, and this one can't continue "
    "it; copy again into an empty store, then delete this one"
)
_CONCURRENT_COPY = "another copy into the target is running; wait for it to end, then retry"


Changed = tuple[Bookmark, int]
"""The bookmark after a change of the target, and how many records that was."""


@dataclass(frozen=True, slots=True)
class SectionCheck:
    """The final comparison of one section."""

    section: str
    source: Total
    target: Total

    @property
    def agrees(self) -> bool:
        return self.source == self.target


@dataclass(frozen=True, slots=True)
class CopyReport:
    """The result of a copy."""

    sections: list[SectionCheck]
    written: int
    removed: int
    disturbed: bool
    """Whether the source was written to meanwhile."""

    @property
    def ok(self) -> bool:
        return all(section.agrees for section in self.sections)


async def copy(source: Store, target: Store, progress: Progress | None = None) -> CopyReport:
    """Copy what the target lacks, and compare both at the end.

    The target has to be empty, or hold nothing but an earlier copy of this source; else BadInput is raised and
    nothing is touched.
    """
    # Read before the first record, so that any write during the copy is noticed.
    generation = await source.read(lambda tx: tx.generation())
    identity, bookmark = await _read_bookmark(source, target)
    copier = _Copier(source, target, bookmark or Bookmark(identity), progress)
    await (copier.begin() if bookmark is None else copier.verify())
    compared = await copier.run()
    disturbed = generation != await source.read(lambda tx: tx.generation())
    return CopyReport(compared, copier.written, copier.removed, disturbed)


async def _read_bookmark(source: Store, target: Store) -> tuple[str, Bookmark | None]:
    """The source's identity and the bookmark of an earlier copy of it; raises BadInput for what can't be copied."""
    origin, of_source = await source.read(_state)
    goal, of_target = await target.read(_state)
    if origin == goal:
        raise BadInput("both are the same store, or one is a backup of the other")
    if of_source is not None and not of_source.complete:
        raise BadInput("the source is itself a copy that was not finished; finish that first")
    if of_target is not None and of_target.source != origin:
        raise BadInput("the target holds a copy of another store; a copy needs an empty store")
    if of_target is not None and of_target.version != PROTOCOL_VERSION:
        raise BadInput(_OTHER_VERSION)
    return origin, of_target


def _state(tx: Tx) -> tuple[str, Bookmark | None]:
    text = tx.archive.bookmark()
    return tx.archive.identity(), None if text is None else Bookmark.parse(text)


class _Copier:
    """One run of a copy."""

    def __init__(self, source: Store, target: Store, bookmark: Bookmark, progress: Progress | None) -> None:
        self._source, self._target, self._bookmark = source, target, bookmark
        self._progress = progress
        self._records_done = self._total_records = 0
        self.written = self.removed = 0

    async def begin(self) -> None:
        """Put the bookmark into a store that is empty, and the secret that the copied fingerprints are keyed with."""
        fingerprints = await self._source.read(lambda tx: tx.fingerprints)

        def unit(tx: Tx) -> None:
            if tx.archive.bookmark() is not None:
                raise StoreError(_CONCURRENT_COPY)
            # Within the transaction: a check beforehand could be overtaken.
            if any(map(tx.archive.count, SECTIONS)):
                raise BadInput("the target holds memories of its own; a copy needs an empty store")
            tx.archive.put_secret(fingerprints.secret)
            tx.archive.put_bookmark(str(self._bookmark))

        await self._measure(existing=0)
        await self._target.write(unit)

    async def verify(self) -> None:
        """Check that the target holds what the bookmark says, and nothing that others wrote."""
        await self._measure(existing=sum(total.count for total in self._bookmark.totals.values()))
        for section, total in self._bookmark.totals.items():
            if await self._total(self._target, section) != total:
                raise BadInput("the target was written to since it was copied; a copy needs an empty store")

    async def _measure(self, existing: int) -> None:
        """Count the records to process: each is copied, then read on both sides; existing ones are read first."""
        records = await self._source.read(lambda tx: sum(map(tx.archive.count, SECTIONS)))
        self._total_records = max(records - existing, 0) + 2 * records + existing

    async def run(self) -> list[SectionCheck]:
        while self._bookmark.section is not None:
            await self._take_over(self._bookmark.section, self._bookmark.after, Bookmark.past)
        compared = {section: await self._compare(section) for section in SECTIONS}
        stale = [section for section, check in compared.items() if self._is_stale(check)]
        if stale:
            await self._follow(stale)
            compared |= {section: await self._compare(section) for section in stale}
        if all(check.agrees for check in compared.values()):
            await self._change(lambda _, bookmark: (replace(bookmark, complete=True), 0))
        return list(compared.values())

    def _is_stale(self, compared: SectionCheck) -> bool:
        """Whether the source has changed since. Changes of the target can't be repaired by copying."""
        return not compared.agrees and compared.target == self._bookmark.totals[compared.section]

    async def _follow(self, sections: Sequence[str]) -> None:
        """Remove what the source no longer has, vectors before their rows; then copy what is new or different."""
        # Sections are in the order of their references, so removal goes backward.
        for section in reversed(sections):
            await self._prune(section)
        for section in sections:
            await self._take_over(section, None, lambda bookmark, _, __: bookmark)

    async def _prune(self, section: str) -> None:
        after: Cursor | None = None
        while True:
            names, after = await self._target.read(partial(_names, section, after))
            existing = await self._source.read(partial(_existing_names, section, names))
            missing = [name for name in names if name not in existing]
            if missing:
                self.removed += await self._change(partial(_remove, section, missing))
            if after is None:
                return

    async def _take_over(
        self, section: str, after: Cursor | None, move: Callable[[Bookmark, str, Cursor | None], Bookmark]
    ) -> None:
        """Write what is new or different, page by page; the next page is read meanwhile."""
        coming = asyncio.create_task(self._read(section, after))
        try:
            while True:
                page = await coming
                if page.after is not None:
                    # Read the next page while this one is written.
                    coming = asyncio.create_task(self._read(section, page.after))
                self.written += await self._change(partial(_write, section, page, move))
                self._advance(len(page.records))
                if page.after is None:
                    return
        finally:
            coming.cancel()

    async def _read(self, section: str, after: Cursor | None) -> Page:
        return await self._source.read(lambda tx: tx.archive.read(section, after, BATCH))

    async def _change(self, work: Callable[[Tx, Bookmark], Changed]) -> int:
        """Change the target and its bookmark in one transaction; how many records that was."""
        before = self._bookmark

        def unit(tx: Tx) -> Changed:
            # The bookmark works as a lock: a second copier would find it moved.
            if tx.archive.bookmark() != str(before):
                raise StoreError(_CONCURRENT_COPY)
            after, changed = work(tx, before)
            tx.archive.put_bookmark(str(after))
            return after, changed

        self._bookmark, changed = await self._target.write(unit)
        return changed

    async def _compare(self, section: str) -> SectionCheck:
        return SectionCheck(
            section, *await asyncio.gather(self._total(self._source, section), self._total(self._target, section))
        )

    async def _total(self, store: Store, section: str) -> Total:
        total, after = await store.read(partial(_page_total, section, None))
        self._advance(total.count)
        while after is not None:
            more, after = await store.read(partial(_page_total, section, after))
            self._advance(more.count)
            total += more
        return total

    def _advance(self, records: int) -> None:
        self._records_done += records
        if self._progress is not None and records:
            self._progress(min(self._records_done, self._total_records), self._total_records)


def _page_total(section: str, after: Cursor | None, tx: Tx) -> tuple[Total, Cursor | None]:
    page = tx.archive.read(section, after, BATCH)
    return Total.of(page.records), page.after


def _names(section: str, after: Cursor | None, tx: Tx) -> tuple[list[Name], Cursor | None]:
    page = tx.archive.read(section, after, BATCH)
    return [SECTIONS[section].name_of(record) for record in page.records], page.after


def _existing_names(section: str, names: Sequence[Name], tx: Tx) -> set[Name]:
    return set(tx.archive.find(section, names))


def _write(
    section: str, page: Page, move: Callable[[Bookmark, str, Cursor | None], Bookmark], tx: Tx, bookmark: Bookmark
) -> Changed:
    """Write only records that differ, so that repeating a page changes nothing."""
    name_of = SECTIONS[section].name_of
    existing = tx.archive.find(section, [name_of(record) for record in page.records])
    fresh = [record for record in page.records if existing.get(name_of(record)) != record]
    orphans = set(tx.archive.write(section, fresh))  # a vector whose row came after we had read the rows
    fresh = [record for record in fresh if record not in orphans] if orphans else fresh
    replaced = [existing[name_of(record)] for record in fresh if name_of(record) in existing]
    bookmark = bookmark.adding(section, fresh).without(section, replaced)
    return move(bookmark, section, page.after), len(fresh)


def _remove(section: str, names: Sequence[Name], tx: Tx, bookmark: Bookmark) -> Changed:
    """A row whose vectors are still there, as it was erased just now, takes them with it."""
    for of_rows, records in (*_vectors_of(section, names, tx), (section, tx.archive.find(section, names))):
        tx.archive.remove(of_rows, list(records))
        bookmark = bookmark.without(of_rows, list(records.values()))
    return bookmark, len(names)


def _vectors_of(section: str, names: Sequence[Name], tx: Tx) -> list[tuple[str, dict[Name, Record]]]:
    if section not in ("memos", "messages"):
        return []
    of_rows = f"{section[:-1]} vectors"
    sets = tx.archive.read("vector sets", None, BATCH).records
    models = [model for corpus, model, *_ in sets if corpus == section]
    return [(of_rows, tx.archive.find(of_rows, [(model, *name) for model in models for name in names]))]
