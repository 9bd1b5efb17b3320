"""Tables come into being once, whoever opens a database first, and what isn't ours is left alone."""

import asyncio

import psycopg
import pytest

from recollect.core.errors import CorruptStore, NewerSchema, StoreError, StoreUnwritable
from recollect.stores.postgres import examine
from recollect.stores.postgres.address import Address
from recollect.stores.postgres.database import Database
from recollect.stores.postgres.pool import connect
from recollect.stores.postgres.schema import MIGRATIONS, migrate
from recollect.testing.store_contract.samples import ADA, make_memo, put, texts_of, unit_vector
from tests.stores.opening import faults, finished
from tests.stores.postgres import in_database, opened, run, start

EVERYTHING = (
    "SELECT relname, relkind FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'v')"
)

MAKE = """
await put(store, make_memo(f"from {sys.argv[2]}", Subject(sys.argv[2])))
say_aloud(await store.read(lambda tx: tx.memos.count(Subject(sys.argv[2]))))
"""


@pytest.mark.slow
async def test_processes_that_open_a_new_database_at_once_make_its_tables_once(bare_database: str):
    processes = [start("from recollect.core.types import Subject\n" + MAKE, bare_database, f"{n}") for n in range(5)]
    assert [await finished(process) for process in processes] == [["1"]] * 5
    made = run(bare_database, "SELECT number, name FROM migrations ORDER BY number")
    assert made == [(number, name) for number, (name, _) in enumerate(MIGRATIONS, 1)]


async def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(database: str):
    async with opened(database) as store:
        await put(store, make_memo("kept"))
    run(database, "INSERT INTO migrations VALUES (99, 'from the future', 0); DROP TABLE exchanges")
    before = run(database, EVERYTHING)
    async with opened(database) as store:
        for unit in (put(store, make_memo("x")), texts_of(store)):
            with pytest.raises(NewerSchema, match=r"schema 99.*pip install --upgrade"):
                await unit
    assert "version 99" in faults(examine(database))["schema"]
    assert run(database, EVERYTHING) == before
    assert run(database, "SELECT text FROM memos") == [("kept",)]


async def test_tables_of_another_program_are_left_alone(bare_database: str):
    run(bare_database, "CREATE TABLE public.messages (theirs text); INSERT INTO public.messages VALUES ('precious')")
    async with opened(bare_database) as store:
        await put(store, make_memo("ours"))
        await store.purge_deleted()
        assert await store.find_traces(["precious"]) == {}
    assert run(bare_database, "SELECT * FROM public.messages") == [("precious",)]

    run(bare_database, "CREATE SCHEMA theirs; CREATE TABLE theirs.jobs (x int)")
    async with opened(f"{bare_database}?schema=theirs") as store:
        with pytest.raises(CorruptStore, match=r"theirs .*another program.*schema="):
            await put(store, make_memo("x"))
    assert "another program" in faults(examine(f"{bare_database}?schema=theirs"))["schema"]
    assert run(bare_database, "SELECT count(*) FROM pg_class WHERE relnamespace = 'theirs'::regnamespace") == [(1,)]


async def test_stores_in_schemas_of_their_own_share_a_database(bare_database: str):
    async with opened(f"{bare_database}?schema=one") as one, opened(f'{bare_database}?schema=The "other"') as other:
        await put(one, make_memo("of one"))
        await put(other, make_memo("of the other"))
        assert await texts_of(one) == ["of one"]
        assert await texts_of(other) == ["of the other"]
        assert not faults(await other.check_health())


def test_a_migration_that_fails_half_way_leaves_no_trace(bare_database: str):
    address = Address.of(bare_database)
    MIGRATIONS.append(("broken", "CREATE TABLE half (x int); SELECT 1 / 0"))
    try:
        with connect(address, 5) as connection, pytest.raises(psycopg.errors.DivisionByZero):
            migrate(connection, address)
    finally:
        MIGRATIONS.pop()
    assert run(bare_database, "SELECT count(*) FROM pg_namespace WHERE nspname = 'recollect'") == [(0,)]
    with connect(address, 5) as connection:
        migrate(connection, address)
        migrate(connection, address)
    assert run(bare_database, "SELECT count(*) FROM migrations") == [(len(MIGRATIONS),)]


async def test_a_migration_is_made_while_others_hold_an_older_version(database: str):
    """A process that was opened before goes on: what it knows of the tables is still right."""
    async with opened(database) as before:
        await put(before, make_memo("before"))
        MIGRATIONS.append(("one more", "CREATE TABLE one_more (x int)"))
        try:
            async with opened(database) as after:
                await put(after, make_memo("after"))
        finally:
            MIGRATIONS.pop()
        await put(before, make_memo("still here"))
        assert set(await texts_of(before)) == {"before", "after", "still here"}


