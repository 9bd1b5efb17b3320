"""A clock for tests: time passes only when told to."""

from datetime import UTC, datetime, timedelta

START = datetime(2025, 3, 1, 12, tzinfo=UTC)


class FakeClock:
    """A `recollect.core.clock.Clock` that starts at a moment and moves by `advance`."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start

    def __call__(self) -> datetime:
        return self._now

    def advance(self, **units: float) -> datetime:
        """Let time pass, as `advance(minutes=5)`; returns what the clock shows then."""
        self._now += timedelta(**units)
        return self._now
