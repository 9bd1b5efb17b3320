"""The cache of results: fresh, stale, too old, full, shared."""

import asyncio
from datetime import datetime, timedelta

import pytest

from recollect.prompting.cache import MAX_STALE_LIFETIMES, Cache
from recollect.testing.clock import FakeClock
from tests.waiting import eventually


class Kitchen:
    """Makes numbered dishes, and can be told to wait or to fail."""

    def __init__(self, lifetime: float = 30, kept: int = 3) -> None:
        self.clock = FakeClock()
        self.made = 0
        self.go = asyncio.Event()
        self.go.set()
        self.fails = False
        self.good_until: datetime | None = None
        self.cache: Cache[str, str] = Cache(lifetime, self.clock, self.holds, kept)

    def holds(self, dish: str, moment: datetime) -> bool:
        return self.good_until is None or moment < self.good_until

    async def make(self) -> str:
        self.made += 1
        number = self.made
        await self.go.wait()
        if self.fails:
            raise RuntimeError("burnt")
        return f"dish {number}"

    async def get(self, key: str = "soup") -> str:
        return await self.cache.get(key, self.make)


async def test_a_fresh_result_is_given_again():
    kitchen = Kitchen()
    assert [await kitchen.get(), await kitchen.get()] == ["dish 1", "dish 1"]


async def test_a_stale_one_is_given_at_once_while_a_new_one_is_made():
    kitchen = Kitchen()
    await kitchen.get()
    kitchen.clock.advance(seconds=30)
    assert await kitchen.get() == "dish 1"
    await eventually(lambda: kitchen.made == 2)
    await asyncio.sleep(0)
    assert (await kitchen.get(), kitchen.made) == ("dish 2", 2)


async def test_one_that_is_much_too_old_is_made_anew_first():
    kitchen = Kitchen()
    await kitchen.get()
    kitchen.clock.advance(seconds=30 * MAX_STALE_LIFETIMES)
    assert await kitchen.get() == "dish 2"


async def test_one_that_no_longer_holds_is_never_given_however_fresh():
    kitchen = Kitchen()
    kitchen.good_until = kitchen.clock() + timedelta(seconds=5)
    assert [await kitchen.get(), await kitchen.get()] == ["dish 1", "dish 1"]
    kitchen.clock.advance(seconds=5)
    assert [await kitchen.get(), await kitchen.get()] == ["dish 2", "dish 3"]


async def test_those_who_ask_at_the_same_time_share_one_making():
    kitchen = Kitchen()
    kitchen.go.clear()
    asking = [asyncio.create_task(kitchen.get()) for _ in range(5)]
    await eventually(lambda: kitchen.made == 1)
    asking[0].cancel()
    kitchen.go.set()
    assert await asyncio.gather(*asking[1:]) == ["dish 1"] * 4


async def test_the_one_not_asked_for_the_longest_makes_room():
    kitchen = Kitchen(kept=2)
    for key in ("a", "b", "a", "c"):
        await kitchen.get(key)
    assert (await kitchen.get("a"), len(kitchen.cache)) == ("dish 1", 2)
    assert await kitchen.get("b") == "dish 4"


async def test_without_a_lifetime_nothing_is_kept():
    kitchen = Kitchen(lifetime=0)
    assert [await kitchen.get(), await kitchen.get()] == ["dish 1", "dish 2"]
    assert len(kitchen.cache) == 0


async def test_a_failure_reaches_who_asked_and_is_not_kept():
    kitchen = Kitchen()
    kitchen.fails = True
    with pytest.raises(RuntimeError, match="burnt"):
        await kitchen.get()
    kitchen.fails = False
    assert await kitchen.get() == "dish 2"


async def test_a_failure_in_the_background_leaves_the_stale_result():
    kitchen = Kitchen()
    await kitchen.get()
    kitchen.clock.advance(seconds=31)
    kitchen.fails = True
    assert await kitchen.get() == "dish 1"
    await eventually(lambda: kitchen.made == 2)
    assert await kitchen.get() == "dish 1"
    await kitchen.cache.close()


async def test_what_was_begun_before_a_clearing_is_neither_kept_nor_shared():
    cache = Cache[str, str](30, FakeClock(), lambda value, moment: True)
    begun, go = asyncio.Event(), asyncio.Event()

    async def old() -> str:
        begun.set()
        await go.wait()
        return "old"

    async def new() -> str:
        return "new"

    waiting = asyncio.create_task(cache.get("a", old))
    await begun.wait()
    cache.clear()
    assert await cache.get("a", new) == "new"
    go.set()
    assert await waiting == "old"
    assert await cache.get("a", old) == "new"
