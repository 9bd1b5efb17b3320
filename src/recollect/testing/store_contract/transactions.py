"""Units of work: atomic, repeatable, isolated from each other, and a store that outlives their failures."""

# ruff: noqa: S101 - a contract is made of assertions

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from recollect.core.errors import RecollectError, StoreError
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import NewJob
from recollect.core.types import Subject
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    texts_of,
)


class OddFailure(Exception):
    """What the units of these tests raise."""


def put_and_fail(tx: Tx) -> None:
    tx.memos.put(make_memo("undone"))
    tx.messages.add(make_message("undone"))
    tx.events.add(Event("undone", at(0)))
    tx.jobs.add(NewJob("undone", "queue", {}, at(0)))
    raise OddFailure("on purpose")


class TransactionsContract:
    async def test_a_write_returns_what_its_work_returns(self, store: Store):
        assert await store.write(lambda _: 42) == 42
        assert await store.read(lambda _: None) is None

    async def test_a_read_sees_the_previous_write(self, store: Store):
        for n in range(20):
            await put(store, make_memo(f"{n}"))
            assert await store.read(lambda tx: tx.memos.count(ADA)) == n + 1

    async def test_the_generation_changes_with_writes_only(self, store: Store):
        async def generation() -> int:
            return await store.read(lambda tx: tx.generation())

        seen = [await generation()]
        await find(store, "anything")
        await store.check_health()
        assert await generation() == seen[-1]
        await put(store, make_memo("a"))
        seen.append(await generation())
        await say(store, make_message("b"))
        seen.append(await generation())
        assert len(set(seen)) == 3
        with pytest.raises(OddFailure):
            await store.write(put_and_fail)
        assert await generation() == seen[-1]

    async def test_a_failing_unit_undoes_all_of_itself(self, store: Store):
        with pytest.raises(OddFailure, match="on purpose"):
            await store.write(put_and_fail)
        assert await texts_of(store) == []
        assert await store.read(lambda tx: tx.messages.recent(CHANNEL, 9)) == []
        assert await store.read(lambda tx: tx.events.list()) == []
        assert await store.read(lambda tx: tx.jobs.list()) == []
        assert await find(store, "undone") == []
        await put(store, make_memo("done"))
        assert await texts_of(store) == ["done"]
        assert all(finding.ok for finding in await store.check_health())

    async def test_a_failing_unit_leaves_those_that_wait_with_it_alone(self, store: Store):
        works = [store.write(put_and_fail) if n % 5 == 2 else put(store, make_memo(f"kept {n}")) for n in range(50)]
        results = await asyncio.gather(*works, return_exceptions=True)
        failed = [n for n, result in enumerate(results) if isinstance(result, BaseException)]
        assert failed == list(range(2, 50, 5))
        assert all(isinstance(results[n], OddFailure) for n in failed)
        assert set(await texts_of(store)) == {f"kept {n}" for n in range(50) if n % 5 != 2}
        assert len(await find(store, "kept", limit=99)) == 40

    async def test_patient_work_is_done_as_any_other(self, store: Store):
        works = [
            store.write(lambda tx, n=n: tx.memos.put(make_memo(f"kept {n}")), background=n % 2 == 0) for n in range(20)
        ]
        failing = store.write(put_and_fail, background=True)
        *keys, failed = await asyncio.gather(*works, failing, return_exceptions=True)
        assert isinstance(failed, OddFailure)
        assert len(set(keys)) == 20
        assert set(await texts_of(store)) == {f"kept {n}" for n in range(20)}
        await store.write(lambda tx: tx.memos.put(make_memo("alone")), background=True)
        assert "alone" in await texts_of(store)

    @pytest.mark.parametrize("error", [StopIteration, KeyError, AssertionError, OddFailure])
    async def test_whatever_a_unit_raises_reaches_its_caller(self, store: Store, error: type[Exception]):
        def fail(_: Tx) -> None:
            raise error

        async with asyncio.timeout(20):
            results = await asyncio.gather(
                store.write(fail), put(store, make_memo("kept")), store.read(fail), return_exceptions=True
            )
        assert [isinstance(result, BaseException) for result in results] == [True, False, True]
        if error is not StopIteration:  # which no coroutine can raise as it is
            assert isinstance(results[0], error)
        assert await texts_of(store) == ["kept"]

    async def test_a_unit_may_be_run_again_and_its_last_run_counts(self, store: Store):
        runs: dict[int, int] = {}

        def work(tx: Tx, n: int) -> tuple[int, int]:
            runs[n] = runs.get(n, 0) + 1
            tx.memos.put(make_memo(f"{n}"))
            return n, runs[n]

        works = [store.write(lambda tx, n=n: work(tx, n)) for n in range(30)]
        *results, failure = await asyncio.gather(*works, store.write(put_and_fail), return_exceptions=True)
        assert isinstance(failure, OddFailure)
        assert results == [(n, runs[n]) for n in range(30)]
        assert await store.read(lambda tx: tx.memos.count(ADA)) == 30

    async def test_a_read_cannot_write_and_says_so(self, store: Store):
        await put(store, make_memo("before"))
        works: list[Callable[[Tx], object]] = [
            lambda tx: tx.memos.put(make_memo("sneaked in")),
            lambda tx: tx.messages.add(make_message("sneaked in")),
            lambda tx: tx.jobs.add(NewJob("learn", "queue", {}, at(0))),
            lambda tx: tx.memos.remove(make_memo("before")),
        ]
        for work in works:
            with pytest.raises(StoreError, match=r"read.*can't write"):
                await store.read(work)
        assert await texts_of(store) == ["before"]
        assert await find(store, "sneaked before") == ["before"]
        assert await store.read(lambda tx: tx.messages.recent(CHANNEL, 9)) == []
        await put(store, make_memo("after"))
        assert set(await texts_of(store)) == {"before", "after"}

    async def test_a_read_sees_all_of_a_unit_or_nothing(self, store: Store):
        def write_pair(tx: Tx, n: int) -> None:
            for subject in (ADA, BEN):
                tx.memos.put(make_memo(f"{n}", subject, id="pair"))

        def read_pair(tx: Tx) -> bool:
            pair = [tx.memos.get(subject, "pair") for subject in (ADA, BEN) for _ in range(2)]
            return len({memo and memo.text for memo in pair}) == 1

        writes = [store.write(lambda tx, n=n: write_pair(tx, n)) for n in range(40)]
        reads = [store.read(read_pair) for _ in range(40)]
        mixed = [unit for pair in zip(writes, reads, strict=True) for unit in pair]
        results = await asyncio.gather(*mixed)
        assert all(results[1::2])

    async def test_units_never_lose_each_others_changes(self, store: Store):
        await put(store, make_memo("count", id="c"))

        def increment(tx: Tx) -> None:
            memo = tx.memos.get(ADA, "c")
            assert memo is not None
            tx.memos.put(replace(memo, hits=memo.hits + 1))

        await asyncio.gather(*(store.write(increment) for _ in range(200)))
        memo = await store.read(lambda tx: tx.memos.get(ADA, "c"))
        assert memo is not None
        assert memo.hits == 200

    async def test_a_caller_who_gives_up_does_not_break_the_others(self, store: Store):
        tasks = [asyncio.create_task(put(store, make_memo(f"kept {n}"))) for n in range(30)]
        await asyncio.sleep(0)
        for task in tasks[::3]:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        stayed = [n for n in range(30) if n % 3]
        assert all(isinstance(results[n], list) for n in stayed)
        assert {f"kept {n}" for n in stayed} <= set(await texts_of(store))
        reader = asyncio.create_task(texts_of(store))
        await asyncio.sleep(0)
        reader.cancel()
        await put(store, make_memo("afterwards"))
        assert "afterwards" in await texts_of(store)

    async def test_hundreds_of_writers_at_once_all_get_through(self, store: Store):
        def work(tx: Tx, n: int) -> int:
            subject = Subject(f"user {n % 10}")
            tx.events.add(Event("said", at(n), scope=subject.scope))
            return tx.memos.put(make_memo(f"fact number {n}", subject))

        keys = await asyncio.gather(*(store.write(lambda tx, n=n: work(tx, n)) for n in range(500)))
        assert len(set(keys)) == 500
        counts = [await store.read(lambda tx, n=n: tx.memos.count(Subject(f"user {n}"))) for n in range(10)]
        assert counts == [50] * 10
        assert len(await store.read(lambda tx: tx.events.list(limit=999))) == 500
        assert len(await find(store, "fact", ["user:user 3"], limit=99)) == 50
        assert all(finding.ok for finding in await store.check_health())

    async def test_reindexing_changes_nothing_that_is_in_order(self, store: Store):
        await put(store, *(make_memo(f"tea {n}", tags=("drink",)) for n in range(30)))
        await say(store, make_message("tea time"))
        before = await find(store, "tea drink", limit=99)
        steps: list[tuple[int, int]] = []
        assert await store.reindex(lambda count, total: steps.append((count, total))) == 31
        assert steps[-1] == (31, 31)
        assert await find(store, "tea drink", limit=99) == before
        assert await find(store, "tea", [CHANNEL.stream], "messages") == ["tea time"]
        assert all(finding.ok for finding in await store.check_health())

    async def test_closing_finishes_what_is_queued_and_refuses_what_comes_later(self, store: Store):
        queued = [asyncio.create_task(put(store, make_memo(f"{n}"))) for n in range(20)]
        await asyncio.sleep(0)
        await store.close()
        await store.close()
        assert all(isinstance(keys, list) for keys in await asyncio.gather(*queued))
        for late in (store.read(lambda _: 1), store.write(lambda _: 1)):
            with pytest.raises(RecollectError, match="closed"):
                await late
