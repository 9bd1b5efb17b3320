"""Vectors follow what is written: queries, healing, a change of model, chains, outages."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from typing import Any

import pytest

from recollect import plugins
from recollect.core.errors import EmbedderError, StoreBusy
from recollect.core.ports import Corpus, Store, Tx, Vector
from recollect.recall.vectors.embedder_chain import retry_delay
from recollect.recall.vectors.index import VectorIndexer
from recollect.recall.vectors.query_vectors import CACHE_SIZE, MAX_PENDING
from recollect.testing.embedders import WordEmbedder
from recollect.testing.store_contract.samples import BEN, make_memo, make_message, put, say, vector_counts
from tests import ground
from tests.waiting import eventually

RETRY_DELAYS = {retry_delay(failures) for failures in range(1, 20)}
TEXTS = ("the cat sleeps", "deploys run on fridays", "the api uses tokens")


class Pauses:
    """Time that stands still: pauses after work pass at once, those after a failure when told."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._end = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        if seconds not in RETRY_DELAYS:  # it depends on how long the work took
            await asyncio.sleep(0)
            return
        self.asked.append(seconds)
        await self._end.wait()

    async def over(self) -> None:
        """The pause that was asked for last is over; returns when the next one is asked for, or soon."""
        end, self._end = self._end, asyncio.Event()
        end.set()
        for _ in range(20):
            await asyncio.sleep(0.002)


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store: Store = plugins.load("stores", ground.new())
    yield store
    await store.close()


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


Open = Callable[..., Awaitable[VectorIndexer]]


@pytest.fixture
async def started(store: Store, pauses: Pauses) -> AsyncIterator[Open]:
    """Opens vectors over a chain of embedders, and closes them in the end."""
    opened: list[VectorIndexer] = []

    async def start(*chain: WordEmbedder, old: Collection[WordEmbedder] = ()) -> VectorIndexer:
        known = {embedder.name: embedder for embedder in old}

        def revive(name: str) -> WordEmbedder:
            if name not in known:
                raise EmbedderError(f"nobody knows {name}")
            return known[name]

        vectors = VectorIndexer(store, chain, revive, sleep=pauses.sleep, close_timeout=0.3)
        vectors.start()
        opened.append(vectors)
        return vectors

    yield start
    for vectors in opened:
        await vectors.close()


async def write(store: Store, *texts: str) -> list[int]:
    return await put(store, *map(make_memo, texts))


async def sizes(store: Store, corpus: Corpus = "memos") -> dict[str, int]:
    return await store.read(lambda tx: vector_counts(tx, corpus))


async def serving(store: Store) -> list[str]:
    sets = await store.read(lambda tx: tx.index.vectors("memos"))
    return [one.model for one in sets if one.active]


async def serves(store: Store, model: str) -> bool:
    return await serving(store) == [model]


async def filled(store: Store, model: str, count: int) -> None:
    async def full() -> bool:
        return (await sizes(store)).get(model) == count

    await eventually(full)


async def test_rows_without_a_vector_are_embedded_at_start(store: Store, started: Open):
    await write(store, *TEXTS)
    await say(store, make_message("hello there"))
    embedder = WordEmbedder()
    await started(embedder)
    await filled(store, "words", 3)
    await eventually(lambda: len(embedder.texts) == 4)
    assert await serving(store) == ["words"]


async def test_a_backlog_is_embedded_in_batches_outside_of_transactions(store: Store, started: Open):
    await write(store, *(f"fact number {number}" for number in range(250)))
    embedder = WordEmbedder()
    embedder.gate.clear()
    await started(embedder)
    await eventually(lambda: len(embedder.calls) == 1)
    await asyncio.wait_for(write(store, "written while texts are being embedded"), 5)
    embedder.gate.set()
    await filled(store, "words", 251)
    assert max(map(len, embedder.calls)) == 100


async def test_a_nudge_embeds_what_was_written_since(store: Store, started: Open):
    vectors = await started(WordEmbedder())
    await write(store, *TEXTS)
    vectors.wake()
    await filled(store, "words", 3)


