"""Dreams: what is merged, retired and trusted; what is never touched; that they happen, and can be taken back."""

import asyncio
import logging
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.admin import Admin
from recollect.core.changes import Add, Retire
from recollect.core.errors import ModelError, ModelUnavailable
from recollect.core.ports import ExtractionResult, Proposal, Retraction, StaleResult, Usage
from recollect.core.ports.jobs import CONSOLIDATE, Job
from recollect.core.reasons import Reason
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Origin, Provenance, Status, Subject
from recollect.jobs.options import WorkerOptions
from recollect.jobs.worker import Worker
from recollect.learning import consolidate
from recollect.learning.apply import ChangeContext, write
from recollect.learning.consolidate import Consolidator, plan, read_input
from recollect.learning.consolidate.plan import TRUSTED_CONFIDENCE, ConsolidationInput, ConsolidationOptions, tidy
from recollect.policy.similarity import Similarity, compare
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests.scenes import DEV, DM, Stage, opened

ANN = Subject("discord:ann")
NOW = FakeClock()()
GUILD, STAFF, PRIVATE = (
    Audience("guild", "g1", "g1"),
    Audience("channel", "c-staff", "g1"),
    Audience("dm", "discord:ann"),
)
LEARNED = Provenance(Origin.SUMMARY, "ann", "discord", "g1")
FREELY = ConsolidationOptions(min_memos=0, max_loss=1.0)
OTHERS = ("Plays the cello", "Has a dog named Rex", "Speaks Dutch", "Allergic to peanuts", "Building a boat")


def memo(text: str, age: int = 0, **more: object) -> Memo:
    """A learned memo, so many days old."""
    moment = NOW - timedelta(days=age)
    fields = {"source": LEARNED, "audience": GUILD, "confidence": 0.7, "created": moment, "updated": moment, **more}
    return (
        Memo(f"id-{text}-{age}", ANN, Kind.FACT, text, **fields) if "kind" not in fields else _kinded(text, age, fields)
    )


def _kinded(text: str, age: int, fields: dict[str, object]) -> Memo:
    return Memo(f"id-{text}-{age}", ANN, text=text, **fields)  # type: ignore[arg-type]


def authored(text: str, age: int = 0, **more: object) -> Memo:
    return memo(text, age, source=Provenance(actor="ann"), confidence=1.0, **more)


def after(
    memos: Sequence[Memo], rules: ConsolidationOptions = FREELY, *said: ExtractionResult, **view: object
) -> dict[str, Memo]:
    """The memos that are in use after a dream, by text; the model said this to all of them."""
    done = plan(ConsolidationInput(memos, **view), rules, NOW, [(memos, one) for one in said])  # type: ignore[arg-type]
    changed = {change.after.id: change.after for change in ([] if done.abort else done.changes)}
    left = [changed.get(one.id, one) for one in memos]
    return {one.text: one for one in left if one.active}


@pytest.mark.parametrize(("confidence", "is_raised"), [(0.0, True), (-0.01, True), (0.01, False)])
def test_frequent_use_raises_confidence_once(confidence: float, is_raised: bool) -> None:
    often = memo("Plays the cello", confidence=TRUSTED_CONFIDENCE + (confidence or -0.2), hits=99)
    changes = plan(ConsolidationInput([often, memo("Has a dog named Rex")]), FREELY, NOW).changes
    assert [change.after.confidence for change in changes] == ([TRUSTED_CONFIDENCE] if is_raised else [])
    trusted = replace(often, confidence=TRUSTED_CONFIDENCE)
    assert not plan(ConsolidationInput([trusted, memo("Has a dog named Rex")]), FREELY, NOW).changes


