"""What the store remembers about files."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect import plugins
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.state import Owner, StateKind
from recollect.testing.clock import START
from recollect.transfer.mirror.state import MirrorState
from tests.scenes import opened

FOLDER = Path("durable").absolute()
STATE = MirrorState(FOLDER, None)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with opened() as stage:
        yield stage.memory.store


async def test_the_last_contents_of_a_file_are_known_again_even_when_one_comes_back(store: Store) -> None:
    def work(tx: Tx) -> list[bool]:
        for number in [*range(40), 33, *range(40, 60), 33]:
            STATE.write(tx, "durable ann", b"%d" % number)
        return [STATE.is_own_content(tx, "durable ann", b"%d" % number) for number in (0, 33, 58, 59, 60)]

    assert await store.write(work) == [False, True, True, True, False]


async def test_contents_of_one_file_are_not_those_of_another(store: Store) -> None:
    await store.write(lambda tx: STATE.write(tx, "durable ann", b"x"))
    assert not await store.read(lambda tx: STATE.is_own_content(tx, "durable bob", b"x"))


async def test_the_log_is_followed_from_where_we_were_by_all_who_keep_the_same_folders(store: Store) -> None:
    await store.write(lambda tx: [tx.events.add(Event("memo.added", START, detail=f"{n}")) for n in range(3)])
    first, _ = await store.read(lambda tx: STATE.unprocessed(tx, 2))
    await store.write(lambda tx: STATE.advance(tx, first, ["durable ann"]))
    rest, owed = await store.read(lambda tx: MirrorState(FOLDER, None).unprocessed(tx, 10))
    assert ([event.detail for event in rest], owed) == (["2"], ["durable ann"])
    everything, nothing = await store.read(lambda tx: MirrorState(Path("elsewhere"), None).unprocessed(tx, 10))
    assert (len(everything), nothing) == (3, [])


async def test_what_was_begun_first_and_written_last_is_looked_at_once(database: str) -> None:
    """The numbers of events are not in the order of the log where several write at once."""
    late, early = plugins.load("stores", database), plugins.load("stores", database)
    try:
        begun, loop, over = asyncio.Event(), asyncio.get_running_loop(), asyncio.Event()

        def slow(tx: Tx) -> None:
            tx.state.append(StateKind.OTHER, "begun", "first", Owner.nobody())
            loop.call_soon_threadsafe(begun.set)
            asyncio.run_coroutine_threadsafe(over.wait(), loop).result()
            tx.events.add(Event("memo.added", START, detail="begun first"))

        writing = asyncio.create_task(late.write(slow))
        await begun.wait()
        await early.write(lambda tx: tx.events.add(Event("memo.added", START, detail="written first")))
        over.set()
        await writing
        events, _ = await early.read(lambda tx: STATE.unprocessed(tx, 10))
        assert [event.id for event in events] == sorted((event.id for event in events), reverse=True)
        await early.write(lambda tx: STATE.advance(tx, events, []))
        assert await early.read(lambda tx: STATE.unprocessed(tx, 10)) == ([], [])
    finally:
        await late.close()
        await early.close()


async def test_one_who_was_slow_does_not_turn_the_others_back(store: Store) -> None:
    await store.write(lambda tx: [tx.events.add(Event("memo.added", START)) for _ in range(3)])
    events, _ = await store.read(lambda tx: STATE.unprocessed(tx, 10))
    await store.write(lambda tx: STATE.advance(tx, events, []))
    await store.write(lambda tx: STATE.advance(tx, events[:1], []))
    assert await store.read(lambda tx: STATE.unprocessed(tx, 10)) == ([], [])


async def test_a_log_that_has_become_shorter_is_followed_from_its_start(store: Store) -> None:
    await store.write(lambda tx: tx.events.add(Event("memo.added", START)))
    await store.write(lambda tx: STATE.advance(tx, [Event("memo.added", START, id=1_000)], []))
    events, _ = await store.read(lambda tx: STATE.unprocessed(tx, 10))
    assert len(events) == 1
