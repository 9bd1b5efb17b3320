"""The recall benchmark on a data set of its own making."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.recall import field

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


def longmemeval_file(path: Path) -> Path:
    """A file in the form of LongMemEval: one question with an answer, one without."""
    sessions = {
        "s1": [("user", "I adopted a cat named Miso", True), ("assistant", "Lovely!", False)],
        "s2": [("user", "Help me with my taxes", False), ("assistant", "Sure, which form?", False)],
        "s3": [("user", "What is a good pasta recipe?", False), ("assistant", "Try carbonara.", False)],
    }
    row = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "What is the name of my cat?",
        "answer": "Miso",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": list(sessions),
        "haystack_dates": [f"2023/05/{20 + number} (Sat) 02:21" for number in range(3)],
        "haystack_sessions": [
            [
                {"role": role, "content": text} | ({"has_answer": True} if is_answer else {})
                for role, text, is_answer in turns
            ]
            for turns in sessions.values()
        ],
        "answer_session_ids": ["s1"],
    }
    path.write_text(json.dumps([row, row | {"question_id": "q2_abs"}]), "utf-8")
    return path


@pytest.mark.slow
def test_systems_of_the_field_are_compared_by_the_sessions_that_they_find(tmp_path: Path):
    raw, target = tmp_path / "raw.jsonl", tmp_path / "figures.json"
    file = longmemeval_file(tmp_path / "longmemeval_s.json")
    words = ["--longmemeval", str(file), "--systems", "recollect,bm25", "--raw", str(raw), "--json", str(target)]
    subprocess.run([sys.executable, "-m", "bench.recall.field", *words], cwd=ROOT, check=True, timeout=100)
    figures = json.loads(target.read_text("utf-8"))
    assert figures["recollect"]["any@1"] == figures["recollect"]["all@1"] == figures["recollect"]["ndcg@10"] == 1
    assert figures["bm25"]["by_category"]["single-session-user"]["any@3"] == 1
    rows = [json.loads(line) for line in raw.read_text("utf-8").splitlines()]
    assert [(row["system"], row["expected"]) for row in rows] == [("recollect", ["s1"]), ("bm25", ["s1"])]
    assert rows[0]["lines"][0] == "s1/0"


def test_a_session_counts_from_its_first_line_on():
    assert field.figures(["a", "b", "c"], {"b", "c"}) == pytest.approx(
        {"any@1": 0, "all@1": 0, "ndcg@1": 0, "any@3": 1, "all@3": 1, "ndcg@3": 0.6934}
        | {f"{name}@{cut}": 1 for cut in (5, 10) for name in ("any", "all")}
        | {f"ndcg@{cut}": 0.6934 for cut in (5, 10)},
        abs=1e-4,
    )
