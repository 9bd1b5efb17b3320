"""Counters: named lists that keep their order and hold each item once."""

# ruff: noqa: S101 - a contract is made of assertions

from recollect.core.ports import Store


async def note(store: Store, name: str, *items: str) -> list[int]:
    return await store.write(lambda tx: [tx.state.append(name, item) for item in items])


async def items(store: Store, name: str) -> list[str]:
    return await store.read(lambda tx: tx.state.items(name))


class StateContract:
    async def test_a_list_keeps_the_order_in_which_items_came(self, store: Store):
        assert await items(store, "ada") == []
        assert await note(store, "ada", "9", "10", "1", "b", "a") == [1, 2, 3, 4, 5]
        assert await items(store, "ada") == ["9", "10", "1", "b", "a"]

    async def test_an_item_counts_once_and_keeps_its_place(self, store: Store):
        assert await note(store, "ada", "x", "y", "x", "y", "z", "x") == [1, 2, 2, 2, 3, 3]
        assert await items(store, "ada") == ["x", "y", "z"]

    async def test_lists_do_not_touch_each_other(self, store: Store):
        await note(store, "ada", "x", "y")
        assert await note(store, "ben", "x") == [1]
        assert await store.write(lambda tx: tx.state.clear("ada")) == ["x", "y"]
        assert await items(store, "ada") == []
        assert await items(store, "ben") == ["x"]

    async def test_a_list_that_was_emptied_begins_anew(self, store: Store):
        await note(store, "ada", "x", "y")
        assert await store.write(lambda tx: tx.state.clear("ada")) == ["x", "y"]
        assert await store.write(lambda tx: tx.state.clear("ada")) == []
        assert await note(store, "ada", "y", "x") == [1, 2]
        assert await items(store, "ada") == ["y", "x"]

    async def test_an_item_of_any_characters_counts_once(self, store: Store):
        assert await note(store, "n \ud800", "a \ud800", "", "ü", "a \ud800") == [1, 2, 3, 3]
        assert (await items(store, "n \ud800"))[1:] == ["", "ü"]
