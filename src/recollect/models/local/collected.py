"""The proposals and retractions that a person's messages make, each in the light of those before it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from recollect.core.ports import Proposal, Retraction
from recollect.core.text import words
from recollect.core.types import Kind, Memo
from recollect.models.local import retractions, successions
from recollect.models.local.clauses import Clause
from recollect.models.local.endings import Ending
from recollect.models.local.rule import Finding
from recollect.policy.enumerations import without_named
from recollect.policy.similarity import Similarity, compare


@dataclass(slots=True)
class Collected:
    """The proposals and retractions found so far."""

    known_memos: Sequence[Memo]
    corrects: bool = False
    """Whether the message at hand opens with the words of a correction."""
    is_current: bool = False
    """Whether it says, in another language than English, what is so at present."""
    proposals: list[Proposal] = field(default_factory=list[Proposal])
    retractions: list[Retraction] = field(default_factory=list[Retraction])

    def add(self, clause: Clause, finding: Finding) -> None:
        """Add a proposal unless an earlier one covers it; it replaces those that it contradicts or extends."""
        compared = [(proposal, compare(finding.text, proposal.text)) for proposal in self.proposals]
        if any(similarity in (Similarity.SAME, Similarity.POORER) for _, similarity in compared):
            return
        self.proposals = [
            proposal
            for proposal, similarity in compared
            if similarity not in (Similarity.CONTRADICTS, Similarity.RICHER)
        ]
        outdated = retractions.matching_memos(finding.replaces, self.known_memos) if finding.replaces else []
        if outdated and all(without_named(memo.text, clause.text) for memo in outdated):  # the rest of them holds
            self.retract_all(clause, outdated, "the speaker said that it is over")
            return
        outdated = outdated or retractions.outdated_memos(finding, clause, self.known_memos)
        relative = self.relative_meant(finding, clause)
        text = finding.text if relative is None else successions.with_name(finding.text, relative.text)
        succeeded = successions.succeeded_memos(
            finding, clause, self.known_memos, corrects=self.corrects, is_current=self.is_current
        )
        outdated += [memo for memo in (*filter(None, [relative]), *succeeded) if memo not in outdated]
        self.proposals.append(
            Proposal(
                text=text,
                kind=finding.kind.value,
                evidence=clause.evidence,
                message=clause.message_id,
                id=None if relative is None else relative.id,
                # What was wrong never held; what has changed did until now.
                replaces=tuple(memo.id for memo in outdated if not (self.corrects and memo is relative)),
                about=finding.about,
                confidence=finding.confidence,
                happened=finding.happened,
            )
        )

    def relative_meant(self, finding: Finding, clause: Clause) -> Memo | None:
        return successions.relative_meant(finding, clause, self.known_memos, corrects=self.corrects)

    def finish(self, clause: Clause, ending: Ending) -> None:
        """Retract or revise a known memo that the speaker ended by name, unless what they stated already does."""
        memo = ending.memo
        if any(memo.id in proposal.replaces for proposal in self.proposals):
            return
        if any(retraction.id == memo.id for retraction in self.retractions):
            if not ending.text:
                return
            self.retractions = [retraction for retraction in self.retractions if retraction.id != memo.id]
        if not ending.text:
            self.retract_all(clause, [memo], "the speaker said that it is over")
            return
        self.revise(memo, ending.text, clause.evidence, clause.message_id)

    def revise(self, memo: Memo, text: str, evidence: str, message: str) -> None:
        """Propose another text for a known memo."""
        kind, confidence = memo.kind.value, memo.confidence
        self.proposals.append(Proposal(text, kind, evidence, message, id=memo.id, confidence=confidence))

    def retract(self, clause: Clause, finding: Finding, state_end: bool) -> None:
        """Retract the known memos that no longer hold; if there are none, propose a statement that it ended."""
        outdated = retractions.matching_memos(finding.text, self.known_memos)
        self.proposals = [
            proposal for proposal in self.proposals if compare(finding.text, proposal.text) is not Similarity.SAME
        ]
        self.retract_all(clause, outdated, "the speaker said that it is no longer so")
        statement = retractions.end_statement(finding) if state_end and not outdated else None
        if statement is not None:
            self.add(clause, statement)

    def end(self, clause: Clause, denied: Finding | None) -> None:
        """Retract the known memos that a clause ends or denies."""
        outdated = retractions.ended_memos(clause.text, self.known_memos)
        outdated += retractions.denied_memos(denied.text, self.known_memos) if denied is not None else []
        self.retract_all(clause, outdated, "the speaker said that it is not so")

    def retract_all(self, clause: Clause, memos: Sequence[Memo], reason: str) -> None:
        """Retract memos by the words of a clause: what the rest of the message names is not over."""
        self.retractions += [Retraction(reason, id=memo.id, evidence=clause.evidence) for memo in memos]

    def change(self, change: Proposal | Retraction | None) -> None:
        """Add what the form of a message says of a known memo, unless what it states already changes that memo."""
        if change is None or any(change.id in (proposal.id, *proposal.replaces) for proposal in self.proposals):
            return
        is_retired = any(retraction.id == change.id for retraction in self.retractions)
        if isinstance(change, Retraction):
            self.retractions += [] if is_retired else [change]
            return
        value = set(words(change.text))
        stated = [proposal.text for proposal in self.proposals if proposal.kind != Kind.EVENT.value]
        if any(len(value & set(words(text))) > 1 for text in stated):
            self.retractions += [] if is_retired else [Retraction("the speaker said what holds instead", id=change.id)]
            return
        self.retractions = [retraction for retraction in self.retractions if retraction.id != change.id]
        self.proposals.append(change)

    def withdraw(self, finding: Finding) -> None:
        """Retract the known memos that a statement made, which its speaker took back."""
        outdated = retractions.matching_memos(finding.text, self.known_memos)
        self.retractions += [Retraction("the speaker corrected it", id=memo.id) for memo in outdated]
