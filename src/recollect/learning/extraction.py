"""What one extraction works with and what comes of it: options, accepted proposals, the answer of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.core.changes import Candidate
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Usage, Vector
from recollect.core.types import Message
from recollect.learning.apply import MemoLimits
from recollect.policy import guard
from recollect.policy.visibility import VisibilityPolicy

_QUOTES_WANTED = 'each "evidence" has to be copied word for word from one of the speaker\'s messages'


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """How learning goes: settings, as far as they concern it."""

    caps: MemoLimits
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
    most: int | None = None
    longest: int | None = None
    """Characters of a message that are learned from."""
    grounding: guard.Grounding = "quote"
    timeout: float = 30.0
    enabled: bool = True
    """Otherwise what waits from before is passed over."""


@dataclass(frozen=True, slots=True)
class AcceptedProposal:
    """A proposal that passed the guard."""

    message: Message
    candidate: Candidate
    vector: tuple[str, Vector] | None
    also_replaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """One hearing, and what came of it."""

    hearing: ExtractionInput
    model: str
    """Name of the model that proposed it."""
    proposed: ExtractionResult
    taken: Sequence[AcceptedProposal]
    refused: Sequence[tuple[Proposal, str]]
    instructions: Sequence[Message] = ()
    """Messages that nothing was proposed of because they are orders to the assistant."""
    degraded: str = ""
    """How less was learned than the model could have: its answers were not usable."""

    @property
    def flaw(self) -> str:
        """What to tell the model when it is asked once more; empty when the answer can be used."""
        if self.proposed.flaw or self.taken or self.proposed.retractions or not self.refused:
            return self.proposed.flaw
        ungrounded = all(reason in guard.UNGROUNDED for _, reason in self.refused)
        return _QUOTES_WANTED if ungrounded else ""


def merge_answers(first: Extraction, second: Extraction) -> ExtractionResult:
    """The second answer, with the problems and the cost of both."""
    one, other = first.proposed.usage, second.proposed.usage
    usage = Usage(one.requests + other.requests, one.input + other.input, one.output + other.output)
    problems = dict.fromkeys((*_problems(first), *_problems(second)))
    return replace(second.proposed, problems=tuple(problems), usage=usage)


def _problems(lesson: Extraction) -> tuple[str, ...]:
    proposed = lesson.proposed
    return proposed.problems if proposed.flaw or not lesson.flaw else (*proposed.problems, lesson.flaw)
