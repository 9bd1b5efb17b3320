"""Whether a proposal may become a memo: only if the speaker said it, and meant it so. A model proposes, this decides.

Each refusal has a short reason that is safe to log: it never quotes the message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.core.errors import BadInput
from recollect.core.ports.model import Proposal
from recollect.core.reasons import Reason
from recollect.core.text import clip, collapse_spaces, fold, normalize, words
from recollect.core.types import Kind, Memo, Message
from recollect.language import word_forms
from recollect.policy import kinds
from recollect.policy.guard import attribution, entailment, modality, overreach, polarity
from recollect.policy.guard.clauses import QuoteContext, lower, quote_context, source_clauses
from recollect.policy.guard.grounding import keeps_names, keeps_numbers, overlaps
from recollect.policy.guard.instructions import is_instruction, remove_invisible
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import MAX_EVIDENCE_CHARS, QuoteMatch, find_quote, has_content
from recollect.policy.kinds import label, tags

__all__ = ["UNGROUNDED", "Accepted", "Grounding", "Refused", "check", "is_instruction", "normalize_fact", "own_words"]

Grounding = Literal["quote", "overlap"]
UNGROUNDED = (Reason.NO_EVIDENCE, Reason.NO_QUOTE)
"""Refusals for lack of evidence, which a model can correct on a retry."""
MIN_FACT_CHARS, MAX_FACT_CHARS, MAX_NORMALIZED_CHARS = 4, 300, 190

_SECRET = "[redacted:"  # noqa: S105 - the marker, not a password
_SENTENCE_END = ".!?。！？…"
_REFERS = re.compile(r"\b(?:it|its|it's|she|he|her|him|his|they|them|their|that|this|there|here|those|these|one)\b")
"""Words that refer back: then the whole message is compared, not just the sentence."""
_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|hiya|yo|howdy|thanks|thank you|thx|bye|goodbye|good (?:morning|night|evening|afternoon)"
    r"|welcome|cheers|lol|ok|okay|yes|no"
    r"|hallo|moin|servus|danke|tschüss|guten (?:morgen|tag|abend)|bonjour|salut|merci|hola|gracias|buenos días|oi"
    r"|olá|obrigad[oa]|ciao|grazie"
    r"|привет|спасибо|здравствуйте|你好|谢谢|こんにちは|ありがとう|안녕하세요|there|everyone|all|guys|user|says?|said|greets?|greeted"
    r"|the|bot|assistant)\W*)+"
)


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
    """The proposal's own word for its kind, if it differs from ours."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing is learned, and why."""

    reason: str


def check(
    proposal: Proposal, messages: Sequence[Message], known: Sequence[Memo], *, grounding: Grounding = "quote"
) -> Accepted | Refused:
    """Whether a proposal may be learned from its speaker's messages."""
    text = collapse_spaces(remove_invisible(proposal.text))
    reason = _unfit_reason(text, proposal.evidence)
    if reason:
        return Refused(reason)
    sources = [message for message in messages if not message.bot and proposal.message in ("", message.id)]
    if not sources:
        return Refused("no such message")
    if grounding == "overlap":
        return _check_overlap(proposal, text, sources)
    return _check_quote(proposal, text, sources, known)


def _unfit_reason(text: str, evidence: str) -> str | None:
    """What is wrong with a fact regardless of its source."""
    if len(text) < MIN_FACT_CHARS and not (text and not text.isascii() and len(text) > 1):
        return "too short"
    if len(text) > MAX_FACT_CHARS:
        return "too long"
    if text.endswith(("?", "？")):
        return "is a question"
    if _GREETING.fullmatch(normalize(text)):
        return "is a greeting"
    if _SECRET in text or _SECRET in evidence:
        return "holds a secret"
    if is_instruction(text) or is_instruction(evidence):
        return "gives instructions"
    return None


def _check_quote(
    proposal: Proposal, text: str, sources: Sequence[Message], known: Sequence[Memo]
) -> Accepted | Refused:
    if not has_content(proposal.evidence):
        return Refused(Reason.NO_EVIDENCE)
    for message in sources:
        if quote := find_quote(proposal.evidence, own_words(message.text, message.name)):
            reason = _unsupported_reason(text, message, quote, _revised_text(proposal, known))
            return Refused(reason) if reason else _accept(proposal, text, message, quote)
    if any(find_quote(proposal.evidence, message.text) for message in sources):
        return Refused("evidence is not the speaker's own words")
    return Refused(Reason.NO_QUOTE)


