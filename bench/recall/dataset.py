"""Data sets in the plain form: `documents.jsonl` and `questions.jsonl`, one JSON object a line."""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    session: str
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Asked:
    text: str
    evidence: frozenset[str]
    category: str
    sessions: frozenset[str] = frozenset()
    """The sessions with the evidence, where a data set names them itself."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    documents: list[Document]
    questions: list[Asked]
    tuning: bool
    """Every other conversation, by sorted name, is for tuning; the rest is for reporting."""


def load(folder: Path) -> list[Conversation]:
    """The conversations of a data set, by name; those without questions are left out."""
    documents: dict[str, list[Document]] = defaultdict(list)
    for row in _rows(folder / "documents.jsonl"):
        name = str(row["conversation"])
        place = len(documents[name])
        document = Document(
            id=str(row["id"]),
            session=str(row.get("session") or ""),
            speaker=str(row.get("speaker") or ""),
            text=str(row["text"]),
            at=_time(row.get("time"), place),
        )
        documents[name].append(document)
    questions: dict[str, list[Asked]] = defaultdict(list)
    for row in _rows(folder / "questions.jsonl"):
        evidence = frozenset(map(str, row.get("evidence") or ()))
        if evidence:
            category = str(row.get("category") or "")
            questions[str(row["conversation"])].append(Asked(row["question"], evidence, category or "none"))
    names = sorted(name for name in documents if questions[name])
    return [Conversation(name, documents[name], questions[name], place % 2 == 0) for place, name in enumerate(names)]


def load_longmemeval(path: Path) -> Iterator[Conversation]:
    """The questions of a file of LongMemEval, each with the sessions in which its answer has to be found.

    Questions without an answer (`…_abs`) are left out, as in its own evaluation of retrieval.
    """
    for row in json.loads(path.read_text("utf-8")):
        if not row["question_id"].endswith("_abs"):
            yield _of_longmemeval(row)


def _of_longmemeval(row: dict[str, Any]) -> Conversation:
    documents: list[Document] = []
    marked: set[str] = set()
    answers = frozenset(map(str, row["answer_session_ids"]))
    sessions = zip(row["haystack_session_ids"], row["haystack_dates"], row["haystack_sessions"], strict=True)
    for session, day, turns in sessions:
        start = _longmemeval_time(day)
        for number, turn in enumerate(turns):
            document = Document(
                f"{session}/{number}", str(session), turn["role"], turn["content"], start + timedelta(seconds=number)
            )
            documents.append(document)
            if turn.get("has_answer") or (str(session) in answers and "has_answer" not in turn):
                marked.add(document.id)
    at = _longmemeval_time(row["question_date"])
    asked = Asked(row["question"], frozenset(marked), row["question_type"], answers, at)
    return Conversation(str(row["question_id"]), documents, [asked], tuning=False)


def _longmemeval_time(text: str) -> datetime:
    """The time of "2023/05/20 (Sat) 02:21"."""
    day, _, clock = text.partition(" (")
    return datetime.strptime(f"{day} {clock.rpartition(' ')[2]}", "%Y/%m/%d %H:%M").replace(tzinfo=UTC)


def _rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _time(text: str | None, place: int) -> datetime:
    """When a line was said; a line without a time keeps its place in the order."""
    if text:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=place)
