"""consolidate: what it shows, what it changes, and that undo takes it back."""

import pytest

from tests.faces.cli.conftest import Run

OTHERS = ("Plays the cello", "Has a dog named Rex", "Speaks Dutch", "Is allergic to peanuts")


@pytest.fixture
def twice(cli: Run) -> Run:
    """A memory that says one thing twice, since the fuller wording was private at first."""
    for text in OTHERS:
        cli("remember", text)
    for text in ("Likes coffee", "Likes coffee and cake"):
        cli("share", cli("remember", text, "--json").json["memo"]["id"])
    return cli


def texts(cli: Run) -> set[str]:
    return {memo["text"] for memo in cli("list", "--status", "active", "--json").json["memos"]}


def test_dry_run_shows_what_would_change_and_changes_nothing(twice: Run):
    before = texts(twice)
    shown = twice("consolidate", "--dry-run").out
    assert shown == '  merged "Likes coffee": "Likes coffee and cake" says it\nWould change: 1 merged\n'
    assert texts(twice) == before


def test_dream_tells_what_it_changed_and_undo_takes_it_back(twice: Run):
    before = texts(twice)
    assert "Done: 1 merged" in twice("consolidate").out
    assert before - texts(twice) == {"Likes coffee"}
    assert 'Restored: "Likes coffee"' in twice("undo").out
    assert texts(twice) == before
    assert "Nothing to change" in twice("consolidate").out


def test_dream_as_json(twice: Run):
    (one,) = twice("consolidate", "--json").json["consolidations"]
    assert (one["user"], one["applied"], one["abort"], one["memories"]) == ("me", True, None, 6)
    assert one["counts"] == {"merged": 1, "contradicted": 0, "expired": 0, "trusted": 0}
    retired = [each for each in one["changes"] if each["memo"]["status"] == "superseded"]
    assert [each["before"] for each in retired] == ["Likes coffee"]


@pytest.mark.slow
def test_dream_for_all_names_whose_memory_it_changed(twice: Run):
    twice("remember", "Likes tea", "--as", "bob")
    assert twice("consolidate", "--all").out.startswith("me: 1 merged\n")
    assert twice("consolidate", "--all").out == "Nothing to change\n"


def test_dream_that_would_lose_too_much_fails_with_the_reason(twice: Run):
    before = texts(twice)
    done = twice("consolidate", code=1, RECOLLECT_CONSOLIDATION_MAX_LOSS="0.1")
    assert "nothing was changed: 1 of 6 memories would go, more than 10%" in done.err
    assert texts(twice) == before
    assert "Would change nothing" in twice("consolidate", "--dry-run", RECOLLECT_CONSOLIDATION_MAX_LOSS="0.1").out


def test_dream_is_not_told_where_others_listen(cli: Run):
    assert "direct messages" in cli("consolidate", "--in", "acme/#dev", code=2).err


def test_dream_of_an_empty_memory(cli: Run):
    assert cli("consolidate").out == "Nothing to change\n"


def test_the_former_name_of_the_command_still_works_and_is_not_shown(cli: Run):
    assert cli("dream").out == "Nothing to change\n"
    assert "dream" not in cli("--help").out
