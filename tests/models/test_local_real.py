"""Reading real chats for a person to judge: whose words, which half, counted how, and what is kept of them."""

import json
import subprocess
import sys

import pytest

from bench.extract.real import messages, read, sample
from recollect.models.local import LocalModel


@pytest.fixture
def folder(tmp_path):
    """Four conversations of one person and an assistant."""
    rows = []
    for number, town in enumerate(("Bonn", "Kiel", "Jena", "Ulm")):
        for place, (speaker, text) in enumerate(
            [("Bo", f"I live in {town}."), ("assistant", "I live in a cloud."), ("Bo", f"I live in {town}.")]
        ):
            said = {"conversation": f"c{number + 8}", "id": str(place), "speaker": speaker, "text": text, "time": None}
            rows.append(json.dumps(said))
    (tmp_path / "documents.jsonl").write_text("\n".join(rows), "utf-8")
    return tmp_path


def test_the_halves_share_no_conversation_and_leave_assistants_out(folder):
    tuned, unseen = messages(folder, "tuned"), messages(folder, "unseen")
    assert {one.author for one in tuned} == {"c8/Bo", "c9/Bo"}
    assert {one.author for one in unseen} == {"c10/Bo", "c11/Bo"}


def test_a_repeated_statement_is_counted_once(folder):
    reading = read(LocalModel(), messages(folder, "tuned"))
    assert [each.proposal.text for each in reading.learned] == ["Lives in Bonn", "Lives in Kiel"]
    assert (reading.messages, reading.by_kind()) == (4, {"fact": 2})


def test_a_seed_draws_the_same_sample_again(folder):
    reading = read(LocalModel(), messages(folder, "tuned"))
    assert sample(reading, 1, seed=3) == sample(reading, 1, seed=3)
    assert len(sample(reading, 50, seed=3)) == 2


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bench.extract", *words], capture_output=True, text=True, check=True)


def test_only_counts_of_real_chats_are_kept(folder, tmp_path):
    kept = tmp_path / "kept.json"
    shown = run("--real", str(folder), "--json", str(kept)).stdout
    assert "Lives in Bonn" in shown
    assert "Bonn" not in kept.read_text("utf-8")
    assert json.loads(kept.read_text("utf-8"))["real"] == {
        f"{folder.name}, tuned": {"messages": 4, "by_kind": {"fact": 2}}
    }


def test_data_that_is_not_there_is_skipped_with_a_word(tmp_path):
    assert "skipped" in run("--real", str(tmp_path / "nowhere")).stderr
