"""The vector index: exact neighbors within the scopes, one set of vectors per model."""

# ruff: noqa: S101 - a contract is made of assertions

import asyncio
import random
import struct
from dataclasses import replace

import pytest

from recollect.core.errors import BadInput
from recollect.core.ports import Corpus, Store, Tx, Vector, VectorSet
from recollect.core.types import Memo, Status
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    GUILD_LORE,
    at,
    make_memo,
    make_message,
    put,
    say,
    unit_vector,
    vector_counts,
)

MODEL = "static:words"
MANY = 2_200
"""More rows than are compared one by one."""
EAST, NORTH, UP = unit_vector(1, 0, 0), unit_vector(0, 1, 0), unit_vector(0, 0, 1)
SOUTH = unit_vector(0, -1, 0)


async def put_with(store: Store, vectors: dict[str, Vector], model: str = MODEL) -> dict[str, int]:
    """Store a memo of ada for each text, with its vector; returns their keys."""
    return await store.write(
        lambda tx: {text: tx.memos.put(make_memo(text, id=text), (model, vector)) for text, vector in vectors.items()}
    )


async def near(
    store: Store, vector: Vector, limit: int = 10, model: str = MODEL, corpus: Corpus = "memos"
) -> dict[int, float]:
    scope = ADA.scope if corpus == "memos" else CHANNEL.stream
    return await store.read(lambda tx: tx.index.nearest(corpus, [scope], model, vector, limit))


def cosine(first: Vector, second: Vector) -> float:
    numbers = [struct.unpack(f"<{len(vector) // 4}f", vector) for vector in (first, second)]
    return sum(a * b for a, b in zip(*numbers, strict=True))


def scatter(count: int, dims: int = 32, seed: int = 7) -> list[Vector]:
    dice = random.Random(seed)
    return [unit_vector(*(dice.gauss(0, 1) for _ in range(dims))) for _ in range(count)]


