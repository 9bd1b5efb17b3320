"""Records of an extraction: its options, the accepted proposals, the model's result."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from recollect.core.changes import Candidate
from recollect.core.errors import BadInput
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Vector
from recollect.core.reasons import Reason
from recollect.core.types import Message, Origin, Subject
from recollect.learning.apply import MemoLimits
from recollect.learning.budget import NO_LIMIT, TokenBudget
from recollect.learning.token_usage import total_usage
from recollect.policy import kinds
from recollect.policy.guard.verdicts import MISTAKES, UNGROUNDED, Accepted, Grounding, Refused, normalize_fact
from recollect.policy.viewer import provenance
from recollect.policy.visibility import VisibilityPolicy, stated_audience

Checked = tuple[Proposal, Accepted | Refused]

_QUOTES_REQUIRED = 'each "evidence" has to be copied word for word from one of the speaker\'s messages'
_MAX_OBJECTIONS = 3
_DOCUMENTED_GROUNDINGS = ("found_quote", "overlap")


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """The settings that concern extraction."""

    limits: MemoLimits
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
    max_proposals: int | None = None
    max_message_chars: int | None = None
    """Characters of a message that the model is shown."""
    grounding: Grounding = "quote"
    timeout: float = 30.0
    origin: Origin = Origin.SUMMARY
    """The origin of learned memos."""
    batches: bool = False
    """Messages are learned from in batches, after they were acknowledged; `max_proposals` is per message."""
    budget: TokenBudget = NO_LIMIT
    enabled: bool = True
    """When off, jobs that are already queued are skipped."""

    @property
    def is_documented(self) -> bool:
        """Whether an earlier design's document defines learning: the request, and that a failure changes nothing."""
        return self.grounding in _DOCUMENTED_GROUNDINGS


@dataclass(frozen=True, slots=True)
class AcceptedProposal:
    """A proposal that passed the guard."""

    message: Message
    candidate: Candidate
    vector: tuple[str, Vector] | None
    also_replaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Extraction:
    """One extraction input and what came of it."""

    input: ExtractionInput
    model: str
    """Name of the model that answered."""
    result: ExtractionResult
    accepted: Sequence[AcceptedProposal]
    refused: Sequence[tuple[Proposal, Reason]]
    instructions: Sequence[Message] = ()
    """Messages without proposals because they are instructions to the assistant."""
    degraded: Reason | None = None
    """Why less was learned than possible: the model's answers could not be used."""
    objection: str = ""
    """What was wrong with these answers."""

    @property
    def flaw(self) -> str:
        """The objection for a retry; empty when the answer is usable.

        It is, too, if the guard refuses what was meant as a joke, a question or an instruction: there is nothing to
        learn. A fact that nobody stated is the model's mistake.
        """
        if self.result.flaw or self.accepted or self.result.retractions or not self.refused:
            return self.result.flaw
        reasons = [reason for _, reason in self.refused]
        if not all(reason in MISTAKES for reason in reasons):
            return ""
        if all(reason in UNGROUNDED for reason in reasons):
            return _QUOTES_REQUIRED
        return "; ".join(f"fact {number}: {reason}" for number, reason in enumerate(reasons[:_MAX_OBJECTIONS], 1))


def candidate_of(
    proposal: Proposal, verdict: Accepted, extraction_input: ExtractionInput, options: ExtractionOptions
) -> tuple[Candidate, tuple[str, ...]]:
    """The statement that an accepted proposal makes, and the ids of the memos whose place it takes."""
    known_ids = {memo.id for memo in extraction_input.known_memos}
    replaced = tuple(memo_id for memo_id in proposal.replaces if memo_id in known_ids)
    message = verdict.message
    source = replace(
        provenance(message.person, message.place, message.id, options.origin),
        evidence=verdict.evidence or None,
        trace=message.source,
    )
    candidate = Candidate(
        subject=Subject(message.person),
        kind=verdict.kind,
        label=_fact_type(proposal.kind, verdict) if options.grounding == "overlap" else verdict.label,
        text=normalize_fact(verdict.text) if options.grounding == "overlap" else verdict.text,
        at=message.at,
        source=source,
        audience=message.place.audience,
        # A known memo that is both restated and no longer true has a successor, so that its time is known.
        id=proposal.id if proposal.id in known_ids - {*replaced} else None,
        tags=tuple(tag.lower() for tag in verdict.tags),
        confidence=min(1.0, max(0.0, proposal.confidence)),
        happened=verdict.happened,
        supersedes=next(iter(replaced), None),
        power=stated_audience(message.place, options.policy),
    )
    return candidate, replaced


def _fact_type(stated: str, verdict: Accepted) -> str | None:
    """The type of a fact as ClankerBot has them: what is none of its types, and no kind of ours, is `other`."""
    try:
        kinds.from_kind(stated)
    except BadInput:
        return kinds.from_type(stated)[1]
    return verdict.label


def merge_answers(first: Extraction, second: Extraction) -> ExtractionResult:
    """The second answer, with the problems and the usage of both."""
    usage = total_usage(first.result.usage, second.result.usage)
    problems = dict.fromkeys((*_problems(first), *_problems(second)))
    return replace(second.result, problems=tuple(problems), usage=usage)


def _problems(extraction: Extraction) -> tuple[str, ...]:
    result = extraction.result
    return result.problems if result.flaw or not extraction.flaw else (*result.problems, extraction.flaw)


def within_cap(checked: Iterable[Checked], cap: int | None) -> list[Checked]:
    """Proposals with their verdicts, without those beyond what one message of a batch may add."""
    counts, within = Counter[str](), list[Checked]()
    for proposal, verdict in checked:
        if isinstance(verdict, Accepted):
            counts[verdict.message.id] += 1
            if cap is not None and counts[verdict.message.id] > cap:
                continue
        within.append((proposal, verdict))
    return within
