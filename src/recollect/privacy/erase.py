"""Erases or exports everything about a person or a guild.

Erasing removes files, then rows, then files again, so that running it again completes an interrupted erasure. Then
deleted content is purged from the store, and a probe searches for remaining traces.
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
from recollect.core.errors import BadInput
from recollect.core.events import Event
from recollect.core.ports import Progress, Store, Tx
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Message, Subject
from recollect.learning import derived
from recollect.learning.message_changes import delete_message
from recollect.learning.recently_removed import RecentlyRemoved
from recollect.learning.schedule import Schedule
from recollect.privacy import delete_rows, planned_erasures, retention
from recollect.privacy.export import export
from recollect.privacy.inventory import CHECKED, PAGE_SIZE, Inventory, iter_pages, owned_memos, take_inventory
from recollect.privacy.planned_erasures import Plan, PlannedErasures
from recollect.privacy.probe import Search, probe
from recollect.privacy.purge import PurgeCounts, Selection, count_selected, purge
from recollect.privacy.receipt import ErasurePreview, Receipt
from recollect.privacy.retention import Retention
from recollect.privacy.target import ErasureTarget
from recollect.recall import people


def clear_function_caches() -> int:
    """Clear every function cache of this package, since they keep compared texts; returns how many there are."""
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

MAX_BACKUPS_NAMED = 8
REPEATED_PER_WRITE = 10
"""Messages whose repetitions are looked for at once: other writes wait meanwhile."""
OTHER_PROCESSES = "other processes notice at their next read of the store; open chats keep what they already show"


class Files(Protocol):
    """The mirrored files of a store, as far as erasing needs them."""

    async def list_files(self, user: str | None, guild: str | None, memos: Keys) -> list[Path]: ...
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
    async def resume(self, target: str, texts: Sequence[str]) -> Sequence[str]: ...
    async def end(self, target: str) -> None: ...
    def backups(self) -> Sequence[Path]: ...


@dataclass(frozen=True, slots=True)
class ErasureHooks:
    """What an erasure affects besides the store."""

    files: Files
    search: Search
    update_mirror: Callable[[], Awaitable[None]]
    """Updates the files that mirror the store."""
    clear_caches: Callable[[], None]
    """Drops in-memory caches."""
    removed: RecentlyRemoved
    """Tells replies in progress what they may not repeat."""


class PrivacyService:
    """Erases and exports; authorization is up to the caller."""

    def __init__(self, store: Store, hooks: ErasureHooks, schedule: Schedule, clock: Clock) -> None:
        self._store = store
        self._hooks = hooks
        self._schedule = schedule
        self._clock = clock
        self.erasures = PlannedErasures(store, lambda target, by: self.erase(target, asked_by=by), clock)
        """The handler of planned erasures' jobs."""
        self.retention = Retention(store, self._delete_message, clock)
        """The handler of jobs that apply the retention of guilds."""

    async def preview(self, target: ErasureTarget) -> ErasurePreview:
        """What erasing would remove; changes nothing."""
        inventory = await take_inventory(self._store, target)
        memos = await self._store.read(lambda tx: owned_memos(tx, target))
        files = await self._hooks.files.list_files(target.user, target.guild, _memo_keys(memos))
        return ErasurePreview(target, inventory.counts, tuple(map(str, files)))

    async def erase(self, target: ErasureTarget, *, asked_by: str, progress: Progress | None = None) -> Receipt:
        """Remove everything for good, verify it, and return a receipt. If interrupted, run it again to complete it.

        Raises BadInput for an id without a platform of which there is nothing, while another platform has it.
        """
        started_at, now = monotonic(), self._clock()
        # Only a target without traces is questioned: an interrupted erasure must always be able to go on.
        if target.user is not None and await self.is_clean(target):
            await self._store.read(partial(people.resolve, user=target.user, changes=True, speakers=True))
        if target.user is None and await self.is_clean(target):
            await self._store.read(partial(_require_only, target=target))
        inventory = await take_inventory(self._store, target)
        # An interrupted run has deleted rows already; what it noted of them is still searched for.
        await self._store.read(lambda tx: delete_rows.load_intent(tx, target, inventory))
        inventory.samples.add(await self._hooks.files.resume(str(target), inventory.samples.chosen()))
        memos = await self._store.read(lambda tx: owned_memos(tx, target))
        # Before the first row goes: after a crash it could no longer be known what to look for.
        await self._store.write(lambda tx: delete_rows.save_intent(tx, target, inventory))
        steps = _Steps(progress, len(inventory.message_keys) + len(memos))
        files = await self._remove_files(target, inventory, memos)
        counts = await self._erase_rows(target, inventory, asked_by, steps)
        files += await self._remove_files(target, inventory, memos)
        await self._hooks.update_mirror()
        # The mirror may have been writing a page of theirs until now, and noted that it did.
        files += await self._remove_files(target, inventory, memos)
        # Last, because it is needed to find the files.
        counts["counters"] = await self._store.write(lambda tx: tx.state.erase(target.owner))
        # After all rows are gone: it rewrites the pages on which they were.
        await self._store.purge_deleted(steps.store_progress)
        # After the last write, as readers may have cached rows until now.
        self._hooks.clear_caches()
        clear_function_caches()
        # Searched from outside, with samples of what was there: deleting without an error proves nothing.
        result = await probe(self._store, target, inventory, now, self._hooks.search, self._hooks.files.find)
        receipt = Receipt(
            target=target,
            asked_by=asked_by,
            at=now,
            seconds=monotonic() - started_at,
            counts={**counts, "files": files},
            samples=result.texts,
            probe=result.checks,
            mentions=result.mentions,
            notes=self._notes(),
        )
        await self._store.write(partial(_log_receipt, receipt=receipt, now=self._clock()))
        # Last: until the receipt is stored, a crash must find what is needed to go on.
        await self._hooks.files.end(str(target))
        return receipt

    async def is_clean(self, target: ErasureTarget) -> bool:
        """Whether there is nothing to erase: no trace, and no interrupted erasure."""
        is_interrupted = await self._store.read(lambda tx: delete_rows.is_interrupted(tx, target))
        return not is_interrupted and (await self.preview(target)).empty

    async def schedule(self, target: ErasureTarget, due: datetime, *, asked_by: str) -> bool:
        """Plan an erasure for `due`; see `confirm` and `cancel`. False when one is already planned."""
        plan = Plan(target, due, asked_by, self._clock())
        return await self._store.write(lambda tx: planned_erasures.schedule(tx, plan))

    async def confirm(self, target: ErasureTarget) -> bool:
        """Confirm a planned erasure: one that is due does not start before it is confirmed."""
        now = self._clock()
        return await self._store.write(lambda tx: planned_erasures.confirm(tx, target, now))

    async def cancel(self, target: ErasureTarget, *, asked_by: str) -> bool:
        """Cancel a planned erasure; False when there is none."""
        now = self._clock()
        return await self._store.write(lambda tx: planned_erasures.cancel(tx, target, asked_by, now))

    async def planned(self) -> list[Plan]:
        """Planned erasures."""
        return await self._store.read(planned_erasures.planned)

    async def set_retention(self, guild: str, days: int | None) -> None:
        """Delete a guild's messages after so many days; None keeps them."""
        now = self._clock()
        await self._store.write(lambda tx: retention.set_retention(tx, guild, days, now))

    async def retention_days(self, guild: str) -> int | None:
        return await self._store.read(lambda tx: retention.retention_days(tx, guild))

    async def ensure_retention(self) -> None:
        """Queue the jobs of guilds with a retention, as one that failed for good has no successor."""
        now = self._clock()
        await self._store.write(lambda tx: retention.ensure_jobs(tx, now))

    async def purge(self, selection: Selection) -> PurgeCounts:
        """Delete what was said in a part of a guild, or about someone there, and what was learned from it."""
        return await purge(self._store, selection, self._delete_message, self._erase_selected)

    async def count_selected(self, selection: Selection) -> PurgeCounts:
        """What `purge` would delete."""
        return await count_selected(self._store, selection)

    def _erase_selected(self, tx: Tx, memos: Sequence[Memo]) -> None:
        now = self._clock()
        for start in range(0, len(memos), derived.MAX_STATEMENTS):
            delete_rows.remove_derived(tx, memos[start : start + derived.MAX_STATEMENTS], now, self._hooks.removed)
        delete_rows.erase_expired(tx, memos, now)

    def _delete_message(self, tx: Tx, message: Message) -> bool:
        where, now = message.place.platform, self._clock()
        return delete_message(tx, where, message.id, now, self._schedule, self._hooks.removed)

    async def export(self, target: ErasureTarget) -> dict[str, Any]:
        """Everything about the target, as JSON values."""
        return await export(self._store, target)

    async def memos(self, target: ErasureTarget) -> list[Memo]:
        """The target's memos of any status, by key."""
        return await self._store.read(lambda tx: owned_memos(tx, target))

    async def _remove_files(self, target: ErasureTarget, inventory: Inventory, memos: Sequence[Memo]) -> int:
        """Called before the rows go, while their content is known, and after, as files may have been written since."""
        return await self._hooks.files.remove(
            target.user,
            target.guild,
            _memo_keys(memos),
            inventory.authors,
            inventory.sessions,
            inventory.references,
            inventory.samples.all(),
        )

    async def _erase_rows(
        self, target: ErasureTarget, inventory: Inventory, asked_by: str, steps: "_Steps"
    ) -> dict[str, int]:
        """Messages go first: from then on nothing can be learned from them."""
        counts = {"memos": 0, "messages": 0, "replies": 0}
        counts |= {name: inventory.counts[name] for name in ("summaries", "exchanges")}
        now = self._clock()
        statements = await self._store.read(lambda tx: owned_memos(tx, target))
        for start in range(0, len(statements), derived.MAX_STATEMENTS):
            batch = statements[start : start + derived.MAX_STATEMENTS]
            removal = partial(delete_rows.remove_derived, memos=batch, now=now, removed=self._hooks.removed)
            await self._store.write(removal)
        # While the messages are still there to compare with.
        await self._remove_repeated(target, now)
        async for page, replies in iter_pages(self._store, target):
            erase = partial(delete_rows.erase_messages, target=target, now=now, schedule=self._schedule)
            await self._store.write(partial(erase, rows=[*page, *replies], removed=self._hooks.removed))
            counts["messages"] += len(page)
            counts["replies"] += len(replies)
            steps.advance(len(page) + len(replies))
        # A loop, as a running job may have added some meanwhile.
        while memos := await self._store.read(lambda tx: owned_memos(tx, target)):
            for start in range(0, len(memos), PAGE_SIZE):
                erase = partial(delete_rows.erase_memos, target=target, now=now)
                batch = memos[start : start + PAGE_SIZE]
                counts["memos"] += await self._store.write(partial(erase, memos=batch))
                steps.advance(len(batch))
        counts["events"] = inventory.counts["events"]
        return counts | await self._store.write(
            lambda tx: delete_rows.erase_remaining(tx, target, inventory, now, asked_by)
        )

    async def _remove_repeated(self, target: ErasureTarget, now: datetime) -> None:
        """Remove what the assistant repeated of the person's messages, from which nothing may have been learned."""
        if target.user is None:
            return
        async for page, _ in iter_pages(self._store, target):
            for start in range(0, len(page), REPEATED_PER_WRITE):
                rows = page[start : start + REPEATED_PER_WRITE]
                await self._store.write(partial(delete_rows.remove_repeated, rows=rows, now=now))

    def _notes(self) -> tuple[str, ...]:
        backups = _describe_backups(self._hooks.files.backups())
        return (*backups, "backups and exports elsewhere are out of reach", OTHER_PROCESSES)


