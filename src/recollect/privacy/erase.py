"""Erasing and handing out: all that is known about a person or a guild, gone for good or as one document.

Erasing goes file, rows, file: what is left when it is interrupted is found again by running it again. Then deleted
content is made unreadable, and a probe searches for what should be gone.
"""

import sys
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from recollect.core.clock import Clock
from recollect.core.events import Event
from recollect.core.ports import Progress, Store, Tx
from recollect.core.types import Memo, Subject
from recollect.learning.schedule import Schedule
from recollect.privacy import delete_rows
from recollect.privacy import planned as later
from recollect.privacy.export import export
from recollect.privacy.inventory import CHECKED, PAGE, Inventory, owned, pages, take_inventory
from recollect.privacy.planned import Plan, PlannedErasures
from recollect.privacy.probe import Search, probe
from recollect.privacy.receipt import ErasurePreview, Receipt
from recollect.privacy.target import ErasureTarget


def clear_function_caches() -> int:
    """Empty every cache of a function in this package: they keep texts that were compared. How many there are."""
    cleared = 0
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "recollect":
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear) and getattr(value, "__module__", "") == name:
                    clear()
                    cleared += 1
    return cleared


Keys = Collection[tuple[Subject, str]]


OTHER_PROCESSES = "other processes notice at their next look at the store; chats that are open keep what they show"


class Files(Protocol):
    """The files of a store, as far as erasing concerns them."""

    async def listed(self, user: str | None, guild: str | None, memos: Keys) -> list[Path]: ...
    async def remove(
        self,
        user: str | None,
        guild: str | None,
        memos: Keys,
        people: Collection[str],
        sessions: Collection[str],
        references: Collection[str],
        texts: Sequence[str],
    ) -> int: ...
    async def find(self, texts: Sequence[str]) -> Mapping[str, Sequence[int]]: ...
    def backups(self) -> int: ...


@dataclass(frozen=True, slots=True)
class ErasureHooks:
    """What has to know of an erasure besides the store."""

    files: Files
    search: Search
    follow: Callable[[], Awaitable[None]]
    """Writes anew the files that follow the store."""
    renew: Callable[[], None]
    """Drops what is kept in memory to be quick."""


