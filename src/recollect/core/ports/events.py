"""The log of everything that happened, as a store keeps it."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Protocol

from recollect.core.events import Event


class Events(Protocol):
    """The append-only log."""

    def add(self, event: Event) -> int: ...
    def counts(self) -> dict[str, tuple[int, datetime]]:
        """Of each kind of event how many there were, and when the last one was."""
        ...

    def after(self, event_id: int, limit: int) -> list[Event]:
        """What was written after this event, oldest first; from the start after 0.

        Whoever has seen these misses nothing by going on after the last: none is committed before it later on.
        """
        ...

    def list(
        self,
        scope: str | None = None,
        memo: str | None = None,
        limit: int = 100,
        before: int | None = None,
        kinds: Collection[str] = (),
    ) -> list[Event]:
        """Newest first; of these kinds alone when some are named."""
        ...

    def days(self, since: date) -> dict[date, dict[str, int]]:
        """How many events of each kind there were on each day, by UTC, from this day on."""
        ...

    def redact(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        """Take the words out of events: memo, reason and data go, but for these entries of the data.

        That something of that kind happened, when, by whom and in which scope stays. How many had any words.
        """
        ...
