"""Vectors on PostgreSQL: exact as on SQLite, indexes for large scopes, past models, and what is no vector."""

import asyncio
import math
import struct
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta

import psycopg
import pytest

from recollect.core.errors import BadInput
from recollect.core.ports import Store, Tx, Vector, VectorSet
from recollect.core.types import Subject
from recollect.stores._sql.search import Scope, VectorQuery
from recollect.stores.postgres import PostgresStore, vectors
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Connection
from recollect.stores.postgres.pool import connect
from recollect.stores.postgres.tx import PostgresTx
from recollect.stores.postgres.vector_maintenance import maintain_vectors, missing_indexes
from recollect.stores.sqlite import create as create_sqlite
from recollect.testing.store_contract.samples import ADA, BEN, make_memo, put, unit_vector, vector_counts
from recollect.testing.store_contract.vectors import cosine, scatter
from tests.stores.opening import faults
from tests.stores.postgres import opened, run

MODEL, LARGE = "m", 300
AT_ONCE = timedelta(0)


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    async with opened(database) as store:
        yield store


@pytest.fixture
def connection(database: str) -> Iterator[Connection]:
    """Outside of any transaction, as `maintain_vectors` wants it."""
    with connect(Address.of(database), 5) as connection:
        connection.autocommit = True
        yield connection


async def fill(store: Store, cloud: list[Vector], subject: Subject = ADA, model: str = MODEL) -> dict[int, Vector]:
    """A memo for each vector; the vectors by their keys."""

    def work(tx: Tx) -> list[int]:
        made = enumerate(cloud)
        return [tx.memos.put(make_memo(f"{n}", subject), (model, vector)) for n, vector in made]

    return dict(zip(await store.write(work), cloud, strict=True))


async def near(
    store: Store, vector: Vector, limit: int = 5, scopes: tuple[str, ...] = (ADA.scope,)
) -> dict[int, float]:
    """The nearest, where every scope beyond LARGE counts as large."""

    def look(tx: Tx) -> dict[int, float]:
        assert isinstance(tx, PostgresTx)
        found = tx.db.rows("SELECT id, size, last FROM scopes WHERE name = ANY(%s)", (list(scopes),))
        query = VectorQuery(MODEL, vector, limit, (), None)
        return vectors.nearest(tx.db, "memos", [Scope(*row) for row in found], query, exact=LARGE)

    return await store.read(look)


def best(alive: dict[int, Vector], vector: Vector, limit: int = 5) -> set[int]:
    return set(sorted(alive, key=lambda key: -cosine(alive[key], vector))[:limit])


async def share_found(store: Store, alive: dict[int, Vector], dims: int) -> float:
    """How many of the true nearest ones are found."""
    queries = scatter(12, dims, seed=3)
    found = [len(best(alive, query) & (await near(store, query)).keys()) for query in queries]
    return sum(found) / (5 * len(queries))


def indexes(database: str) -> list[object]:
    return [name for (name,) in run(database, "SELECT indexname FROM pg_indexes WHERE indexdef LIKE '%hnsw%'")]


async def test_the_nearest_rows_and_their_cosines_are_those_of_sqlite(store: PostgresStore):
    sqlite = create_sqlite("sqlite://")
    answers: list[list[object]] = []
    for each in (store, sqlite):
        hers = list(await fill(each, scatter(120, 24)))
        his = list(await fill(each, scatter(80, 24, seed=8), BEN))
        names = {key: f"hers {n}" for n, key in enumerate(hers)} | {key: f"his {n}" for n, key in enumerate(his)}

        def look(tx: Tx, hers: list[int] = hers, his: list[int] = his) -> list[dict[int, float]]:
            both = [ADA.scope, BEN.scope, "user:nobody"]
            queries = scatter(8, 24, seed=4)
            return [
                found
                for query in queries
                for found in (
                    tx.index.nearest("memos", both, MODEL, query, 7),
                    tx.index.nearest("memos", both, MODEL, query, 3, also=[*hers[:4], *his[:4], 999]),
                    tx.index.nearest("memos", [BEN.scope], MODEL, query, 3, also=hers[:4]),
                    tx.index.nearest("memos", both, MODEL, query, 9, candidates={*hers[::7], *his[::5]}),
                    tx.index.nearest("memos", both, MODEL, query, 0, also=his[:2]),
                )
            ]

        found = await each.read(look)
        answers.append([{names[key]: round(value, 4) for key, value in one.items()} for one in found])
    await sqlite.close()
    assert answers[0] == answers[1]


