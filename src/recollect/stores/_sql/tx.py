"""What transactions of every SQL store have in common."""

from typing import Generic, TypeVar

from recollect.core.fingerprints import Fingerprints
from recollect.stores._sql.changes import Changes
from recollect.stores._sql.database import Database
from recollect.stores._sql.exchanges import Exchanges
from recollect.stores._sql.memos import Memos
from recollect.stores._sql.state import State
from recollect.stores._sql.summaries import Summaries

D = TypeVar("D", bound=Database)

_FINGERPRINT_KEY = "SELECT value FROM meta WHERE name = 'secret'"


class SQLTx(Generic[D]):
    def __init__(self, db: D, memos: Memos[D]) -> None:
        self.db = db
        self.summaries = Summaries(db)
        self.exchanges = Exchanges(db)
        self.state = State(db)
        self.changes = Changes(db, memos)

    @property
    def fingerprints(self) -> Fingerprints:
        """Looked up once."""
        known = self.db.seen["meta"]
        if "fingerprints" not in known:
            known["fingerprints"] = Fingerprints(self.db.value(_FINGERPRINT_KEY))
        return known["fingerprints"]
