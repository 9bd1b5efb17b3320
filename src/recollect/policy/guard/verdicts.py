"""Whether a proposal may become a memo: only if the speaker said it, and meant it so. A model proposes, this decides.

`checks` has the list of conditions, in order. Each refusal has a short reason that is safe to log: it never quotes the
message.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from recollect.core.errors import BadInput
from recollect.core.ports.model import Proposal
from recollect.core.reasons import Reason
from recollect.core.text import clip, collapse_spaces, words
from recollect.core.types import Kind, Memo, Message
from recollect.language import ages, amendments, changes, lexicon, word_forms
from recollect.language.corrections import resolve
from recollect.language.lexicon import Patterns
from recollect.policy import kinds
from recollect.policy.guard.case import Case, Claim
from recollect.policy.guard.checks import (
    FACT_CHECKS,
    OVERLAP_CHECKS,
    QUOTE_CHECKS,
    VERBATIM_CHECKS,
    QuoteCheck,
    instruction,
    name_of,
)
from recollect.policy.guard.checks.mentioned import person_meant
from recollect.policy.guard.checks.size import MIN_FACT_CHARS
from recollect.policy.guard.checks.subject import other_person
from recollect.policy.guard.grounding import compact, is_date_said, overlaps
from recollect.policy.guard.instructions import follows_a_pattern, remove_invisible
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import MAX_EVIDENCE_CHARS, QuoteMatch, find_quote, has_content, sentences
from recollect.policy.guard.statements import without_instructions
from recollect.policy.kinds import label, tags

__all__ = [
    "MISTAKES",
    "UNGROUNDED",
    "Accepted",
    "Grounding",
    "Refused",
    "check",
    "normalize_fact",
]

Grounding = Literal["quote", "found_quote", "overlap"]
UNGROUNDED = (Reason.NO_EVIDENCE, Reason.NO_QUOTE)
"""Refusals for lack of evidence."""
MISTAKES = (
    *UNGROUNDED, Reason.NO_SUCH_MESSAGE, Reason.TOO_SHORT, Reason.TOO_LONG, Reason.NEGATION_DROPPED, Reason.OPPOSITE,
    Reason.NUMBER_NOT_SAID, Reason.NAME_NOT_SAID, Reason.TOO_FEW_WORDS, Reason.DOES_NOT_FOLLOW, Reason.SAYS_MORE,
    Reason.PERSON_NOT_MENTIONED,
)  # fmt: skip
"""Refusals of what was not said, which a model can correct on a retry."""
MAX_NORMALIZED_CHARS = 190

_SENTENCE_END = ".!?。！？…"
_SENTENCE_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")
_PATTERNS = Patterns()


@dataclass(frozen=True, slots=True)
class Accepted:
    """A fact to learn, with its source message and its evidence."""

    message: Message
    evidence: str
    kind: Kind
    text: str
    tags: tuple[str, ...] = ()
    """The proposal's tags, within limits."""
    label: str | None = None
    """The proposal's own word for its kind, if it is one of a document's that differs from ours."""
    happened: datetime | None = None
    """The proposal's date, if the speaker named it."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing is learned, and why."""

    reason: Reason
    check: str = field(default="", compare=False)
    """The name of the check that refused it; none if its evidence was not found."""


def check(
    proposal: Proposal, messages: Sequence[Message], known: Sequence[Memo], *, grounding: Grounding = "quote"
) -> Accepted | Refused:
    """Whether a proposal may be learned from its speaker's messages, as they stand after their own corrections."""
    amended = _check_amended(proposal, messages, known) if proposal.id else None
    if amended is not None:
        return amended
    # "I live in Rome, no, Bonn" supports Bonn only, so the checks read the corrected text.
    corrected = [message for message in messages if resolve(message.text) != message.text]
    if not corrected:
        return _check(proposal, messages, known, grounding)
    resolved = [replace(message, text=resolve(message.text)) for message in messages]
    verdict = _check(replace(proposal, evidence=resolve(proposal.evidence)), resolved, known, grounding)
    if isinstance(verdict, Refused):
        return verdict
    original = next(message for message in messages if message.id == verdict.message.id)
    evidence = clip(collapse_spaces(remove_invisible(proposal.evidence)), MAX_EVIDENCE_CHARS)
    return replace(verdict, message=original, evidence=evidence if verdict.evidence else "")


