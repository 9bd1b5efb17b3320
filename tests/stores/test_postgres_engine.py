"""Connections and transactions: durable, isolated, and never in a state that the next unit would notice."""

import asyncio
import logging
import threading
from collections.abc import Callable

import psycopg
import pytest

from recollect.core.errors import StoreError
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.types import Summary
from recollect.stores.postgres import PostgresStore
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Database, lock_key, lock_of
from recollect.stores.postgres.engine import Engine
from recollect.stores.postgres.pool import connect
from recollect.stores.postgres.schema import migrate
from recollect.stores.postgres.tx import PostgresTx
from recollect.testing.store_contract.samples import ADA, BEN, at, make_memo, put, texts_of
from tests.stores.postgres import opened, run
from tests.waiting import eventually

OTHERS = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'recollect' "
    "AND pid <> pg_backend_pid()"
)


def server_process(tx: Tx) -> int:
    return tx.db.value("SELECT pg_backend_pid()")


async def test_what_is_acknowledged_is_on_disk_even_where_the_server_is_set_up_to_be_quick(database: str):
    name = database.rpartition("/")[2]
    run(database, f'ALTER DATABASE "{name}" SET synchronous_commit = off')
    async with opened(database) as store:
        assert await store.write(lambda tx: tx.db.value("SHOW synchronous_commit")) == "on"
    run(database, f'ALTER DATABASE "{name}" SET synchronous_commit = remote_apply')
    async with opened(database) as store:
        assert await store.write(lambda tx: tx.db.value("SHOW synchronous_commit")) == "remote_apply"


async def test_connections_are_made_when_they_are_needed_and_used_again(database: str):
    async with opened(f"{database}?pool=3") as store:
        assert run(database, OTHERS) == [(0,)]
        first = await store.write(server_process)
        assert {await store.read(server_process) for _ in range(5)} == {first}
        many = await asyncio.gather(*(store.read(server_process) for _ in range(40)))
        assert first in many
        assert len(set(many)) <= 3


