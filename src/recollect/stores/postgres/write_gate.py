"""Writers of rows pass the gate together; a transaction that needs to exclude concurrent writes of rows closes it.

Erasing closes it, as a message on its way in could slip past its tombstone; so does a change of the vectors that serve,
as a row on its way in would be in no list of what lacks one.
"""

from recollect.stores.postgres.database import Database

GATE = "rows"
"""The name of its lock."""


class Gate:
    def __init__(self, db: Database) -> None:
        self._db = db

    def enter(self, *locks: str) -> None:
        """Keep the gate open until this transaction ends; take these locks too."""
        outside = not self._db.holds(GATE)
        self._db.lock(*locks, shared=[GATE])
        if outside:
            self._db.seen.clear()  # it may have been closed until now

    def close(self) -> None:
        """Wait for writers to finish, and keep others out until this transaction ends."""
        self._db.lock(GATE)
        self._db.seen.clear()
