"""Time as a value: a clock is a function, so that tests can hand in their own."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def now() -> datetime:
    """The current time in UTC, to the millisecond that stores keep."""
    return from_ms(to_ms(datetime.now(UTC)))


def to_ms(moment: datetime) -> int:
    """Milliseconds since 1970; a time without a zone is taken as UTC."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def from_ms(stamp: int) -> datetime:
    return datetime.fromtimestamp(stamp / 1000, UTC)