async def test_a_unit_that_fails_leaves_a_connection_that_the_next_can_use(database: str):
    async with opened(f"{database}?pool=1") as store:
        with pytest.raises(StoreError, match="no_such_table"):
            await store.write(lambda tx: tx.db.run("SELECT * FROM no_such_table"))
        with pytest.raises(ZeroDivisionError):
            await store.write(lambda tx: 1 // 0)
        await put(store, make_memo("fine"))
        assert await texts_of(store) == ["fine"]


async def test_a_text_that_postgres_would_refuse_undoes_nothing(database: str):
    def work(tx: Tx) -> None:
        tx.state.append(StateKind.OTHER, "list", "first", Owner.nobody())
        tx.state.append(StateKind.OTHER, "list", "nul \x00, half \ud800", Owner.nobody())
        tx.state.append(StateKind.OTHER, "list", "last", Owner.nobody())

    async with opened(database) as store:
        await store.write(work)
        first, odd, last = await store.read(lambda tx: tx.state.items(StateKind.OTHER, "list"))
        assert (first, odd[:4], last) == ("first", "nul ", "last")


def count_on(tx: Tx) -> None:
    number = len(tx.state.items(StateKind.OTHER, "c")) + 1
    tx.state.append(StateKind.OTHER, "c", f"{number}", Owner.nobody())
    assert tx.state.count(StateKind.OTHER, "c") == number


def sum_up(tx: Tx) -> None:
    sequence = tx.summaries.sequence("s") + 1
    assert tx.summaries.save(Summary("s", f"{sequence}", sequence, at(0)))


def learn_on(tx: Tx) -> None:
    tx.memos.put(make_memo(f"{tx.memos.count(ADA) + 1}"))


@pytest.mark.parametrize("another", [count_on, sum_up, learn_on])
async def test_what_is_written_is_decided_by_what_is_there_at_that_moment(database: str, another: Callable[[Tx], None]):
    """Eight transactions at once read, decide and write; none decides by what another is about to change."""
    async with opened(f"{database}?pool=10") as store:
        await asyncio.gather(*(store.write(another) for _ in range(40)))
        counted = await store.read(lambda tx: tx.state.items(StateKind.OTHER, "c"))
        summed, learned = await store.read(lambda tx: (tx.summaries.sequence("s"), tx.memos.count(ADA)))
        assert [len(counted), summed, learned] == [40 * (another is each) for each in (count_on, sum_up, learn_on)]
        assert counted == [f"{n + 1}" for n in range(len(counted))]


async def test_a_summary_that_is_saved_while_a_word_is_removed_loses_it_too(database: str):
    loop, saved, enough = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

    def save(tx: Tx) -> None:
        assert tx.summaries.save(Summary("discord:g:c", "They spoke of Lisbon twice.", 2, at(2)))
        loop.call_soon_threadsafe(saved.set)
        asyncio.run_coroutine_threadsafe(enough.wait(), loop).result()

    def remove(tx: Tx) -> None:
        tx.summaries.rewrite("discord:g:", at(0), lambda summary: summary.text.replace("Lisbon", "it"))

    async with opened(database) as store:
        await store.write(lambda tx: tx.summaries.save(Summary("discord:g:c", "They spoke of Lisbon.", 1, at(1))))
        saving = asyncio.create_task(store.write(save))
        await saved.wait()
        removing = asyncio.create_task(store.write(remove))
        await asyncio.wait([removing], timeout=0.3)
        enough.set()
        await asyncio.gather(saving, removing)
        summaries = await store.read(lambda tx: tx.summaries.history("discord:g:c"))
    assert [summary.text for summary in summaries] == ["They spoke of it twice.", "They spoke of it."]


async def test_whoever_follows_the_log_misses_nothing_however_commits_overlap(database: str):
    loop = asyncio.get_running_loop()
    async with opened(database) as store:

        async def reasons(after: int) -> list[tuple[int, str]]:
            events = await store.read(lambda tx: tx.events.after(after, 99))
            return [(each.id, each.detail) for each in events]

        written, enough = asyncio.Event(), asyncio.Event()

        def slow(tx: Tx) -> None:
            tx.events.add(Event("e", at(0), detail="begun first"))
            loop.call_soon_threadsafe(written.set)
            asyncio.run_coroutine_threadsafe(enough.wait(), loop).result()

        await store.write(lambda tx: tx.events.add(Event("e", at(0), detail="old")))
        seen = await reasons(0)
        going = asyncio.create_task(store.write(slow))
        await written.wait()
        await store.write(lambda tx: tx.events.add(Event("e", at(0), detail="committed first")))
        assert await reasons(seen[-1][0]) == [], "an earlier one is on its way"
        enough.set()
        await going
        assert [reason for _, reason in await reasons(seen[-1][0])] == ["begun first", "committed first"]


async def test_events_are_counted_by_all_without_waiting_for_each_other(database: str):
    async with opened(database) as one, opened(database) as other:
        for _ in range(3):
            await asyncio.gather(
                *(store.write(lambda tx: tx.events.add(Event("e", at(0)))) for store in (one, other) for _ in range(10))
            )
        assert await one.read(lambda tx: tx.events.counts()) == {"e": (60, at(0))}
        assert await one.write(lambda tx: (tx.events.add(Event("e", at(1))), tx.events.counts())[1]) == {
            "e": (61, at(1))
        }


async def test_a_write_elsewhere_changes_the_generation_here(database: str):
    async with opened(database) as one, opened(database) as other:
        before = await one.read(lambda tx: tx.generation())
        assert await one.read(lambda tx: tx.generation()) == before
        await put(other, make_memo("x"))
        after = await one.read(lambda tx: tx.generation())
        assert after != before
        await other.write(lambda tx: tx.memos.count(ADA))
        await other.write(lambda tx: tx.jobs.claim("w", at(0), at(1), 5))
        assert await one.read(lambda tx: tx.generation()) == after, "nothing was written"


async def test_names_of_one_kind_do_not_take_the_locks_of_another(database: str):
    address = Address.of(database)
    with connect(address, 5) as one, connect(address, 5) as other:
        held, rival = Database(one, writing=True), Database(other, writing=True)
        held.lock("queue:ada")
        held.lock("queue:ada")
        assert rival.try_locks(["queue:ada", "queue:ben", "subject:ada"]) == ["queue:ben", "subject:ada"]
        assert held.rows("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()") == [
            (1,)
        ]
    assert len({lock_key(f"queue:{n}") for n in range(100_000)}) <= 4096, "a server has room for some thousands"


async def test_the_server_computes_the_same_lock_of_a_name_as_we_do(database: str):
    queues = ["user:ada", "", "König 王 🦉", "with:colons:in it", "x" * 5_000]
    async with opened(database) as store:
        computed = await store.read(
            lambda tx: tx.db.rows(f"SELECT {lock_of('queue', 'queue')} FROM unnest(%s::text[]) AS queue", (queues,))
        )
    assert [key for (key,) in computed] == [lock_key(f"queue:{queue}") for queue in queues]


async def test_work_aside_goes_on_by_itself_and_is_broken_off_at_the_end(
    database: str, caplog: pytest.LogCaptureFixture
):
    engine = Engine(Address.of(database), migrate, PostgresTx)
    chores = engine.chores
    begun = threading.Event()

    def for_ever(connection: psycopg.Connection[tuple[object, ...]]) -> None:
        begun.set()
        connection.execute("SELECT pg_sleep(600)")

    assert chores.begin(lambda connection: connection.execute("CREATE TABLE public.aside (x int)"))
    await eventually(lambda: run(database, "SELECT to_regclass('public.aside') IS NOT NULL") == [(True,)])
    with caplog.at_level(logging.WARNING):
        await eventually(lambda: chores.begin(lambda connection: connection.execute("SELECT 1 / 0")))
        await eventually(lambda: chores.begin(for_ever))
        assert "division by zero" in caplog.text
        await asyncio.to_thread(begun.wait)
        assert not chores.begin(for_ever), "one at a time"
        caplog.clear()
        async with asyncio.timeout(10):
            await engine.close()
    assert caplog.text == ""
    assert not chores.begin(for_ever)


async def test_one_reader_sees_one_moment_whatever_is_written_meanwhile(database: str):
    async with opened(database) as store:
        await put(store, make_memo("before"))
        loop = asyncio.get_running_loop()

        def look(tx: Tx) -> tuple[int, int]:
            first = tx.memos.count(ADA)
            asyncio.run_coroutine_threadsafe(put(store, make_memo("meanwhile")), loop).result()
            return first, tx.memos.count(ADA)

        assert await store.read(look) == (1, 1)
        assert await store.read(lambda tx: tx.memos.count(ADA)) == 2


async def test_a_small_pool_is_enough_for_reads_and_writes_together(database: str):
    async with opened(f"{database}?pool=1") as store:
        works = [put(store, make_memo(f"{n}", ADA if n % 2 else BEN)) for n in range(30)]
        reads = [texts_of(store) for _ in range(30)]
        await asyncio.gather(*works, *reads)
        assert await store.read(lambda tx: tx.memos.count(ADA)) == 15


def test_a_store_connects_to_nobody_before_it_is_used():
    store = PostgresStore(Address.of("postgresql://nobody@127.0.0.1:1/nothing"))
    asyncio.run(store.close())