async def test_a_scope_that_has_grown_large_gets_an_index_and_small_ones_none(
    database: str, store: PostgresStore, connection: Connection
):
    alive = await fill(store, scatter(LARGE + 100, 16))
    his = await fill(store, scatter(50, 16, seed=5), BEN)
    assert maintain_vectors(connection, exact=LARGE * 2) == []
    assert [
        scope for *_, scope in missing_indexes(lambda sql, values: connection.execute(sql, values).fetchall(), LARGE)
    ] == [1]
    assert maintain_vectors(connection, exact=LARGE) == indexes(database) == ["memo_vectors_1_near_1"]
    assert maintain_vectors(connection, exact=LARGE) == []
    assert await share_found(store, alive, 16) > 0.95
    query = scatter(1, 16, seed=77)[0]
    both = await near(store, query, 9, (ADA.scope, BEN.scope))
    assert len(both.keys() & best(alive | his, query, 9)) >= 8
    assert all(value == pytest.approx(cosine((alive | his)[key], query), abs=1e-5) for key, value in both.items())
    assert await near(store, query, 0) == {}


async def test_an_index_follows_what_is_written_and_removed(store: PostgresStore, connection: Connection):
    *cloud, new = scatter(LARGE + 101, 16)
    await fill(store, cloud)
    maintain_vectors(connection, exact=LARGE)
    (key,) = await store.write(lambda tx: [tx.memos.put(make_memo("new", id="new"), (MODEL, new))])
    assert await near(store, new, 1) == pytest.approx({key: 1.0}, abs=1e-5)
    await store.write(lambda tx: tx.memos.remove(make_memo("new", id="new")))
    assert key not in await near(store, new, 50)
    assert len(await near(store, new, LARGE)) == LARGE


async def test_vectors_too_long_for_an_index_are_indexed_by_halves_and_compared_whole(
    store: PostgresStore, connection: Connection
):
    alive = await fill(store, scatter(LARGE + 10, vectors.MAX_INLINE_DIMS + 8))
    assert maintain_vectors(connection, exact=LARGE) == ["memo_vectors_1_near_1"]
    query = scatter(1, vectors.MAX_INLINE_DIMS + 8, seed=2)[0]
    found = await near(store, query)
    assert len(found.keys() & best(alive, query)) >= 4
    assert all(value == pytest.approx(cosine(alive[key], query), abs=1e-5) for key, value in found.items())


@pytest.mark.parametrize("dims", [1, 1_536, vectors.MAX_INLINE_DIMS, 3_072, vectors.MAX_INDEXED_DIMS + 1])
async def test_vectors_of_any_usual_length_are_kept_exactly(store: PostgresStore, dims: int):
    one, other = scatter(2, dims)
    keys = list(await fill(store, [one, other]))
    found = await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], MODEL, one, 2))
    assert found == pytest.approx({keys[0]: 1.0, keys[1]: cosine(one, other)}, abs=1e-5)
    assert await store.read(lambda tx: tx.index.vectors("memos")) == [VectorSet(MODEL, dims, True)]


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
async def test_what_is_no_number_is_refused_and_the_unit_may_go_on(store: PostgresStore, wrong: float):
    keys = list(await fill(store, [unit_vector(1, 0, 0)]))
    vector = struct.pack("<3f", 0.5, wrong, -wrong)

    def work(tx: Tx) -> None:
        with pytest.raises(BadInput, match="not a number"):
            tx.index.put_vectors("memos", MODEL, {keys[0]: vector})
        with pytest.raises(BadInput, match="not a number"):
            tx.index.nearest("memos", [ADA.scope], MODEL, vector, 3)
        tx.memos.put(make_memo("written all the same"))

    await store.write(work)
    assert await store.read(lambda tx: tx.memos.count(ADA)) == 2


async def test_a_vector_that_is_too_long_is_refused_in_words(store: PostgresStore):
    huge = unit_vector(*([1.0] * (vectors.MAX_DIMS + 1)))
    with pytest.raises(BadInput, match=f"{vectors.MAX_DIMS + 1} numbers; PostgreSQL's pgvector takes"):
        await store.write(lambda tx: tx.memos.put(make_memo("x"), (MODEL, huge)))


async def test_processes_that_bring_the_first_vectors_of_a_model_make_one_set(database: str):
    async with opened(database) as one, opened(database) as other:
        works = [fill(store, scatter(3, 4), Subject(f"u{n}")) for n in range(10) for store in (one, other)]
        await asyncio.gather(*works)
        (found,) = await one.read(lambda tx: tx.index.vectors("memos"))
        assert found == VectorSet(MODEL, 4, True)
        assert await one.read(vector_counts) == {MODEL: 30}
        assert not faults(await other.check_health())


async def test_the_vectors_of_a_past_model_go_when_nobody_can_look_into_them(
    database: str, store: PostgresStore, connection: Connection
):
    (key,) = await fill(store, [unit_vector(1, 0)])
    await store.write(lambda tx: tx.index.put_vectors("memos", "new", {key: unit_vector(1, 0, 0)}))
    await store.write(lambda tx: tx.index.activate("memos", "new"))
    assert maintain_vectors(connection) == []  # some reader may have begun a moment ago
    with psycopg.connect(Address.of(database).conninfo) as reader:
        reader.execute("SELECT count(*) FROM recollect.memo_vectors_1")
        assert maintain_vectors(connection, AT_ONCE) == []  # as a backup would, it keeps what it reads
    assert maintain_vectors(connection, AT_ONCE) == ["memo_vectors_1"]
    assert run(database, "SELECT to_regclass('memo_vectors_1')") == [(None,)]
    assert await store.read(lambda tx: tx.index.vectors("memos")) == [VectorSet("new", 3, True, True)]
    assert not faults(await store.check_health())
    assert connection.execute("SHOW lock_timeout").fetchone() == ("15s",)