async def assert_exact(store: Store, vectors: dict[int, Vector], model: str = MODEL) -> None:
    """The nearest five of a few queries are those that comparing everything gives."""
    queries = [*scatter(3, len(next(iter(vectors.values()))) // 4, seed=99), *list(vectors.values())[-2:]]
    for query in queries:
        hits = await near(store, query, 5, model)
        cosines = {key: cosine(query, vector) for key, vector in vectors.items()}
        assert set(hits) == set(sorted(cosines, key=lambda key: -cosines[key])[:5])
        assert all(hits[key] == pytest.approx(cosines[key], abs=1e-5) for key in hits)


class VectorsContract:
    async def test_the_nearest_rows_are_found_with_their_cosine(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH, "north-east": unit_vector(1, 1, 0)})
        hits = await near(store, EAST, 2)
        assert hits == pytest.approx({keys["east"]: 1.0, keys["north-east"]: 0.5**0.5}, abs=1e-6)
        opposite = await near(store, SOUTH)
        assert opposite[keys["north"]] == pytest.approx(-1.0)
        assert await near(store, EAST, 0) == {}

    async def test_rows_asked_for_also_come_whatever_their_distance(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH, "up": UP})
        (bare,) = await put(store, make_memo("no vector"))
        also = {keys["up"], keys["east"], bare, 999_999}
        hits = await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], MODEL, EAST, 1, also))
        assert hits == pytest.approx({keys["east"]: 1.0, keys["up"]: 0.0}, abs=1e-6)
        two = [ADA.scope, BEN.scope]
        await store.write(lambda tx: tx.memos.put(make_memo("his", BEN), (MODEL, EAST)))
        hits = await store.read(lambda tx: tx.index.nearest("memos", two, MODEL, EAST, 1, [keys["up"]]))
        assert keys["up"] in hits
        assert len(hits) == 2

    async def test_a_search_can_be_narrowed_to_some_rows(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH, "up": UP})
        candidates = {keys["north"], keys["up"], 999_999}
        hits = await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], MODEL, EAST, 9, (), candidates))
        assert set(hits) == {keys["north"], keys["up"]}
        assert not await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], MODEL, EAST, 9, (), set()))

    async def test_a_search_stays_in_its_scopes(self, store: Store):
        keys = await put_with(store, {"hers": NORTH})
        his = await store.write(lambda tx: tx.memos.put(make_memo("his", BEN), (MODEL, EAST)))
        lore = await store.write(lambda tx: tx.memos.put(make_memo("ours", GUILD_LORE), (MODEL, EAST)))
        assert set(await near(store, EAST)) == {keys["hers"]}
        scopes = [ADA.scope, GUILD_LORE.scope, "user:nobody"]
        hits = await store.read(lambda tx: tx.index.nearest("memos", scopes, MODEL, EAST, 9, [his]))
        assert set(hits) == {keys["hers"], lore}
        assert await store.read(lambda tx: tx.index.nearest("memos", [], MODEL, EAST, 9)) == {}

    async def test_a_model_without_vectors_finds_nothing(self, store: Store):
        assert await near(store, EAST) == {}
        await put_with(store, {"east": EAST})
        assert await near(store, EAST, model="other") == {}

    async def test_a_vector_of_another_length_is_refused_and_changes_nothing(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH})
        wrong = unit_vector(1, 2, 3, 4)

        def add_some(tx: Tx) -> None:
            with pytest.raises(BadInput):
                tx.index.put_vectors("memos", MODEL, {keys["north"]: EAST, keys["east"]: wrong})

        await store.write(add_some)
        assert await near(store, EAST) == pytest.approx({keys["east"]: 1.0, keys["north"]: 0.0})
        with pytest.raises(BadInput):
            await store.write(lambda tx: tx.memos.put(make_memo("new"), (MODEL, wrong)))
        assert await store.read(lambda tx: tx.memos.same_text(ADA, "new")) == []
        with pytest.raises(BadInput):
            await near(store, wrong)
        assert await store.read(lambda tx: tx.index.vectors("memos")) == [VectorSet(MODEL, 3, True)]

    @pytest.mark.parametrize("vector", [b"", b"\0", b"\0" * 7])
    async def test_bytes_that_are_no_vector_are_refused(self, store: Store, vector: bytes):
        with pytest.raises(BadInput):
            await store.write(lambda tx: tx.memos.put(make_memo("new"), (MODEL, vector)))
        assert await store.read(lambda tx: tx.index.vectors("memos")) == []

    async def test_two_models_live_side_by_side(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH})
        other = {keys["east"]: unit_vector(0, 1), keys["north"]: unit_vector(1, 0)}
        await store.write(lambda tx: tx.index.put_vectors("memos", "other", other))
        assert set(await near(store, EAST, 1)) == {keys["east"]}
        assert set(await near(store, unit_vector(1, 0), 1, "other")) == {keys["north"]}
        sets = await store.read(lambda tx: tx.index.vectors("memos"))
        assert sorted(sets, key=lambda vector_set: vector_set.model) == [
            VectorSet("other", 2, False),
            VectorSet(MODEL, 3, True),
        ]
        assert await store.read(vector_counts) == {"other": 2, MODEL: 2}

    async def test_the_model_that_serves_is_the_only_one_left(self, store: Store):
        keys = await put_with(store, {"east": EAST})
        await store.write(lambda tx: tx.index.put_vectors("memos", "new", {keys["east"]: unit_vector(1, 0)}))
        await store.write(lambda tx: tx.index.activate("memos", "new"))
        assert await store.read(lambda tx: tx.index.vectors("memos")) == [VectorSet("new", 2, True, True)]
        assert await near(store, EAST) == {}
        assert set(await near(store, unit_vector(1, 0), model="new")) == {keys["east"]}
        await store.write(lambda tx: tx.index.activate("memos", "unheard of"))
        assert await store.read(lambda tx: tx.index.vectors("memos")) == [VectorSet("new", 2, True, True)]

    async def test_a_dropped_model_may_come_back_with_other_vectors(self, store: Store):
        keys = await put_with(store, {"east": EAST})
        for dims in (4, 5):
            fresh = unit_vector(*range(1, dims + 1))
            await store.write(lambda tx, f=fresh: tx.index.put_vectors("memos", "b", {keys["east"]: f}))
            assert await near(store, fresh, model="b") == pytest.approx({keys["east"]: 1.0})
            await store.write(lambda tx: tx.index.activate("memos", MODEL))

    async def test_a_changed_text_loses_its_vectors_and_other_changes_keep_them(self, store: Store):
        keys = await put_with(store, {"east": EAST})
        await put(store, make_memo("east", id="east", pinned=True, updated=at(5), hits=3))
        assert set(await near(store, EAST)) == {keys["east"]}
        await put(store, make_memo("west", id="east"))
        assert await near(store, EAST) == {}
        missing = await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 9))
        assert [key for key, _ in missing] == [keys["east"]]

    async def test_a_vector_given_with_a_changed_text_replaces_the_old_one(self, store: Store):
        keys = await put_with(store, {"east": EAST})
        await store.write(lambda tx: tx.memos.put(make_memo("west", id="east"), (MODEL, NORTH)))
        assert await near(store, NORTH) == pytest.approx({keys["east"]: 1.0})

    async def test_retired_and_removed_memos_have_no_vector(self, store: Store):
        keys = await put_with(store, {"east": EAST, "north": NORTH, "up": UP})
        retired = make_memo("east", id="east", status=Status.DEPRECATED)
        await put(store, retired)
        await store.write(lambda tx: tx.memos.remove(make_memo("north", id="north")))
        await store.write(lambda tx: tx.memos.put(retired, (MODEL, EAST)))
        await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, dict.fromkeys(keys.values(), EAST)))
        assert set(await near(store, EAST)) == {keys["up"]}
        assert await store.read(vector_counts) == {MODEL: 1}

    async def test_messages_have_vectors_too_and_lose_them_when_edited_or_deleted(self, store: Store):
        keys = await say(store, *(make_message(text, id=text) for text in ("a", "b", "c")))
        vectors = dict.fromkeys(keys.values(), EAST)
        await store.write(lambda tx: tx.index.put_vectors("messages", MODEL, vectors))
        assert await store.read(lambda tx: tx.index.vectors("memos")) == []
        await store.write(lambda tx: tx.messages.edit("discord", "a", "aa", at(1)))
        await store.write(lambda tx: tx.messages.delete("discord", "b", at(1)))
        assert set(await near(store, EAST, corpus="messages")) == {keys["c"]}
        missing = await store.read(lambda tx: tx.index.unembedded("messages", MODEL, 9))
        assert missing == [(keys["a"], "aa")]

    async def test_what_lacks_a_vector_is_listed_by_key_and_page_by_page(self, store: Store):
        await put(store, *(make_memo(f"{n}", (ADA, BEN)[n % 2]) for n in range(7)))
        await put(store, make_memo("retired", status=Status.ARCHIVED))
        seen: list[tuple[int, str]] = []
        after = 0
        while page := await store.read(lambda tx, after=after: tx.index.unembedded("memos", MODEL, 3, after)):
            assert len(page) <= 3
            seen += page
            after = page[-1][0]
        assert seen == sorted(seen)
        assert sorted(text for _, text in seen) == sorted(map(str, range(7)))
        first = seen[0][0]
        await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, {first: EAST}))
        remaining = await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 99))
        assert remaining == seen[1:]
        assert len(await store.read(lambda tx: tx.index.unembedded("memos", "other", 99))) == 7

    async def test_an_empty_batch_of_vectors_is_nothing(self, store: Store):
        await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, {}))
        assert await store.read(lambda tx: tx.index.vectors("memos")) == []

    async def test_a_large_scope_stays_exact_through_additions_revisions_and_removals(self, store: Store):
        cloud = scatter(MANY + 40)
        keys = await put_with(store, {str(n): vector for n, vector in enumerate(cloud[:MANY])})
        alive = {keys[str(n)]: vector for n, vector in enumerate(cloud[:MANY])}
        await assert_exact(store, alive)

        keys |= await put_with(store, {str(n): cloud[n] for n in range(MANY, MANY + 20)})
        alive |= {keys[str(n)]: cloud[n] for n in range(MANY, MANY + 20)}
        await assert_exact(store, alive)

        def revise(tx: Tx) -> None:
            for n in range(10):  # the next free vectors, for the first, the last and rows in the middle
                key = keys[str(n * 200)] if n else keys[str(MANY + 19)]
                alive[key] = cloud[MANY + 20 + n]
                tx.index.put_vectors("memos", MODEL, {key: alive[key]})

        await store.write(revise)
        await assert_exact(store, alive)

        def remove(tx: Tx) -> None:
            for n in (0, 5, 1_000, MANY + 18, MANY + 19):
                tx.memos.remove(make_memo(str(n), id=str(n)))
                alive.pop(keys[str(n)], None)

        await store.write(remove)
        await assert_exact(store, alive)

        last = await put_with(store, {"last": cloud[-1]})
        alive[last["last"]] = cloud[-1]
        await assert_exact(store, alive)

    async def test_a_large_scope_forgets_what_an_undone_unit_added(self, store: Store):
        *cloud, undone, committed = scatter(MANY + 2)
        await put_with(store, {str(n): vector for n, vector in enumerate(cloud)})
        await near(store, undone)

        def fail(tx: Tx) -> None:
            tx.memos.put(make_memo("undone", id="undone"), (MODEL, undone))
            assert max(tx.index.nearest("memos", [ADA.scope], MODEL, undone, 1).values()) > 0.99
            raise LookupError

        with pytest.raises(LookupError):
            await store.write(fail)
        assert max((await near(store, undone, 1)).values()) < 0.99
        with pytest.raises(LookupError):
            await store.write(fail)
        (key,) = (await put_with(store, {"kept": committed})).values()
        assert (await near(store, committed, 1)) == pytest.approx({key: 1.0}, abs=1e-5)
        assert max((await near(store, undone, 1)).values()) < 0.99

    async def test_a_large_scope_keeps_models_apart_when_one_is_replaced(self, store: Store):
        first, second, third = (scatter(MANY, dims, seed=dims) for dims in (8, 8, 12))
        keys = list((await put_with(store, {str(n): vector for n, vector in enumerate(first)})).values())
        for model, cloud in (("second", second[::-1]), ("third", third)):
            vectors = dict(zip(keys, cloud, strict=True))
            await store.write(lambda tx, m=model, v=vectors: tx.index.put_vectors("memos", m, v))
            await assert_exact(store, vectors, model)
            await store.write(lambda tx: tx.index.activate("memos", MODEL))
            assert await near(store, cloud[0], model=model) == {}
        await assert_exact(store, dict(zip(keys, first, strict=True)))

    async def test_a_large_scope_can_be_searched_while_it_changes(self, store: Store):
        *cloud, anchor = scatter(MANY + 61)
        keys = await put_with(store, {str(n): vector for n, vector in enumerate(cloud[:MANY])} | {"anchor": anchor})

        async def change(n: int) -> None:
            await put_with(store, {f"new {n}": cloud[MANY + n]})
            await store.write(lambda tx: tx.memos.remove(make_memo(str(n * 7), id=str(n * 7))))

        async def search() -> dict[int, float]:
            return await near(store, anchor, 1)

        works = [work for n in range(60) for work in (change(n), search(), search(), search())]
        results = [hits for hits in await asyncio.gather(*works) if hits is not None]
        assert results == [pytest.approx({keys["anchor"]: 1.0}, abs=1e-5)] * 180

    async def test_memos_revived_in_a_large_scope_need_a_new_vector(self, store: Store):
        cloud = scatter(MANY, 8)
        keys = await put_with(store, {str(n): vector for n, vector in enumerate(cloud)})
        memo: Memo = make_memo("7", id="7")
        await near(store, cloud[7])
        await put(store, replace(memo, status=Status.ARCHIVED))
        await put(store, memo)
        assert keys["7"] not in await near(store, cloud[7], 50)
        await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, {keys["7"]: cloud[7]}))
        assert keys["7"] in await near(store, cloud[7], 1)