def _check_amended(proposal: Proposal, messages: Sequence[Message], known: Sequence[Memo]) -> Accepted | None:
    """A known memo with the value that a correction gives it: "no wait, 35" says no more than that."""
    memo = next((memo for memo in known if memo.id == proposal.id), None)
    sources = [message for message in messages if not message.bot and proposal.message in ("", message.id)]
    # A correction passes only if the proposal is exactly the memo with the new value.
    for message in sources if memo is not None else ():
        own_text = own_words(message.text, message.name)
        amendment = amendments.read(own_text)
        change = amendments.amend(memo.text, amendment, message.at) if memo and amendment else None
        change = change or (amendments.move(memo.text, own_text, message.at) if memo else None)
        claim = Claim(proposal.text, own_text)
        is_changed = memo is not None and (
            (change is not None and change[0] == proposal.text) or proposal.text in _changed_texts(memo, own_text)
        )
        if memo and is_changed and not _is_unfit_change(claim):
            return Accepted(message, own_text, memo.kind, proposal.text, memo.tags, memo.label, proposal.happened)
    return None


def _is_unfit_change(claim: Claim) -> bool:
    """Whether a change is no fact to keep; few words say too little for the model of orders."""
    if instruction.refuse(replace(claim, evidence=claim.fact)) or follows_a_pattern(claim.evidence):
        return True
    return any(check.refuse(claim) for check in FACT_CHECKS if check is not instruction)


def _changed_texts(memo: Memo, own_text: str) -> list[str | None]:
    """What a memo says after a change told by the form of a message, whether or not it was made just before."""
    told = [changes.effect(memo.text, own_text, is_fresh=is_fresh) for is_fresh in (True, False)]
    return [*told, ages.grow(memo.text, own_text)]


def _check(
    proposal: Proposal, messages: Sequence[Message], known: Sequence[Memo], grounding: Grounding
) -> Accepted | Refused:
    claim = Claim(collapse_spaces(remove_invisible(proposal.text)), proposal.evidence)
    for fact_check in FACT_CHECKS:
        if reason := fact_check.refuse(claim):
            return Refused(reason, name_of(fact_check))
    sources = [message for message in messages if not message.bot and proposal.message in ("", message.id)]
    if not sources:
        return Refused(Reason.NO_SUCH_MESSAGE)
    if grounding == "overlap":
        return _check_overlap(proposal, claim.fact, sources)
    if grounding == "found_quote" and not has_content(proposal.evidence):
        return _check_found_quote(proposal, claim.fact, sources, known)
    return _check_quote(proposal, claim.fact, sources, known)


def _check_quote(
    proposal: Proposal, fact: str, sources: Sequence[Message], known: Sequence[Memo]
) -> Accepted | Refused:
    if not has_content(proposal.evidence):
        return Refused(Reason.NO_EVIDENCE)
    for message in sources:
        if quote := find_quote(proposal.evidence, own_words(message.text, message.name)):
            return _judge(proposal, QUOTE_CHECKS, fact, message, quote, _revised_text(proposal, known))
    # Told apart from a missing quote: a model can't correct this one by quoting better.
    if any(find_quote(proposal.evidence, message.text) for message in sources):
        return Refused(Reason.NOT_OWN_WORDS)
    return Refused(Reason.NO_QUOTE)


def _check_found_quote(
    proposal: Proposal, fact: str, sources: Sequence[Message], known: Sequence[Memo]
) -> Accepted | Refused:
    """As with a quote, where the model gives none: the first sentence that passes as one, or the whole message."""
    refusal = Refused(Reason.NO_EVIDENCE)
    for message in sources:
        text = own_words(message.text, message.name)
        for part in (*_SENTENCE_BREAK.split(text), text):
            verdict = _check_quote(replace(proposal, evidence=part), fact, [message], known)
            if isinstance(verdict, Accepted):
                return verdict
            # The most telling reason is kept: a quote that was found, and refused for what it says.
            refusal = refusal if verdict.reason in UNGROUNDED else verdict
    return refusal


def _revised_text(proposal: Proposal, known: Sequence[Memo]) -> str:
    """The text of the memo that the proposal restates."""
    return next((memo.text for memo in known if memo.id == proposal.id), "") if proposal.id else ""


