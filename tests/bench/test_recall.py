"""The recall benchmark on a data set of its own making."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

LINES = [
    ("ada", "I adopted a puppy from the shelter yesterday"),
    ("bob", "Congratulations! What is its name?"),
    ("ada", "Her name is Waffles"),
    ("bob", "I am repainting my kitchen this weekend"),
    ("ada", "Which colour did you choose?"),
    ("bob", "A pale green, like pistachio"),
    ("ada", "My marathon training starts on Monday"),
    ("bob", "Good luck with the long runs"),
]
QUESTIONS = [("What did Ada call her puppy?", [2]), ("Which colour is Bob's kitchen?", [5]), ("Nothing known", [])]


def data_set(folder: Path) -> Path:
    """Two conversations: the first is for tuning, the second for reporting."""
    folder.mkdir()
    documents = [
        {"conversation": name, "id": place, "session": 1, "speaker": who, "text": text, "time": None}
        for name in ("a", "b")
        for place, (who, text) in enumerate(LINES)
    ]
    questions = [
        {"conversation": name, "question": text, "evidence": evidence, "category": "plain", "answer": None}
        for name in ("a", "b")
        for text, evidence in QUESTIONS
    ]
    for file, rows in (("documents", documents), ("questions", questions)):
        (folder / f"{file}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", "utf-8")
    return folder


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench.recall", *words], cwd=ROOT, capture_output=True, text=True, timeout=100
    )


@pytest.mark.slow
def test_every_ranker_is_measured_and_the_figures_are_written(tmp_path: Path):
    target = tmp_path / "figures.json"
    result = run("--data", str(data_set(tmp_path / "small")), "--json", str(target), "--results", str(tmp_path))
    assert result.returncode == 0, result.stderr
    figures = json.loads(target.read_text("utf-8"))
    assert set(figures) == {"unified", "recency", "overlap", "hybrid", "rrf", "bm25", "cosine"}
    best = figures["unified"]
    assert best["questions"] == 4, "a question without evidence is left out"
    assert best["share@5"] == best["all@20"] == 1
    assert 0 < best["mrr"] <= 1
    assert best["p95_ms"] > 0
    assert "tuning" in result.stdout
    assert "reporting" in result.stdout
    assert (tmp_path / "recall-small.png").stat().st_size > 1000


def test_a_folder_without_a_data_set_is_skipped_with_a_word(tmp_path: Path):
    result = run("--data", str(tmp_path))
    assert result.returncode == 0
    assert "skipped" in result.stderr


@pytest.mark.slow
def test_questions_that_lean_on_the_conversation_are_answered_and_others_lose_nothing(tmp_path: Path):
    target = tmp_path / "follow_ups.json"
    subprocess.run([sys.executable, "-m", "bench.recall.follow_ups", "--json", str(target)], cwd=ROOT, check=True)
    rows = json.loads(target.read_text("utf-8"))
    leaning, standalone = ([row for row in rows if row["sort"] == sort] for sort in ("leaning", "standalone"))
    assert len(leaning) >= 30
    assert sum(row["prompt"] for row in leaning) >= 0.9 * len(leaning)
    assert all(row["prompt"] >= row["alone"] for row in standalone)
