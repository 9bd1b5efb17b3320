"""Arbitrary texts, queries and sequences of changes against the store, in memory."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from recollect.core.ports import Store, Tx
from recollect.core.text import clean, query_words, words
from recollect.core.types import Memo, Place, Provenance, Status, Subject
from recollect.stores.sqlite import create
from recollect.testing.store_contract.samples import ADA, BEN, find, make_memo, make_message, put, say
from tests.stores.opening import faults

ANY_TEXT = st.text(st.characters(), max_size=300)  # surrogates and control characters included
numbers = itertools.count()


class World:
    """One store in memory with a loop of its own, for examples that each use a subject of their own."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.store: Store = create("sqlite://")

    def do(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    def close(self) -> None:
        self.do(self.store.close())
        self.runner.close()


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    world = World()
    yield world
    assert not faults(world.do(world.store.check_health()))
    world.close()


fuzz = settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])


@fuzz
@given(text=ANY_TEXT)
def test_any_text_comes_back_and_is_found_by_its_own_words(world: World, text: str):
    subject = Subject(f"reader {next(numbers)}")
    place = Place(channel=subject.id)
    world.do(put(world.store, make_memo(text, subject), make_memo("zzzz", subject, id="other")))
    world.do(say(world.store, make_message(text, place, id=subject.id)))
    memo, _ = sorted(world.do(world.store.read(lambda tx: tx.memos.list(subject))), key=lambda memo: memo.id == "other")
    message = world.do(world.store.read(lambda tx: tx.messages.get("local", subject.id)))
    assert memo.text == message.text == clean(text)
    for query in (text, memo.text, text.upper(), " ".join(words(text))):
        if query_words(query):
            found = world.do(find(world.store, query, [subject.scope]))
            said = world.do(find(world.store, query, [place.stream], "messages"))
            if set(query_words(query)) & set(words(memo.text)):
                assert memo.text in found
                assert said == [memo.text]
    for word in query_words(memo.text)[:5]:
        assert memo.text in world.do(find(world.store, word, [subject.scope]))


@fuzz
@given(query=ANY_TEXT, terms=st.lists(ANY_TEXT, max_size=5))
def test_any_query_and_any_term_is_safe(world: World, query: str, terms: list[str]):
    world.do(put(world.store, make_memo("likes tea", ADA), make_memo("hidden tea", BEN)))
    assert world.do(find(world.store, query, [ADA.scope])) in ([], ["likes tea"])
    hits = world.do(world.store.read(lambda tx: tx.index.words("memos", [ADA.scope], terms, 9)))
    found = world.do(world.store.read(lambda tx: tx.memos.fetch([hit.key for hit in hits])))
    assert all(memo.subject == ADA for memo in found.values())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | ANY_TEXT.map(clean),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT.map(clean), inner, max_size=3),
    max_leaves=8,
)


@fuzz
@given(
    tags=st.lists(ANY_TEXT.map(clean), max_size=4),
    metadata=st.dictionaries(ANY_TEXT.map(clean), JSON, max_size=3),
    evidence=st.none() | ANY_TEXT.map(clean),
    confidence=st.floats(0, 1),
)
def test_memo_metadata_and_evidence_survive_storage(
    world: World, tags: Any, metadata: Any, evidence: Any, confidence: float
):
    subject = Subject(f"owner {next(numbers)}")
    source = Provenance(metadata=metadata, evidence=evidence)
    memo = make_memo("x", subject, tags=tuple(tags), source=source, confidence=confidence)
    (key,) = world.do(put(world.store, memo))
    (stored,) = world.do(world.store.read(lambda tx: tx.memos.list(subject)))
    assert stored == replace(memo, key=key)


WORDS = ["alpha", "beta", "gamma", "東京", "café", "c++", "москва"]
SUBJECTS = [ADA, BEN]
PLACES = st.tuples(st.sampled_from(SUBJECTS), st.sampled_from(["1", "2", "3"]))


class Undone(Exception):
    """Raised by units that take themselves back."""


class MemosBesideAModel(RuleBasedStateMachine):
    """Memos come, change, retire and go; the store always agrees with a dictionary."""

    @initialize()
    def open(self) -> None:
        self.world = World()
        self.memos: dict[tuple[Subject, str], Memo] = {}

    @rule(place=PLACES, said=st.lists(st.sampled_from(WORDS), max_size=4), tag=st.sampled_from([*WORDS, None]))
    def write(self, place: tuple[Subject, str], said: list[str], tag: str | None) -> None:
        memo = make_memo(" ".join(said), place[0], id=place[1], tags=(tag,) if tag else ())
        self.world.do(put(self.world.store, memo))
        self.memos[place] = memo

    @precondition(lambda self: self.memos)
    @rule(data=st.data(), status=st.sampled_from(Status))
    def turn(self, data: st.DataObject, status: Status) -> None:
        place = data.draw(st.sampled_from(sorted(self.memos, key=str)))
        self.memos[place] = replace(self.memos[place], status=status)
        self.world.do(put(self.world.store, self.memos[place]))

    @rule(place=PLACES)
    def remove(self, place: tuple[Subject, str]) -> None:
        memo = self.memos.pop(place, make_memo("never there", place[0], id=place[1]))
        self.world.do(self.world.store.write(lambda tx: tx.memos.remove(memo)))

    @rule(place=PLACES)
    def change_and_undo(self, place: tuple[Subject, str]) -> None:
        def work(tx: Tx) -> None:
            tx.memos.put(make_memo("undone alpha", place[0], id=place[1]))
            tx.index.words("memos", [place[0].scope], ["alpha"], 9)
            tx.memos.remove(make_memo("x", place[0], id=place[1]))
            raise Undone

        with pytest.raises(Undone):
            self.world.do(self.world.store.write(work))

    @rule()
    def reindex(self) -> None:
        self.world.do(self.world.store.reindex())

    @invariant()
    def words_find_what_is_active(self) -> None:
        for subject in SUBJECTS:
            ours = [memo for (owner, _), memo in self.memos.items() if owner == subject]
            active = [memo for memo in ours if memo.active]
            size = self.world.do(self.world.store.read(lambda tx, s=subject: tx.index.size([s.scope])))
            count = self.world.do(self.world.store.read(lambda tx, s=subject: tx.memos.count(s)))
            assert (size, count) == (len(active), len(ours))
            for word in WORDS:
                found = self.world.do(find(self.world.store, word, [subject.scope]))
                expected = [memo.text for memo in active if word in memo.text.split() or word in memo.tags]
                assert sorted(found) == sorted(expected)

    def teardown(self) -> None:
        if hasattr(self, "world"):
            assert not faults(self.world.do(self.world.store.check_health()))
            self.world.close()


MemosBesideAModel.TestCase.settings = settings(deadline=None, max_examples=30, stateful_step_count=20)
TestMemosBesideAModel = MemosBesideAModel.TestCase