class TestNearDuplicates:
    def test_become_one_that_keeps_the_words_that_say_most(self) -> None:
        short = memo("Likes green tea", 3, tags=("drink",), confidence=0.9)
        full = memo("Likes green tea and coffee", 1, tags=("taste",))
        (kept,) = after([short, full]).values()
        assert (kept.id, kept.text, kept.supersedes) == (full.id, full.text, short.id)
        assert (set(kept.tags), kept.confidence) == ({"drink", "taste"}, 0.9)

    def test_keep_their_lineage(self) -> None:
        first, again = memo("Likes tea", 2), memo("Loves tea", 1)
        (retired,) = [
            one for one in plan(ConsolidationInput([first, again]), FREELY, NOW).changes if isinstance(one, Retire)
        ]
        assert (retired.after.id, retired.after.status, retired.reason) == (again.id, Status.SUPERSEDED, Reason.MERGED)
        assert retired.after.superseded_by == first.id

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (memo("Likes tea", 1, pinned=True), memo("Loves tea", 9)),
            (authored("Likes tea", 1), memo("Loves tea", 9)),
            (memo("Likes tea", 9), memo("Loves tea", 1)),
            (memo("Likes tea", 1, audience=EVERYWHERE), memo("Loves tea", 9)),
        ],
        ids=["pinned", "written by its owner", "older", "heard more widely"],
    )
    def test_leave_the_stronger_one(self, one: Memo, other: Memo) -> None:
        assert list(after([one, other])) == list(after([other, one])) == ["Likes tea"]

    @pytest.mark.parametrize(
        "pair",
        [
            (memo("Likes tea", 1, pinned=True), memo("Loves tea", 2, pinned=True)),
            (memo("Likes tea", 1, pinned=True), memo("Likes tea and coffee", 2, source=Provenance())),
            (authored("Likes tea", 1), memo("Likes tea and coffee", 2)),
            (memo("Ran a marathon", 1, happened=NOW), memo("Ran a marathon", 2, happened=NOW - timedelta(days=365))),
            (memo("Likes tea", 1, expires=NOW + timedelta(days=1)), memo("Likes tea and coffee", 2, pinned=True)),
            (memo("Works at Acme", 1, kind=Kind.PERSON), memo("Works at Acme", 2)),
        ],
        ids=["both pinned", "pinned words", "the owner's words", "two events", "pinned says more", "somebody else"],
    )
    def test_stay_apart_where_one_would_lose_something(self, pair: tuple[Memo, Memo]) -> None:
        left = plan(ConsolidationInput(pair), FREELY, NOW)
        lasting = [change for change in left.changes if isinstance(change, Retire)]
        assert len(lasting) == (1 if pair[0].expires else 0)

    @pytest.mark.parametrize(("first", "second"), [(NOW, NOW), (NOW, None), (None, NOW)])
    def test_of_one_event_become_one_that_says_when(self, first: datetime | None, second: datetime | None) -> None:
        pair = memo("Ran a marathon", 1, happened=first), memo("Ran a marathon", 2, happened=second)
        changed = [change.after for change in plan(ConsolidationInput(pair), FREELY, NOW).changes]
        assert sorted(one.status for one in changed) == [Status.ACTIVE, Status.SUPERSEDED]
        assert [one.happened for one in changed if one.active] == [NOW]

    def test_a_memo_that_ends_soon_takes_no_place_of_one_that_lasts(self) -> None:
        soon, lasting = memo("Likes tea and cake", 1, expires=NOW + timedelta(days=1)), memo("Likes tea", 2)
        assert set(after([soon, lasting])) == {"Likes tea and cake", "Likes tea"}

    def test_a_chain_of_wordings_ends_in_one(self) -> None:
        left = after([memo("Likes tea", 4), memo("Loves tea", 3), memo("I like tea", 2), memo("Likes tea and cake", 1)])
        assert list(left) == ["Likes tea and cake"]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Likes red apples", "Likes green apples"),
            ("Works with Ann on the parser", "Works for Ann on the parser"),
            ("Has a cat named Tom", "Has a cat named Max"),
            ("Prefers tabs in Python", "Prefers spaces in YAML"),
            ("Meeting about the budget on Monday", "Meeting about the budget on Friday"),
            ("Learning C", "Learning C++"),
            ("Deploys staging with Ansible", "Deploys production with Ansible"),
        ],
    )
    def test_distinct_facts_that_share_a_topic_all_stay(self, one: str, other: str) -> None:
        assert set(after([memo(one, 2), memo(other, 1)])) == {one, other}


class TestAudience:
    def test_a_public_memo_takes_no_words_and_no_tags_from_a_private_one(self) -> None:
        public = memo("Likes tea", 2, tags=("drink",))
        private = memo("Likes tea and gin", 1, audience=STAFF, tags=("secret",))
        assert after([public, private]) == {public.text: public, private.text: private}

    def test_a_private_wording_gives_way_to_a_public_one_that_says_as_much(self) -> None:
        public = memo("Likes tea and cake", 1, tags=("drink",))
        private = memo("Likes tea", 2, audience=STAFF, tags=("secret",), confidence=1.0)
        (kept,) = after([public, private]).values()
        assert (kept.audience, kept.tags, kept.confidence) == (GUILD, ("drink",), 0.7)

    def test_what_only_some_hear_does_not_end_what_everyone_knows(self) -> None:
        public, private = memo("Lives in Berlin", 9), memo("Lives in Paris", 1, audience=PRIVATE)
        assert set(after([public, private])) == {"Lives in Berlin", "Lives in Paris"}

    def test_behind_walls_each_guild_keeps_its_own(self) -> None:
        here = memo("Likes tea", 1, audience=EVERYWHERE)
        there = memo("Loves tea", 2, audience=EVERYWHERE, source=replace(LEARNED, guild="g2"))
        assert len(after([here, there], replace(FREELY, per_guild=True))) == 2
        assert len(after([here, there])) == 1


