"""What the store remembers about files."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect.files.ledger import Ledger
from recollect.ports import Store, Tx
from recollect.testing.clock import START
from recollect.types import Event
from tests.scenes import opened

LEDGER = Ledger(Path("durable"), None)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with opened() as stage:
        yield stage.memory.store


async def test_the_last_contents_of_a_file_are_known_again_even_when_one_comes_back(store: Store) -> None:
    def work(tx: Tx) -> list[bool]:
        for number in [*range(40), 33, *range(40, 60), 33]:
            LEDGER.write(tx, "durable ann", b"%d" % number)
        return [LEDGER.wrote(tx, "durable ann", b"%d" % number) for number in (0, 33, 58, 59, 60)]

    assert await store.write(work) == [False, True, True, True, False]


async def test_contents_of_one_file_are_not_those_of_another(store: Store) -> None:
    await store.write(lambda tx: LEDGER.write(tx, "durable ann", b"x"))
    assert not await store.read(lambda tx: LEDGER.wrote(tx, "durable bob", b"x"))


async def test_the_log_is_followed_from_where_we_were_by_all_who_keep_the_same_folders(store: Store) -> None:
    await store.write(lambda tx: [tx.events.add(Event("memo.added", START, reason=f"{n}")) for n in range(3)])
    first, _ = await store.read(lambda tx: LEDGER.look(tx, 2))
    await store.write(lambda tx: LEDGER.advance(tx, first, ["durable ann"]))
    rest, owed = await store.read(lambda tx: Ledger(Path("durable"), None).look(tx, 10))
    assert ([event.reason for event in rest], owed) == (["2"], ["durable ann"])
    everything, nothing = await store.read(lambda tx: Ledger(Path("elsewhere"), None).look(tx, 10))
    assert (len(everything), nothing) == (3, [])


async def test_one_who_was_slow_does_not_turn_the_others_back(store: Store) -> None:
    await store.write(lambda tx: [tx.events.add(Event("memo.added", START)) for _ in range(3)])
    events, _ = await store.read(lambda tx: LEDGER.look(tx, 10))
    await store.write(lambda tx: LEDGER.advance(tx, events, []))
    await store.write(lambda tx: LEDGER.advance(tx, events[:1], []))
    assert await store.read(lambda tx: LEDGER.look(tx, 10)) == ([], [])


async def test_a_log_that_has_become_shorter_is_followed_from_its_start(store: Store) -> None:
    await store.write(lambda tx: tx.events.add(Event("memo.added", START)))
    await store.write(lambda tx: LEDGER.advance(tx, [Event("memo.added", START, id=1_000)], []))
    events, _ = await store.read(lambda tx: LEDGER.look(tx, 10))
    assert len(events) == 1
