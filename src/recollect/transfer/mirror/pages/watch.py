"""Watches the pages by polling, which works on every file system."""

import asyncio

from recollect.transfer.mirror.pages.paths import PagePaths
from recollect.transfer.mirror.pages.sync import PageSync, Report

POLL_INTERVAL_SECONDS = 1.0
"""Seconds between two polls."""

Signature = tuple[tuple[str, int, int, int], ...]


class Watch:
    """Applies changes once the pages are the same in two polls, so that no half-written page is read."""

    def __init__(self, sync: PageSync, paths: PagePaths) -> None:
        self._sync = sync
        self._paths = paths
        self._last: Signature | None = None
        self._processed: Signature | None = None

    async def poll(self) -> Report | None:
        """Poll once; a report when changes were applied."""
        now = await asyncio.to_thread(signature, self._paths)
        settled, self._last = now == self._last, now
        if now == self._processed or not settled:
            return None
        report = await self._sync.run()
        self._processed = now  # our own writes are compared once more, so that an edit meanwhile is not missed
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