async def test_the_same_query_is_embedded_once_by_all_who_ask_and_then_kept(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    embedder.gate.clear()
    asking = [asyncio.create_task(vectors.embed_query("which cat", "memos", 5)) for _ in range(5)]
    await eventually(lambda: "which cat" in embedder.texts)
    embedder.gate.set()
    answers = await asyncio.gather(*asking)
    assert len(set(answers)) == 1
    assert answers[0] is not None
    assert await vectors.embed_query(" which cat ", "memos", 0) == answers[0]
    assert embedder.texts.count("which cat") == 1


async def test_only_so_many_queries_are_kept_and_only_so_many_wait(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder(local=False)
    vectors = await started(embedder)
    await filled(store, "words", 3)
    for number in range(CACHE_SIZE + 1):
        await vectors.embed_query(f"query {number}", "memos", 5)
    await vectors.embed_query("query 1", "memos", 5)
    await vectors.embed_query("query 0", "memos", 5)
    assert (embedder.texts.count("query 0"), embedder.texts.count("query 1")) == (2, 1)
    embedder.gate.clear()
    for number in range(MAX_PENDING + 5):
        assert await vectors.embed_query(f"stuck {number}", "memos", 0) is None
    await asyncio.sleep(0)
    assert sum(text.startswith("stuck") for text in embedder.texts) == MAX_PENDING
    embedder.gate.set()


async def test_a_local_embedder_that_hangs_delays_a_search_no_longer_than_its_timeout(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    assert await vectors.embed_query("answered", "memos", 5) is not None
    embedder.gate.clear()
    assert await vectors.embed_query("stuck", "memos", 0.001) is None
    assert await vectors.embed_query("stuck again", "memos", 0.001) is None
    embedder.gate.set()
    assert await vectors.embed_query("stuck again", "memos", 5) is not None


@pytest.mark.acceptance("D34")
async def test_a_query_is_embedded_from_three_characters_and_only_with_an_embedder(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    assert await vectors.embed_query("ca ", "memos", 5) is None
    assert await vectors.embed_query("cat", "memos", 5) is not None
    assert [text for text in embedder.texts if len(text) <= 3] == ["cat"]
    without = await started()
    assert await without.embed_query("cat", "memos", 5) is None
    assert not without.enabled


async def test_a_slow_query_goes_without_but_serves_the_next(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    embedder.gate.clear()
    assert await vectors.embed_query("which cat", "memos", 0.01) is None
    embedder.gate.set()
    assert await vectors.embed_query("which cat", "memos", 5) is not None
    assert embedder.texts.count("which cat") == 1


async def test_a_query_that_is_like_nothing_goes_by_words(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    embedder._vector = lambda text: bytes(4 * embedder.dims)
    assert await vectors.embed_query("🙂🙂🙂", "memos", 5) is None


async def test_vectors_of_other_dimensions_are_neither_searched_with_nor_stored(
    store: Store, started: Open, pauses: Pauses, caplog: pytest.LogCaptureFixture
):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    embedder.dims = 8
    assert await vectors.embed_query("which cat", "memos", 5) is None
    assert await vectors.embed_text("a new fact", 5) is None
    await write(store, "one more fact")
    vectors.wake()
    await eventually(lambda: pauses.asked == [1.0])
    assert "a vector of 8 numbers" in caplog.text
    assert await sizes(store) == {"words": 3}


async def test_errors_of_any_kind_stay_inside(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await filled(store, "words", 3)
    embedder.trouble = ZeroDivisionError("a plug-in's bug")
    assert await vectors.embed_query("which cat", "memos", 5) is None
    assert await vectors.embed_text("some text", 5) is None


async def test_only_a_local_embedder_is_waited_for_when_writing(store: Store, started: Open):
    local, remote = await started(WordEmbedder("near")), await started(WordEmbedder("far", local=False))
    found = await local.embed_text("some text", 5)
    assert found is not None
    assert found[0] == "near"
    assert await remote.embed_text("some text", 5) is None


async def test_an_embedder_that_failed_is_left_alone_and_asked_again_with_growing_pauses(
    store: Store, started: Open, pauses: Pauses, caplog: pytest.LogCaptureFixture
):
    embedder = WordEmbedder()
    embedder.trouble = EmbedderError("the server is gone")
    vectors = await started(embedder)
    await write(store, *TEXTS)
    vectors.wake()
    for expected in (1, 2, 4, 8):
        await eventually(lambda expected=expected: pauses.asked[-1:] == [expected])
        before = len(embedder.calls)
        vectors.wake()
        assert await vectors.embed_query("which cat", "memos", 5) is None
        await asyncio.sleep(0.02)
        assert len(embedder.calls) == before
        await pauses.over()
    assert sum("the server is gone" in record.getMessage() for record in caplog.records) == 1
    embedder.trouble = None
    await pauses.over()
    await filled(store, "words", 3)
    assert await vectors.embed_query("which cat", "memos", 5) is not None


async def test_pauses_grow_too_when_it_answers_but_can_not_do_the_work(store: Store, started: Open, pauses: Pauses):
    class Choosy(WordEmbedder):
        async def embed(self, texts: Sequence[str]) -> list[Vector]:
            if len(texts) > 1:
                raise EmbedderError("one at a time, please")
            return await super().embed(texts)

    await write(store, *TEXTS)
    await started(Choosy())
    for expected in (1, 2, 4):
        await eventually(lambda expected=expected: pauses.asked[-1:] == [expected])
        await pauses.over()


async def test_pauses_end_at_five_minutes():
    assert [retry_delay(failures) for failures in (1, 2, 9, 10, 10_000)] == [1, 2, 256, 300, 300]


async def test_a_store_that_fails_is_tried_again_and_the_embedder_not_blamed(
    store: Store, started: Open, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
):
    await write(store, *TEXTS)
    real = store.write

    async def busy(work: Callable[[Tx], Any], *, background: bool = False) -> Any:
        raise StoreBusy("locked")

    monkeypatch.setattr(store, "write", busy)
    vectors = await started(WordEmbedder())
    await eventually(lambda: pauses.asked == [1.0])
    assert vectors.model == "words"
    monkeypatch.setattr(store, "write", real)
    await pauses.over()
    await filled(store, "words", 3)


async def test_old_vectors_serve_until_the_new_ones_are_complete(store: Store, started: Open):
    await write(store, *(f"fact number {number}" for number in range(150)))
    old, new = WordEmbedder("old"), WordEmbedder("new", dims=8)
    await (await started(old)).close()
    assert await sizes(store) == {"old": 150}
    new.gate.clear()
    vectors = await started(new, old=[old])
    await eventually(lambda: len(new.calls) == 1)
    assert (await vectors.embed_query("which fact", "memos", 5) or "?")[0] == "old"
    new.gate.set()
    await filled(store, "new", 150)
    await eventually(lambda: not vectors._filling.locked())
    assert await sizes(store) == {"new": 150}
    assert (await vectors.embed_query("which fact", "memos", 5) or "?")[0] == "new"


async def test_a_row_written_during_the_last_batch_is_not_lost_by_the_change(store: Store, started: Open):
    await write(store, *TEXTS)
    await (await started(WordEmbedder("old"))).close()
    new = WordEmbedder("new")
    new.gate.clear()
    await started(new)
    await eventually(lambda: len(new.calls) == 1)
    await put(store, make_memo("of someone whose rows come earlier", BEN), make_memo("one more"))
    new.gate.set()
    await filled(store, "new", 5)
    await eventually(lambda: serves(store, "new"))


async def test_an_old_model_that_nobody_knows_any_more_costs_nothing_but_its_vectors(store: Store, started: Open):
    await write(store, *TEXTS)
    await (await started(WordEmbedder("old"))).close()
    new = WordEmbedder("new")
    new.gate.clear()
    vectors = await started(new)
    await eventually(lambda: len(new.calls) == 1)
    assert await vectors.embed_query("which cat", "memos", 5) is None
    new.gate.set()
    await filled(store, "new", 3)


async def test_a_stand_in_fills_its_own_set_and_the_first_ones_vectors_stay(
    store: Store, started: Open, pauses: Pauses
):
    first, second = WordEmbedder("first", local=False), WordEmbedder("second", dims=8)
    await write(store, *TEXTS)
    vectors = await started(first, second)
    await filled(store, "first", 3)
    assert (await vectors.embed_query("which cat", "memos", 5) or "?")[0] == "first"
    assert not second.calls

    first.trouble = EmbedderError("gone")
    assert await vectors.embed_query("another cat", "memos", 5) is None
    await filled(store, "second", 3)
    await eventually(lambda: ("memos", "second") in vectors._complete)
    assert (await vectors.embed_query("another cat", "memos", 5) or "?")[0] == "second"
    assert await sizes(store) == {"first": 3, "second": 3}
    assert await serving(store) == ["first"]
    await write(store, "written meanwhile")
    vectors.wake()
    await filled(store, "second", 4)

    first.trouble = None
    await pauses.over()
    await filled(store, "first", 4)
    await eventually(lambda: vectors.model == "first" and not vectors._filling.locked())
    assert (await vectors.embed_query("third cat", "memos", 5) or "?")[0] == "first"


async def test_a_first_one_that_never_worked_leaves_the_second_to_serve_and_takes_over_later(
    store: Store, started: Open, pauses: Pauses
):
    first, second = WordEmbedder("first", local=False), WordEmbedder("second")
    first.trouble = EmbedderError("no key")
    await write(store, *TEXTS)
    vectors = await started(first, second)
    await filled(store, "second", 3)
    assert await serving(store) == ["second"]
    assert (await vectors.embed_text("new fact", 5) or "?")[0] == "second"
    first.trouble = None
    await pauses.over()
    await filled(store, "first", 3)

    async def took_over() -> bool:
        return await sizes(store) == {"first": 3}

    await eventually(took_over)


async def test_without_anyone_who_works_words_are_left(store: Store, started: Open):
    chain = WordEmbedder("first", local=False), WordEmbedder("second")
    for embedder in chain:
        embedder.trouble = EmbedderError("gone")
    await write(store, *TEXTS)
    vectors = await started(*chain)
    assert await vectors.embed_query("which cat", "memos", 5) is None
    with pytest.raises(EmbedderError, match="gone"):
        await vectors.fill()


async def test_progress_has_a_true_total(store: Store, started: Open):
    await write(store, *(f"fact number {number}" for number in range(230)))
    await say(store, *(make_message(f"said {number}", seconds=number) for number in range(20)))
    vectors = VectorIndexer(store, [WordEmbedder()], WordEmbedder)
    seen: list[tuple[int, int]] = []
    assert await vectors.fill(lambda done, total: seen.append((done, total))) == 250
    assert seen == [(100, 250), (200, 250), (230, 250), (250, 250)]
    assert await vectors.fill(lambda done, total: seen.append((done, total))) == 0
    await vectors.close()


async def test_closing_finishes_what_is_left(store: Store):
    embedder = WordEmbedder()
    vectors = VectorIndexer(store, [embedder], WordEmbedder)
    vectors.start()
    await write(store, *TEXTS)
    await vectors.close()
    assert await sizes(store) == {"words": 3}
    assert embedder.closed


async def test_closing_does_not_wait_for_a_server_that_hangs(store: Store, started: Open):
    await write(store, *TEXTS)
    embedder = WordEmbedder()
    embedder.gate.clear()
    vectors = await started(embedder)
    await eventually(lambda: len(embedder.calls) == 1)
    await asyncio.wait_for(vectors.close(), 3)
    assert embedder.closed
    assert await sizes(store) == {}


@pytest.mark.acceptance("D37")
async def test_missing_vectors_come_back_in_the_background_and_no_query_embeds_more_than_itself(
    store: Store, started: Open
):
    embedder = WordEmbedder()
    vectors = await started(embedder)
    await write(store, "a first fact")
    vectors.wake()
    await filled(store, "words", 1)
    await write(store, *(f"fact number {number}" for number in range(30)))
    embedder.calls.clear()
    queries = [f"query {number}" for number in range(3)]
    for query in queries:
        assert await vectors.embed_query(query, "memos", 5) is not None
    assert [list(call) for call in embedder.calls if set(call) & set(queries)] == [[query] for query in queries]
    vectors.wake()
    await filled(store, "words", 31)
    facts = [text for text in embedder.texts if text.startswith("fact number")]
    assert len(facts) == len(set(facts)) == 30, "each once, however many ask"
