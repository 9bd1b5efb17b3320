"""Conversations with questions and the lines that answer them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.recall.reranking import with_previous


@dataclass(frozen=True)
class Line:
    session: str
    speaker: str
    text: str

    @property
    def shown(self) -> str:
        """With its speaker."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


@dataclass(frozen=True)
class Question:
    text: str
    evidence: tuple[int, ...]
    unclear: frozenset[int]
    """Lines that may answer as well, and are shown as neither right nor wrong."""
    any_of: bool
    """Whether one of the evidence is enough: which one is not known."""


@dataclass
class World:
    name: str
    lines: list[Line] = field(default_factory=list[Line])
    questions: list[Question] = field(default_factory=list[Question])

    def shown(self, place: int) -> str:
        """A line as a reranker sees it."""
        line, previous = self.lines[place], self.lines[place - 1] if place else None
        if previous is None or previous.session != line.session or not previous.speaker:
            return line.shown
        return with_previous(line.shown, previous.speaker, previous.text)

    def say(self, session: int, speaker: str, text: str) -> int:
        """Adds a line and returns its place."""
        self.lines.append(Line(str(session), speaker, text))
        return len(self.lines) - 1

    def ask(self, question: str, *evidence: int, unclear: Sequence[int] = (), any_of: bool = False) -> None:
        self.questions.append(Question(question, evidence, frozenset(unclear), any_of))
