"""Short-term exchanges: newest first until they expire, swept to a limit."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

from recollect.core.ports import Store
from recollect.core.types import Exchange
from recollect.testing.store_contract.samples import at


def exchange(name: str, seconds: float, guild: str = "g", lasts: float = 100) -> Exchange:
    return Exchange(name, guild, "c", "général", "ada", f"said {name} 🍵", at(seconds), at(seconds + lasts))


async def fill(store: Store, *exchanges: Exchange) -> None:
    await store.write(lambda tx: [tx.exchanges.add(entry) for entry in exchanges])


async def recent(store: Store, seconds: float, limit: int = 10, guild: str = "g") -> list[str]:
    exchanges = await store.read(lambda tx: tx.exchanges.recent(guild, at(seconds), limit))
    return [entry.id for entry in exchanges]


class ExchangesContract:
    async def test_an_exchange_survives_whole_and_is_stored_once(self, store: Store):
        whole = exchange("a", 1.234)
        assert await store.write(lambda tx: tx.exchanges.add(whole))
        assert not await store.write(lambda tx: tx.exchanges.add(whole))
        assert await store.read(lambda tx: tx.exchanges.recent("g", at(2), 10)) == [whole]

    async def test_exchanges_come_newest_first_up_to_the_limit(self, store: Store):
        await fill(store, exchange("b", 2), exchange("c", 3), exchange("a", 1))
        assert await recent(store, 4) == ["c", "b", "a"]
        assert await recent(store, 4, limit=2) == ["c", "b"]
        assert await recent(store, 4, limit=0) == []

    async def test_those_of_a_channel_and_of_others_can_be_left_out(self, store: Store):
        here = replace(exchange("d", 4), channel="here")
        await fill(store, exchange("a", 1), exchange("b", 2), replace(exchange("c", 3), author="bob"), here)
        newest = await store.read(lambda tx: tx.exchanges.recent("g", at(5), 2, besides="here"))
        assert [entry.id for entry in newest] == ["c", "b"]
        own = await store.read(lambda tx: tx.exchanges.recent("g", at(5), 1, "ada", "here"))
        assert [entry.id for entry in own] == ["b"]

    async def test_an_exchange_is_gone_from_the_moment_it_expires(self, store: Store):
        await fill(store, exchange("a", 0, lasts=10))
        assert await recent(store, 9.999) == ["a"]
        assert await recent(store, 10) == []

    async def test_guilds_do_not_see_each_other(self, store: Store):
        await fill(store, exchange("a", 1), exchange("a", 1, guild="h"), exchange("b", 2, guild="h"))
        assert await recent(store, 3) == ["a"]
        assert await recent(store, 3, guild="h") == ["b", "a"]
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(3), 0)) == 1
        assert await recent(store, 3, guild="h") == ["b", "a"]

    async def test_a_sweep_removes_the_expired_and_all_but_the_newest(self, store: Store):
        await fill(store, *(exchange(f"{n}", n, lasts=5 if n == 9 else 100) for n in range(10)))
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(14), 3)) == 7
        assert await recent(store, 14) == ["8", "7", "6"]
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(14), 3)) == 0

    async def test_a_sweep_at_the_very_moment_of_expiry_removes(self, store: Store):
        await fill(store, exchange("a", 0, lasts=10), exchange("b", 0, lasts=10.001))
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(10), 5)) == 1
        assert await recent(store, 9) == ["b"]

    async def test_a_sweep_at_exactly_the_limit_removes_nothing(self, store: Store):
        await fill(store, *(exchange(f"{n}", n) for n in range(3)))
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(4), 3)) == 0
        assert await recent(store, 4) == ["2", "1", "0"]

    async def test_exchanges_of_one_moment_are_told_apart(self, store: Store):
        await fill(store, *(exchange(name, 1) for name in "abc"))
        assert sorted(await recent(store, 2)) == ["a", "b", "c"]
        assert await store.write(lambda tx: tx.exchanges.prune("g", at(2), 2)) == 1

    async def test_entries_that_quote_a_message_are_dropped_by_its_id(self, store: Store):
        await fill(store, *(exchange(name, 1) for name in ("1/2", "2/3", "11/12", "1/2/3", "%/_")))
        await fill(store, exchange("1/2", 1, guild="h"))
        assert await store.write(lambda tx: tx.exchanges.remove_quoting("g", "%")) == 1
        assert await store.write(lambda tx: tx.exchanges.remove_quoting("g", "2")) == 2
        assert sorted(await recent(store, 2)) == ["1/2/3", "11/12"]
        assert await store.write(lambda tx: tx.exchanges.remove_quoting("g", "2")) == 0
        assert await recent(store, 2, guild="h") == ["1/2"]

    async def test_guilds_with_entries_are_listed_even_when_these_have_expired(self, store: Store):
        assert await store.read(lambda tx: tx.exchanges.guilds()) == []
        await fill(store, exchange("a", 1, guild="h"), exchange("b", 2, guild="h"), exchange("a", 1, lasts=1))
        assert await store.read(lambda tx: tx.exchanges.guilds()) == ["g", "h"]
        await store.write(lambda tx: tx.exchanges.prune("g", at(9), 5))
        assert await store.read(lambda tx: tx.exchanges.guilds()) == ["h"]
