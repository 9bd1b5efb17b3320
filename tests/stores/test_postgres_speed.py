"""What keeps a server quick: few journeys to it, statements that stay prepared, plans that read in order."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.ports.jobs import NewJob
from recollect.stores.postgres import PostgresStore
from recollect.stores.postgres.messages import PostgresMessages
from recollect.testing.store_contract.samples import ADA, CHANNEL, at, make_memo, make_message, unit_vector
from tests.stores.postgres import opened
from tests.stores.proxy import Network

PREPARED = 12
"""Times after which every statement of a unit is prepared."""


@pytest.fixture
def network(database: str) -> Iterator[Network]:
    with Network(database) as network:
        yield network


@pytest.fixture
async def store(network: Network) -> AsyncIterator[PostgresStore]:
    async with opened(f"{network.address}?pool=1") as store:
        yield store


async def journeys(
    network: Network, store: PostgresStore, unit: Callable[[Tx, int], Any], *, reads: bool = False
) -> int:
    """How often a unit goes to the server once it has been run a few times, its beginning and its end included."""
    run_one = store.read if reads else store.write
    for n in range(PREPARED):
        await run_one(lambda tx, n=n: unit(tx, n))
    before = network.journeys
    await run_one(lambda tx: unit(tx, PREPARED))
    return network.journeys - before


async def test_a_new_memo_is_stored_in_five_journeys(network: Network, store: PostgresStore):
    """With the first locks, the models, the memo and all that is derived from it, the counts, the commit."""

    def unit(tx: Tx, n: int) -> int:
        return tx.memos.put(make_memo(f"fact {n}"), ("m", unit_vector(1, n)))

    assert await journeys(network, store, unit) <= 5


async def test_a_message_in_a_known_place_is_stored_in_four_journeys(network: Network, store: PostgresStore):
    assert await journeys(network, store, lambda tx, n: tx.messages.add(make_message(f"said {n}", id=f"{n}"))) <= 4


async def test_what_is_noted_in_the_log_costs_one_more_journey_each(network: Network, store: PostgresStore):
    def unit(tx: Tx, n: int) -> None:
        tx.memos.put(make_memo(f"fact {n}"))
        for kind in ("one", "other", "third"):
            tx.events.add(Event(kind, at(n), scope=ADA.scope))

    assert await journeys(network, store, unit) <= 7


async def test_a_job_is_claimed_in_six_journeys_and_finished_in_five(network: Network, store: PostgresStore):
    def add(tx: Tx, n: int) -> None:
        tx.jobs.add(NewJob("learn", f"queue {n}", {"n": n}, at(0), tenant=f"{n % 5}"))

    for n in range(4 * PREPARED):
        await store.write(lambda tx, n=n: add(tx, n))
    claimed: list[int] = []

    def claim(tx: Tx, _: int) -> None:
        claimed.extend(job.id for job in tx.jobs.claim("worker", at(1), at(99), 1))

    assert await journeys(network, store, claim) <= 6
    assert await journeys(network, store, lambda tx, n: tx.jobs.finish(claimed[n], "worker")) <= 5


async def test_what_a_search_looked_up_once_it_knows_until_it_ends(network: Network, store: PostgresStore):
    await store.write(lambda tx: tx.memos.put(make_memo("tea"), ("m", unit_vector(1, 2))))

    def unit(tx: Tx, n: int) -> None:
        tx.index.words("memos", [ADA.scope], ["tea"], 5)
        tx.index.nearest("memos", [ADA.scope], "m", unit_vector(1, n), 5)
        tx.index.nearest("memos", [ADA.scope], "m", unit_vector(2, n), 5)
        tx.index.size([ADA.scope])

    assert await journeys(network, store, unit, reads=True) <= 8


async def test_a_unit_that_asks_for_nothing_goes_nowhere(network: Network, store: PostgresStore):
    assert await journeys(network, store, lambda tx, n: n) == 0


async def test_statements_stay_prepared_from_one_unit_to_the_next(store: PostgresStore):
    for _ in range(PREPARED):
        await store.read(lambda tx: tx.memos.list(ADA, limit=5))
    kept = await store.read(lambda tx: tx.db.value("SELECT count(*) FROM pg_prepared_statements"))
    assert kept > 0


@pytest.mark.slow
async def test_the_newest_of_a_scope_are_read_in_order_however_little_the_planner_knows(store: PostgresStore):
    await store.write(lambda tx: [tx.memos.put(make_memo(f"fact {n}")) for n in range(2_000)])
    newest = (
        "SELECT key FROM memos WHERE scope = (SELECT id FROM scopes WHERE mark = %s) ORDER BY updated DESC, key DESC"
    )
    plan = await store.read(lambda tx: tx.db.rows(f"EXPLAIN {newest} LIMIT 20", (ADA.scope,)))
    assert "memos_by_time" in str(plan)
    assert "Sort" not in str(plan)


async def test_the_places_are_read_once_for_all_messages_of_a_person_and_not_for_each(store: PostgresStore):
    values = (0, "discord:ada", "discord", "ada", 20)
    plan = await store.read(lambda tx: tx.db.rows(f"EXPLAIN {PostgresMessages.of_author}", values))
    assert "SubPlan" not in str(plan), plan


async def test_a_unit_sees_the_sizes_that_it_changed_itself(store: PostgresStore):
    def unit(tx: Tx) -> list[int]:
        sizes = [tx.index.size([ADA.scope])]
        memo = make_memo("tea")
        tx.memos.put(memo)
        sizes.append(tx.index.size([ADA.scope]))
        tx.memos.remove(memo)
        sizes.append(tx.index.size([ADA.scope]))
        tx.messages.add(make_message("said"))
        sizes.append(tx.index.size([CHANNEL.stream]))
        tx.messages.add(make_message("again", id="other"))
        return [*sizes, tx.index.size([CHANNEL.stream])]

    assert await store.write(unit) == [0, 1, 0, 1, 2]