def _judge(
    proposal: Proposal, checks: Iterable[QuoteCheck], fact: str, message: Message, quote: QuoteMatch, revised: str = ""
) -> Accepted | Refused:
    """Accept a fact unless a check refuses it; one about somebody else becomes a note on that person."""
    about = person_meant(proposal.about, fact, message)
    case = Case(fact, proposal.evidence, quote, message, about, revised)
    # Word for word nothing can have been distorted, so only checks of what is said remain.
    for quote_check in VERBATIM_CHECKS if _is_own_sentence(case) else checks:
        if reason := quote_check.refuse(case):
            return Refused(reason, name_of(quote_check))
    evidence = clip(collapse_spaces(remove_invisible(quote.words)), MAX_EVIDENCE_CHARS)
    is_note = about or other_person(case) is not None
    return _accept_as(Kind.PERSON if is_note else _parse_kind(proposal.kind), proposal, message, evidence, fact)


def _is_own_sentence(case: Case) -> bool:
    """Whether the fact is what the speaker said about themselves, word for word: a sentence, or the whole message."""
    own_texts = [case.own_text, case.quote.sentence, *sentences(case.own_text)]
    is_verbatim = compact(case.fact) in map(compact, own_texts)
    is_own = case.context.foreign or _PATTERNS.first_person.search(case.lower_fact) is not None
    return is_verbatim and is_own  # "I" is in the verb in many languages


def _accept_as(kind: Kind, proposal: Proposal, message: Message, evidence: str, text: str) -> Accepted:
    context = f"{own_words(message.text, message.name)}\n{text}"
    happened = proposal.happened
    if happened is not None and not is_date_said(happened.date(), context, message.at.date()):
        happened = None  # a date that nobody named is no reason to forget the rest
    own_label = "".join(_grounded([label(proposal.kind)], context))
    kept_label = own_label if own_label != kind.value else None
    return Accepted(
        message, evidence, kind, text, _grounded(tags(proposal.tags), context), kept_label or None, happened
    )


def _grounded(labels: Iterable[str], said: str) -> tuple[str, ...]:
    """The labels whose words were said, or that name a kind or a general topic; without instructions."""
    said_words = [*word_forms.tokens(said), *lexicon.words("topics"), *Kind, *kinds.TYPES]
    said_labels = (name for name in labels if all(word_forms.is_stated(word, said_words) for word in words(name)))
    return without_instructions(said_labels)


def _check_overlap(proposal: Proposal, text: str, sources: Sequence[Message]) -> Accepted | Refused:
    """The looser rule by common words; evidence is kept only if it is grounded itself."""
    for message in sources:
        own_text = own_words(message.text, message.name)
        if not overlaps(text, own_text, message.name):
            continue
        if quote := find_quote(proposal.evidence, own_text):
            return _judge(proposal, OVERLAP_CHECKS, text, message, quote)
        evidence = collapse_spaces(remove_invisible(proposal.evidence))
        grounded = clip(evidence, MAX_EVIDENCE_CHARS) if overlaps(evidence, own_text) else ""
        kind = Kind.PERSON if proposal.about else _parse_kind(proposal.kind)
        return _accept_as(kind, proposal, message, grounded, text)
    return Refused(Reason.TOO_FEW_WORDS)


def _parse_kind(label: str) -> Kind:
    try:
        return kinds.from_kind(label)[0]
    except BadInput:
        return kinds.from_type(label)[0]


def normalize_fact(text: str) -> str:
    """A fact of 4 to 190 characters with closing punctuation; empty if it is too short."""
    fact = collapse_spaces(text)
    if len(fact) > MAX_NORMALIZED_CHARS:
        fact = _shorten(fact)
    if len(fact.rstrip(_SENTENCE_END)) < MIN_FACT_CHARS:
        return ""
    return fact if fact[-1] in _SENTENCE_END else f"{fact}."


def _shorten(text: str) -> str:
    """Cut after a sentence, if that leaves at least half of the limit; else between words."""
    start = text[:MAX_NORMALIZED_CHARS]
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s)|[。！？]", start)]
    if ends and ends[-1] >= MAX_NORMALIZED_CHARS // 2:
        return start[: ends[-1]]
    return clip(text, MAX_NORMALIZED_CHARS - 1, "").rstrip(" ,;:-")