class PrivacyService:
    """Erases and exports; the rules of who may ask for it are the caller's."""

    def __init__(self, store: Store, house: ErasureHooks, cadence: Schedule, clock: Clock) -> None:
        self._store = store
        self._house = house
        self._cadence = cadence
        self._clock = clock
        self.erasures = PlannedErasures(store, lambda target, by: self.erase(target, asked_by=by), clock)
        """Does the jobs of what was planned."""

    async def preview(self, target: ErasureTarget) -> ErasurePreview:
        """What erasing would remove; changes nothing."""
        found = await take_inventory(self._store, target)
        memos = await self._store.read(lambda tx: owned(tx, target))
        files = await self._house.files.listed(target.user, target.guild, _keys(memos))
        return ErasurePreview(target, found.counts, tuple(map(str, files)))

    async def erase(self, target: ErasureTarget, *, asked_by: str, progress: Progress | None = None) -> Receipt:
        """Remove everything for good, prove it, and leave a receipt. Interrupted, it is completed by doing it again."""
        started, at = monotonic(), self._clock()
        found = await take_inventory(self._store, target)
        await self._store.read(lambda tx: delete_rows.resume(tx, target, found))
        memos = await self._store.read(lambda tx: owned(tx, target))
        await self._store.write(lambda tx: delete_rows.begin(tx, target, found))
        steps = _Steps(progress, len(found.message_keys) + len(memos))
        files = await self._remove_files(target, found, memos)
        counts = await self._erase_rows(target, found, asked_by, steps)
        files += await self._remove_files(target, found, memos)
        await self._house.follow()
        await self._store.purge_deleted(steps.last)
        self._house.renew()
        clear_function_caches()
        result = await probe(self._store, target, found, at, self._house.search, self._house.files.find)
        receipt = Receipt(
            target=target,
            asked_by=asked_by,
            at=at,
            seconds=monotonic() - started,
            counts={**counts, "files": files},
            samples=result.texts,
            probe=result.checks,
            mentions=result.mentions,
            notes=self._notes(),
        )
        await self._store.write(partial(_conclude, receipt=receipt, at=self._clock()))
        return receipt

    async def is_clean(self, target: ErasureTarget) -> bool:
        """Whether there is nothing to erase: no trace, and no erasure that was interrupted."""
        begun = await self._store.read(lambda tx: delete_rows.is_begun(tx, target))
        return not begun and (await self.preview(target)).empty

    async def erase_later(self, target: ErasureTarget, due: datetime, *, asked_by: str) -> bool:
        """Erase then, unless it is called off before; see `confirm`. False when that is planned already."""
        new = Plan(target, due, asked_by, self._clock())
        return await self._store.write(lambda tx: later.schedule(tx, new))

    async def confirm(self, target: ErasureTarget) -> bool:
        """A planned erasure is still wanted: one that is due is not done before that is said."""
        moment = self._clock()
        return await self._store.write(lambda tx: later.confirm(tx, target, moment))

    async def call_off(self, target: ErasureTarget, *, asked_by: str) -> bool:
        """Give up a planned erasure; False when there is none."""
        moment = self._clock()
        return await self._store.write(lambda tx: later.cancel(tx, target, asked_by, moment))

    async def planned(self) -> list[Plan]:
        """Erasures that wait."""
        return await self._store.read(later.planned)

    async def export(self, target: ErasureTarget) -> dict[str, Any]:
        """Everything about them, as plain JSON values."""
        return await export(self._store, target)

    async def memos(self, target: ErasureTarget) -> list[Memo]:
        """Their memos of any status, by key."""
        return await self._store.read(lambda tx: owned(tx, target))

    async def _remove_files(self, target: ErasureTarget, found: Inventory, memos: Sequence[Memo]) -> int:
        """Before the rows, while it is known what they say, and after them, as somebody may have written meanwhile."""
        texts = found.samples.all()
        return await self._house.files.remove(
            target.user, target.guild, _keys(memos), found.authors, found.sessions, found.references, texts
        )

    async def _erase_rows(
        self, target: ErasureTarget, found: Inventory, asked_by: str, steps: "_Steps"
    ) -> dict[str, int]:
        """Messages first: from then on nothing can be learned from them any more."""
        counts = {"memos": 0, "messages": 0, "replies": 0}
        counts |= {name: found.counts[name] for name in ("summaries", "exchanges")}
        at = self._clock()
        async for page, answers in pages(self._store, target):
            erase = partial(delete_rows.erase_messages, target=target, at=at, cadence=self._cadence)
            await self._store.write(partial(erase, rows=[*page, *answers]))
            counts["messages"] += len(page)
            counts["replies"] += len(answers)
            steps.take(len(page) + len(answers))
        while memos := await self._store.read(lambda tx: owned(tx, target)):
            for start in range(0, len(memos), PAGE):
                erase = partial(delete_rows.erase_memos, target=target, at=at)
                batch = memos[start : start + PAGE]
                counts["memos"] += await self._store.write(partial(erase, memos=batch))
                steps.take(len(batch))
        counts["events"] = found.counts["events"]
        return counts | await self._store.write(lambda tx: delete_rows.finish(tx, target, found, at, asked_by))

    def _notes(self) -> tuple[str, ...]:
        backups = self._house.files.backups()
        kept = [f"{backups} backups that were made earlier still hold it: delete them"] if backups else []
        return (*kept, "backups and exports elsewhere are out of reach", OTHER_PROCESSES)


class _Steps:
    """How far it has come."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total + 1
        self._done = 0

    def take(self, steps: int) -> None:
        self._done = min(self._done + steps, self._total - 1)
        if self._progress is not None:
            self._progress(self._done, self._total)

    def last(self, done: int, total: int) -> None:
        """The last step is the store's own."""
        if self._progress is not None:
            self._progress(self._total if done == total else self._total - 1, self._total)


def _conclude(tx: Tx, receipt: Receipt, at: datetime) -> None:
    """The receipt in the log: counts alone, as the name of a file may tell something."""
    delete_rows.end(tx, receipt.target)
    told = "clean" if receipt.clean else "something was found"
    found = sum(check.found for check in receipt.probe)
    data = {"erased": dict(receipt.counts), "texts": receipt.samples, "found": found}
    tx.events.add(Event(CHECKED, at, receipt.asked_by, receipt.target.subject.scope, reason=told, data=data))


def _keys(memos: Sequence[Memo]) -> list[tuple[Subject, str]]:
    return [(memo.subject, memo.id) for memo in memos]
