"""The server or the network goes away: what was acknowledged is there, once; what can't be done fails clearly."""

import asyncio
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest

import recollect
from recollect.core.errors import StoreBusy, StoreUnreachable
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import NewJob
from recollect.core.types import Subject
from recollect.stores.postgres import create
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.engine import _Deadline
from recollect.stores.postgres.tx import PostgresTx
from recollect.testing.models import FakeModel
from recollect.testing.store_contract.samples import ADA, BEN, make_memo, put, texts_of
from tests.scenes import AT_ONCE
from tests.stores.postgres import Server, in_database, made_database, opened, run
from tests.stores.proxy import Network


@pytest.fixture
def network(database: str) -> Iterator[Network]:
    with Network(database) as network:
        yield network


async def count(store: Store, subject: Subject = ADA) -> int:
    return await store.read(lambda tx: tx.memos.count(subject))


def add_one(tx: Tx) -> int:
    """Not idempotent on purpose: run twice, it would count twice."""
    number = tx.memos.count(ADA) + 1
    tx.memos.put(make_memo(f"number {number}"))
    return number


@pytest.mark.slow
async def test_a_write_waits_for_a_network_that_comes_back(network: Network):
    async with opened(network.address) as store:
        await put(store, make_memo("before"))
        network.sever()
        writes = [asyncio.create_task(put(store, make_memo(f"{n}"))) for n in range(5)]
        with pytest.raises(StoreUnreachable):
            await store.read(lambda tx: tx.memos.count(ADA))
        assert not any(write.done() for write in writes)
        network.mend()
        await asyncio.gather(*writes)
        assert await count(store) == 6


async def test_a_write_that_arrived_is_not_done_again_when_its_answer_is_lost(network: Network):
    async with opened(network.address) as store:
        assert await store.write(add_one) == 1
        runs: list[int] = []

        def work(tx: Tx) -> int:
            runs.append(add_one(tx))
            return runs[-1]

        network.swallow_after(b"COMMIT\0")
        assert await store.write(work) == 2
        assert runs == [2], "it was committed, and the server said so when asked"
        assert await count(store) == 2


async def test_a_write_that_did_not_arrive_is_done_again(network: Network):
    async with opened(network.address) as store:
        await store.write(add_one)
        runs: list[int] = []

        def work(tx: Tx) -> int:
            runs.append(add_one(tx))
            if len(runs) == 1:
                network.sever()
                network.mend()
            return runs[-1]

        assert await store.write(work) == 2
        assert runs == [2, 2]
        assert await count(store) == 2


async def test_a_write_gives_up_in_the_end_and_says_what_to_do(network: Network):
    address = network.address.replace("postgres@", "postgres:se" + "cret@")
    async with opened(f"{address}?patience=0.3") as store:
        await put(store, make_memo("before"))
        network.sever()
        with pytest.raises(
            StoreUnreachable, match=r"can't be reached .*Nothing acknowledged was lost.*doctor"
        ) as caught:
            await put(store, make_memo("lost"))
        assert "se" + "cret" not in f"{caught.value} {caught.value.__cause__} {caught.value.__context__}"
        network.mend()
        await put(store, make_memo("after"))
        assert set(await texts_of(store)) == {"before", "after"}


@pytest.mark.slow
async def test_a_read_does_not_wait_for_long(network: Network):
    async with opened(network.address) as store:
        await put(store, make_memo("before"))
        network.sever()
        began = time.monotonic()
        with pytest.raises(StoreUnreachable):
            await count(store)
        assert time.monotonic() - began < 6
        network.mend()
        assert await count(store) == 1


@pytest.mark.slow
async def test_a_server_that_is_not_there_is_waited_for_from_the_first_write_on(network: Network):
    network.sever()
    async with opened(network.address) as store:
        first = asyncio.create_task(put(store, make_memo("first")))
        with pytest.raises(StoreUnreachable):
            await count(store)
        network.mend()
        await first
        assert await texts_of(store) == ["first"]


@pytest.mark.slow
async def test_nobody_waits_any_longer_for_a_server_that_is_away_when_the_store_is_closed(
    own_server: Server, away: str
):
    async with opened(f"{away}?patience=60") as store:
        await put(store, make_memo("before"))
        await asyncio.to_thread(own_server.stop)
        writes = [asyncio.create_task(put(store, make_memo(f"{n}"))) for n in range(20)]
        with pytest.raises(StoreUnreachable):
            await count(store)
        assert not any(write.done() for write in writes)
        began = time.monotonic()
        await store.close()
        assert time.monotonic() - began < 5
    assert {type(one) for one in await asyncio.gather(*writes, return_exceptions=True)} == {StoreUnreachable}
    await asyncio.to_thread(own_server.start)
    async with opened(away) as store:
        assert await texts_of(store) == ["before"]


async def test_a_store_that_is_closed_finishes_what_is_queued_even_on_a_connection_that_was_lost(network: Network):
    async with opened(network.address) as store:
        await put(store, make_memo("before"))
        network.sever()
        network.mend()
        last = asyncio.create_task(put(store, make_memo("last")))
        await asyncio.sleep(0)  # until it is queued
    await last
    async with opened(network.address) as store:
        assert set(await texts_of(store)) == {"before", "last"}


