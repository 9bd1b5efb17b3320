"""What is derived from rows and follows them: their words, their vectors, and the sizes of their scopes."""

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from recollect.core.ports import Corpus
from recollect.core.types import Memo
from recollect.stores._sql.database import Database
from recollect.stores._sql.rows import indexed_text

D = TypeVar("D", bound=Database)


class Derived(ABC, Generic[D]):
    def __init__(self, db: D) -> None:
        self._db = db

    @abstractmethod
    def put_words(
        self, corpus: Corpus, scope: int, key: int, text: str, *, replaces: bool = False, new: bool = False
    ) -> None:
        """Index the words of a row; `replaces` says that old words have to go, `new` that the row was just inserted."""
        ...

    @abstractmethod
    def remove_words(self, corpus: Corpus, key: int) -> None: ...
    @abstractmethod
    def remove_vectors(self, corpus: Corpus, key: int) -> None: ...
    @abstractmethod
    def note_missing(self, corpus: Corpus, key: int) -> None:
        """Record that a row has no vector yet."""
        ...

    @abstractmethod
    def grow(self, scope: int, by: int) -> None:
        """Count rows that were added or removed."""
        ...

    def rewrite(self, corpus: Corpus, key: int, scope: int, text: str) -> None:
        """The text of a live row has changed."""
        self.put_words(corpus, scope, key, text, replaces=True)
        self.remove_vectors(corpus, key)
        self.note_missing(corpus, key)

    def update(self, memo: Memo, key: int, scope: int, *, was_active: bool, same_text: bool) -> None:
        """Only active memos are in the indexes; an unchanged text is not written again."""
        if was_active and memo.active and same_text:
            return
        if was_active:
            self.remove_vectors("memos", key)
        if memo.active:
            self.put_words("memos", scope, key, indexed_text(memo), replaces=was_active)
        elif was_active:
            self.remove_words("memos", key)
        if was_active != memo.active:
            self.grow(scope, 1 if memo.active else -1)

    def remove(self, corpus: Corpus, key: int, scope: int, *, alive: bool) -> None:
        """A row was deleted; `alive` says that it was in the indexes."""
        self.remove_words(corpus, key)
        self.remove_vectors(corpus, key)
        self._db.run("DELETE FROM unembedded WHERE corpus = $1 AND key = $2", (corpus, key))
        if alive:
            self.grow(scope, -1)
