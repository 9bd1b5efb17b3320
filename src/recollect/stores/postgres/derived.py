"""What follows the rows of a PostgreSQL database."""

from recollect.core.ports import Corpus
from recollect.stores._sql.derived import Derived
from recollect.stores.postgres import vectors, words
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.rows import grow


class PostgresDerived(Derived[Database]):
    def put_words(
        self, corpus: Corpus, scope: int, key: int, text: str, *, replaces: bool = False, new: bool = False
    ) -> None:
        del new  # the statement is the same
        write = words.rewrite if replaces else words.add
        write(self._db, corpus, [(scope, key, text)])

    def remove_words(self, corpus: Corpus, key: int) -> None:
        words.remove(self._db, corpus, [key])

    def remove_vectors(self, corpus: Corpus, key: int) -> None:
        vectors.remove(self._db, corpus, key)

    def note_missing(self, corpus: Corpus, key: int) -> None:
        vectors.note_missing(self._db, corpus, key)

    def grow(self, scope: int, by: int) -> None:
        grow(self._db, scope, by)