async def test_a_user_who_may_not_make_the_tables_hears_who_can(bare_database: str, postgres: str):
    run(bare_database, "DO $$ BEGIN CREATE ROLE modest LOGIN; EXCEPTION WHEN duplicate_object THEN END $$")
    address = bare_database.replace("postgres@", "modest@")
    async with opened(address) as store:
        with pytest.raises(StoreUnwritable, match=r"administrator run once: CREATE EXTENSION vector; CREATE SCHEMA"):
            await put(store, make_memo("x"))
    run(bare_database, "CREATE EXTENSION vector; CREATE SCHEMA recollect AUTHORIZATION modest")
    async with opened(address) as store:
        await put(store, make_memo("x"))
        assert await texts_of(store) == ["x"]
    run(bare_database, "REVOKE INSERT ON memos FROM modest")
    async with opened(address) as store:
        with pytest.raises(StoreUnwritable, match=r"doesn't let us write .*permission denied"):
            await put(store, make_memo("y"))


async def test_a_database_that_can_not_hold_every_text_is_refused(postgres: str):
    run(postgres, "DROP DATABASE IF EXISTS recollect_test_latin")
    run(postgres, "CREATE DATABASE recollect_test_latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    try:
        async with opened(in_database(postgres, "recollect_test_latin")) as store:
            with pytest.raises(StoreError, match="ENCODING 'UTF8'"):
                await put(store, make_memo("x"))
    finally:
        run(postgres, "DROP DATABASE recollect_test_latin WITH (FORCE)")


async def test_an_extension_that_lies_elsewhere_is_found(bare_database: str):
    run(bare_database, "CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions")
    async with opened(bare_database) as store:
        await asyncio.gather(*(put(store, make_memo(f"{n}")) for n in range(3)))
        assert await store.read(lambda tx: tx.memos.count(ADA)) == 3


async def test_word_tables_that_counted_each_place_of_a_word_are_taken_over(bare_database: str):
    database = bare_database
    later = MIGRATIONS[1:]
    del MIGRATIONS[1:]
    try:
        with connect(Address.of(database), 5) as connection:
            migrate(connection, Address.of(database))
    finally:
        MIGRATIONS.extend(later)
    run(
        database,
        "ALTER TABLE memo_words ADD times integer NOT NULL DEFAULT 1, DROP CONSTRAINT memo_words_pkey; "
        "ALTER TABLE memo_words ADD PRIMARY KEY (scope, term, key) INCLUDE (times)",
    )
    async with opened(database) as store:
        await put(store, make_memo("likes tea"), make_memo("likes cake, and more cake"))
        hits = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["cake", "tea"], 9))
    assert sorted(term for hit in hits for term in hit.parts) == ["cake", "tea"]
    assert run(database, "SELECT count(*) FROM migrations") == [(len(MIGRATIONS),)]
    assert not faults(examine(database))


EARLIER_VIEWS = """
DROP VIEW memory_fact_vectors_native, memories, memory_facts, action_log;
CREATE VIEW memories AS SELECT scopes.name || '/' || memos.id AS id, memos.kind AS category, memos.text AS content,
    array_to_json(memos.tags)::text AS keywords, (SELECT embedding::vector FROM memo_vectors_1 AS found
    WHERE found.key = memos.key) AS embedding, ''::text AS created_at, coalesce(memos.metadata, '{}') AS metadata,
    memos.key AS rowid FROM memos JOIN scopes ON scopes.id = memos.scope;
CREATE VIEW memory_facts AS SELECT memos.key AS id, memos.created AS created_at, memos.updated AS updated_at,
    memos.guild AS guild_id, memos.channel AS channel_id, substr(scopes.name, 6) AS subject, memos.text AS fact,
    'other'::text AS fact_type, memos.evidence AS evidence_text, memos.message AS source_message_id,
    memos.confidence AS confidence, 1::integer AS is_active FROM memos JOIN scopes ON scopes.id = memos.scope;
CREATE VIEW action_log AS SELECT id FROM events;
"""


async def test_views_of_an_earlier_version_give_way_to_those_of_the_documents(database: str):
    async with opened(database) as store:
        await store.write(lambda tx: tx.memos.put(make_memo("kept", id="durable-1"), ("openai:m", unit_vector(1, 0))))
    run(database, EARLIER_VIEWS)
    with psycopg.connect(Address.of(database).conninfo, autocommit=True) as connection:
        connection.execute("SET search_path = recollect, public")
        migration = dict(MIGRATIONS)["views of documents D and E"]
        assert callable(migration)
        migration(Database(connection, writing=True))
        connection.commit()
    assert run(database, "SELECT id, content FROM memories") == [("durable-1", "kept")]
    assert run(database, "SELECT model, dims, length(embedding_blob) FROM memory_fact_vectors_native") == [("m", 2, 8)]
    assert run(database, "SELECT count(*) FROM memory_facts WHERE guild_id IS NULL") == [(0,)]
    assert run(database, "SELECT count(kind) FROM action_log") == [(0,)]