class TestContradictions:
    def test_the_older_one_gives_way(self) -> None:
        berlin, paris = memo("Lives in Berlin", 9), memo("Lives in Paris", 1)
        (retired,) = [
            one for one in plan(ConsolidationInput([berlin, paris]), FREELY, NOW).changes if isinstance(one, Retire)
        ]
        assert (retired.before, retired.after.superseded_by, retired.reason) == (berlin, paris.id, Reason.CONTRADICTED)

    def test_the_one_that_was_stated_last_counts_not_the_one_that_came_first(self) -> None:
        berlin = memo("Lives in Berlin", 9, updated=NOW)
        assert list(after([berlin, memo("Lives in Paris", 1)])) == ["Lives in Berlin"]

    @pytest.mark.parametrize("older", [memo("Lives in Berlin", 9, pinned=True), authored("Lives in Berlin", 9)])
    def test_never_end_what_is_pinned_or_written_by_its_owner(self, older: Memo) -> None:
        assert "Lives in Berlin" in after([older, memo("Lives in Paris", 1)])

    def test_what_the_owner_writes_ends_what_was_learned_before(self) -> None:
        assert list(after([memo("Lives in Berlin", 9), authored("Lives in Paris", 1, audience=GUILD)])) == [
            "Lives in Paris"
        ]

    def test_notes_on_two_people_do_not_contradict_each_other(self) -> None:
        told = [memo("He lives in Berlin", 9, kind=Kind.PERSON), memo("He lives in Paris", 1, kind=Kind.PERSON)]
        assert len(after(told)) == 2


class TestWhatRecurs:
    def test_is_trusted_when_it_was_stated_again_and_again(self) -> None:
        (change,) = plan(ConsolidationInput([memo("Likes tea")], {memo("Likes tea").id: 3}), FREELY, NOW).changes
        assert (change.after.confidence, change.reason) == (TRUSTED_CONFIDENCE, Reason.STATED_OFTEN)

    def test_is_trusted_when_it_is_used_often(self) -> None:
        (change,) = plan(ConsolidationInput([memo("Likes tea", hits=50)]), FREELY, NOW).changes
        assert (change.after.confidence, change.reason) == (TRUSTED_CONFIDENCE, Reason.USED_OFTEN)

    def test_is_not_trusted_for_less(self) -> None:
        assert not plan(
            ConsolidationInput([memo("Likes tea", hits=49)], {memo("Likes tea").id: 2}), FREELY, NOW
        ).changes

    def test_is_what_several_memos_said(self) -> None:
        wordings = [memo("Likes tea", 4), memo("Loves tea", 3), memo("Enjoys tea", 2), memo("I like tea", 1)]
        assert after(wordings)["Likes tea"].confidence == TRUSTED_CONFIDENCE


class TestBounds:
    def test_below_the_threshold_nothing_is_compared(self) -> None:
        twice = [memo("Likes tea", 2), memo("Loves tea", 1)]
        assert len(after(twice, replace(FREELY, min_memos=3))) == 2
        assert len(after([*twice, memo("Has a dog")], replace(FREELY, min_memos=3))) == 2

    def test_consolidation_of_no_memos_changes_nothing(self) -> None:
        assert plan(ConsolidationInput([]), FREELY, NOW).changes == ()

    def test_a_dream_that_would_lose_too_much_says_so(self) -> None:
        memos = [memo("Likes tea", 4), memo("Loves tea", 3), *map(memo, OTHERS[:2])]
        done = plan(ConsolidationInput(memos), replace(FREELY, max_loss=0.2), NOW)
        assert done.abort == "1 of 4 memories would go, more than 20%"
        assert len(after([*memos, memo(OTHERS[2])], replace(FREELY, max_loss=0.2))) == 4

    def test_the_very_same_words_twice_are_no_loss(self) -> None:
        memos = [memo("Likes tea", age) for age in range(5)]
        assert len(after(memos, replace(FREELY, max_loss=0.0))) == 1

    def test_a_hundred_copies_are_still_one_fact(self) -> None:
        assert len(after([memo("Likes tea", age) for age in range(100)])) == 1

    def test_a_copy_that_fewer_may_hear_makes_up_for_nothing(self) -> None:
        berlin = memo("Lives in Berlin", 9), memo("Lives in Berlin", 8, audience=PRIVATE, pinned=True)
        done = plan(ConsolidationInput([*berlin, memo("Lives in Paris", 1)]), FREELY, NOW)
        assert (done.statements, done.lost) == (3, 1)

    def test_what_has_expired_is_set_aside_and_counts_as_no_loss(self) -> None:
        old = memo("On holiday", expires=NOW - timedelta(hours=1))
        (change,) = plan(ConsolidationInput([old]), ConsolidationOptions(min_memos=5, max_loss=0.0), NOW).changes
        assert (change.after.status, change.reason) == (Status.EXPIRED, Reason.EXPIRED)

    def test_an_expired_memo_contradicts_nothing(self) -> None:
        expired = memo("Lives in Paris", 1, expires=NOW - timedelta(hours=1))
        assert list(after([memo("Lives in Berlin", 9), expired])) == ["Lives in Berlin"]

    def test_restored_memos_are_not_merged_away(self) -> None:
        likes, loves = memo("Likes tea", 2), memo("Loves tea", 1, hits=99)
        assert len(after([likes, loves], protected=frozenset({loves.id}))) == 2
        assert len(after([likes, memo("Enjoys tea"), loves], protected=frozenset({loves.id}))) == 2

    def test_two_thousand_memos_of_one_form_all_stay(self) -> None:
        many = [memo(f"Likes dish number {n} of the menu in restaurant {n % 97}", n % 300) for n in range(2_000)]
        assert not plan(ConsolidationInput(many), FREELY, NOW).changes


