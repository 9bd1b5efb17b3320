"""Filters: what a search is narrowed to before ranking."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

import pytest

from recollect.core.ports import Corpus, Filters, Store
from recollect.core.types import Kind, Provenance, Status
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    OTHER,
    THREAD,
    at,
    make_memo,
    make_message,
    put,
    say,
)

MEMOS = [
    make_memo("undated"),
    make_memo("early", happened=at(10), kind=Kind.EVENT, tags=("trip", "a b")),
    make_memo("late", happened=at(20), source=Provenance(guild="g1", channel="c1")),
    make_memo("placed", kind=Kind.TOOL, source=Provenance(guild="g1", channel="c2"), tags=('q"uote',)),
    make_memo("retired", happened=at(10), kind=Kind.EVENT, status=Status.ARCHIVED, tags=("trip",)),
    make_memo("his", BEN, happened=at(10), kind=Kind.EVENT, tags=("trip",)),
]


class FiltersContract:
    async def _matching(self, store: Store, corpus: Corpus, scopes: list[str], filters: Filters) -> set[str]:
        keys = await store.read(lambda tx: tx.index.matching(corpus, scopes, filters))
        if corpus == "memos":
            return {memo.text for memo in (await store.read(lambda tx: tx.memos.fetch(keys))).values()}
        return {message.text for message in (await store.read(lambda tx: tx.messages.fetch(keys))).values()}

    @pytest.mark.parametrize(
        ("filters", "expected"),
        [
            (Filters(), "undated early late placed"),
            (Filters(kinds=["event"]), "early"),
            (Filters(kinds=[Kind.EVENT, Kind.TOOL]), "early placed"),
            (Filters(kinds=["nonsense"]), ""),
            (Filters(tags=["trip"]), "early"),
            (Filters(tags=["a b", 'q"uote', "none"]), "early placed"),
            (Filters(tags=["trip", "trip"]), "early"),
            (Filters(guild="g1"), "late placed"),
            (Filters(guild="g1", channel="c1"), "late"),
            (Filters(channel="c3"), ""),
            (Filters(since=at(10)), "undated early late placed"),
            (Filters(since=at(10.001)), "undated late placed"),
            (Filters(until=at(20)), "undated early placed"),
            (Filters(until=at(20.001)), "undated early late placed"),
            (Filters(since=at(11), until=at(12)), "undated placed"),
            (Filters(kinds=["event"], since=at(11)), ""),
        ],
    )
    async def test_memos_are_filtered_and_undated_ones_pass_every_window(
        self, store: Store, filters: Filters, expected: str
    ):
        await put(store, *MEMOS)
        assert await self._matching(store, "memos", [ADA.scope], filters) == set(expected.split())

    async def test_messages_are_filtered_by_place_and_time(self, store: Store):
        await say(
            store,
            make_message("first", seconds=1),
            make_message("second", THREAD, 2),
            make_message("third", OTHER, 3),
            make_message("gone", seconds=4, id="gone"),
        )
        await store.write(lambda tx: tx.messages.delete("discord", "gone", at(5)))
        both = [CHANNEL.stream, OTHER.stream]

        async def matching(filters: Filters, scopes: list[str] = both) -> set[str]:
            return await self._matching(store, "messages", scopes, filters)

        assert await matching(Filters()) == {"first", "second", "third"}
        assert await matching(Filters(), [CHANNEL.stream]) == {"first", "second"}
        assert await matching(Filters(channel="random")) == {"third"}
        assert await matching(Filters(guild="guild-1", since=at(2))) == {"second", "third"}
        assert await matching(Filters(guild="guild-2")) == set()
        assert await matching(Filters(until=at(2))) == {"first"}

    async def test_filters_follow_a_revision(self, store: Store):
        memo = make_memo("trip", id="a", kind=Kind.EVENT, tags=("x",), happened=at(10))
        await put(store, memo)
        await put(store, replace(memo, kind=Kind.FACT, tags=("y",), happened=None))
        assert await self._matching(store, "memos", [ADA.scope], Filters(kinds=["event"])) == set()
        assert await self._matching(store, "memos", [ADA.scope], Filters(tags=["x"])) == set()
        assert await self._matching(store, "memos", [ADA.scope], Filters(tags=["y"], until=at(1))) == {"trip"}

    async def test_filtered_rows_narrow_a_search(self, store: Store):
        await put(store, *MEMOS, make_memo("early bird"))
        narrowed = Filters(kinds=["event"])
        hits = await store.read(
            lambda tx: tx.index.words(
                "memos", [ADA.scope], ["early"], 9, tx.index.matching("memos", [ADA.scope], narrowed)
            )
        )
        assert len(hits) == 1
