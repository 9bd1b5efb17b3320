"""Upkeep: the verbs of `AsyncMemory` that consolidate a memory, learn again, copy, export and erase."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.core.types import Subject
from recollect.inputs import UserId
from recollect.lifecycle import OpenedMemory

if TYPE_CHECKING:  # what only annotations name is not loaded by `import recollect`
    from datetime import datetime

    from recollect.core.events import Event
    from recollect.core.outcomes import Listing, RelearnOutcome, RelearnRun
    from recollect.core.ports import Progress
    from recollect.core.types import Place
    from recollect.learning.consolidate import ConsolidationReport
    from recollect.privacy.receipt import Receipt


class MemoryUpkeep(OpenedMemory):
    """What an `AsyncMemory` does besides its daily work."""

    async def reset(self, *, user: UserId, place: Place | None = None) -> bool:
        """Clear the rolling summary of the conversation here; work in flight can't bring it back."""
        return await (await self._changer(user, place)).reset()

    async def forgotten(
        self, *, user: UserId, place: Place | None = None, lore: bool = False, limit: int | None = None, offset: int = 0
    ) -> Listing:
        """What `restore` can bring back, newest first."""
        return await (await self._reader(user, place, lore)).forgotten(limit, offset)

    async def consolidate(self, *, user: UserId, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate a user's memory now. The report shows private memos too: show it to them alone."""
        return await (await self._changer(user)).consolidate(dry_run=dry_run)

    async def relearn(
        self,
        *,
        user: UserId,
        place: Place | None = None,
        message: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        degraded: bool = False,
        dry_run: bool = False,
    ) -> RelearnOutcome:
        """Learn from a user's messages again with the model that is configured now, in the background: from one
        `message`, from those `since` and `until` a time, or from `degraded` ones, whose answers were not usable. What
        the user wrote, pinned or forgot stays. Undoable; with `dry_run`, only what it would change.
        """
        return await (await self._changer(user, place)).relearn(
            dry_run=dry_run, message=message, since=since, until=until, degraded=degraded
        )

    async def relearned(self, run: str) -> RelearnRun | None:
        """How far a run of `relearn` is; None when there is no such run."""
        await self._ensure_open()
        return await self.engine.relearner.progress(run)

    async def log(self, *, user: UserId | None = None, limit: int = 50, before: int | None = None) -> list[Event]:
        """The event log, newest first; of one user when one is named."""
        await self._ensure_open()
        scope = None if user is None else Subject(await self._resolve(user, None, changes=False)).scope
        return await self.store.read(lambda tx: tx.events.list(scope=scope, limit=limit, before=before))

    async def backup(self, path: str | Path, progress: Progress | None = None) -> None:
        """Copy the store to a new file while it is in use."""
        await self._ensure_open()
        await self.store.backup(Path(path), progress)

    async def reindex(self, progress: Progress | None = None) -> int:
        """Rebuild everything derived: the word index, then missing vectors. Resumable."""
        await self._ensure_open()
        count = await self.store.reindex(progress)
        await self.vectors.fill(progress)
        return count

    async def erase(self, *, user: UserId, place: Place | None = None, here: bool = False) -> Receipt | None:
        """Erase everything about a user for good, or, with `here`, what they left on the place's server. The receipt
        says what was removed and where it was looked for; None when there is nothing.
        """
        return await (await self._changer(user, place)).erase(here=here)

    async def export(self, *, user: UserId) -> dict[str, Any]:
        """Everything that is kept about a user, as JSON that `recollect import` takes."""
        return await (await self._reader(user)).export()