def joins(keep: Memo, *others: Memo, text: str = "", **more: object) -> ExtractionResult:
    ids = tuple(other.id for other in others)
    return ExtractionResult((Proposal(text or keep.text, "fact", keep.text, id=keep.id, replaces=ids, **more),))  # type: ignore[arg-type]


class TestWithAModel:
    jogs, runs = memo("Goes jogging every morning", 2), memo("Runs each morning before work", 1)

    def test_a_model_proposal_may_merge_related_memos(self) -> None:
        assert list(after([self.jogs, self.runs], FREELY, joins(self.runs, self.jogs))) == [self.runs.text]

    def test_its_own_words_are_never_written(self) -> None:
        fuller = joins(self.runs, self.jogs, text="Runs each morning before work, and owns a yacht in Monaco")
        assert list(after([self.jogs, self.runs], FREELY, fuller)) == [self.runs.text]

    def test_nothing_goes_that_it_would_still_say_itself(self) -> None:
        tea, milk = memo("Likes tea in the morning", 2), memo("Likes tea with oat milk", 1)
        fuller = joins(tea, milk, text="Likes tea with oat milk in the morning")
        assert len(after([tea, milk], FREELY, fuller)) == 2

    def test_of_all_it_names_the_one_closest_to_its_words_stays(self) -> None:
        full = memo("Runs each morning before work with the dog", 3)
        quoting_less = ExtractionResult((Proposal(full.text, "fact", self.jogs.text, replaces=(full.id,)),))
        assert full.text in after([self.jogs, full], FREELY, quoting_less)

    @pytest.mark.parametrize(
        "said",
        [
            joins(jogs, replace(runs, id="durable-nowhere")),
            ExtractionResult((Proposal(runs.text, "fact", "I said so", id=runs.id, replaces=(jogs.id,)),)),
            ExtractionResult((Proposal("Is a morning person", "fact", jogs.text),)),
            ExtractionResult(retractions=(Retraction("so it is", id="durable-nowhere"),)),
            ExtractionResult(retractions=(Retraction("so it is", match="morning"),)),
            ExtractionResult(retractions=(Retraction("nothing newer speaks of it", id=runs.id),)),
        ],
        ids=["unknown id", "no such evidence", "a new memo", "unknown retraction", "vague match", "newest"],
    )
    def test_a_proposal_without_existing_memos_is_ignored(self, said: ExtractionResult) -> None:
        assert set(after([self.jogs, self.runs], FREELY, said)) == {self.jogs.text, self.runs.text}

    @pytest.mark.parametrize(
        "safe",
        [replace(jogs, pinned=True), replace(jogs, source=Provenance(actor="ann")), replace(jogs, audience=STAFF)],
    )
    def test_it_ends_nothing_pinned_nothing_written_by_hand_nothing_of_another_circle(self, safe: Memo) -> None:
        said = [joins(self.runs, safe), ExtractionResult(retractions=(Retraction("changed", id=safe.id),))]
        assert safe.text in after([safe, self.runs], FREELY, *said)

    @pytest.mark.parametrize("exact", ["Runs the Berlin marathon", "Runs a marathon in 3 hours"])
    def test_no_name_and_no_number_gets_lost_unless_newer_words_say_otherwise(self, exact: str) -> None:
        vague = "Runs each marathon in good time"
        (kept,) = after([memo(exact, 9), memo(vague, 1)], FREELY, joins(memo(vague, 1), memo(exact, 9)))
        assert kept == vague
        assert len(after([memo(vague, 9), memo(exact, 1)], FREELY, joins(memo(vague, 9), memo(exact, 1)))) == 2

    def test_notes_on_different_people_are_not_merged(self) -> None:
        berlin, paris = (
            memo(f"He lives in {city}", age, kind=Kind.PERSON) for age, city in ((9, "Berlin"), (1, "Paris"))
        )
        for keep, other in ((berlin, paris), (paris, berlin)):
            assert len(after([berlin, paris], FREELY, joins(keep, other))) == 2

    def test_a_retraction_needs_a_newer_memo_on_the_subject(self) -> None:
        old, new = memo("Is training for a marathon", 9), memo("Gave up marathon running", 1)
        assert list(after([old, new], FREELY, ExtractionResult(retractions=(Retraction("over", id=old.id),)))) == [
            new.text
        ]

    def test_a_retraction_without_a_related_memo_is_ignored(self) -> None:
        old, new = memo("Plays the cello", 9), memo("Speaks Dutch", 1)
        assert len(after([old, new], FREELY, ExtractionResult(retractions=(Retraction("over", id=old.id),)))) == 2

    def test_a_plan_beyond_the_loss_limit_is_aborted(self) -> None:
        memos = [
            memo(f"Likes the colour {name}", age) for age, name in enumerate(("red", "teal", "pink", "grey", "blue"))
        ]
        everything = joins(memos[0], *memos[1:], text="Likes the colour red")
        assert plan(ConsolidationInput(memos), replace(FREELY, max_loss=0.2), NOW, [(memos, everything)]).abort
        assert len(after(memos, replace(FREELY, max_loss=0.2), everything)) == 5


