"""Writers of rows pass the gate together; a transaction that must know that no row is being written closes it.

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
            self._db.seen.clear()  # somebody may have had it closed until now

    def close(self) -> None:
        """Wait until all are through, and let no one in until this transaction ends."""
        self._db.lock(GATE)
        self._db.seen.clear()
