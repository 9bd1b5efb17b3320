"""Watches the pages by looking at them again and again: no system's own notices, so it works on every disk."""

import asyncio

from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.sync import PageSync, Report

EVERY = 1.0
"""Seconds between two looks."""

Signature = tuple[tuple[str, int, int, int], ...]


class Watch:
    """Takes changes over once the pages have been the same for two looks, so that nobody is read while writing."""

    def __init__(self, sync: PageSync, paths: PagePaths) -> None:
        self._sync = sync
        self._paths = paths
        self._last: Signature | None = None
        self._processed: Signature | None = None

    async def look(self) -> Report | None:
        """One look; a report when something was taken over."""
        now = await asyncio.to_thread(signature, self._paths)
        settled, self._last = now == self._last, now
        if now == self._processed or not settled:
            return None
        report = await self._sync.run()
        self._processed = now  # what we wrote ourselves is looked at once more, and an edit meanwhile is not missed
        return report


def signature(paths: PagePaths) -> Signature:
    """Something that changes whenever a page does."""
    files: list[tuple[str, int, int, int]] = []
    for path, entry in paths.walk():
        try:
            state = entry.stat(follow_symlinks=False)
        except OSError:
            continue
        files.append((path, state.st_mtime_ns, state.st_size, state.st_ino))
    return tuple(files)