TEXTS = (
    "Likes tea", "Loves tea", "I like tea", "Likes tea and cake", "Hates tea", "Does not like tea", "Lives in Berlin",
    "Lives in Paris", "I live in Paris, France", "Works at Acme", "Works at Globex", "Works at Acme as an engineer",
    "Has 2 cats", "Has 3 cats", "Plays the cello", "Speaks Dutch", "My favourite colour is red",
    "Moved from Berlin to Paris",
)  # fmt: skip
AUDIENCES = (EVERYWHERE, GUILD, STAFF, PRIVATE, Audience("guild", "g2", "g2"))


@st.composite
def memories(draw: st.DrawFn) -> list[Memo]:
    one = st.builds(
        Memo,
        id=st.just(""),
        subject=st.just(ANN),
        kind=st.sampled_from([Kind.FACT, Kind.PREFERENCE, Kind.PERSON]),
        text=st.sampled_from(TEXTS),
        created=st.integers(1, 90).map(lambda days: NOW - timedelta(days=days)),
        updated=st.just(NOW),
        source=st.sampled_from([LEARNED, Provenance(actor="ann")]),
        audience=st.sampled_from(AUDIENCES),
        tags=st.lists(st.sampled_from("abc"), max_size=2, unique=True).map(tuple),
        confidence=st.sampled_from([0.4, 0.7, 1.0]),
        pinned=st.booleans(),
        hits=st.sampled_from([0, 60]),
        happened=st.sampled_from([None, None, NOW]),
        expires=st.sampled_from([None, None, NOW - timedelta(days=1), NOW + timedelta(days=1)]),
    )
    drawn = draw(st.lists(one, max_size=14))
    ages = draw(st.lists(st.integers(0, 30), min_size=len(drawn), max_size=len(drawn)))
    return [
        replace(each, id=f"durable-{n}", updated=max(each.created, NOW - timedelta(days=age)))
        for n, (each, age) in enumerate(zip(drawn, ages, strict=True))
    ]


@st.composite
def answers(draw: st.DrawFn, memos: Sequence[Memo]) -> ExtractionResult:
    """Anything that a model may say about memos, ids of nothing included."""
    ids = st.sampled_from([*(one.id for one in memos), "durable-nowhere"])
    texts = st.sampled_from([*TEXTS, "Owns a yacht"])
    proposal = st.builds(
        Proposal, texts, st.just("fact"), texts, id=st.none() | ids, replaces=st.lists(ids, max_size=3).map(tuple)
    )
    retraction = st.builds(Retraction, st.just("over"), id=ids)
    return ExtractionResult(tuple(draw(st.lists(proposal, max_size=4))), tuple(draw(st.lists(retraction, max_size=3))))