def _revised_text(proposal: Proposal, known: Sequence[Memo]) -> str:
    """The text of the memo that the proposal restates: what it says counts as said."""
    return next((memo.text for memo in known if memo.id == proposal.id), "") if proposal.id else ""


def _unsupported_reason(text: str, message: Message, quote: QuoteMatch, revised: str) -> str | None:
    """Why a quote does not support a fact; None if it does."""
    if is_instruction(quote.sentence):
        return "gives instructions"
    if modality.is_not_meant(quote):
        return "is not meant"
    if modality.is_asked(quote, text):
        return "is asked, not stated"
    if modality.drops_negation(quote, text):
        return "leaves out a negation"
    own_text = own_words(message.text, message.name)
    if not keeps_numbers(text, own_text, message.at.date(), revised):
        return "a number was not said"
    speaker = f"{message.name} {message.author}"
    if not keeps_names(text, f"{own_text}\n{revised}", speaker):
        return "a name was not said"
    context = quote_context(quote)
    source = own_text if revised or _REFERS.search(context.lower) else context.text
    if not word_forms.is_worded_from(f"{source}\n{revised}", text, speaker):
        return "too few of its words were said"
    return polarity.differs(context, text) or _overreach_reason(text, context, speaker, lower(revised))


def _overreach_reason(text: str, context: QuoteContext, speaker: str, known: str) -> str | None:
    """Why a fact says more than its quote; None if it doesn't."""
    fact, clauses = lower(text), source_clauses(context, text)
    if clauses and all(modality.is_answered(clause, text) for clause in clauses):
        return "is asked, not stated"
    verbs = entailment.entails(fact, context, known)
    if verbs is None:
        return "does not follow"
    if attribution.differs(text, speaker, context, clauses, verbs):
        return "is about somebody else"
    return overreach.overreaches(fact, f"{context.lower} {known}", clauses)


def _accept(proposal: Proposal, text: str, message: Message, quote: QuoteMatch) -> Accepted | Refused:
    """Accept a fact; one about somebody else becomes a note on that person, or is refused."""
    evidence = clip(collapse_spaces(remove_invisible(quote.words)), MAX_EVIDENCE_CHARS)
    if proposal.about:
        mentioned = {*words(message.text), *words(text)}
        if not (set(words(proposal.about)) - {"user", "users", "the", "my"}) & mentioned:
            return Refused("the person was not mentioned")
        return _accept_as(Kind.PERSON, proposal, message, evidence, text)
    clauses = source_clauses(quote_context(quote), text)
    other = modality.about_another(quote, clauses[0] if len(clauses) == 1 else "")
    is_own = other is None or fold(other) in words(message.name)
    if modality.swaps_subject(quote, text) or not (is_own or modality.mentions(text, other or "")):
        return Refused("is about somebody else")
    return _accept_as(_parse_kind(proposal.kind) if is_own else Kind.PERSON, proposal, message, evidence, text)


def _accept_as(kind: Kind, proposal: Proposal, message: Message, evidence: str, text: str) -> Accepted:
    own_label = label(proposal.kind)
    kept_label = None if own_label == kind.value else own_label or None
    return Accepted(message, evidence, kind, text, tags(proposal.tags), kept_label)


def _check_overlap(proposal: Proposal, text: str, sources: Sequence[Message]) -> Accepted | Refused:
    """The looser rule by common words; evidence is kept only if it is grounded itself."""
    for message in sources:
        own_text = own_words(message.text, message.name)
        if not overlaps(text, own_text):
            continue
        if quote := find_quote(proposal.evidence, own_text):
            reason = "is not meant" if modality.is_not_meant(quote) else polarity.differs(quote_context(quote), text)
            return Refused(reason) if reason else _accept(proposal, text, message, quote)
        evidence = collapse_spaces(remove_invisible(proposal.evidence))
        grounded = clip(evidence, MAX_EVIDENCE_CHARS) if overlaps(evidence, own_text) else ""
        kind = Kind.PERSON if proposal.about else _parse_kind(proposal.kind)
        return _accept_as(kind, proposal, message, grounded, text)
    return Refused("too few of its words were said")


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
