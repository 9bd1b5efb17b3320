"""State: lists that keep their order and hold each item once; each item goes with its owner."""

# ruff: noqa: S101 - a contract is made of assertions

import pytest

from recollect.core.ports import Store
from recollect.core.state import OUTLASTING, Owner, StateKind, StateRow

ADA, BEN = Owner.person("ada"), Owner.person("ben")
KIND = StateKind.OTHER


async def note(store: Store, key: str, *items: str, owner: Owner = ADA) -> None:
    await store.write(lambda tx: [tx.state.append(KIND, key, item, owner) for item in items])


async def items(store: Store, key: str) -> list[str]:
    noted = await store.read(lambda tx: tx.state.items(KIND, key))
    assert await store.read(lambda tx: tx.state.count(KIND, key)) == len(noted)
    return noted


async def erase(store: Store, owner: Owner) -> int:
    return await store.write(lambda tx: tx.state.erase(owner))


class StateContract:
    async def test_a_list_keeps_the_order_in_which_items_came(self, store: Store):
        assert await items(store, "ada") == []
        await note(store, "ada", "9", "10", "1", "b", "a")
        assert await items(store, "ada") == ["9", "10", "1", "b", "a"]

    async def test_an_item_counts_once_and_keeps_its_place(self, store: Store):
        await note(store, "ada", "x", "y", "x", "y", "z", "x")
        assert await items(store, "ada") == ["x", "y", "z"]

    async def test_lists_do_not_touch_each_other(self, store: Store):
        await note(store, "ada", "x", "y")
        await note(store, "ben", "x")
        await store.write(lambda tx: tx.state.append(StateKind.TURNS, "ada", "z", ADA))
        assert await store.write(lambda tx: tx.state.clear(KIND, "ada")) == ["x", "y"]
        assert await items(store, "ada") == []
        assert await items(store, "ben") == ["x"]
        assert await store.read(lambda tx: tx.state.items(StateKind.TURNS, "ada")) == ["z"]

    async def test_a_list_that_was_emptied_begins_anew(self, store: Store):
        await note(store, "ada", "x", "y")
        assert await store.write(lambda tx: tx.state.clear(KIND, "ada")) == ["x", "y"]
        assert await store.write(lambda tx: tx.state.clear(KIND, "ada")) == []
        await note(store, "ada", "y", "x")
        assert await items(store, "ada") == ["y", "x"]

    async def test_items_are_taken_out_and_the_others_keep_their_order(self, store: Store):
        await note(store, "ada", "a", "b", "c", "d")
        await store.write(lambda tx: tx.state.remove(KIND, "ada", ["d", "b", "nothing"]))
        await store.write(lambda tx: tx.state.remove(KIND, "ada", []))
        assert await items(store, "ada") == ["a", "c"]
        await note(store, "ada", "b")
        assert await items(store, "ada") == ["a", "c", "b"]

    async def test_an_item_of_any_characters_counts_once(self, store: Store):
        await note(store, "n \ud800", "a \ud800", "", "ü", "a \ud800")
        assert (await items(store, "n \ud800"))[1:] == ["", "ü"]
        await store.write(lambda tx: tx.state.remove(KIND, "n \ud800", ["a \ud800"]))
        assert await items(store, "n \ud800") == ["", "ü"]

    async def test_the_keys_of_a_kind_are_listed(self, store: Store):
        for key in ("b", "a", "gone", ""):
            await note(store, key, "x")
        await store.write(lambda tx: tx.state.append(StateKind.TURNS, "other", "x", ADA))
        await store.write(lambda tx: tx.state.clear(KIND, "gone"))
        assert await store.read(lambda tx: tx.state.keys(KIND)) == ["", "a", "b"]

    async def test_all_lists_of_a_kind_are_read(self, store: Store):
        await note(store, "b", "y", "x")
        await note(store, "a", "z")
        await store.write(lambda tx: tx.state.append(StateKind.TURNS, "other", "x", ADA))
        assert await store.read(lambda tx: tx.state.lists(KIND)) == {"a": ["z"], "b": ["y", "x"]}
        assert await store.read(lambda tx: tx.state.some(KIND, ["b", "c"])) == {"b": ["y", "x"]}
        assert await store.read(lambda tx: tx.state.some(KIND, [])) == {}

    @pytest.mark.parametrize(
        ("erased", "left"),
        [
            (Owner.person("ada"), ["2", "5", "6"]),
            (Owner.guild("g1"), ["1", "4", "5", "6"]),
            (Owner.member("ada", "g1"), ["1", "2", "4", "5", "6"]),
            (Owner.person("g1"), ["1", "2", "3", "4", "5", "6"]),
            (Owner.guild("ada"), ["1", "2", "3", "4", "5", "6"]),
            (Owner.nobody(), ["1", "2", "3", "4", "5", "6"]),
        ],
    )
    async def test_a_list_loses_what_the_erased_owned(self, store: Store, erased: Owner, left: list[str]):
        owners = {
            "1": Owner.person("ada"),
            "2": Owner.guild("g1"),
            "3": Owner.member("ada", "g1"),
            "4": Owner.member("ada", "g2"),
            "5": Owner.member("ben", "g2"),
            "6": Owner.nobody(),
        }
        for item, owner in owners.items():
            await note(store, "shared", item, owner=owner)
        owned = await store.read(lambda tx: tx.state.owned_by(erased))
        assert owned == [
            StateRow(KIND, "shared", item, owner) for item, owner in owners.items() if erased.includes(owner)
        ]
        assert await erase(store, erased) == (len(left) < 6)
        assert await items(store, "shared") == left
        assert await store.read(lambda tx: tx.state.owned_by(erased)) == []
        assert await erase(store, erased) == 0

    async def test_every_kind_goes_with_its_owner_but_for_what_outlasts_an_erasure(self, store: Store):
        for kind in StateKind:
            await store.write(lambda tx, kind=kind: tx.state.append(kind, "k", "ada's", ADA))
            await store.write(lambda tx, kind=kind: tx.state.append(kind, "k", "ben's", BEN))
        assert await erase(store, ADA) == len(StateKind) - len(OUTLASTING)
        rows = await store.read(lambda tx: tx.state.owned_by(ADA))
        assert {row.kind for row in rows} == set(OUTLASTING)
        assert len(await store.read(lambda tx: tx.state.owned_by(BEN))) == len(StateKind)

    async def test_records_are_found_by_what_they_name(self, store: Store):
        await note(store, "of ada", "x")
        await note(store, "b%", "said by ada", "by ben")
        for text, named in [("ada", ["said by ada", "x"]), ("%", ["by ben", "said by ada"]), ("y a", ["said by ada"])]:
            rows = await store.read(lambda tx, text=text: tx.state.naming(text))
            assert sorted(row.item for row in rows) == named