@pytest.mark.slow
@given(st.data(), memories(), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
@settings(max_examples=300)
def test_a_dream_loses_little_widens_nothing_and_leaves_nothing_to_dream(
    data: st.DataObject, memos: list[Memo], floor: float
) -> None:
    rules = ConsolidationOptions(min_memos=0, max_loss=floor)
    said = [(memos, data.draw(answers(memos)))] if memos else []
    done = plan(ConsolidationInput(memos), rules, NOW, said)
    assert done.abort or done.lost <= floor * done.statements
    changed = {change.after.id: change.after for change in done.changes}
    for before in memos:
        now = changed.get(before.id, before)
        assert (now.text, now.audience, now.source, now.pinned) == (
            before.text, before.audience, before.source, before.pinned,
        )  # fmt: skip
        assert now.status is not Status.SUPERSEDED or not before.pinned
        circle = {tag for one in memos if one.audience == before.audience for tag in one.tags}
        assert set(now.tags) <= circle
    left = [one for one in (changed.get(one.id, one) for one in memos) if one.active]
    assert bool(left) or all(one.expires is not None and one.expires <= NOW for one in memos)
    assert plan(ConsolidationInput(left), rules, NOW).changes == ()


@given(memories())
@settings(max_examples=30)
def test_undo_restores_exactly_what_a_dream_changed(memos: list[Memo]) -> None:
    async def story() -> None:
        async with opened(consolidation={"max_loss": 1, "min_memos": 0}) as stage:
            await _put(stage, *memos)
            before = await _everything(stage)
            done = await stage.memory.consolidate(user="discord:ann")
            assert await _everything(stage) == before if not done.changes else await _everything(stage) != before
            again = await stage.memory.consolidate(user="discord:ann")
            assert again.changes == ()
            if done.changes:
                await stage.memory.undo(user="discord:ann")
            assert await _everything(stage) == before

    asyncio.run(story())


@pytest.mark.parametrize("answered", [False, True])
def test_memories_are_compared_once_with_each_other_unless_the_model_changed_some(
    answered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[str, str]] = []

    def noted(new: str, old: str) -> Similarity:
        compared.append((new, old))
        return compare(new, old)

    monkeypatch.setattr(sys.modules[tidy.__module__], "compare", noted)
    memos = [memo(f"Likes the tea {number}x", number) for number in range(20)]
    plan(ConsolidationInput(memos), FREELY, NOW, [(memos, ExtractionResult())] if answered else [])
    assert len(compared) == len(set(compared)) == 20 * 19 / 2


async def test_by_themselves_memories_are_compared_again_only_with_what_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[tuple[str, str]] = []

    def noted(new: str, old: str) -> Similarity:
        compared.append((new, old))
        return compare(new, old)

    monkeypatch.setattr(sys.modules[tidy.__module__], "compare", noted)
    async with opened() as stage:
        consolidator = Consolidator(stage.memory.store, None, FREELY, stage.clock)

        async def next_day() -> int:
            """How many pairs are compared by the job of the next day."""
            compared.clear()
            stage.clock.advance(days=2)
            job = Job(1, CONSOLIDATE, ANN.scope, {"user": ANN.id}, NOW)
            await stage.memory.store.write(await consolidator(job))
            return len(compared)

        await _put(stage, *(memo(f"Likes the tea {number}x", number) for number in range(20)))
        assert await next_day() == 20 * 19 / 2
        assert await next_day() == 0
        imported = memo("Likes the tea 30x", age=900)  # what is imported keeps its times
        await _put(stage, imported)
        assert await next_day() == 20
        await stage.memory.pin(imported.id, user="ann", place=DEV)
        assert await next_day() == 20
        await stage.memory.forget(imported.id, user="ann", place=DEV)
        assert await next_day() == 0
        await stage.memory.restore(imported.id, user="ann", place=DEV)
        assert await next_day() == 20, "and so does what is restored"
        compared.clear()
        await consolidator.consolidate(ANN)
        assert len(compared) == 21 * 20 / 2, "who asks for it has everything compared"


async def test_memories_that_were_too_few_to_compare_are_compared_when_there_are_more() -> None:
    async with opened() as stage:
        consolidator = Consolidator(stage.memory.store, None, ConsolidationOptions(max_loss=1.0), stage.clock)
        job = Job(1, CONSOLIDATE, ANN.scope, {"user": ANN.id}, NOW)
        await _put(stage, *TWICE, memo("Is in Oslo", expires=NOW))
        stage.clock.advance(days=2)
        await stage.memory.store.write(await consolidator(job))
        await _put(stage, *map(memo, OTHERS))
        stage.clock.advance(days=2)
        await stage.memory.store.write(await consolidator(job))
        assert len(await _texts(stage)) == len(OTHERS) + 1


async def _put(stage: Stage, *memos: Memo) -> None:
    cause = ChangeContext("ann", stage.clock(), "b0")
    await stage.memory.store.write(lambda tx: write(tx, [Add(one) for one in memos], cause))


async def _everything(stage: Stage) -> dict[str, Memo]:
    """All but the versions, which count an undo too."""
    return {one.id: replace(one, version=1) for one in await stage.memory.store.read(lambda tx: tx.memos.list(ANN))}


TWICE = (memo("Likes tea", 4), memo("Loves tea", 3))
ENOUGH = (*TWICE, *map(memo, OTHERS))
ALL = {"Likes tea", "Loves tea", *OTHERS}
FAST = WorkerOptions(poll_interval=0.02, retry_delay=0.01, max_retry_delay=0.02)


async def _texts(stage: Stage) -> set[str]:
    return set(await stage.known())


async def test_a_dream_happens_by_itself_when_its_user_is_silent_for_long_enough() -> None:
    async with opened(model=FakeModel(lambda heard: ExtractionResult())) as stage:
        await _put(stage, *ENOUGH)
        await stage.tell("good evening to you all")
        stage.clock.advance(hours=5)
        await stage.tell("and good night")
        stage.clock.advance(hours=5, minutes=50)
        await stage.settle()
        assert await _texts(stage) == ALL
        stage.clock.advance(minutes=10)
        await stage.settle()
        assert await _texts(stage) == ALL - {"Loves tea"}
        (done,) = await stage.events("consolidation.done")
    assert (done.actor, done.scope, done.text) == ("consolidation", "user:discord:ann", "1 merged")


async def test_a_dream_that_waits_does_not_hold_up_learning() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        await stage.tell("I have two cats")
        assert len(await stage.known()) == 2


async def test_consolidation_runs_once_per_interval() -> None:
    async with opened(model=FakeModel(lambda heard: ExtractionResult()), consolidation={"interval": "2d"}) as stage:
        await _put(stage, *ENOUGH)
        for _ in range(4):
            await stage.tell("good evening to you all")
            stage.clock.advance(hours=7)
            await stage.settle()
        assert len(await stage.events("consolidation.done")) == 1
        stage.clock.advance(hours=48)
        await stage.settle()
        assert len(await stage.events("consolidation.done")) == 2


@pytest.mark.parametrize("profile", ["discoclaw", "dnam", "clanker", "devclaw"])
async def test_the_documents_know_no_dreams(profile: str) -> None:
    async with opened(profile, model=FakeModel(lambda heard: ExtractionResult()), embedder="null") as stage:
        await _put(stage, *ENOUGH)
        await stage.tell("good evening to you all")
        stage.clock.advance(hours=100)
        await stage.settle()
        assert not await stage.events("consolidation.done")
        assert {one.status for one in (await _everything(stage)).values()} == {Status.ACTIVE}


async def test_a_dream_that_is_switched_off_meanwhile_does_nothing() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        await stage.say("good evening to you all")
        stage.clock.advance(hours=7)
        store, clock = stage.memory.store, stage.clock
        worker = Worker(
            store, {"consolidate": Consolidator(store, None, ConsolidationOptions(enabled=False), clock)}, clock, FAST
        )
        worker.start()
        await worker.wait_idle(60)
        await worker.close()
        assert await store.read(lambda tx: tx.jobs.find("consolidate:discord:ann")) is None
        assert await _texts(stage) == ALL


async def test_undo_takes_back_the_whole_dream_and_the_next_one_respects_that() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH, memo("Lives in Berlin", 9), memo("Lives in Paris", 1), memo("Has a boat", hits=70))
        before = await _everything(stage)
        done = await stage.memory.consolidate(user="discord:ann")
        assert done.applied
        assert done.description == "1 merged, 1 contradicted, 1 trusted"
        stage.clock.advance(minutes=1)
        assert await stage.memory.undo(user="discord:ann") is not None
        assert await _everything(stage) == before
        assert (await stage.memory.consolidate(user="discord:ann")).changes == ()


