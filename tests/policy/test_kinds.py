"""One set of kinds, three vocabularies: what comes in goes out again."""

import pytest

from recollect.core.errors import BadInput
from recollect.core.types import Kind
from recollect.policy import kinds


def test_every_one_of_the_seven_kinds_stays_itself():
    assert [kinds.to_kind(kinds.from_kind(label)[0]) for label in kinds.SEVEN] == list(kinds.SEVEN)


@pytest.mark.acceptance("A9")
def test_every_memo_has_one_of_exactly_seven_kinds_in_their_vocabulary():
    seven = {"fact", "preference", "project", "constraint", "person", "tool", "workflow"}
    assert {kinds.to_kind(kind) for kind in Kind} == seven
    for label in ("opinion", "", "profile", "facts"):
        with pytest.raises(BadInput, match="unknown kind"):
            kinds.from_kind(label)


def test_a_kind_is_read_in_any_case():
    assert kinds.from_kind(" Preference ") == (Kind.PREFERENCE, None)


@pytest.mark.acceptance("D28")
@pytest.mark.parametrize("label", ["preference", "profile", "relationship", "project", "other"])
def test_the_five_fact_types_come_back_as_they_came(label: str):
    kind, kept = kinds.from_type(label)
    assert kinds.to_type(kind, kept) == label


@pytest.mark.acceptance("D28")
@pytest.mark.parametrize("label", ["general", "General", "hobby", "", "  ", "lorem"])
def test_general_and_unknown_types_are_other(label: str):
    kind, kept = kinds.from_type(label)
    assert kinds.to_type(kind, kept) == kept == "other"


def test_lore_is_a_type_of_its_own():
    assert kinds.from_type("lore") == (Kind.LORE, "lore")
    assert kinds.to_type(Kind.LORE) == "lore"


def test_every_kind_has_a_fact_type_and_a_label_that_no_longer_fits_is_not_used():
    assert {kinds.to_type(kind) for kind in Kind} == {
        "preference", "profile", "relationship", "project", "other", "lore"
    }  # fmt: skip
    assert kinds.to_type(Kind.PREFERENCE, "profile") == "preference"
    assert kinds.to_type(Kind.FACT, "anything") == "profile"


@pytest.mark.acceptance("E12")
def test_there_are_four_categories_and_others_are_rejected():
    assert kinds.CATEGORIES == ("fact", "preference", "event", "summary")
    for label in kinds.CATEGORIES:
        assert kinds.to_category(kinds.from_category(label)[0]) == label
    for label in ("facts", "note", "", "Fact", "lore", "tool"):
        with pytest.raises(BadInput, match="unknown category"):
            kinds.from_category(label)


def test_every_kind_belongs_to_a_category():
    assert {kinds.to_category(kind) for kind in Kind} == set(kinds.CATEGORIES)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Works at Acme Corp", Kind.FACT),
        ("I prefer Rust over Go", Kind.PREFERENCE),
        ("Prefers dark mode", Kind.PREFERENCE),
        ("My favourite colour is blue", Kind.PREFERENCE),
        ("I'm working on a compiler", Kind.PROJECT),
        ("Current project: a compiler", Kind.PROJECT),
        ("My current project is a compiler", Kind.PROJECT),
        ("Projects bore her", Kind.FACT),
        ("Never deploy on Fridays", Kind.CONSTRAINT),
        ("I'm allergic to nuts", Kind.CONSTRAINT),
        ("I can't eat gluten", Kind.CONSTRAINT),
        ("My sister lives in Paris", Kind.PERSON),
        ("I use Neovim", Kind.TOOL),
        ("東京に住んでいます", Kind.FACT),
        ("", Kind.FACT),
    ],
)
def test_a_kind_is_inferred_only_from_plain_wording(text: str, kind: Kind):
    assert kinds.infer(text) is kind
