"""Rolling summaries: guarded by their sequence, cleared for good."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

from recollect.core.ports import Store
from recollect.core.types import Summary
from recollect.testing.store_contract.samples import at


def summary(text: str, sequence: int, session: str = "s") -> Summary:
    return Summary(session, text, sequence, at(sequence), at(sequence - 0.5))


class SummariesContract:
    async def test_a_session_starts_without_a_summary(self, store: Store):
        assert await store.read(lambda tx: tx.summaries.get("s")) is None
        assert await store.read(lambda tx: tx.summaries.sequence("s")) == 0
        assert await store.read(lambda tx: tx.summaries.history("s")) == []
        assert not await store.write(lambda tx: tx.summaries.clear("s", at(0)))

    async def test_a_session_that_is_removed_leaves_no_trace(self, store: Store):
        await store.write(lambda tx: tx.summaries.save(summary("one", 1)))
        await store.write(lambda tx: tx.summaries.save(summary("other", 1, "t")))
        await store.write(lambda tx: tx.summaries.clear("s", at(2)))
        assert await store.read(lambda tx: tx.summaries.sessions()) == ["s", "t"]
        await store.write(lambda tx: tx.summaries.remove("s"))
        await store.write(lambda tx: tx.summaries.remove("unknown"))
        assert await store.read(lambda tx: tx.summaries.sessions()) == ["t"]
        assert await store.read(lambda tx: tx.summaries.sequence("s")) == 0

    async def test_a_summary_survives_whole(self, store: Store):
        minimal = Summary("s", "talked about 🍵", 1, at(1.234))
        assert await store.write(lambda tx: tx.summaries.save(minimal))
        assert await store.read(lambda tx: tx.summaries.get("s")) == minimal
        full = summary("more", 2)
        assert await store.write(lambda tx: tx.summaries.save(full))
        assert await store.read(lambda tx: tx.summaries.get("s")) == full
        assert await store.read(lambda tx: tx.summaries.sequence("s")) == 2

    async def test_a_summary_never_replaces_one_of_the_same_or_a_higher_sequence(self, store: Store):
        assert await store.write(lambda tx: tx.summaries.save(summary("five", 5)))
        for sequence in (5, 4, 1, 0):
            late = summary("late", sequence)
            assert not await store.write(lambda tx, late=late: tx.summaries.save(late))
        assert await store.read(lambda tx: tx.summaries.get("s")) == summary("five", 5)
        assert await store.write(lambda tx: tx.summaries.save(summary("nine", 9)))
        assert await store.read(lambda tx: tx.summaries.sequence("s")) == 9

    async def test_sessions_do_not_touch_each_other(self, store: Store):
        await store.write(lambda tx: tx.summaries.save(summary("here", 1, "a")))
        await store.write(lambda tx: tx.summaries.save(summary("there", 7, "b")))
        assert await store.write(lambda tx: tx.summaries.clear("a", at(9)))
        assert await store.read(lambda tx: tx.summaries.get("a")) is None
        assert await store.read(lambda tx: tx.summaries.get("b")) == summary("there", 7, "b")

    async def test_clearing_beats_work_in_flight_even_twice_in_a_row(self, store: Store):
        await store.write(lambda tx: tx.summaries.save(summary("old", 1)))
        in_flight: list[int] = []
        for _ in range(3):
            in_flight.append(await store.read(lambda tx: tx.summaries.sequence("s")) + 1)
            await store.write(lambda tx: tx.summaries.clear("s", at(5)))
            for sequence in in_flight:
                stale = summary("brought back", sequence)
                assert not await store.write(lambda tx, stale=stale: tx.summaries.save(stale))
            assert await store.read(lambda tx: tx.summaries.get("s")) is None
        fresh = summary("fresh", await store.read(lambda tx: tx.summaries.sequence("s")) + 1)
        assert await store.write(lambda tx: tx.summaries.save(fresh))
        assert await store.read(lambda tx: tx.summaries.get("s")) == fresh

    async def test_clearing_beats_the_first_summary_in_flight(self, store: Store):
        first = await store.read(lambda tx: tx.summaries.sequence("s")) + 1
        await store.write(lambda tx: tx.summaries.clear("s", at(5)))
        assert not await store.write(lambda tx: tx.summaries.save(summary("first", first)))

    async def test_clear_says_whether_there_was_something_to_forget(self, store: Store):
        await store.write(lambda tx: tx.summaries.save(summary("x", 1)))
        assert await store.write(lambda tx: tx.summaries.clear("s", at(2)))
        assert not await store.write(lambda tx: tx.summaries.clear("s", at(3)))

    async def test_past_summaries_are_kept_newest_first(self, store: Store):
        for sequence in range(1, 6):
            await store.write(lambda tx, n=sequence: tx.summaries.save(summary(f"{n}", n)))
        history = await store.read(lambda tx: tx.summaries.history("s"))
        assert [entry.text for entry in history] == ["5", "4", "3", "2", "1"]
        assert history[-1] == summary("1", 1)
        limited = await store.read(lambda tx: tx.summaries.history("s", 2))
        assert [entry.text for entry in limited] == ["5", "4"]

    async def test_clearing_a_summary_empties_its_history(self, store: Store):
        for sequence in (1, 2):
            await store.write(lambda tx, n=sequence: tx.summaries.save(summary("secret", n)))
        await store.write(lambda tx: tx.summaries.clear("s", at(5)))
        assert await store.read(lambda tx: tx.summaries.history("s")) == []

    async def test_a_summary_of_any_characters_is_kept(self, store: Store):
        assert await store.write(lambda tx: tx.summaries.save(summary("a \ud800 \x00 b", 1)))
        stored = await store.read(lambda tx: tx.summaries.get("s"))
        assert stored is not None
        assert (stored.text[:2], stored.text[-2:]) == ("a ", " b")

    async def test_rewinding_drops_what_covers_the_moment_and_what_came_after(self, store: Store):
        for sequence in range(1, 5):
            await store.write(lambda tx, n=sequence: tx.summaries.save(summary(f"{n}", n)))
        assert await store.write(lambda tx: tx.summaries.rewind("s", at(2.5), at(9)))  # the third covers until then
        current = await store.read(lambda tx: tx.summaries.get("s"))
        assert current is not None
        assert replace(current, sequence=2) == summary("2", 2)
        assert current.sequence == await store.read(lambda tx: tx.summaries.sequence("s")) > 4
        history = await store.read(lambda tx: tx.summaries.history("s"))
        assert [entry.text for entry in history] == ["2", "1"]
        assert history[0] == current

    async def test_a_summary_without_an_end_covers_what_was_said_before_it_was_made(self, store: Store):
        for sequence in (1, 2):
            endless = replace(summary(f"{sequence}", sequence), through=None)
            await store.write(lambda tx, endless=endless: tx.summaries.save(endless))
        assert await store.write(lambda tx: tx.summaries.rewind("s", at(2), at(9)))
        assert [entry.text for entry in await store.read(lambda tx: tx.summaries.history("s"))] == ["1"]
        assert not await store.write(lambda tx: tx.summaries.rewind("s", at(1.001), at(9)))

    async def test_rewinding_to_before_the_first_summary_leaves_none(self, store: Store):
        for sequence in (1, 2):
            await store.write(lambda tx, n=sequence: tx.summaries.save(summary("secret", n)))
        assert await store.write(lambda tx: tx.summaries.rewind("s", at(0), at(9)))
        assert await store.read(lambda tx: tx.summaries.get("s")) is None
        assert await store.read(lambda tx: tx.summaries.history("s")) == []
        assert not await store.write(lambda tx: tx.summaries.rewind("s", at(0), at(9)))
        fresh = summary("fresh", await store.read(lambda tx: tx.summaries.sequence("s")) + 1)
        assert await store.write(lambda tx: tx.summaries.save(fresh))
        assert await store.read(lambda tx: tx.summaries.get("s")) == fresh

    async def test_rewinding_beats_work_in_flight_even_when_there_is_nothing_to_drop(self, store: Store):
        in_flight: list[int] = []
        for saved_count in (0, 1, 2):
            if saved_count:
                sequence = await store.read(lambda tx: tx.summaries.sequence("s")) + 1
                saved = replace(summary("old", sequence), through=at(0))
                assert await store.write(lambda tx, saved=saved: tx.summaries.save(saved))
            in_flight.append(await store.read(lambda tx: tx.summaries.sequence("s")) + 1)
            assert not await store.write(lambda tx: tx.summaries.rewind("s", at(50), at(60)))
            for sequence in in_flight:
                stale = summary("brought back", sequence)
                assert not await store.write(lambda tx, stale=stale: tx.summaries.save(stale))
            assert [entry.text for entry in await store.read(lambda tx: tx.summaries.history("s"))] == [
                "old"
            ] * saved_count

    async def test_rewinding_beats_work_in_flight_that_would_bring_back_what_was_dropped(self, store: Store):
        for sequence in (1, 2):
            await store.write(lambda tx, n=sequence: tx.summaries.save(summary(f"{n}", n)))
        assert await store.write(lambda tx: tx.summaries.rewind("s", at(1), at(9)))
        for sequence in (1, 2, 3):
            assert not await store.write(lambda tx, n=sequence: tx.summaries.save(summary("brought back", n)))
        current = await store.read(lambda tx: tx.summaries.get("s"))
        assert current is not None
        assert current.text == "1"
        following = summary("next", current.sequence + 1)
        assert await store.write(lambda tx: tx.summaries.save(following))
        assert await store.read(lambda tx: tx.summaries.get("s")) == following

    async def test_rewinding_one_session_leaves_the_others(self, store: Store):
        await store.write(lambda tx: tx.summaries.save(summary("there", 7, "b")))
        assert not await store.write(lambda tx: tx.summaries.rewind("a", at(0), at(9)))
        assert await store.read(lambda tx: tx.summaries.get("b")) == summary("there", 7, "b")