async def test_what_was_put_back_and_stated_anew_may_be_dreamed_of_again() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        await stage.memory.consolidate(user="discord:ann")
        await stage.memory.undo(user="discord:ann")
        stage.clock.advance(minutes=1)
        for one in TWICE:
            stated = replace(one, updated=stage.clock())
            await stage.memory.store.write(partial(_replace, stated=stated))
        assert (await stage.memory.consolidate(user="discord:ann")).description == "1 merged"


def _replace(tx: object, stated: Memo) -> None:
    tx.memos.put(stated)  # type: ignore[attr-defined]


async def test_a_dry_run_tells_and_changes_nothing() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        before, log = await _everything(stage), await stage.memory.log(limit=100)
        done = await stage.memory.consolidate(user="discord:ann", dry_run=True)
        assert (done.description, done.applied) == ("1 merged", False)
        assert (await _everything(stage), await stage.memory.log(limit=100)) == (before, log)


async def test_a_dream_that_would_lose_too_much_is_noted_and_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    async with opened() as stage:
        await _put(stage, *TWICE, *map(memo, OTHERS[:2]), memo("Enjoys tea", 1))
        before = await _everything(stage)
        with caplog.at_level(logging.ERROR, "recollect"):
            done = await stage.memory.consolidate(user="discord:ann")
        assert (done.applied, done.abort) == (False, "2 of 5 memories would go, more than 20%")
        (event,) = await stage.events("consolidation.aborted")
        assert event.text == done.abort
        assert await _everything(stage) == before


async def test_an_expired_memo_is_hidden_then_retired_by_consolidation() -> None:
    async with opened() as stage:
        await stage.remember("On holiday", expires=stage.clock() + timedelta(hours=1))
        lasting = await stage.remember("Plays the cello")
        stage.clock.advance(hours=2)
        assert (await stage.known(), lasting.expires) == (["Plays the cello"], None)
        assert (await stage.memory.consolidate(user="discord:ann", dry_run=True)).description == "1 expired"
        assert {one.status for one in (await _everything(stage)).values()} == {Status.ACTIVE}
        await stage.memory.consolidate(user="discord:ann")
        kept = {one.text: one.status for one in (await _everything(stage)).values()}
        assert kept == {"On holiday": Status.EXPIRED, "Plays the cello": Status.ACTIVE}


async def test_few_memories_are_left_alone_without_a_word() -> None:
    async with opened() as stage:
        await _put(stage, *TWICE)
        assert (await stage.memory.consolidate(user="discord:ann")).changes == ()
        assert not await stage.events("consolidation.done")


async def test_the_model_sees_memos_of_one_circle_at_a_time() -> None:
    shown: list[list[str]] = []

    def reflects(memos: Sequence[Memo]) -> ExtractionResult:
        shown.append(sorted(one.text for one in memos))
        return ExtractionResult()

    async with opened(model=FakeModel(consolidates=reflects)) as stage:
        await _put(stage, *map(memo, OTHERS), *(memo(text, audience=PRIVATE) for text in ("Is ill", "Seeks a job")))
        await stage.memory.consolidate(user="discord:ann", dry_run=True)
    assert shown == [sorted(OTHERS), ["Is ill", "Seeks a job"]]


async def test_what_a_dream_costs_counts_for_the_model_that_was_asked() -> None:
    def reflects(memos: Sequence[Memo]) -> ExtractionResult:
        return ExtractionResult(usage=Usage(1, 300, 20, 2.5))

    async with opened(model=FakeModel(consolidates=reflects, name="openai:tiny")) as stage:
        await _put(stage, *ENOUGH)
        assert (await stage.memory.consolidate(user="discord:ann")).applied
        (use,) = await Admin(stage.memory, stage.clock).model_use()
    assert (use.model, use.calls, use.input, use.output, use.typical_seconds) == ("openai:tiny", 1, 300, 20, 2.5)


