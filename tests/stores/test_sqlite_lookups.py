"""How often a read asks SQLite for the same row, and that none goes through a whole table for a few."""

import json
from pathlib import Path

from recollect.stores._sql.messages import NAMES
from recollect.stores.sqlite.database import Database
from recollect.stores.sqlite.messages import SQLiteMessages
from recollect.stores.sqlite.schema import create_tables

COUNT = "SELECT n FROM numbers"


def test_a_transaction_that_only_reads_looks_a_known_row_up_once(tmp_path: Path) -> None:
    db = Database(tmp_path / "memory.db")
    db.script("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)")
    statements: list[str] = []

    def note(_: object, sql: str, __: object) -> bool:
        statements.append(sql)
        return True

    db.exec_trace = note
    with db.transaction("BEGIN", reads=True):
        assert [db.cached_row(COUNT), db.cached_row(COUNT)] == [(1,), (1,)]
    assert statements.count(COUNT) == 1
    db.close()


def test_the_next_read_sees_what_another_connection_wrote(tmp_path: Path) -> None:
    db = Database(tmp_path / "memory.db")
    db.script("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)")
    other = Database(tmp_path / "memory.db")
    with db.transaction("BEGIN", reads=True):
        assert db.cached_row(COUNT) == (1,)
    other.run("UPDATE numbers SET n = 2")
    with db.transaction("BEGIN", reads=True):
        assert db.cached_row(COUNT) == (2,)
    other.close()
    db.close()


def test_a_transaction_that_writes_sees_its_own_changes(tmp_path: Path) -> None:
    db = Database(tmp_path / "memory.db")
    db.script("CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES (1)")
    with db.transaction("BEGIN IMMEDIATE"):
        assert db.cached_row(COUNT) == (1,)
        db.run("UPDATE numbers SET n = 2")
        assert db.cached_row(COUNT) == (2,)
    db.close()


def test_the_names_of_a_person_are_found_by_the_author_and_newest_first(tmp_path: Path) -> None:
    db = Database(tmp_path / "memory.db")
    create_tables(db)
    steps = [detail for *_, detail in db.rows(f"EXPLAIN QUERY PLAN {NAMES}", ("ada", "discord", 20))]
    assert any("messages_by_author (author=?)" in step for step in steps), steps
    assert len(steps) == 1, steps
    db.close()


def test_replies_are_found_by_what_they_answer_without_reading_all_messages(tmp_path: Path) -> None:
    db = Database(tmp_path / "memory.db")
    create_tables(db)
    plan = db.rows(f"EXPLAIN QUERY PLAN {SQLiteMessages.replies}", (json.dumps(["1"]), "discord"))
    steps = [detail for *_, detail in plan]
    assert any("messages_that_answer" in step for step in steps), steps
    assert not any(step.startswith("SCAN messages") for step in steps), steps
    db.close()
