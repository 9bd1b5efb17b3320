"""From what one person said to proposals and retractions: clause by clause, rule by rule."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Retraction
from recollect.core.types import Memo, Message
from recollect.language import relative_dates
from recollect.models.local import about_me, about_mine, events, habits, rejections, requests
from recollect.models.local import retractions as changes
from recollect.models.local.clauses import LONGEST_MESSAGE, Clause, clauses
from recollect.models.local.rephrase import cut
from recollect.models.local.rule import Finding, first
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.own_words import own_words
from recollect.policy.similarity import Similarity, compare

_FIRST = re.compile(
    r"(?:i|we|my \w+ and i|me and my \w+) (?:(?:really|actually|absolutely|totally|currently|now|just|recently|"
    r"also|still|"
    r"definitely|strongly|much|personally|finally|honestly|truly|mainly|primarily|genuinely|officially|already|"
    r"do(?! not)|both|"
    r"mostly|all|happily|sadly|proudly|very much|simply|quite|myself)\s+)*(?P<rest>.+)$",
    re.IGNORECASE,
)
_AM = re.compile(
    r"^((?:am|have been|are)) (?:really|actually|currently|now|just|also|still|mainly|mostly|personally|finally|"
    r"officially|"
    r"already|definitely|both|recently|very much|technically|proudly|originally(?= from))\s+",
    re.IGNORECASE)  # fmt: skip
_ARE = re.compile(r"^are\b", re.IGNORECASE)
_HABITUAL = re.compile(r"^(?:usually|generally|normally|typically)\s+", re.IGNORECASE)
_SPLIT = re.compile(
    r",? (?:and|but|&)(?: also| now| currently| mostly)? (?=(?:am|live|work|use|prefer|love|hate|"
    r"like(?! (?:i|my|we|our|it|he|she|they|the|an?|there)\b)|enjoy|"
    r"have (?:an?|two|three|"
    r"four|five|\d)|speak|play|study|drive|own|run|write|code|teach|allergic|vegan|vegetarian|based|originally|"
    r"learning|"
    r"working|building|married|cannot|do not (?:eat|drink|like)|moved|switched|maintain|go by|grew up|was born)\b)",
    re.IGNORECASE,
)
_TIES = re.compile(r"\b(?:they|he|she|it|you|people|who|that|which|when|where|whose|to \w+)\b", re.IGNORECASE)
_LEANS = re.compile(
    r"(?:will|would|can|could|should|might|must|shall|do not|did not|cannot|never|rarely|am (?:(?:also|just|still|"
    r"now|currently|\w+ly) )?(?:not|going|looking|thinking|"
    r"planning|trying|hoping|interested|excited|keen|focus\w*|considering|busy|ready|about|off|talking|reading)|"
    r"going|need|"
    r"want|try|plan|hope|let|get to|have to|got to)\b",
    re.IGNORECASE,
)
"""What rules the verbs after an "and" too: "will rest and use the time", "am looking into loans and building one"."""
_NOUN_TOO = re.compile(r"(?:love|hate|work|play|study|use|drive|run|code) (?:the|an?|your|my)\b", re.IGNORECASE)
_STATES = re.compile(
    r"^(?:allergic|vegan|vegetarian|based|originally|learning|working|building|married)\b", re.IGNORECASE
)
_MOST_PARTS = 6


@dataclass(slots=True)
class _Heard:
    """What has come of a hearing so far."""

    known: Sequence[Memo]
    proposals: list[Proposal] = field(default_factory=list[Proposal])
    retractions: list[Retraction] = field(default_factory=list[Retraction])

    def add(self, clause: Clause, found: Finding) -> None:
        """Keep a proposal, unless it was made already; it takes the place of one that it contradicts."""
        said = [(each, compare(found.text, each.text)) for each in self.proposals]
        if any(likeness in (Similarity.SAME, Similarity.POORER) for _, likeness in said):
            return
        self.proposals = [
            each for each, likeness in said if likeness not in (Similarity.CONTRADICTS, Similarity.RICHER)
        ]
        gone = changes.matching(found.instead, self.known) if found.instead else []
        self.proposals.append(
            Proposal(
                text=found.text,
                kind=found.kind.value,
                evidence=clause.evidence,
                message=clause.message,
                replaces=tuple(memo.id for memo in gone),
                about=found.about,
                confidence=found.confidence,
                happened=found.happened,
            )
        )

    def end(self, clause: Clause, found: Finding, telling: bool) -> None:
        """Something is no longer so: retract what is known of it, else say that it ended."""
        gone = changes.matching(found.text, self.known)
        self.proposals = [each for each in self.proposals if compare(found.text, each.text) is not Similarity.SAME]
        self.retractions += [Retraction("the speaker said that it is no longer so", id=memo.id) for memo in gone]
        statement = changes.ending(found) if telling and not gone else None
        if statement is not None:
            self.add(clause, statement)


def extract(hearing: ExtractionInput) -> ExtractionResult:
    """Everything that the speaker plainly stated, the surest first where only some are wanted."""
    heard = _Heard(hearing.known_memos)
    for message in hearing.messages:
        if not message.bot:
            _listen(message, heard)
    return ExtractionResult(
        tuple(_best(heard.proposals, hearing.max_proposals)), tuple(dict.fromkeys(heard.retractions))
    )


def _best(proposals: list[Proposal], most: int | None) -> list[Proposal]:
    if most is None or len(proposals) <= most:
        return proposals
    return sorted(proposals, key=lambda each: -each.confidence)[: max(0, most)]


def _listen(message: Message, heard: _Heard) -> None:
    if rejections.is_play(message.text[:LONGEST_MESSAGE]):
        return
    told = list(_told(message))
    if not told or is_instruction(message.text):  # the dear question, asked only where something was said
        return
    for clause, found, over in told:
        if over is None:
            heard.add(clause, found)
        else:
            heard.end(clause, found, over)


def _told(message: Message) -> Iterator[tuple[Clause, Finding, bool | None]]:
    """What each clause states; with what ended, whether its end is worth a statement."""
    for clause in clauses(own_words(message.text[:LONGEST_MESSAGE], message.name), message.at, message.id):
        text = _rotated(clause)
        subject = _FIRST.match(text)
        if subject is None:
            found = _impersonal(text, clause)
            if found is not None:
                yield clause, found, None
            continue
        for rest in _predicates(subject["rest"]):
            over = changes.ended(rest, clause)
            if over is not None:
                yield clause, *over
            else:
                yield from ((clause, found, None) for found in _personal(rest, clause))


def _rotated(clause: Clause) -> str:
    """ "On Friday I fly to Oslo" in the order that rules expect."""
    text = clause.text
    opening = relative_dates.find(text[:60], clause.at, ahead=True)
    if opening is None or opening.start:
        return text
    rest = text[opening.end :].lstrip(" ,")
    return (
        f"{rest.rstrip(' .!')} {text[: opening.end].strip(' ,')}"
        if rest.lower().startswith(("i ", "we ", "my "))
        else text
    )


def _impersonal(text: str, clause: Clause) -> Finding | None:
    """What has no "I" before it: wishes, names, favourites, notes on others."""
    wish = first(requests.RULES, text, clause)
    if wish is not None:
        return wish
    if rejections.is_hedged(cut(text)):
        return None
    coming = first(events.MINE, text, clause)
    if coming is not None or rejections.is_momentary(cut(text)):
        return coming
    return first(about_mine.RULES, text, clause) or first(habits.OPENED, text, clause)


def _personal(rest: str, clause: Clause) -> Iterator[Finding]:
    if rejections.is_hedged(cut(rest)):
        return
    plain = _AM.sub(r"\1 ", _AM.sub(r"\1 ", rest))
    found = first(events.RULES, plain, clause)
    plain = _ARE.sub("am", plain)
    if found is None and not rejections.is_momentary(cut(plain)):
        found = first(habits.RULES, plain, clause) or first(about_me.RULES, _HABITUAL.sub("", plain), clause)
    if found is not None:
        yield found


def _predicates(rest: str) -> Iterator[str]:
    """The predicates of one subject: "live in Berlin and work at Acme" has two."""
    start = 0
    was_state = re.match(r"(?i)(?:am|are)\b", rest) is not None
    for number, joint in enumerate(() if _LEANS.match(rest) else _SPLIT.finditer(rest)):
        if number >= _MOST_PARTS or _TIES.search(rest[start : joint.start()]):
            break
        if _NOUN_TOO.match(rest, start) and rest[joint.end() :].split()[0] == rest[start:].split()[0]:
            continue  # "I love the joy and love in it": the same word, a noun
        yield _whole(rest[start : joint.start()], start > 0 and was_state)
        start = joint.end()
    yield _whole(rest[start:], start > 0 and was_state)


def _whole(part: str, was_state: bool) -> str:
    return f"am {part}" if was_state and _STATES.match(part) else part
