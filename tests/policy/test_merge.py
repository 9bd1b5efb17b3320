"""What a statement does to what is known, rule by rule, worked out by hand."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.changes import Add, Candidate, Retire, Revise, Skip
from recollect.core.fingerprints import Fingerprints
from recollect.core.text import normalize
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Origin, Provenance, Status, Subject, Tombstone
from recollect.policy.merge import (
    ExistingMemos,
    covered_by,
    is_authored,
    merge,
    over_limit,
    overflow,
    retire,
)
from recollect.testing.clock import START

ANN = Subject("ann")
LATER = START + timedelta(hours=1)
GUILD = Audience("guild", "g1", "g1")
CHANNEL = Audience("channel", "c1", "g1")
DM = Audience("dm", "ann")
MANUAL = Provenance(Origin.MANUAL, "ann")
LEARNED = Provenance(Origin.DISCORD, "ann", guild="g1", channel="c1", message="m1", evidence="said so")
IMPORTED = Provenance(Origin.IMPORT, "ann")


def memo(text: str, memo_id: str = "durable-1", **changes: object) -> Memo:
    return replace(Memo(memo_id, ANN, Kind.FACT, text, START, START, MANUAL), **changes)  # type: ignore[arg-type]


def says(text: str, **changes: object) -> Candidate:
    return replace(Candidate(ANN, Kind.FACT, text, LATER, MANUAL), **changes)  # type: ignore[arg-type]


KEYED = Fingerprints("5ec2e7")
existing = partial(ExistingMemos, KEYED)


def keyed_hash(text: str) -> str:
    return hmac.digest(b"5ec2e7", hashlib.sha256(text.encode()).hexdigest().encode(), "sha256").hex()


def none_taken(_: str) -> None:
    return None


class TestIds:
    @pytest.mark.acceptance("B17")
    def test_an_id_is_a_short_hash_of_kind_and_normal_text_for_life(self):
        expected = keyed_hash("fact\x1fworks at acme")[:8]
        assert KEYED.memo_id("fact", "Works at Acme", none_taken) == f"durable-{expected}"
        (change,) = merge(says("Works at Acme"), existing(), LATER)
        assert isinstance(change, Add)
        assert change.memo.id == f"durable-{expected}"
        (change,) = merge(says("Works at Initech", id=change.memo.id), existing(by_id=change.memo), LATER)
        assert isinstance(change, Revise)
        assert (change.after.id, change.after.text) == (f"durable-{expected}", "Works at Initech")

    @pytest.mark.parametrize("text", ["  works   at ACME ", "Works at Acme.", "WORKS AT ACME!", "works\tat\nacme"])
    def test_case_and_white_space_do_not_change_an_id(self, text: str):
        assert KEYED.memo_id(" Fact ", text, none_taken) == KEYED.memo_id("fact", "Works at Acme", none_taken)

    def test_kind_and_text_change_an_id(self):
        ids = {KEYED.memo_id(kind, text, none_taken) for kind in ("fact", "project") for text in ("a b", "ab")}
        assert len(ids) == 4

    def test_an_id_that_is_taken_gets_longer(self):
        full = keyed_hash("fact\x1fa")
        taken = {f"durable-{full[:8]}": memo("other"), f"durable-{full[:12]}": memo("another")}
        assert KEYED.memo_id("fact", "a", taken.get) == f"durable-{full[:16]}"

    def test_two_texts_whose_short_hashes_collide_both_get_an_id(self):
        first, second = colliding_texts()
        known = {KEYED.memo_id("fact", first, none_taken): memo(first)}
        made = KEYED.memo_id("fact", second, known.get)
        assert made not in known
        assert made.startswith(next(iter(known)))

    def test_an_id_is_found_even_when_every_length_is_taken(self):
        full = keyed_hash("fact\x1fa")
        made = KEYED.memo_id("fact", "a", lambda name: memo("x") if name.removeprefix("durable-") in full else None)
        assert made.startswith("durable-")
        assert made.removeprefix("durable-") not in full


def colliding_texts() -> tuple[str, str]:
    """Two texts with the same first eight hex digits, found once by trying (a birthday among 2^32)."""
    first, second = "note 809", "note 75000"
    hashes = [keyed_hash(f"fact\x1f{text}")[:8] for text in (first, second)]
    assert hashes[0] == hashes[1]
    return first, second


@pytest.mark.acceptance("B79")
class TestMatching:
    @pytest.mark.acceptance("B37")
    def test_the_order_is_id_then_same_text_then_new(self):
        by_id, same = memo("Works at Acme", "durable-a"), memo("Works at Initech", "durable-b")
        (first, *_) = merge(says("Works at Initech", id="durable-a"), existing(by_id=by_id, same=[same]), LATER)
        assert isinstance(first, Revise)
        assert first.after.id == "durable-a"
        (first, *_) = merge(says("Works at Initech"), existing(same=[same], similar=[by_id]), LATER)
        assert isinstance(first, Revise)
        assert first.after.id == "durable-b"
        (first,) = merge(says("Likes tea"), existing(similar=[by_id]), LATER)
        assert isinstance(first, Add)

    @pytest.mark.acceptance("B45")
    def test_an_unknown_id_makes_a_new_memo_with_an_id_of_its_own(self):
        (change,) = merge(says("Works at Acme", id="durable-invented"), existing(by_id=None), LATER)
        assert isinstance(change, Add)
        assert change.memo.id == KEYED.memo_id("fact", "Works at Acme", none_taken)

    @pytest.mark.acceptance("B41")
    def test_a_match_is_updated_in_place_and_keeps_its_id_and_birthday(self):
        known = memo("Works at Acme", tags=("work",), source=LEARNED, confidence=0.9, hits=3)
        new = replace(LEARNED, message="m2")
        wanted = says("Works at Acme Corp", id=known.id, tags=("job", "work"), source=new, confidence=0.5)
        (change,) = merge(wanted, existing(by_id=known), LATER)
        assert isinstance(change, Revise)
        assert change.before == known
        assert change.after == replace(
            known, text="Works at Acme Corp", tags=("work", "job"), source=new, updated=LATER, confidence=0.9
        )

    @pytest.mark.acceptance("B40")
    def test_text_is_trimmed_and_collapsed_before_anything_else(self):
        (change,) = merge(says("  Works \n at\tAcme  "), existing(), LATER)
        assert isinstance(change, Add)
        assert change.memo.text == "Works at Acme"
        assert (change.memo.created, change.memo.updated, change.memo.status) == (LATER, LATER, Status.ACTIVE)

    @pytest.mark.parametrize("text", ["", "   ", "\n\t"])
    def test_an_empty_candidate_is_skipped(self, text: str):
        (change,) = merge(says(text), existing(), LATER)
        assert isinstance(change, Skip)
        assert change.reason == "empty"

    def test_the_same_text_said_again_stays_one_memo_of_its_kind(self):
        known = memo("Likes tea", kind=Kind.PREFERENCE)
        (change,) = merge(says("likes TEA."), existing(same=[known]), LATER)
        assert isinstance(change, Revise)
        assert (change.after.id, change.after.kind, change.reason) == (known.id, Kind.PREFERENCE, "stated again")

    def test_other_words_for_the_same_fact_revise_it(self):
        known = memo("User loves hiking")
        (change,) = merge(says("I like hiking"), existing(similar=[known]), LATER)
        assert isinstance(change, Revise)
        assert (change.after.id, change.after.text) == (known.id, "I like hiking")

    def test_more_detail_revises_and_less_detail_is_skipped(self):
        known = memo("Works with Kubernetes")
        (change,) = merge(says("Works with Kubernetes and Terraform"), existing(similar=[known]), LATER)
        assert isinstance(change, Revise)
        (change,) = merge(says("Works with Kubernetes"), existing(similar=[change.after]), LATER)
        assert isinstance(change, Skip)
        assert (change.reason, change.memo and change.memo.id) == ("known in more detail", known.id)

    def test_distinct_facts_about_one_topic_are_both_kept(self):
        (change,) = merge(says("Likes green apples"), existing(similar=[memo("Likes red apples")]), LATER)
        assert isinstance(change, Add)

    def test_an_id_changed_to_the_text_of_another_memo_leaves_one_of_them(self):
        changed, twin = memo("Likes tea", "durable-a"), memo("Likes coffee", "durable-b")
        first, second = merge(says("Likes coffee", id="durable-a"), existing(by_id=changed, same=[twin]), LATER)
        assert isinstance(first, Revise)
        assert isinstance(second, Retire)
        assert (second.after.id, second.after.superseded_by) == ("durable-b", "durable-a")

    def test_an_expired_memo_does_not_stand_in_for_a_new_statement(self):
        over = memo("Works with Kubernetes and Terraform", expires=START)
        (change,) = merge(says("Works with Kubernetes"), existing(similar=[over]), LATER)
        assert isinstance(change, Add)
        (change,) = merge(says("Likes tea"), existing(same=[memo("Likes tea", expires=START)]), LATER)
        assert isinstance(change, Revise)
        assert change.after.expires is None


class TestReplacing:
    def test_a_contradiction_takes_the_place_of_the_older_fact_and_both_know_it(self):
        old = memo("Lives in Berlin")
        added, retired = merge(says("Lives in Paris"), existing(similar=[old]), LATER)
        assert isinstance(added, Add)
        assert isinstance(retired, Retire)
        assert added.memo.supersedes == old.id
        assert (retired.before, retired.after.status) == (old, Status.SUPERSEDED)
        assert (retired.after.superseded_by, retired.after.updated) == (added.memo.id, LATER)

    def test_what_was_replaced_can_come_back_and_ends_its_successor(self):
        berlin = memo("Lives in Berlin", "durable-b", status=Status.SUPERSEDED, superseded_by="durable-p")
        paris = memo("Lives in Paris", "durable-p", supersedes="durable-b")
        back, gone = merge(says("Lives in Berlin"), existing(same=[berlin], similar=[paris]), LATER)
        assert isinstance(back, Revise)
        assert isinstance(gone, Retire)
        assert (back.after.id, back.after.active, back.after.superseded_by) == ("durable-b", True, None)
        assert (back.after.supersedes, gone.after.superseded_by) == ("durable-p", "durable-b")
        assert gone.after.supersedes is None, "lineage never goes round in a circle"

    def test_several_contradicted_facts_all_give_way(self):
        old = [memo("Lives in Berlin", "durable-b"), memo("I live in Rome", "durable-r")]
        added, *gone = merge(says("Lives in Paris"), existing(similar=old), LATER)
        assert isinstance(added, Add)
        assert [change.after.superseded_by for change in gone if isinstance(change, Retire)] == [added.memo.id] * 2

    def test_an_extractor_may_name_what_it_replaces(self):
        old = memo("Deploys by hand", "durable-x", confidence=0.9)
        wanted = says("Deploys from CI", supersedes=" durable-x ", confidence=0.6, source=LEARNED)
        added, gone = merge(wanted, existing(find_by_id={"durable-x": old}.get), LATER)
        assert isinstance(added, Add)
        assert isinstance(gone, Retire)
        assert (added.memo.supersedes, gone.after.superseded_by) == ("durable-x", added.memo.id)
        assert added.memo.confidence == 0.9, "of two, the higher confidence is kept"

    @pytest.mark.parametrize("named", [None, "", "  ", "durable-unknown"])
    def test_to_replace_what_is_not_there_is_a_plain_insert(self, named: str | None):
        (change,) = merge(says("Deploys from CI", supersedes=named), existing(), LATER)
        assert isinstance(change, Add)
        assert change.memo.supersedes is None

    def test_a_retired_memo_is_not_superseded_again(self):
        old = memo("Deploys by hand", "durable-x", status=Status.DEPRECATED)
        (change,) = merge(
            says("Deploys from CI", supersedes="durable-x"), existing(find_by_id={"durable-x": old}.get), LATER
        )
        assert isinstance(change, Add)
        assert change.memo.supersedes is None

    def test_older_words_do_not_replace_what_the_owner_wrote_since(self):
        paris = memo("Lives in Paris", updated=LATER)
        in_flight = says("Lives in Berlin", at=START, source=LEARNED)
        (change,) = merge(in_flight, existing(similar=[paris]), LATER + timedelta(minutes=1))
        assert isinstance(change, Skip)
        assert (change.reason, change.memo) == ("older than what is known", paris)
        by_id = says("Lives in Berlin", at=START, source=LEARNED, id=paris.id)
        (change,) = merge(by_id, existing(by_id=paris), LATER + timedelta(minutes=1))
        assert isinstance(change, Skip)

    def test_an_old_import_does_not_replace_what_was_learned_since(self):
        paris = memo("Lives in Paris", updated=LATER, source=LEARNED)
        (change,) = merge(says("Lives in Berlin", at=START, source=IMPORTED), existing(similar=[paris]), LATER)
        assert isinstance(change, Skip)

    def test_messages_learned_in_order_replace_each_other_however_late_that_happens(self):
        (first,) = merge(says("Lives in Berlin", at=START, source=LEARNED), existing(), LATER)
        assert isinstance(first, Add)
        in_order = says("Lives in Paris", at=START + timedelta(minutes=1), source=LEARNED)
        added, gone = merge(in_order, existing(similar=[first.memo]), LATER)
        assert isinstance(added, Add)
        assert isinstance(gone, Retire)

    def test_messages_learned_out_of_order_leave_what_was_said_last(self):
        (last,) = merge(says("Lives in Paris", at=START + timedelta(minutes=1), source=LEARNED), existing(), LATER)
        assert isinstance(last, Add)
        assert last.memo.updated == START + timedelta(minutes=1), "when it was said, not when it was learned"
        (change,) = merge(says("Lives in Berlin", at=START, source=LEARNED), existing(similar=[last.memo]), LATER)
        assert isinstance(change, Skip)
        assert change.reason == "older than what is known"


class TestProvenance:
    def test_what_its_owner_wrote_stays_the_owners_when_it_is_heard_again(self):
        known = memo("Likes tea")
        (change,) = merge(says("likes tea", source=LEARNED), existing(same=[known]), LATER)
        assert isinstance(change, Revise)
        assert change.after.source == MANUAL

    def test_words_that_add_to_it_bring_their_evidence_and_leave_it_the_owners(self):
        known = memo("Works with Kubernetes")
        wanted = says("Works with Kubernetes and Terraform", source=LEARNED)
        (change,) = merge(wanted, existing(similar=[known]), LATER)
        assert isinstance(change, Revise)
        assert is_authored(change.after)
        assert (change.after.source.evidence, change.after.source.message) == ("said so", "m1")

    def test_what_was_learned_becomes_the_owners_when_written_down(self):
        (change,) = merge(says("Likes tea"), existing(same=[memo("Likes tea", source=LEARNED)]), LATER)
        assert isinstance(change, Revise)
        assert is_authored(change.after)


class TestForgetting:
    def buried(self, text: str, at: datetime = START) -> ExistingMemos:
        gone = memo(text, status=Status.DEPRECATED, updated=at)
        return existing(same=[gone], tombstone=Tombstone(ANN.scope, KEYED.of_text(text), at))

    def test_its_owner_may_say_it_again_and_gets_the_same_memo_back(self):
        (change,) = merge(says("Works at Acme"), self.buried("Works at Acme"), LATER)
        assert isinstance(change, Revise)
        assert (change.after.id, change.after.active, change.reason) == ("durable-1", True, "remembered again")

    def test_a_command_at_the_very_moment_of_forgetting_comes_after_it(self):
        (change,) = merge(says("Works at Acme", at=START), self.buried("Works at Acme", START), START)
        assert isinstance(change, Revise)

    def test_a_later_message_of_the_owner_lifts_it_too(self):
        (change,) = merge(says("Works at Acme", source=LEARNED), self.buried("Works at Acme"), LATER)
        assert isinstance(change, Revise)

    @pytest.mark.parametrize(
        "candidate",
        [
            pytest.param(says("Works at Acme", at=START, source=LEARNED), id="learned from an older message"),
            pytest.param(says("works at acme!", at=START - timedelta(1), source=LEARNED), id="in other letters"),
            pytest.param(says("Works at Acme", source=IMPORTED), id="imported later"),
            pytest.param(says("Works at Acme", source=replace(LEARNED, actor="bob")), id="said by somebody else"),
            pytest.param(
                says("Works at Acme", at=START, source=Provenance(Origin.TOOL, "ann")), id="a tool's old call"
            ),
        ],
    )
    def test_old_words_and_other_people_do_not_bring_it_back(self, candidate: Candidate):
        (change,) = merge(candidate, self.buried("Works at Acme"), LATER)
        assert isinstance(change, Skip)
        assert change.reason == "forgotten by its owner"

    def test_work_in_flight_does_not_bring_it_back_under_its_id_in_new_words(self):
        gone = memo("Works at Acme", status=Status.DEPRECATED, updated=LATER)
        wanted = says("Is employed by the Acme company", id=gone.id, at=START, source=LEARNED)
        (change,) = merge(wanted, existing(by_id=gone), LATER)
        assert isinstance(change, Skip)

    def test_work_in_flight_does_not_bring_it_back_in_other_words(self):
        gone = memo("Works at Acme Corp", status=Status.DEPRECATED, updated=LATER)
        for text in ("Works at Acme", "I work at Acme Corp", "Works at Acme Corp as an engineer"):
            (change,) = merge(says(text, at=START, source=LEARNED), existing(forgotten=[gone]), LATER)
            assert isinstance(change, Skip), text
        (change,) = merge(says("Likes tea", at=START, source=LEARNED), existing(forgotten=[gone]), LATER)
        assert isinstance(change, Add)

    def test_the_id_of_a_retired_memo_in_a_new_message_makes_a_new_memo(self):
        gone = memo("Works at Acme", status=Status.DEPRECATED)
        (change,) = merge(says("Works at Initech", id=gone.id, source=LEARNED), existing(by_id=gone), LATER)
        assert isinstance(change, Add)
        assert change.memo.id != gone.id

    def test_what_was_only_archived_comes_back_when_it_is_said_again(self):
        archived = memo("Works at Acme", status=Status.ARCHIVED)
        (change,) = merge(says("Works at Acme", source=LEARNED), existing(same=[archived]), LATER)
        assert isinstance(change, Revise)
        assert change.after.active


class TestAudiences:
    def test_a_private_statement_does_not_touch_what_is_public(self):
        public = memo("Lives in Berlin", audience=GUILD)
        (change,) = merge(says("Lives in Paris", audience=DM), existing(similar=[public]), LATER)
        assert isinstance(change, Add)
        assert (change.memo.audience, change.memo.supersedes) == (DM, None)
        by_id = says("Lives in Paris", audience=DM, id=public.id)
        (change,) = merge(by_id, existing(by_id=public, similar=[public]), LATER)
        assert isinstance(change, Add)

    @pytest.mark.parametrize("text", ["Lives in Berlin", "I currently live in Berlin"])
    def test_what_everyone_knows_already_is_not_kept_again_in_private(self, text: str):
        public = memo("Lives in Berlin", audience=GUILD)
        same = [public] if normalize(text) == normalize(public.text) else []
        (change,) = merge(says(text, audience=CHANNEL), existing(same=same, similar=[public]), LATER)
        assert isinstance(change, Skip)
        assert (change.reason, change.memo) == ("already known", public)

    def test_more_detail_said_in_private_stays_private(self):
        public = memo("Works with Kubernetes", audience=GUILD)
        wanted = says("Works with Kubernetes and Terraform", audience=CHANNEL)
        (change,) = merge(wanted, existing(similar=[public]), LATER)
        assert isinstance(change, Add)
        assert change.memo.audience == CHANNEL

    @pytest.mark.parametrize("text", ["Lives in Berlin", "I currently live in Berlin"])
    def test_where_one_memory_serves_all_places_fewer_hear_of_it_only_for_something_new(self, text: str):
        public = memo("Lives in Berlin", audience=GUILD)
        privately = says(text, audience=DM, power=EVERYWHERE)
        same = [public] if text == public.text else []
        (change,) = merge(privately, existing(same=same, similar=[public]), LATER)
        assert isinstance(change, Skip)
        assert change.reason == "already known"
        richer = replace(privately, text="Lives in Berlin and Paris")
        (change,) = merge(richer, existing(similar=[public]), LATER)
        assert isinstance(change, Revise)

    def test_the_same_text_said_in_a_wider_circle_widens_the_memo(self):
        private = memo("Lives in Berlin", audience=CHANNEL, source=LEARNED)
        (change,) = merge(says("Lives in Berlin", audience=GUILD), existing(same=[private]), LATER)
        assert isinstance(change, Revise)
        assert (change.after.id, change.after.audience) == (private.id, GUILD)

    def test_widening_takes_nothing_along_that_was_said_in_private(self):
        private = memo(
            "Likes tea",
            audience=CHANNEL,
            tags=("divorce",),
            happened=START,
            source=replace(MANUAL, channel="c1", channel_name="secret", evidence="in tears I drink tea"),
        )
        wanted = says("Likes tea", audience=GUILD, tags=("drinks",), source=replace(LEARNED, channel="c2"))
        (change,) = merge(wanted, existing(same=[private]), LATER)
        assert isinstance(change, Revise)
        assert (change.after.tags, change.after.happened) == (("drinks",), None)
        assert (change.after.source.channel, change.after.source.channel_name) == ("c2", None)
        assert change.after.source.evidence == "said so"

    def test_a_detail_known_only_in_private_does_not_keep_a_public_statement_out(self):
        private = memo("Works with Kubernetes and Terraform", audience=DM)
        (change,) = merge(says("Works with Kubernetes", audience=EVERYWHERE), existing(similar=[private]), LATER)
        assert isinstance(change, Add)
        assert change.memo.audience == EVERYWHERE

    def test_a_public_contradiction_ends_a_private_memo(self):
        private = memo("Lives in Berlin", audience=CHANNEL)
        added, gone = merge(says("Lives in Paris", audience=GUILD), existing(similar=[private]), LATER)
        assert isinstance(added, Add)
        assert isinstance(gone, Retire)
        assert gone.after.audience == CHANNEL

    def test_circles_that_do_not_contain_each_other_keep_their_own_memos(self):
        dm = memo("Lives in Berlin", audience=DM)
        (change,) = merge(says("Lives in Berlin", audience=GUILD), existing(same=[dm]), LATER)
        assert isinstance(change, Add)


@pytest.mark.acceptance("B79")
class TestCoverage:
    TEXT = "0123456789"

    @pytest.mark.acceptance("B39")
    @pytest.mark.parametrize(("length", "matches"), [(5, False), (6, True), (7, True), (10, True)])
    def test_a_match_has_to_cover_sixty_percent(self, length: int, matches: bool):
        assert bool(covered_by(self.TEXT[:length], [memo(self.TEXT)])) is matches

    @pytest.mark.acceptance("B39")
    @pytest.mark.parametrize("tens", [1, 2, 3, 7, 11, 13])
    def test_exactly_sixty_percent_is_enough_at_any_length(self, tens: int):
        text = "x" * 10 * tens
        assert covered_by("x" * 6 * tens, [memo(text)])
        assert not covered_by("x" * (6 * tens - 1), [memo(text)])

    def test_it_is_a_part_of_the_text_in_any_case_and_of_active_memos_only(self):
        active, gone = memo("Works at Acme"), memo("Works at Acme", status=Status.DEPRECATED)
        assert covered_by("  WORKS   at acm", [active, gone]) == [active]
        assert covered_by("Works for Acme", [active]) == []
        assert covered_by("  ", [active]) == []

    @pytest.mark.acceptance("B42")
    def test_retiring_marks_the_memo_and_stamps_the_time(self):
        known = memo("Works at Acme")
        change = retire(known, LATER, "no longer true")
        assert change.before == known
        assert change.after == replace(known, status=Status.DEPRECATED, updated=LATER)


def stack(count: int, first: int = 0, **changes: object) -> list[Memo]:
    """Memos with growing dates: number 0 is the oldest."""
    return [
        memo(f"Note {n}", f"durable-{n}", key=n, updated=START + timedelta(minutes=n), **changes)
        for n in range(first, first + count)
    ]


def numbers(memos: Sequence[Memo]) -> list[int]:
    return [one.key for one in memos]


@pytest.mark.acceptance("B79")
class TestCaps:
    def test_exactly_at_the_limit_nothing_goes(self):
        assert overflow(stack(5), 5, ()) == []
        assert over_limit(stack(5), 5, ()) == []
        assert overflow(stack(5), None, ()) == over_limit(stack(5), None, ()) == []

    def test_the_oldest_goes_first(self):
        assert numbers(overflow(stack(6), 4, ())) == [0, 1]

    def test_what_was_just_written_stays_even_when_it_looks_oldest(self):
        assert numbers(overflow(stack(3), 2, {"durable-0"})) == [1]
        assert numbers(over_limit(stack(3), 2, {"durable-0"})) == [1]

    def test_overflow_never_archives_pinned_memos(self):
        assert overflow(stack(3, pinned=True), 1, ()) == []
        assert numbers(overflow([*stack(2, pinned=True), *stack(1, first=2)], 2, ())) == [2]

    def test_automatic_memos_go_before_those_the_owner_wrote(self):
        mixed = [*stack(2), *stack(2, first=2, source=LEARNED)]
        assert numbers(overflow(mixed, 3, ())) == [2]
        assert numbers(overflow(mixed, 1, ())) == [2, 3, 0]

    @pytest.mark.acceptance("B43")
    def test_over_the_total_the_oldest_retired_go_first_then_the_oldest_active(self):
        retired = stack(2, first=10, status=Status.DEPRECATED)
        assert numbers(over_limit([*stack(3), *retired], 4, ())) == [10]
        assert numbers(over_limit([*stack(3), *retired], 3, ())) == [10, 11]
        assert numbers(over_limit([*stack(3), *retired], 2, ())) == [10, 11, 0]

    @given(
        st.lists(st.tuples(st.sampled_from(Status), st.booleans(), st.booleans()), max_size=12),
        st.integers(0, 12),
        st.integers(0, 11),
    )
    def test_no_more_goes_than_has_to_and_never_what_is_protected(
        self, rows: list[tuple[Status, bool, bool]], limit: int, written: int
    ):
        memos = [
            memo(f"n{n}", f"durable-{n}", key=n, status=status, pinned=pinned, source=MANUAL if hand else LEARNED)
            for n, (status, pinned, hand) in enumerate(rows)
        ]
        gone = over_limit(memos, limit, {f"durable-{written}"})
        assert len(set(numbers(gone))) == len(gone) <= max(0, len(memos) - limit)
        assert all(not one.active or (not one.pinned and one.key != written) for one in gone)
        if any(one.active for one in gone):
            assert all(one in gone for one in memos if not one.active)


TEXTS = st.sampled_from(
    ["Lives in Berlin", "Lives in Paris", "Likes tea", "Likes tea and coffee", "I like tea", "Smokes", "Quit smoking"]
)
AUDIENCES = st.sampled_from([EVERYWHERE, GUILD, CHANNEL, DM])


@given(
    st.lists(st.tuples(TEXTS, AUDIENCES, st.sampled_from([MANUAL, LEARNED, IMPORTED])), max_size=8),
)
def test_after_any_statements_each_circle_knows_each_text_once_and_ids_are_unique(
    said: list[tuple[str, Audience, Provenance]],
):
    memos: dict[str, Memo] = {}
    for minute, (text, audience, source) in enumerate(said):
        now = START + timedelta(minutes=minute)
        known = existing(
            same=[one for one in memos.values() if normalize(one.text) == normalize(text)],
            similar=[one for one in memos.values() if one.active],
            find_by_id=memos.get,
        )
        before = dict(memos)
        for change in merge(says(text, at=now, audience=audience, source=source), known, now):
            match change:
                case Add(memo=new):
                    assert new.id not in memos
                    memos[new.id] = new
                case Revise(after=new) | Retire(after=new):
                    memos[new.id] = new
                case Skip():
                    assert memos == before
    active = [one for one in memos.values() if one.active]
    assert len({(normalize(one.text), one.audience) for one in active}) == len(active)
    for one in memos.values():
        assert (one.superseded_by is not None) == (one.status is Status.SUPERSEDED)
        assert one.superseded_by is None or one.superseded_by in memos
