"""What follows the rows of an SQLite file."""

from recollect.core.ports import Corpus
from recollect.stores._sql.derived import Derived
from recollect.stores.sqlite import vectors
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.words import WordIndex


class SQLiteDerived(Derived[Database]):
    def __init__(self, db: Database, index: WordIndex) -> None:
        super().__init__(db)
        self._index = index

    def put_words(
        self, corpus: Corpus, scope: int, key: int, text: str, *, replaces: bool = False, new: bool = False
    ) -> None:
        del scope  # the key begins with it
        self._index.put(corpus, key, text, replaces=replaces, new=new)

    def remove_words(self, corpus: Corpus, key: int) -> None:
        self._index.remove(corpus, key)

    def remove_vectors(self, corpus: Corpus, key: int) -> None:
        vectors.remove(self._db, corpus, key)

    def note_missing(self, corpus: Corpus, key: int) -> None:
        vectors.note_missing(self._db, corpus, key)

    def grow(self, scope: int, by: int) -> None:
        self._db.run("UPDATE scopes SET size = size + ? WHERE id = ?", (by, scope))
