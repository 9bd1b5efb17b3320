"""The port of a store's event log."""

from collections.abc import Collection
from datetime import date, datetime
from typing import Protocol

from recollect.core.events import Event


class Events(Protocol):
    """The append-only log."""

    def add(self, event: Event) -> int: ...
    def counts(self) -> dict[str, tuple[int, datetime]]:
        """For each kind of event, the number of events and the time of the last one."""
        ...

    def after(self, event_id: int, limit: int) -> list[Event]:
        """Events after this one, oldest first; 0 starts at the beginning.

        Safe to follow: no event with a lower id is committed after the last one returned.
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
        """Newest first; only of `kinds`, if any are named."""
        ...

    def days(self, since: date) -> dict[date, dict[str, int]]:
        """The number of events of each kind per UTC day, from `since` on."""
        ...

    def redact(self, events: Collection[int], keep: Collection[str] = ()) -> int:
        """Remove memo, reason and data from events, except for the entries of data named in `keep`.

        Kind, time, actor and scope stay. Returns how many events had anything to remove.
        """
        ...