async def test_a_reader_keeps_the_vectors_that_it_began_with(store: PostgresStore):
    (key,) = await fill(store, [unit_vector(1, 0)])
    await store.write(lambda tx: tx.index.put_vectors("memos", "new", {key: unit_vector(1, 0, 0)}))
    loop = asyncio.get_running_loop()

    def look(tx: Tx) -> list[dict[int, float]]:
        def search() -> dict[int, float]:
            return tx.index.nearest("memos", [ADA.scope], MODEL, unit_vector(1, 0), 1)

        before = search()
        change = asyncio.run_coroutine_threadsafe(store.write(lambda tx: tx.index.activate("memos", "new")), loop)
        change.result(timeout=20)
        return [before, search()]

    assert await store.read(look) == [{key: 1.0}, {key: 1.0}]
    assert await store.read(lambda tx: tx.index.nearest("memos", [ADA.scope], MODEL, unit_vector(1, 0), 1)) == {}


async def test_a_memo_that_is_removed_leaves_no_vector_in_the_sets_of_past_models(database: str, store: PostgresStore):
    keys = list(await fill(store, [unit_vector(1, 0), unit_vector(0, 1)]))
    await store.write(lambda tx: tx.index.put_vectors("memos", "new", dict.fromkeys(keys, unit_vector(1, 0, 0))))
    await store.write(lambda tx: tx.index.activate("memos", "new"))
    await store.write(lambda tx: tx.memos.remove(make_memo("0")))
    assert run(database, "SELECT key FROM memo_vectors_1 UNION SELECT key FROM memo_vectors_2") == [(keys[1],)]


async def test_what_is_written_after_a_set_was_complete_is_listed_and_leaves_the_list(store: PostgresStore):
    await fill(store, [unit_vector(1, 0)])
    await store.write(lambda tx: tx.index.activate("memos", MODEL))
    keys = await put(store, make_memo("a"), make_memo("b"), make_memo("c"))
    await store.write(lambda tx: tx.memos.remove(make_memo("b")))
    assert await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 9)) == [(keys[0], "a"), (keys[2], "c")]
    await store.write(lambda tx: tx.index.put_vectors("memos", MODEL, {keys[0]: unit_vector(0, 1)}))
    assert await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 9)) == [(keys[2], "c")]
    await put(store, make_memo("A", id=make_memo("a").id))
    assert [text for _, text in await store.read(lambda tx: tx.index.unembedded("memos", MODEL, 9))] == ["A", "c"]


async def test_wiping_takes_the_vectors_of_a_past_model_with_it(database: str, store: PostgresStore):
    alive = await fill(store, scatter(5, 8))
    await store.write(lambda tx: tx.index.put_vectors("memos", "new", alive))
    await store.write(lambda tx: tx.index.activate("memos", "new"))
    tables = "SELECT count(*) FROM pg_class WHERE relname = 'memo_vectors_1'"
    assert run(database, tables) == [(1,)]
    await store.purge_deleted()
    assert run(database, tables) == [(0,)]
    assert run(database, "SELECT id, model FROM embedders") == [(2, "new")]


async def test_a_search_whose_vectors_go_under_its_eyes_is_run_again(database: str, store: PostgresStore):
    alive = await fill(store, scatter(5, 8))
    await store.write(lambda tx: tx.index.put_vectors("memos", "new", alive))
    query, runs = scatter(1, 8)[0], list[int]()

    def unit(tx: Tx) -> dict[int, float]:
        serving = next(each.model for each in tx.index.vectors("memos") if each.active)
        runs.append(1)
        if len(runs) == 1:
            run(database, "UPDATE embedders SET retired = now(), serving = false WHERE id = 1")
            run(database, "UPDATE embedders SET serving = true WHERE id = 2; DROP TABLE memo_vectors_1 CASCADE")
        return tx.index.nearest("memos", [ADA.scope], serving, query, 3)

    assert len(await store.read(unit)) == 3
    assert len(runs) == 2


async def test_the_doctor_mentions_a_large_scope_without_an_index(database: str, store: PostgresStore):
    await fill(store, scatter(1, 3))
    run(database, "INSERT INTO memo_vectors_1 SELECT -n, 1, '[1,0,0]' FROM generate_series(1, 20000) AS n")
    run(database, "UPDATE scopes SET size = 20001 WHERE id = 1")
    said = {finding.check: finding.detail for finding in await store.check_health()}
    assert "1 searched row by row" in said["large scopes"]
