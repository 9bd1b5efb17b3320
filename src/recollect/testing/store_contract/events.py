"""The append-only log."""

# ruff: noqa: S101 - a contract is made of assertions

import asyncio
from dataclasses import replace
from datetime import timedelta

from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.reasons import Reason
from recollect.testing.store_contract.samples import ADA, BEN, at


def event(detail: str, **changes: object) -> Event:
    return replace(Event(EventKind.MEMO_ADDED, at(1)), detail=detail, **changes)  # pyright: ignore[reportArgumentType] - any field


async def add(store: Store, *events: Event) -> list[int]:
    return await store.write(lambda tx: [tx.events.add(entry) for entry in events])


class EventsContract:
    async def test_an_event_survives_whole(self, store: Store):
        data = {"before": {"text": "ü"}, "n": [1, None]}
        full = Event(EventKind.MEMO_REVISED, at(1.234), "ada", ADA.scope, "durable-1", Reason.AUDIENCE_SET, data)
        full = replace(full, detail="guild:1: all of it")
        minimal = Event("started", at(2))
        first, second = await add(store, full, minimal)
        assert await store.read(lambda tx: tx.events.list()) == [
            replace(minimal, id=second),
            replace(full, id=first),
        ]

    async def test_kind_and_reason_come_back_as_members_of_their_enums(self, store: Store):
        await add(store, Event(EventKind.MEMO_ADDED, at(1), reason=Reason.NEW), Event("of.tomorrow", at(2)))
        later, earlier = await store.read(lambda tx: tx.events.list())
        assert (earlier.kind, earlier.reason) == (EventKind.MEMO_ADDED, Reason.NEW)
        assert isinstance(earlier.kind, EventKind)
        assert isinstance(earlier.reason, Reason)
        assert (later.kind, later.reason, later.text) == ("of.tomorrow", None, "")

    async def test_events_come_newest_first_and_page_by_page(self, store: Store):
        numbers = await add(store, *(event(f"{n}") for n in range(10)))
        assert numbers == sorted(set(numbers))
        seen: list[str] = []
        before: int | None = None
        while page := await store.read(lambda tx, before=before: tx.events.list(limit=4, before=before)):
            seen += [entry.detail for entry in page]
            before = page[-1].id
        assert seen == [f"{n}" for n in range(9, -1, -1)]

    async def test_the_log_is_followed_from_an_event_on_oldest_first(self, store: Store):
        numbers = await add(store, *(event(f"{n}", at=at(10 - n)) for n in range(5)))

        async def reasons(after: int, limit: int = 10) -> list[str]:
            return [entry.detail for entry in await store.read(lambda tx: tx.events.after(after, limit))]

        assert await reasons(0) == ["0", "1", "2", "3", "4"]
        assert await reasons(numbers[1], limit=2) == ["2", "3"]
        assert await reasons(numbers[-1]) == []

    async def test_order_is_that_of_writing_whatever_the_times_say(self, store: Store):
        await add(store, event("first", at=at(9)), event("second", at=at(1)))
        assert [entry.detail for entry in await store.read(lambda tx: tx.events.list())] == ["second", "first"]

    async def test_events_are_filtered_by_scope_and_memo(self, store: Store):
        await add(
            store,
            event("a1", scope=ADA.scope, memo="1"),
            event("a2", scope=ADA.scope, memo="2"),
            event("b1", scope=BEN.scope, memo="1"),
            event("none"),
        )

        async def reasons(scope: str | None = None, memo: str | None = None) -> list[str]:
            return [entry.detail for entry in await store.read(lambda tx: tx.events.list(scope, memo))]

        assert await reasons(ADA.scope) == ["a2", "a1"]
        assert await reasons(ADA.scope, "1") == ["a1"]
        assert await reasons(None, "1") == ["b1", "a1"]
        assert await reasons("user:nobody") == []
        assert await reasons(memo="3") == []
        limited = await store.read(lambda tx: tx.events.list(ADA.scope, limit=1))
        assert [entry.detail for entry in limited] == ["a2"]
        assert await store.read(lambda tx: tx.events.list(ADA.scope, before=limited[0].id, limit=1)) != limited

    async def test_an_event_about_a_scope_makes_no_subject(self, store: Store):
        await add(store, event("x", scope=ADA.scope))
        assert await store.read(lambda tx: list(tx.memos.subjects())) == []

    async def test_events_are_counted_by_kind_with_the_time_of_the_last(self, store: Store):
        assert await store.read(lambda tx: tx.events.counts()) == {}
        await add(store, event("1", at=at(5)), event("2", at=at(9)), event("late", at=at(7)))
        await add(store, event("3", kind="memo.revised", at=at(1)))
        counts = await store.read(lambda tx: tx.events.counts())
        assert counts == {"memo.added": (3, at(9)), "memo.revised": (1, at(1))}

    async def test_a_unit_that_writes_events_counts_them_and_one_that_fails_does_not(self, store: Store):
        def seen(tx: Tx) -> int:
            tx.events.add(event("1"))
            return tx.events.counts()["memo.added"][0]

        def fail(tx: Tx) -> None:
            tx.events.add(event("never"))
            raise ZeroDivisionError

        units = [store.write(seen), store.write(fail), store.write(seen)]
        first, failed, second = await asyncio.gather(*units, return_exceptions=True)
        assert first in (1, 2)
        assert second in (1, 2)
        assert isinstance(failed, ZeroDivisionError)
        assert await store.read(lambda tx: tx.events.counts()) == {"memo.added": (2, at(1))}

    async def test_events_that_are_written_and_restored_in_one_unit_count_once(self, store: Store):
        (old,) = await add(store, event("old"))
        (record,) = (await store.read(lambda tx: tx.archive.read("events", None, 1))).records

        def work(tx: Tx) -> None:
            tx.events.add(event("new", at=at(3)))
            tx.archive.write("events", [record])
            tx.events.add(event("newer", at=at(4)))

        await store.write(work)
        assert record[0] == old
        assert await store.read(lambda tx: tx.events.counts()) == {"memo.added": (3, at(4))}

    async def test_events_are_filtered_by_kind(self, store: Store):
        await add(
            store,
            event("1"),
            event("2", kind="learning.skipped"),
            event("3", kind="memo.revised", scope=ADA.scope),
            event("4", kind="learning.skipped", scope=ADA.scope),
        )

        async def reasons(*kinds: str, scope: str | None = None) -> list[str]:
            events = await store.read(lambda tx: tx.events.list(scope, kinds=kinds))
            return [entry.detail for entry in events]

        assert await reasons("learning.skipped") == ["4", "2"]
        assert await reasons("learning.skipped", scope=ADA.scope) == ["4"]
        assert await reasons("memo.added", "memo.revised") == ["3", "1"]
        assert await reasons("nothing") == []
        last = (await store.read(lambda tx: tx.events.list(kinds=["learning.skipped"], limit=1)))[0].id
        older = await store.read(lambda tx: tx.events.list(kinds=["learning.skipped"], before=last))
        assert [entry.detail for entry in older] == ["2"]

    async def test_events_are_counted_by_day_and_kind(self, store: Store):
        first = at(0).date()
        day = timedelta(days=1)
        assert await store.read(lambda tx: tx.events.days(first)) == {}
        await add(store, event("1", at=at(0)), event("2", at=at(0)), event("3", at=at(0) + day))
        await add(store, event("4", kind="memo.revised", at=at(0) + day))
        days = await store.read(lambda tx: tx.events.days(first))
        assert days == {first: {"memo.added": 2}, first + day: {"memo.added": 1, "memo.revised": 1}}
        assert list(await store.read(lambda tx: tx.events.days(first + day))) == [first + day]

    async def test_an_event_of_any_characters_is_kept(self, store: Store):
        wild = "wild \ud800 \x00 end"
        await add(store, event(wild, actor=wild, data={wild: wild}, memo=wild))
        (stored,) = await store.read(lambda tx: tx.events.list())
        assert stored.detail.startswith("wild ")
        assert stored.detail.endswith(" end")
