"""Rows on PostgreSQL: what an index would refuse, several processes at the same rows, and views for other programs."""

import asyncio
import json
import random
import struct
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.core.ports import Store, Tx
from recollect.core.types import Kind, Provenance, Status, Subject, Tombstone
from recollect.stores.postgres import PostgresStore
from recollect.stores.postgres.database import MAX_ID_CHARS, Database, handle
from recollect.stores.postgres.tx import PostgresTx
from recollect.stores.sqlite import create as create_sqlite
from recollect.testing.store_contract.memos import FULL
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    GUILD_LORE,
    OTHER,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    texts_of,
    unit_vector,
)
from tests.stores.opening import faults
from tests.stores.postgres import opened, run

dice = random.Random(11)
HUGE = "".join(chr(dice.randint(0x4E00, 0x9FFF)) for _ in range(9_000))
"""An id that no index takes, however it is packed."""


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    async with opened(database) as store:
        yield store


@pytest.fixture
async def processes(database: str) -> AsyncIterator[list[PostgresStore]]:
    """Three stores on one database, which know nothing of each other."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(opened(database)) for _ in range(3)]


class Meanwhile:
    """Lets another process do something in the middle of a unit of work, and goes on once it waits for this one."""

    def __init__(self, store: Store, work: Callable[[Tx], object]) -> None:
        self._store = store
        self._work = work
        self._loop = asyncio.get_running_loop()
        self._begun: Future[object] | None = None

    def begin(self, tx: Tx) -> None:
        assert isinstance(tx, PostgresTx)
        self._begun = asyncio.run_coroutine_threadsafe(self._store.write(self._work), self._loop)
        deadline = time.monotonic() + 20
        while not self._is_waiting(tx.db):
            assert time.monotonic() < deadline, "nobody waits"

    @staticmethod
    def _is_waiting(db: Database) -> bool:
        db.row("SELECT pg_stat_clear_snapshot()")
        return db.value(
            "SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock')"
        )

    async def result(self) -> Any:
        assert self._begun is not None
        return await asyncio.wrap_future(self._begun)


async def test_ids_and_names_of_any_length_are_kept_and_found(store: PostgresStore):
    subject, place = Subject(HUGE), replace(CHANNEL, guild=HUGE, channel=HUGE, name=HUGE, platform=HUGE)
    source = Provenance(actor=HUGE, platform="discord", message=HUGE, guild=HUGE, evidence=HUGE)
    (key,) = await put(store, make_memo("likes tea", subject, id=HUGE, label=HUGE, tags=(HUGE,), source=source))
    stored = await store.read(lambda tx: tx.memos.get(subject, HUGE))
    assert stored is not None
    assert (stored.key, stored.subject, stored.tags) == (key, subject, (HUGE,))
    assert (await store.read(lambda tx: tx.memos.fetch([key])))[key].subject == subject
    assert [memo.key for memo in await store.read(lambda tx: tx.memos.from_message("discord", HUGE))] == [key]
    assert await store.read(lambda tx: list(tx.memos.subjects())) == [subject]
    assert await store.read(lambda tx: tx.memos.owners()) == [(subject, 1)]
    assert await store.read(lambda tx: tx.memos.owners(after=subject.scope)) == []
    stone = Tombstone(subject.scope, HUGE, at(1))
    await store.write(lambda tx: tx.memos.add_tombstone(stone))
    assert await store.read(lambda tx: tx.memos.tombstone(subject.scope, HUGE)) == stone

    said = make_message("tea time", place, id=HUGE, author=HUGE, name=HUGE, reply_to=HUGE, bot=True)
    assert await store.write(lambda tx: tx.messages.add(said))
    assert not await store.write(lambda tx: tx.messages.add(said))
    (message,) = await store.read(lambda tx: tx.messages.recent(place, 1))
    assert (message.place, message.author, message.text) == (place, HUGE, "tea time")
    assert await store.read(lambda tx: tx.messages.get(HUGE, HUGE)) == message
    assert [row[1] for row in await store.read(lambda tx: tx.messages.replies_to(HUGE, [HUGE]))] == [message]
    local = make_message("more tea", replace(CHANNEL, platform="local"), author=HUGE)
    assert await store.write(lambda tx: tx.messages.add(local))
    assert await store.read(lambda tx: tx.messages.platforms_of(HUGE)) == ["local"]
    assert await store.read(lambda tx: tx.messages.platforms_of(HUGE[:-1])) == []
    found = await store.read(lambda tx: tx.messages.written_by(HUGE))
    assert [one.text for _, one in found] == ["more tea"]
    assert await store.write(lambda tx: tx.messages.erase([(HUGE, HUGE)], at(2))) == 1
    assert not faults(await store.check_health())


async def test_nobody_can_take_the_short_form_of_someones_long_id(store: PostgresStore):
    long = Subject("x" * 300)
    imposter = Subject(handle(long.scope).removeprefix("user:"))
    assert handle(imposter.scope) != handle(long.scope)
    await put(store, make_memo("secret", long), make_memo("harmless", imposter))
    assert await texts_of(store, imposter) == ["harmless"]
    assert await texts_of(store, long) == ["secret"]
    assert len(handle("y" * MAX_ID_CHARS)) == MAX_ID_CHARS < len(handle("y" * (MAX_ID_CHARS + 1)))


async def test_a_message_that_several_processes_hear_at_once_is_stored_once(processes: list[PostgresStore]):
    async def hear(store: Store, number: int) -> bool:
        message = make_message(f"heard {number}", id=f"{number}")
        return await store.write(lambda tx: tx.messages.add(message))

    heard = await asyncio.gather(*(hear(store, number) for number in range(40) for store in processes))
    assert sum(heard) == 40
    assert await processes[0].read(lambda tx: tx.index.size([CHANNEL.stream])) == 40
    assert not faults(await processes[0].check_health())


async def test_a_message_heard_in_two_channels_at_once_counts_in_one(processes: list[PostgresStore]):
    here, there = make_message("once", id="1"), make_message("once", OTHER, id="1")
    other = Meanwhile(processes[1], lambda tx: tx.messages.add(there))

    def hear(tx: Tx) -> bool:
        stored = tx.messages.add(here)
        other.begin(tx)
        return stored

    assert await processes[0].write(hear)
    assert not await other.result()
    sizes = await processes[0].read(lambda tx: [tx.index.size([place.stream]) for place in (CHANNEL, OTHER)])
    assert sizes == [1, 0]
    assert not faults(await processes[0].check_health())


async def test_a_message_on_its_way_in_does_not_slip_past_its_erasure(processes: list[PostgresStore]):
    message = make_message("quixotic", id="1")
    erasing = Meanwhile(processes[1], lambda tx: tx.messages.erase([("discord", "1")], at(1)))

    def hear(tx: Tx) -> None:
        tx.messages.add(message)
        erasing.begin(tx)

    await processes[0].write(hear)
    assert await erasing.result() == 1
    assert await find(processes[0], "quixotic", [CHANNEL.stream], "messages") == []
    assert not await processes[0].write(lambda tx: tx.messages.add(message))


async def test_an_edit_waits_for_what_is_learned_from_the_message(processes: list[PostgresStore]):
    await say(processes[0], make_message("I like tea", id="1"))

    def edit(tx: Tx) -> list[str]:
        assert tx.messages.edit("discord", "1", "I like milk", at(1))
        return [memo.text for memo in tx.memos.from_message("discord", "1")]

    editing = Meanwhile(processes[1], edit)

    def learn(tx: Tx) -> None:
        message = tx.messages.get("discord", "1")
        assert message is not None
        editing.begin(tx)
        tx.memos.put(make_memo("likes tea", source=Provenance(platform="discord", message=message.id)))

    await processes[0].write(learn)
    assert await editing.result() == ["likes tea"]


async def test_rows_that_come_in_while_a_set_of_vectors_is_declared_complete_are_embedded_later(
    processes: list[PostgresStore],
):
    await processes[0].write(lambda tx: tx.memos.put(make_memo("early"), ("m", unit_vector(1, 0))))

    def promote(tx: Tx) -> None:
        assert tx.index.unembedded("memos", "m", 1) == []
        tx.index.activate("memos", "m")

    promoting = Meanwhile(processes[1], promote)

    def write(tx: Tx) -> int:
        key = tx.memos.put(make_memo("late"))
        promoting.begin(tx)
        return key

    key = await processes[0].write(write)
    await promoting.result()
    assert await processes[2].read(lambda tx: tx.index.unembedded("memos", "m", 9)) == [(key, "late")]


async def test_a_vector_that_comes_while_its_row_is_deleted_does_not_outlive_it(processes: list[PostgresStore]):
    keys = await say(processes[0], make_message("secret", id="1"), make_message("other", id="2"))
    made = dict.fromkeys(keys.values(), unit_vector(1, 0))
    embedding = Meanwhile(processes[1], lambda tx: tx.index.put_vectors("messages", "m", made))

    def delete(tx: Tx) -> None:
        tx.messages.delete("discord", "1", at(1))
        embedding.begin(tx)

    await processes[0].write(delete)
    await embedding.result()
    found = await processes[2].read(
        lambda tx: tx.index.nearest("messages", [CHANNEL.stream], "m", unit_vector(1, 0), 9, also=keys.values())
    )
    assert set(found) == {keys["2"]}
    assert not faults(await processes[2].check_health())


async def test_processes_that_look_before_they_write_do_not_both_write(processes: list[PostgresStore]):
    def learn(tx: Tx, number: int) -> bool:
        if tx.index.words("memos", [ADA.scope], ["tea"], 5):
            return False
        tx.memos.put(make_memo("likes tea", id=f"{number}"))
        return True

    works = [store.write(lambda tx, n=n: learn(tx, n)) for n in range(8) for store in processes]
    assert sum(await asyncio.gather(*works)) == 1
    assert await texts_of(processes[0]) == ["likes tea"]


async def test_uses_and_revisions_by_several_processes_are_all_kept(processes: list[PostgresStore]):
    keys = await put(processes[0], *(make_memo("counted", subject) for subject in (ADA, BEN, GUILD_LORE)))

    def revise(tx: Tx, keys: list[int]) -> None:
        for memo in tx.memos.fetch(keys).values():
            tx.memos.put(replace(memo, hits=memo.hits + 1))

    async def use(store: Store, number: int) -> None:
        mine = keys if number % 2 else keys[::-1]
        await store.write(lambda tx: revise(tx, mine))
        await store.write(lambda tx: tx.memos.count_use(mine, at(number)))

    await asyncio.gather(*(use(store, number) for number in range(15) for store in processes))
    found = await processes[0].read(lambda tx: tx.memos.fetch(keys))
    assert [memo.hits for memo in found.values()] == [90, 90, 90]


async def test_the_size_of_a_scope_is_right_whoever_writes_it(processes: list[PostgresStore]):
    async def live(store: Store, number: int) -> None:
        memo = make_memo(f"memo {number} of {id(store)}", Subject(f"u{number % 3}"))
        await put(store, memo)
        if number % 2:
            await put(store, replace(memo, status=Status.ARCHIVED))
        if number % 5 == 0:
            await store.write(lambda tx: tx.memos.remove(memo))

    await asyncio.gather(*(live(store, number) for number in range(30) for store in processes))
    assert not faults(await processes[0].check_health())
    totals = await processes[0].read(lambda tx: tx.index.row_counts())
    assert totals == {"memos": 3 * 12, "messages": 0}


async def test_messages_of_a_channel_are_numbered_without_gaps_whoever_writes(processes: list[PostgresStore]):
    async def hear(store: Store, number: int) -> None:
        message = make_message(f"{number} {id(store)}")
        await store.write(lambda tx: tx.messages.add(message))

    await asyncio.gather(*(hear(store, number) for number in range(20) for store in processes))
    keys = await processes[0].read(lambda tx: tx.index.recent("messages", [CHANNEL.stream], 99))
    shapes = await processes[0].read(lambda tx: tx.messages.positions(keys))
    assert [shapes[key][0] for key in sorted(keys)] == list(range(1, 61))


VIEWED = [
    FULL,
    make_memo("plain"),
    make_memo("rule", kind=Kind.CONSTRAINT, happened=at(-5_000_000)),
    make_memo("knows Ben", kind=Kind.PERSON, label="own label"),
    make_memo("ours", GUILD_LORE, kind=Kind.LORE),
    make_memo("retired", status=Status.ARCHIVED),
]


FACTS = (
    "SELECT created_at, updated_at, guild_id, channel_id, subject, fact, fact_type, evidence_text, "
    "source_message_id, confidence, is_active FROM memory_facts"
)
MEMORIES = "SELECT id, category, content, created_at, keywords, metadata, embedding FROM memories"


async def test_the_views_for_other_programs_are_those_of_sqlite(database: str, store: PostgresStore, tmp_path: Path):
    other = create_sqlite(f"sqlite:///{tmp_path}/memory.db")
    vector = "m", unit_vector(1, 2, 2)
    for each in (store, other):
        await each.write(lambda tx: [tx.memos.put(memo, vector if memo == FULL else None) for memo in VIEWED])
    await other.close()
    file = apsw.Connection(f"{tmp_path}/memory.db")
    assert sorted(run(database, FACTS), key=str) == sorted(file.execute(FACTS).fetchall(), key=str)
    ours, theirs = (sorted(rows, key=str) for rows in (run(database, MEMORIES), file.execute(MEMORIES)))
    assert [row[:4] for row in ours] == [row[:4] for row in theirs]
    assert [_documents(row) for row in ours] == [_documents(row) for row in theirs]
    (shown,), (kept,) = ([row[6] for row in rows if row[6]] for rows in (ours, theirs))
    assert isinstance(kept, bytes)
    assert json.loads(str(shown)) == pytest.approx(struct.unpack("<3f", kept))


def _documents(row: tuple[Any, ...]) -> list[object]:
    return [json.loads(text) for text in row[4:6]]
