"""Writers of rows pass the gate together; whoever must know that no row is being written closes it.

Erasing closes it, as a message on its way in could slip past its tombstone; so does a change of the vectors that serve,
as a row on its way in would be in no list of what lacks one.
"""

from recollect.stores.postgres.database import Database, lock_key

_NAME = "rows"


class Gate:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._inside = False

    def enter(self) -> None:
        """Until this transaction ends nobody closes the gate; once for each transaction."""
        if self._db.writing and not self._inside:
            self._db.run("SELECT pg_advisory_xact_lock_shared(%s)", (lock_key(_NAME),))
            self._inside = True

    def close(self) -> None:
        """Wait until all are through, and let nobody in until this transaction ends."""
        self._db.lock(_NAME)