@pytest.mark.slow
async def test_a_memory_whose_server_is_away_is_closed_within_seconds(own_server: Server, away: str):
    async with recollect.AsyncMemory(f"{away}?patience=60", embedder="null", model=FakeModel(), **AT_ONCE) as memory:
        found = await memory.remember("I live in Lisbon", user="ann")
        await memory.search("Lisbon", user="ann")  # a use of it that is to be written down
        await asyncio.to_thread(own_server.stop)
        began = time.monotonic()
    assert time.monotonic() - began < 10
    await asyncio.to_thread(own_server.start)
    async with opened(away) as store:
        assert [memo.id for memo in await store.read(lambda tx: tx.memos.list(Subject("ann")))] == [found.memo.id]


@pytest.mark.parametrize("database_name", ["nowhere"])
async def test_a_server_that_lets_nobody_in_is_not_waited_for(postgres: str, database_name: str):
    async with opened(in_database(postgres, database_name)) as store:
        began = time.monotonic()
        with pytest.raises(StoreUnreachable, match="does not exist"):
            await put(store, make_memo("x"))
        assert time.monotonic() - began < 5


async def test_when_all_connections_stay_in_use_others_wait_and_then_hear_why(database: str):
    async with opened(f"{database}?pool=1&patience=0.3") as store:
        await put(store, make_memo("before"))
        going, enough = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def hold(tx: Tx) -> None:
            loop.call_soon_threadsafe(going.set)
            asyncio.run_coroutine_threadsafe(enough.wait(), loop).result()

        holder = asyncio.create_task(store.write(hold))
        await going.wait()
        with pytest.raises(StoreBusy, match=r"all 1 connections .* are in use.*pool="):
            await count(store)
        waiting = asyncio.create_task(put(store, make_memo("queued")))
        enough.set()
        await asyncio.gather(holder, waiting)
        assert set(await texts_of(store)) == {"before", "queued"}


async def test_a_lock_that_another_process_keeps_is_waited_for_and_then_named(database: str):
    async with opened(database) as one, opened(f"{database}?patience=0.2") as other:
        going, enough = asyncio.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def hold(tx: Tx) -> None:
            tx.memos.put(make_memo("mine"))
            loop.call_soon_threadsafe(going.set)
            asyncio.run_coroutine_threadsafe(enough.wait(), loop).result()

        holder = asyncio.create_task(one.write(hold))
        await going.wait()
        with pytest.raises(StoreBusy, match=r"keeps rows .* locked"):
            await put(other, make_memo("theirs"))
        await put(other, make_memo("of someone else", BEN))
        enough.set()
        await holder
        await put(other, make_memo("theirs"))
        assert set(await texts_of(one)) == {"mine", "theirs"}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fast", "immediate"])
async def test_a_restart_of_the_server_loses_nothing_and_stops_nobody(own_server: Server, how: str):
    with made_database(own_server.address) as name:
        async with opened(in_database(own_server.address, name)) as store:
            acknowledged: list[int] = []
            begun = asyncio.Event()

            async def write() -> None:
                for _ in range(30):
                    acknowledged.append(await store.write(add_one))
                    if len(acknowledged) == 10:
                        begun.set()

            await store.write(lambda tx: tx.jobs.add(NewJob("learn", "ada", {}, make_memo("x").created)))
            writers = [asyncio.create_task(write()) for _ in range(4)]
            await begun.wait()
            await asyncio.to_thread(own_server.stop, how)
            await asyncio.to_thread(own_server.start)
            await asyncio.gather(*writers)
            assert sorted(acknowledged) == list(range(1, 121)), "each was counted, and counted once"
            assert await count(store) == 120
            assert await store.read(lambda tx: tx.jobs.counts()) == {"waiting": 1}
            assert all(finding.ok for finding in await store.check_health())


async def test_a_transaction_aborted_by_the_server_is_retried(database: str):
    async with opened(database) as store:
        await store.write(add_one)
        runs: list[int] = []

        def work(tx: Tx) -> int:
            runs.append(add_one(tx))
            if len(runs) == 1:
                run(
                    database,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()",
                )
            return runs[-1]

        assert await store.write(work) == 2
        assert runs == [2, 2]
        assert await count(store) == 2


async def test_units_that_wait_for_each_other_both_get_through(database: str):
    async with opened(database) as store:
        await put(store, make_memo("a", ADA), make_memo("a", BEN))
        met = asyncio.Barrier(2)
        loop = asyncio.get_running_loop()
        runs: list[str] = []

        def work(tx: Tx, first: Subject, second: Subject) -> None:
            tx.memos.put(make_memo("b", first))
            if len(runs) < 2:
                runs.append(first.scope)
                asyncio.run_coroutine_threadsafe(met.wait(), loop).result()
            else:
                runs.append(first.scope)
            tx.memos.put(make_memo("c", second))

        await asyncio.gather(store.write(lambda tx: work(tx, ADA, BEN)), store.write(lambda tx: work(tx, BEN, ADA)))
        assert len(runs) == 3, "one of them was run again"
        assert set(await texts_of(store)) == set(await texts_of(store, BEN)) == {"a", "b", "c"}


def test_the_address_may_be_written_as_other_programs_write_it(database: str):
    from recollect import plugins

    for scheme in ("postgresql", "postgres"):
        spec = f"{scheme}://{database.partition('://')[2]}"
        assert type(plugins.load("stores", spec)) is type(create(database))


async def test_a_number_that_a_crashed_server_gave_out_again_is_not_taken_for_ours(database: str):
    async with opened(database) as store:

        def work(tx: Tx) -> str:
            assert isinstance(tx, PostgresTx)
            add_one(tx)
            return tx.db.value("SELECT pg_current_xact_id()::text")

        theirs = await store.write(work), str(uuid4())
        waiting = _Deadline(Address.of(database), time.monotonic() + 5)
        assert not await asyncio.to_thread(store._engine._was_committed, theirs, waiting)
