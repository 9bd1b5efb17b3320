"""Words of a person's memos that the writer keeps in memory: they find what the index would find."""

import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from recollect.core.ports import WordHit
from recollect.core.types import Memo, Status
from recollect.stores.sqlite import held_words
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.matrix_cache import MatrixCache
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import ADA, make_memo

WORDS = "tea coffee green black rust python chess piano garden winter monday editor".split()


class Connection:
    def __init__(self, path: Path, *, reads: bool = False) -> None:
        self.db = Database(path, read_only=reads)
        if not reads:
            migrate(self.db)
        self.tx = SQLiteTx(self.db, MatrixCache())

    @contextmanager
    def writing(self) -> Iterator[SQLiteTx]:
        try:
            with self.db.transaction("BEGIN IMMEDIATE"):
                yield self.tx
                self.tx.flush()
        except BaseException:
            self.tx.discard()
            raise

    def search(self, *terms: str, max_rows: int | None = None) -> list[WordHit]:
        return self.tx.index.words("memos", [ADA.scope], terms, 12, max_rows=max_rows)

    def holds(self) -> bool:
        return bool(self.tx.words._held._scopes)


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Connection]:
    connection = Connection(tmp_path / "memory.db")
    yield connection
    connection.db.close()


@pytest.fixture
def reader(tmp_path: Path, writer: Connection) -> Iterator[Connection]:
    connection = Connection(tmp_path / "memory.db", reads=True)
    yield connection
    connection.db.close()


def sentences(count: int) -> list[Memo]:
    numbers = random.Random(3)
    return [make_memo(f"{' '.join(numbers.choices(WORDS, k=5))} {number}") for number in range(count)]


def hold(writer: Connection) -> None:
    """Search until the words are in memory."""
    with writer.writing():
        for _ in range(100):
            writer.search("tea")
    assert writer.holds()


def test_searches_agree_with_the_index_after_any_writes(writer: Connection, reader: Connection):
    memos = sentences(300)
    with writer.writing() as tx:
        for memo in memos[:200]:
            tx.memos.put(memo)
    hold(writer)
    numbers = random.Random(4)
    with writer.writing() as tx:
        for memo in memos[200:]:
            tx.memos.put(memo)
        for memo in numbers.sample(memos, 40):
            tx.memos.put(replace(memo, text=f"{memo.text} {numbers.choice(WORDS)} again"))
        for memo in numbers.sample(memos, 40):
            tx.memos.put(replace(memo, status=Status.DEPRECATED))
        for memo in numbers.sample(memos, 20):
            tx.memos.remove(memo)
    for _ in range(60):
        terms, limit = numbers.sample([*WORDS, "again", "17"], 3), numbers.choice([None, 20, 60])
        with reader.db.transaction("BEGIN", reads=True):
            indexed = reader.search(*terms, max_rows=limit)
        with writer.writing():
            assert writer.search(*terms, max_rows=limit) == indexed
    assert not reader.holds()


def test_a_search_sees_words_written_by_another_connection(tmp_path: Path, writer: Connection):
    with writer.writing() as tx:
        tx.memos.put(make_memo("green tea"))
    hold(writer)
    other = Connection(tmp_path / "memory.db")
    with other.writing() as tx:
        tx.memos.put(make_memo("black tea"))
        tx.memos.remove(make_memo("green tea"))
    other.db.close()
    with writer.writing():
        assert [hit.parts for hit in writer.search("green", "black")] == [{"black": 1}]


def test_a_search_ignores_words_of_a_rolled_back_transaction(writer: Connection):
    with writer.writing() as tx:
        tx.memos.put(make_memo("green tea"))
    hold(writer)
    with suppress(apsw.ConstraintError), writer.writing() as tx:
        tx.memos.put(make_memo("black tea"))
        tx.db.run("INSERT INTO meta VALUES ('generation', 0)")
    with writer.writing():
        assert not writer.search("black")
        assert writer.search("green")


def test_no_more_rows_stay_than_there_is_room_for(writer: Connection, monkeypatch: pytest.MonkeyPatch):
    with writer.writing() as tx:
        for memo in sentences(30):
            tx.memos.put(memo)
    hold(writer)
    monkeypatch.setattr(held_words, "MAX_HELD_ROWS", 29)
    with writer.writing():
        assert writer.search("tea")
    assert not writer.holds()


def test_a_large_scope_is_read_only_where_one_transaction_looks_there_often(
    writer: Connection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(held_words, "MAX_ROWS_READ_FOR_ONE_SAVE", 89)
    with writer.writing() as tx:
        for memo in sentences(90):
            tx.memos.put(memo)
    for _ in range(20):
        with writer.writing():
            assert writer.search("tea")
    assert not writer.holds()
    hold(writer)
