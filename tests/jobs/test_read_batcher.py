"""Reads that are asked for at the same moment share one visit to the store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports import Store, Tx
from recollect.jobs.read_batcher import ReadBatcher
from recollect.stores.sqlite import create
from recollect.testing.store_contract.samples import ADA, make_memo, put

T = TypeVar("T")


class Counting:
    """A store that counts how often it is visited."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.visits = 0

    async def read(self, work: Callable[[Tx], T]) -> T:
        self.visits += 1
        return await self._store.read(work)


@pytest.fixture
async def counting(tmp_path: Path) -> AsyncIterator[Counting]:
    store = create(f"sqlite:///{tmp_path / 'memory.db'}")
    await put(store, make_memo("tea"), make_memo("coffee"))
    yield Counting(store)
    await store.close()


def size(tx: Tx) -> int:
    return tx.index.size([ADA.scope])


def broken(tx: Tx) -> Any:
    raise BadInput("this one fails")


async def test_reads_of_one_moment_share_a_visit(counting: Counting):
    visits = ReadBatcher(counting)
    found = await asyncio.gather(*(visits.read(lambda tx, n=n: (n, size(tx))) for n in range(5)))
    assert found == [(n, 2) for n in range(5)]
    assert counting.visits == 1


async def test_a_later_read_makes_a_visit_of_its_own(counting: Counting):
    visits = ReadBatcher(counting)
    assert [await visits.read(size), await visits.read(size)] == [2, 2]
    assert counting.visits == 2


async def test_a_failing_read_does_not_fail_its_batch(counting: Counting):
    visits = ReadBatcher(counting)
    good, bad, also = await asyncio.gather(
        visits.read(size), visits.read(broken), visits.read(size), return_exceptions=True
    )
    assert (good, also) == (2, 2)
    assert isinstance(bad, BadInput)


async def test_a_read_that_is_given_up_does_not_disturb_the_others(counting: Counting):
    visits = ReadBatcher(counting)
    given_up, other = asyncio.ensure_future(visits.read(size)), asyncio.ensure_future(visits.read(size))
    await asyncio.sleep(0)
    given_up.cancel()
    assert await other == 2
    assert given_up.cancelled()


async def test_one_that_ends_an_iteration_by_mistake_gets_an_error_and_keeps_nobody_waiting(counting: Counting):
    visits = ReadBatcher(counting)
    ended, good = await asyncio.gather(visits.read(lambda _: next(iter(()))), visits.read(size), return_exceptions=True)
    assert isinstance(ended, RuntimeError)
    assert good == 2
