"""Time as a value: a clock is a function, so that tests can hand in their own."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def now() -> datetime:
    """The current time in UTC, to the millisecond that stores keep."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(moment: datetime) -> int:
    """Whole milliseconds since 1970; a time without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // _MILLISECOND


def from_ms(stamp: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=stamp)
