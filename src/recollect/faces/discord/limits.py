"""Counts, in memory: how often things happened within the last minute, and replies that are being made."""

import asyncio
from collections import Counter, deque
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime, timedelta

WINDOW = timedelta(minutes=1)
MAX_KEYS = 20_000
"""Windows that are kept in memory; when there are more, those that have passed are dropped."""


class Limits:
    def __init__(self) -> None:
        self._times: dict[tuple[str, int], deque[datetime]] = {}

    def admits(self, uses: list[tuple[str, int, int]], now: datetime) -> int | None:
        """Count a use for each of these keys unless one is at its limit; returns the index of the first that is."""
        for index, (what, key, most) in enumerate(uses):
            if len(self._recent(what, key, now)) >= most:
                return index
        for what, key, _ in uses:
            self._times[what, key].append(now)
        return None

    def is_first(self, what: str, key: int, now: datetime) -> bool:
        """Whether this is the first time within a minute, so that people are told only once."""
        times = self._recent(what, key, now)
        times.append(now)
        return len(times) == 1

    def _recent(self, what: str, key: int, now: datetime) -> deque[datetime]:
        if len(self._times) > MAX_KEYS:
            self._times = {name: times for name, times in self._times.items() if times and now - times[-1] < WINDOW}
        times = self._times.setdefault((what, key), deque())
        while times and not timedelta() <= now - times[0] < WINDOW:  # also when the clock was set back
            times.popleft()
        return times


class RunningReplies:
    """The replies that are being made, by tenant: what they cost is known once they end."""

    def __init__(self) -> None:
        self._counts = Counter[str]()
        self._ends: dict[str, asyncio.Event] = {}

    def count(self, tenant: str) -> int:
        return self._counts[tenant]

    async def wait_for_end(self, tenant: str) -> None:
        """Wait until one of them ends."""
        await self._ends.setdefault(tenant, asyncio.Event()).wait()

    @contextmanager
    def one_more(self, tenant: str) -> Generator[None]:
        self._counts[tenant] += 1
        try:
            yield
        finally:
            self._counts[tenant] -= 1
            if not self._counts[tenant]:
                del self._counts[tenant]
            if (end := self._ends.pop(tenant, None)) is not None:
                end.set()
