"""Data sets in the plain form: `documents.jsonl` and `questions.jsonl`, one JSON object a line."""

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path


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


def _rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def _time(text: str | None, place: int) -> datetime:
    """When a line was said; a line without a time keeps its place in the order."""
    if text:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=place)
