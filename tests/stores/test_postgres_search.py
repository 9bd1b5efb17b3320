"""Finding rows by words on PostgreSQL: the same hits and scores as on SQLite, and work that stays bounded."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from recollect.core.ports import Corpus, Store, Tx
from recollect.core.text import query_words
from recollect.core.types import Status
from recollect.stores.postgres import PostgresStore, words
from recollect.stores.postgres.tx import PostgresTx
from recollect.stores.sqlite import create as create_sqlite
from recollect.testing.store_contract.samples import (
    ADA,
    BEN,
    CHANNEL,
    OTHER,
    THREAD,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
)
from tests.stores.opening import faults
from tests.stores.postgres import opened, run

TONGUES = [
    "tea", "Tea", "teas", "drinking", "drinks", "café", "cafe", "C++", "c#", "don't", "東京タワー", "東京", "绿茶",
    "喜欢", "서울에", "москве", "Москва", "Straße", "STRASSE", "ﬁne", "नमस्ते", "سلام", "שָׁלוֹם", "3.12", "🍵", "ＷＩＤＥ",
    "ไทย",
]  # fmt: skip
SEARCHED: list[tuple[Corpus, list[str]]] = [
    ("memos", [ADA.scope]),
    ("memos", [BEN.scope, ADA.scope]),
    ("messages", [CHANNEL.stream]),
    ("messages", [OTHER.stream, CHANNEL.stream, "nowhere"]),
]
Found = list[tuple[str, float, dict[str, tuple[int, int]]]]


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    async with opened(database) as store:
        yield store


@pytest.fixture
async def sqlite() -> AsyncIterator[Store]:
    store = create_sqlite("sqlite://")
    yield store
    await store.close()


async def hits(store: Store, corpus: Corpus, scopes: list[str], query: str, limit: int = 50) -> Found:
    """What is found, by text, with its score and its words."""

    def look(tx: Tx) -> Found:
        found = tx.index.words(corpus, scopes, query_words(query), limit)
        keys = [hit.key for hit in found]
        rows = tx.memos.fetch(keys) if corpus == "memos" else tx.messages.fetch(keys)
        return [(rows[hit.key].text, round(hit.score, 6), dict(hit.parts)) for hit in found]

    return await store.read(look)


async def test_texts_of_many_tongues_are_found_as_on_sqlite(store: PostgresStore, sqlite: Store):
    dice = random.Random(5)
    texts = [" ".join(dice.choices(TONGUES, k=dice.randint(1, 9))) + f" {number}" for number in range(150)]
    for each in (store, sqlite):
        await put(each, *(make_memo(text, (ADA, BEN)[n % 2], tags=("tag",) * (n % 3)) for n, text in enumerate(texts)))
        await put(each, *(make_memo(text, ADA, status=Status.ARCHIVED) for text in texts[:20:2]))
        await say(each, *(make_message(text, (CHANNEL, THREAD, OTHER)[n % 3], n) for n, text in enumerate(texts)))
    for query in (*TONGUES, *(" ".join(dice.choices(TONGUES, k=4)) for _ in range(15)), "tag 77"):
        for corpus, scopes in SEARCHED:
            ours = await hits(store, corpus, scopes, query, 200)
            theirs = await hits(sqlite, corpus, scopes, query, 200)
            assert sorted(ours, key=str) == sorted(theirs, key=str)


@pytest.mark.slow
async def test_a_word_of_more_rows_than_are_read_finds_the_newest_as_on_sqlite(store: PostgresStore, sqlite: Store):
    memos = [make_memo(f"tea {'tea ' * (n % 3)}number{n}") for n in range(words.MAX_POSTINGS + 100)]
    for each in (store, sqlite):
        await put(each, *memos)
    ours, theirs = [await hits(each, "memos", [ADA.scope], "tea number7") for each in (store, sqlite)]
    assert ours == theirs
    ours, theirs = [await hits(each, "memos", [ADA.scope], "tea") for each in (store, sqlite)]
    assert ours == theirs
    assert [text for text, _, _ in ours] == [memo.text for memo in memos[:-51:-1]]


async def test_how_common_a_very_common_word_is_comes_from_its_newest_rows(database: str, store: PostgresStore):
    await put(store, make_memo("rare"))
    rows = 3 * words.MAX_COUNTED_ROWS
    run(database, f"UPDATE scopes SET last = {rows}, size = {rows}")
    run(
        database,
        "INSERT INTO memos (key, scope, number, id, kind, text, content, tags, status, confidence, pinned, audience, "
        "created, updated, origin, actor, platform) SELECT nextval('row_keys'), 1, n, n, 'fact', 'x', 0, '{}', "
        f"'active', 1, false, 'everywhere', n, n, 'manual', '', 'local' FROM generate_series(2, {rows}) AS n",
    )
    run(
        database,
        "INSERT INTO memo_words SELECT scope, term, key FROM memos, (VALUES ('alway', 1), ('often', 2)) AS v (term, "
        "share) WHERE number % share = 0",
    )
    (hit,) = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["always"], 1))
    assert hit.parts["always"] == pytest.approx(rows, rel=0.01)
    (hit,) = await store.read(lambda tx: tx.index.words("memos", [ADA.scope], ["often"], 1))
    assert hit.parts["often"] == pytest.approx(rows / 2, rel=0.01)


async def test_a_search_reads_no_more_of_a_common_word_than_it_needs(database: str, store: PostgresStore):
    await put(store, make_memo("tea"))
    run(database, "INSERT INTO memo_words SELECT 1, 'tea', key FROM generate_series(100, 90000) AS key")

    def look(tx: Tx) -> int:
        assert isinstance(tx, PostgresTx)
        tx.index.words("memos", [ADA.scope], ["tea"], 10)
        return tx.db.value("SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'memo_words'")

    assert words.MAX_POSTINGS < await store.read(look) <= words.MAX_COUNTED_ROWS + words.MAX_POSTINGS + 10


async def test_an_index_that_lost_rows_or_kept_too_many_is_noticed_and_mended(database: str, store: PostgresStore):
    await put(store, make_memo("likes tea", tags=("drink",)), make_memo("🍵"), make_memo("likes milk"))
    await say(store, make_message("tea time"), make_message("..."))
    assert not faults(await store.check_health())
    run(database, "DELETE FROM memo_words WHERE key = (SELECT min(key) FROM memos)")
    run(database, "INSERT INTO message_words VALUES (1, 'ghost', 99999)")
    assert faults(await store.check_health()).keys() == {"word index of memos", "word index of messages"}
    await store.reindex()
    assert not faults(await store.check_health())
    assert await find(store, "drink") == ["likes tea"]


@pytest.mark.slow
async def test_recent_memos_are_those_changed_last_however_old_they_are(store: PostgresStore):
    memos = [make_memo(f"memo {n}", updated=at(n)) for n in range(2_100)]
    keys = await put(store, *memos)
    await put(store, replace(memos[0], text="revised", updated=at(9_999)))
    recent = await store.read(lambda tx: tx.index.recent("memos", [ADA.scope], 3))
    assert recent == [keys[0], keys[-1], keys[-2]]
