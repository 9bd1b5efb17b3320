"""Watches the pages by looking at them again and again: no system's own notices, so it works on every disk."""

import asyncio

from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.sync import PageSync, Report

EVERY = 1.0
"""Seconds between two looks."""

Signature = tuple[tuple[str, int, int, int], ...]


class Watch:
    """Takes changes over once the pages have been the same for two looks, so that nobody is read while writing."""

    def __init__(self, index: PageSync, shelves: PagePaths) -> None:
        self._index = index
        self._shelves = shelves
        self._last: Signature | None = None
        self._done: Signature | None = None

    async def look(self) -> Report | None:
        """One look; a report when something was taken over."""
        now = await asyncio.to_thread(signature, self._shelves)
        settled, self._last = now == self._last, now
        if now == self._done or not settled:
            return None
        report = await self._index.run()
        self._done = now  # what we wrote ourselves is looked at once more, and an edit meanwhile is not missed
        return report


def signature(shelves: PagePaths) -> Signature:
    """Something that changes whenever a page does."""
    found: list[tuple[str, int, int, int]] = []
    for path, entry in shelves.walk():
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        found.append((path, state.st_mtime_ns, state.st_size, state.st_ino))
    return tuple(found)
