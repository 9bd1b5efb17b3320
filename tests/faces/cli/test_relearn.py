"""relearn: what it shows, what it changes, that undo takes it back, and what it says where it can't."""

import pytest

from tests.faces.cli.conftest import Run

NO_LEARNING = {"RECOLLECT_EXTRACTION_MODEL": "null"}


@pytest.mark.slow
def test_what_was_missed_is_shown_then_learned_once_and_undone(cli: Run):
    for text in ("I live in Lisbon", "I work as a nurse"):
        cli("add", text, **NO_LEARNING)
    cli("add", "I like chess", "--as", "ben", **NO_LEARNING)
    shown = cli("relearn", "--dry-run").out
    assert shown == (
        "  me: learned: [fact] Lives in Lisbon\n"
        "  me: learned: [fact] Works as a nurse\n"
        "2 messages to learn from again with local: 2 changes\n"
    )
    assert cli("list", "--json").json["memos"] == []
    assert cli("relearn").out == "Learned again from 2 of 2 messages: 2 changes\n"
    assert cli("relearn").out == "Learned again from 2 of 2 messages: 0 changes\n"
    ben = cli("relearn", "--as", "ben", "--json").json
    assert (ben["messages"], ben["done"], ben["changed"], ben["skipped"]) == (1, 1, 1, {})
    everyone = cli("relearn", "--all", "--dry-run", "--json").json
    assert (everyone["messages"], everyone["tried"], everyone["changes"]) == (3, 3, [])
    assert "Lives in Lisbon" in cli("undo").out
    assert cli("list", "--status", "active", "--json").json["memos"] == []


def test_what_can_not_be_learned_from_is_said_with_the_exit_code(cli: Run):
    cli("add", "I live in Lisbon", **NO_LEARNING)
    assert "there is no message 'm99'" in cli("relearn", "--message", "m99", code=3).err
    assert "there are no messages of eve" in cli("relearn", "--as", "eve", code=3).err
    assert "there are no messages of me since 2100-01-01" in cli("relearn", "--since", "2100-01-01", code=3).err
    assert "ends before it begins" in cli("relearn", "--since", "2026-05-02", "--until", "2026-05-01", code=2).err
    assert "leave out --as" in cli("relearn", "--all", "--as", "ben", code=2).err
    assert "there are no messages of me with answers" in cli("relearn", "--degraded", code=3).err
    off = cli("relearn", code=2, RECOLLECT_EXTRACTION_ENABLED="false").err
    assert "learning is switched off" in off
    dead = {
        "RECOLLECT_MODEL": "openai:nobody",
        "RECOLLECT_MODEL_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_API_KEY": "k",
    }
    assert "127.0.0.1" in cli("relearn", "--dry-run", code=1, **dead).err
    stuck = cli("relearn", code=1, **dead)
    assert "1 message waiting" in stuck.out
    assert "the rest waits on disk" in stuck.err
    assert "relearn" in cli("jobs").out
    assert "Learned again from 1 of 1 message" in cli("relearn").out
    assert "Lives in Lisbon" in cli("show").out