def _describe_backups(paths: Sequence[Path]) -> list[str]:
    if not paths:
        return []
    names = ", ".join(map(str, paths[:MAX_BACKUPS_NAMED]))
    more = f" and {len(paths) - MAX_BACKUPS_NAMED} more" if len(paths) > MAX_BACKUPS_NAMED else ""
    backups = "1 backup" if len(paths) == 1 else f"{len(paths)} backups"
    return [f"{backups} made earlier may still contain it; delete: {names}{more}"]


def _require_only(tx: Tx, target: ErasureTarget) -> None:
    """Raises BadInput if guilds of other platforms have this id: who erases one has to say which."""
    messages = [message for _, message in tx.messages.written_by(guild=target.guild_id)]
    if others := sorted({key for message in messages if (key := message.place.guild_key)}):
        raise BadInput(f"there is no server {target.guild}: say {' or '.join(others)}")


class _Steps:
    """Reports the progress of an erasure, whose last step is the store's purge."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress = progress
        self._total = total + 1
        self._done = 0

    def advance(self, steps: int) -> None:
        self._done = min(self._done + steps, self._total - 1)
        if self._progress is not None:
            self._progress(self._done, self._total)

    def store_progress(self, done: int, total: int) -> None:
        """Report the progress of the purge, which counts as one step."""
        if self._progress is not None:
            self._progress(self._total if done == total else self._total - 1, self._total)


def _log_receipt(tx: Tx, receipt: Receipt, now: datetime) -> None:
    """Log the receipt: counts only, since even a file's name may reveal something."""
    delete_rows.clear_intent(tx, receipt.target)
    reason = Reason.CLEAN if receipt.clean else Reason.NOT_CLEAN
    remaining = sum(check.count for check in receipt.probe)
    data = {"erased": dict(receipt.counts), "texts": receipt.samples, "found": remaining}
    tx.events.add(Event(CHECKED, now, receipt.asked_by, receipt.target.subject.scope, reason=reason, data=data))


def _memo_keys(memos: Sequence[Memo]) -> list[tuple[Subject, str]]:
    return [(memo.subject, memo.id) for memo in memos]
