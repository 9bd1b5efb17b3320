"""How often a prompt asks the store whose a display name is."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from recollect.core.types import Message, Place
from recollect.recall.display_names import Names, claim
from recollect.stores.sqlite import SQLiteStore

AT = datetime(2026, 5, 1, tzinfo=UTC)
HERE = Place("discord", "g1", "c1", public=True)


async def test_the_owners_of_all_names_are_asked_for_in_one_statement(tmp_path: Path) -> None:
    said = [Message(f"m{number}", f"u{number}", HERE, "hello", AT, f"Person {number}") for number in range(9)]
    imposter = Message("m9", "u9", HERE, "hello", AT, "Person 3")
    store = SQLiteStore(tmp_path / "memory.db")
    await store.write(lambda tx: [claim(tx, message) for message in (*said, imposter)])
    statements: list[str] = []

    def note(_: object, sql: str, __: object) -> bool:
        statements.append(sql)
        return True

    def work(tx: Any) -> list[str]:
        tx.db.exec_trace = note
        try:
            return [message.tag for message in Names("Rec").tagged(tx, [imposter, *said])]
        finally:
            tx.db.exec_trace = None

    tags = await store.read(work)
    await store.close()
    assert [bool(tag) for tag in tags] == [True, *[False] * 9]
    assert len(statements) == 1
