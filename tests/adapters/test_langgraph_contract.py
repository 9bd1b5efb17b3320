"""The same operations on LangGraph's own store in memory and on ours: where they mean the same, so do the results."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from langgraph.store.base import BaseStore, GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from recollect.adapters.langgraph import RecollectStore
from tests.scenes import opened

ANN, BOB = ("memories", "ann"), ("memories", "bob")
VALUES: list[dict[str, Any]] = [
    {"text": "I prefer tea"},
    {"content": "I prefer tea", "score": 0.5},
    {"text": "two  spaces and\na line"},
    {"text": "", "left": True},
    {"name": "Ann", "likes": ["tea", "jazz"], "age": 30, "address": {"city": "Berlin", "zip": None}},
    {"kind": "Memory", "content": {"content": "Ann lives in Berlin"}},
    {"text": 7},
    {"text": "ein Café in 東京", "content": "both"},
    {"path": [1, 2], "key": "k", "value": {"field": "text"}},
    {"long": "word " * 5_000},
    {"text": "x" * 20_000},
    {},
]


@pytest.fixture(params=["in memory", "recollect"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[BaseStore]:
    if request.param == "in memory":
        yield InMemoryStore()
        return
    async with opened() as stage:
        yield RecollectStore(stage.memory)


async def keys(store: BaseStore, prefix: tuple[str, ...] = ANN, **how: Any) -> list[str]:
    return sorted(item.key for item in await store.asearch(prefix, **{"limit": 100, **how}))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: str(value)[:30])
async def test_a_value_comes_back_as_it_was_put(store: BaseStore, value: dict[str, Any]):
    await store.aput(ANN, "k", value)
    item = await store.aget(ANN, "k")
    assert item is not None
    assert (item.value, item.key, item.namespace) == (value, "k", ANN)
    (found,) = await store.asearch(ANN)
    assert (found.value, found.key, found.namespace, found.score) == (value, "k", ANN, None)


async def test_an_empty_store_lists_finds_and_deletes_nothing(store: BaseStore):
    assert await store.alist_namespaces() == []
    assert await store.asearch(ANN) == []
    assert await store.aget(ANN, "k") is None
    await store.adelete(ANN, "k")


async def test_putting_again_replaces(store: BaseStore):
    await store.aput(ANN, "k", {"text": "I live in Berlin", "old": 1})
    first = await store.aget(ANN, "k")
    await store.aput(ANN, "k", {"text": "I live in Munich"})
    second = await store.aget(ANN, "k")
    assert first is not None
    assert second is not None
    assert second.value == {"text": "I live in Munich"}
    assert second.updated_at >= first.updated_at
    assert await keys(store) == ["k"]


async def test_values_under_different_keys_are_never_merged(store: BaseStore):
    texts = ["I live in Berlin", "I live in Munich", "I live in Berlin", "i live in berlin.", "I don't live in Berlin"]
    for number, text in enumerate(texts):
        await store.aput(ANN, f"k{number}", {"text": text})
    found = {item.key: item.value["text"] for item in await store.asearch(ANN)}
    assert found == {f"k{number}": text for number, text in enumerate(texts)}


async def test_deleting_takes_one_key_away_and_it_can_be_put_again(store: BaseStore):
    await store.aput(ANN, "a", {"text": "I prefer tea"})
    await store.aput(ANN, "b", {"text": "I prefer tea"})
    await store.adelete(ANN, "a")
    assert await store.aget(ANN, "a") is None
    assert await keys(store) == ["b"]
    await store.aput(ANN, "a", {"text": "I prefer tea"})
    assert await keys(store) == ["a", "b"]


async def test_users_and_the_labels_below_them_are_apart(store: BaseStore):
    await store.aput(ANN, "k", {"text": "of Ann"})
    await store.aput(BOB, "k", {"text": "of Bob"})
    await store.aput((*ANN, "travel"), "k", {"text": "of a journey"})
    await store.aput((*ANN, "travel", "2026"), "k", {"text": "of this year"})
    for namespace, text in ((ANN, "of Ann"), (BOB, "of Bob"), ((*ANN, "travel"), "of a journey")):
        item = await store.aget(namespace, "k")
        assert item is not None
        assert item.value == {"text": text}
    assert len(await store.asearch(ANN)) == 3
    found = await store.asearch((*ANN, "travel"))
    assert {item.namespace for item in found} == {(*ANN, "travel"), (*ANN, "travel", "2026")}
    assert await store.asearch((*ANN, "work")) == []
    assert len(await store.asearch(BOB)) == 1


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"color": "red"}, ["a", "b"]),
        ({"color": "red", "size": 1}, ["a"]),
        ({"size": {"$gt": 1}}, ["b", "c"]),
        ({"size": {"$gte": 1, "$lt": 3}}, ["a", "b"]),
        ({"size": {"$lte": 2}}, ["a", "b"]),
        ({"size": {"$eq": 3}}, ["c"]),
        ({"color": {"$ne": "red"}}, ["c"]),
        ({"where": {"city": "Berlin"}}, ["a"]),
        ({"tags": ["x", "y"]}, ["b"]),
        ({"tags": ["x"]}, []),
        ({"missing": None}, ["a", "b", "c"]),
        ({}, ["a", "b", "c"]),
    ],
)
async def test_a_filter_lets_the_same_pass(store: BaseStore, wanted: dict[str, Any], found: list[str]):
    await store.aput(ANN, "a", {"color": "red", "size": 1, "where": {"city": "Berlin", "zip": 1}})
    await store.aput(ANN, "b", {"color": "red", "size": 2, "tags": ["x", "y"]})
    await store.aput(ANN, "c", {"color": "blue", "size": 3, "text": "c"})
    assert await keys(store, filter=wanted) == found


async def test_an_unknown_operator_is_refused(store: BaseStore):
    await store.aput(ANN, "a", {"size": 1})
    with pytest.raises(ValueError, match="operator"):
        await store.asearch(ANN, filter={"size": {"$near": 1}})


async def test_pages_cover_everything_once(store: BaseStore):
    for number in range(7):
        await store.aput(ANN, f"k{number}", {"text": f"thing number {number}"})
    pages = [await store.asearch(ANN, limit=3, offset=offset) for offset in (0, 3, 6, 9)]
    assert [len(page) for page in pages] == [3, 3, 1, 0]
    assert sorted(item.key for page in pages for item in page) == [f"k{number}" for number in range(7)]


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"prefix": ("memories",)},
        {"prefix": ANN},
        {"prefix": (*ANN, "travel")},
        {"prefix": ("notes",)},
        {"prefix": ("memories", "*", "travel")},
        {"suffix": ("travel",)},
        {"suffix": ("travel", "*")},
        {"prefix": ANN, "suffix": ("2026",)},
        {"max_depth": 1},
        {"max_depth": 2},
        {"max_depth": 3, "limit": 2},
        {"limit": 2, "offset": 1},
    ],
    ids=str,
)
async def test_namespaces_are_listed_alike(store: BaseStore, how: dict[str, Any]):
    reference = InMemoryStore()
    for namespace in (
        ANN,
        BOB,
        (*ANN, "travel"),
        (*ANN, "travel", "2026"),
        (*BOB, "travel"),
        ("memories", "cleo", "x"),
    ):
        for each in (store, reference):
            await each.aput(namespace, "k", {"text": "something"})
    assert await store.alist_namespaces(**how) == reference.list_namespaces(**how)


async def test_one_batch_reads_what_was_before_it_and_the_last_put_of_a_key_counts(store: BaseStore):
    await store.aput(ANN, "a", {"text": "old"})
    results = await store.abatch(
        [
            PutOp(ANN, "a", {"text": "new"}),
            GetOp(ANN, "a"),
            PutOp(ANN, "b", {"text": "first"}),
            PutOp(ANN, "b", {"text": "second"}),
            SearchOp(ANN),
            ListNamespacesOp(),
        ]
    )
    assert results[0] is None
    assert results[1].value == {"text": "old"}  # type: ignore[union-attr]
    assert [item.key for item in results[4]] == ["a"]  # type: ignore[union-attr]
    assert results[5] == [ANN]
    after = [await store.aget(ANN, key) for key in "ab"]
    assert [item and item.value for item in after] == [{"text": "new"}, {"text": "second"}]


@pytest.mark.parametrize("namespace", [(), ("memories", ""), ("memories", "a.b"), ("langgraph", "ann")])
async def test_a_namespace_that_cannot_be_is_refused(store: BaseStore, namespace: tuple[str, ...]):
    with pytest.raises(InvalidNamespaceError):
        await store.aput(namespace, "k", {"text": "something"})


@pytest.mark.parametrize("key", ["ünï", "a/b", "a.b", "", " ", "k" * 500, "1", "__lore__", "\x1f"])
async def test_any_text_is_a_key(store: BaseStore, key: str):
    await store.aput(ANN, key, {"text": "something"})
    await store.aput(ANN, "other", {"text": "something else"})
    item = await store.aget(ANN, key)
    assert item is not None
    assert item.value == {"text": "something"}
    await store.adelete(ANN, key)
    assert await keys(store) == ["other"]