async def test_a_model_that_can_not_be_reached_costs_a_delay() -> None:
    failing = [True]

    def reflects(memos: Sequence[Memo]) -> ExtractionResult:
        if failing:
            raise ModelUnavailable("overloaded")
        return ExtractionResult()

    async with opened(model=FakeModel(lambda heard: ExtractionResult(), consolidates=reflects)) as stage:
        await _put(stage, *ENOUGH)
        await stage.tell("good evening to you all")
        stage.clock.advance(hours=7)
        assert not await stage.memory.worker.wait_idle(10)
        assert await _texts(stage) == ALL
        with pytest.raises(ModelUnavailable):
            await stage.memory.consolidate(user="discord:ann")
        failing.clear()
        assert (await stage.memory.consolidate(user="discord:ann")).applied


async def test_without_a_usable_answer_of_the_model_words_decide() -> None:
    def reflects(memos: Sequence[Memo]) -> ExtractionResult:
        raise ModelError("it answers in riddles")

    async with opened(model=FakeModel(consolidates=reflects)) as stage:
        await _put(stage, *ENOUGH)
        done = await stage.memory.consolidate(user="discord:ann")
    assert (done.description, done.problems) == ("1 merged", ("it answers in riddles",))


async def test_what_is_said_while_the_model_thinks_makes_it_think_again() -> None:
    asked: list[int] = []
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        reads = stage.memory.store

        class Slow(FakeModel):
            async def consolidate(self, memos: Sequence[Memo]) -> ExtractionResult:
                asked.append(len(memos))
                if len(asked) == 1:
                    await stage.remember("Has a parrot", place=DEV, audience=GUILD, origin=Origin.SUMMARY)
                return ExtractionResult()

        done = await Consolidator(reads, Slow, ConsolidationOptions(), stage.clock).consolidate(ANN)
    assert asked == [7, 8]
    assert done.memos == 8


async def test_a_plan_for_memories_that_have_changed_is_never_written() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        view = await stage.memory.store.read(lambda tx: read_input(tx, ANN))
        dreams = Consolidator(stage.memory.store, None, ConsolidationOptions(), stage.clock)
        done = await dreams.consolidate(ANN, dry_run=True)
        await stage.memory.pin(TWICE[1].id, user="discord:ann")
        with pytest.raises(StaleResult):
            await stage.memory.store.write(lambda tx: dreams._apply(tx, view, done))  # pyright: ignore[reportPrivateUsage]
        assert await _texts(stage) == ALL


async def test_use_alone_makes_no_plan_stale() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        view = await stage.memory.store.read(lambda tx: read_input(tx, ANN))
        dreams = Consolidator(stage.memory.store, None, ConsolidationOptions(), stage.clock)
        done = await dreams.consolidate(ANN, dry_run=True)
        await stage.memory.store.write(lambda tx: tx.memos.count_use([one.key for one in view.memos], stage.clock()))
        await stage.memory.store.write(lambda tx: dreams._apply(tx, view, done))  # pyright: ignore[reportPrivateUsage]
        assert await _texts(stage) == ALL - {"Loves tea"}


async def test_two_dreams_at_once_do_the_work_of_one() -> None:
    async with opened() as stage:
        await _put(stage, *ENOUGH)
        await asyncio.gather(*(stage.memory.consolidate(user="discord:ann") for _ in range(4)))
        assert await _texts(stage) == ALL - {"Loves tea"}
        assert len([event for event in await stage.memory.log(limit=99) if event.kind == "memo.retired"]) == 1


async def test_what_was_stated_in_several_messages_is_trusted_more() -> None:
    def learns(heard: object) -> ExtractionResult:
        said = heard.messages  # type: ignore[attr-defined]
        return ExtractionResult(
            tuple(Proposal("Likes tea", "preference", one.text, one.id, confidence=0.6) for one in said)
        )

    async with opened(model=FakeModel(learns)) as stage:
        for text in ("I like tea", "as I said, I like tea", "did I say that I like tea", "honestly, I like tea"):
            await stage.tell(text)
        done = await stage.memory.consolidate(user="discord:ann")
        (known,) = (await stage.memory.show(user="ann", place=DM)).memos
    assert (known.confidence, done.description) == (TRUSTED_CONFIDENCE, "1 trusted")


async def test_deleting_the_message_behind_the_kept_wording_brings_the_other_back() -> None:
    async with opened(model=FakeModel()) as stage:
        kept = await stage.tell("I like tea and cake")
        merged = memo("Likes tea", 1, source=replace(LEARNED, message="m-other"))
        await _put(stage, merged, *map(memo, OTHERS))
        assert (await stage.memory.consolidate(user="discord:ann")).description == "1 merged"
        await stage.memory.message_deleted("discord", kept.id)
        assert await _texts(stage) == {"Likes tea", *OTHERS}


async def test_everyone_is_dreamed_for_one_after_the_other() -> None:
    seen: list[tuple[int, int]] = []
    async with opened() as stage:
        for user in ("ann", "ben", "cat"):
            await _put(stage, *(replace(one, subject=Subject(user)) for one in ENOUGH[user == "cat" :]))
        dreams = await stage.memory.engine.consolidator.consolidate_all(
            progress=lambda done, total: seen.append((done, total))
        )
    assert [one.subject.id for one in dreams] == ["ann", "ben"]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    assert consolidate.ACTOR == "consolidation"
