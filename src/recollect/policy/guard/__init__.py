"""What may become a memory: only what the speaker said, as said. A model proposes, this decides.

Each refusal gives its reason in a few words fit for a log, without anything of the message.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recollect.core.errors import BadInput
from recollect.core.ports.model import Proposal
from recollect.core.text import clip, collapse_spaces, fold, normalize, words
from recollect.core.types import Kind, Memo, Message
from recollect.language import word_forms
from recollect.policy import kinds
from recollect.policy.guard import attribution, entailment, modality, overreach, polarity
from recollect.policy.guard.clauses import QuoteContext, around, lower, sources
from recollect.policy.guard.grounding import keeps_names, keeps_numbers, overlaps
from recollect.policy.guard.instructions import is_instruction, visible
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import LONGEST, QuoteMatch, find, says_something
from recollect.policy.kinds import label, tags

__all__ = ["UNGROUNDED", "Accepted", "Grounding", "Refused", "check", "is_instruction", "normal_fact", "own_words"]

Grounding = Literal["quote", "overlap"]
_NO_EVIDENCE, _NO_QUOTE = "evidence says too little", "evidence is no quote"
UNGROUNDED = (_NO_EVIDENCE, _NO_QUOTE)
"""Reasons to refuse a proposal that rests on nothing: a model that can quote can mend it."""
SHORTEST, LONGEST_FACT, LONGEST_NORMAL = 4, 300, 190

_SECRET = "[redacted:"  # noqa: S105 - the mark, not a password
_SENTENCE_END = ".!?。！？…"
_REFERS = re.compile(r"\b(?:it|its|it's|she|he|her|him|his|they|them|their|that|this|there|here|those|these|one)\b")
"""Words for what was spoken of before: then the rest of the message counts as well."""
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
    """A fact fit to be learned, with the message and the words that it rests on."""

    message: Message
    evidence: str
    kind: Kind
    text: str
    tags: tuple[str, ...] = ()
    """The proposal's, as far as they can be kept."""
    label: str | None = None
    """The proposal's own word for its kind, cut, where that is another."""


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing to learn, and why."""

    reason: str


def check(
    proposal: Proposal, said: Sequence[Message], known: Sequence[Memo], *, grounding: Grounding = "quote"
) -> Accepted | Refused:
    """Whether a proposal may be learned from what its speaker said."""
    text = collapse_spaces(visible(proposal.text))
    reason = _unfit(text, proposal.evidence)
    if reason:
        return Refused(reason)
    sources = [one for one in said if not one.bot and proposal.message in ("", one.id)]
    if not sources:
        return Refused("no such message")
    if grounding == "overlap":
        return _check_overlap(proposal, text, sources)
    return _check_quote(proposal, text, sources, known)


def _unfit(text: str, evidence: str) -> str | None:
    """What is wrong with a fact whatever was said."""
    if len(text) < SHORTEST and not (text and not text.isascii() and len(text) > 1):
        return "too short"
    if len(text) > LONGEST_FACT:
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
    if not says_something(proposal.evidence):
        return Refused(_NO_EVIDENCE)
    for message in sources:
        if found := find(proposal.evidence, own_words(message.text, message.name)):
            reason = _untold(text, message, found, _revised(proposal, known))
            return Refused(reason) if reason else _accepted(proposal, text, message, found)
    if any(find(proposal.evidence, message.text) for message in sources):
        return Refused("evidence is not the speaker's own words")
    return Refused(_NO_QUOTE)


def _revised(proposal: Proposal, known: Sequence[Memo]) -> str:
    """The text of the memo that it says anew: what is known already need not be said again."""
    return next((memo.text for memo in known if memo.id == proposal.id), "") if proposal.id else ""


def _untold(text: str, message: Message, found: QuoteMatch, revised: str) -> str | None:
    """Why a quote does not carry a fact."""
    if is_instruction(found.sentence):
        return "gives instructions"
    if modality.is_not_meant(found):
        return "is not meant"
    if modality.is_asked(found, text):
        return "is asked, not stated"
    if modality.drops_negation(found, text):
        return "leaves out a negation"
    own = own_words(message.text, message.name)
    if not keeps_numbers(text, own, message.at.date(), revised):
        return "a number was not said"
    speaker = f"{message.name} {message.author}"
    if not keeps_names(text, f"{own}\n{revised}", speaker):
        return "a name was not said"
    told = around(found)
    said = own if revised or _REFERS.search(told.lower) else told.text
    if not word_forms.carries(f"{said}\n{revised}", text, speaker):
        return "too few of its words were said"
    return polarity.differs(told, text) or _beyond(text, told, speaker, lower(revised))


def _beyond(text: str, told: QuoteContext, speaker: str, known: str) -> str | None:
    """What of a fact does not follow from its quote."""
    fact, clauses = lower(text), sources(told, text)
    if clauses and all(modality.is_answered(clause, text) for clause in clauses):
        return "is asked, not stated"
    verbs = entailment.entails(fact, told, known)
    if verbs is None:
        return "does not follow"
    if attribution.differs(text, speaker, told, clauses, verbs):
        return "is about somebody else"
    return overreach.overreaches(fact, f"{told.lower} {known}", clauses)


def _accepted(proposal: Proposal, text: str, message: Message, found: QuoteMatch) -> Accepted | Refused:
    """Accepted as what it is: what is told of somebody else is a note on that person at the most."""
    evidence = clip(collapse_spaces(visible(found.words)), LONGEST)
    if proposal.about:
        told = {*words(message.text), *words(text)}
        if not (set(words(proposal.about)) - {"user", "users", "the", "my"}) & told:
            return Refused("the person was not mentioned")
        return _as(Kind.PERSON, proposal, message, evidence, text)
    clauses = sources(around(found), text)
    other = modality.about_another(found, clauses[0] if len(clauses) == 1 else "")
    is_own = other is None or fold(other) in words(message.name)
    if modality.swaps_subject(found, text) or not (is_own or modality.names(text, other or "")):
        return Refused("is about somebody else")
    return _as(_kind(proposal.kind) if is_own else Kind.PERSON, proposal, message, evidence, text)


def _as(kind: Kind, proposal: Proposal, message: Message, evidence: str, text: str) -> Accepted:
    own = label(proposal.kind)
    return Accepted(message, evidence, kind, text, tags(proposal.tags), None if own == kind.value else own or None)


def _check_overlap(proposal: Proposal, text: str, sources: Sequence[Message]) -> Accepted | Refused:
    """The looser rule; its evidence is kept only if it is grounded itself."""
    for message in sources:
        own = own_words(message.text, message.name)
        if not overlaps(text, own):
            continue
        if found := find(proposal.evidence, own):
            reason = "is not meant" if modality.is_not_meant(found) else polarity.differs(around(found), text)
            return Refused(reason) if reason else _accepted(proposal, text, message, found)
        evidence = collapse_spaces(visible(proposal.evidence))
        kept = clip(evidence, LONGEST) if overlaps(evidence, own) else ""
        return _as(Kind.PERSON if proposal.about else _kind(proposal.kind), proposal, message, kept, text)
    return Refused("too few of its words were said")


def _kind(label: str) -> Kind:
    try:
        return kinds.from_kind(label)[0]
    except BadInput:
        return kinds.from_type(label)[0]


def normal_fact(text: str) -> str:
    """One sentence at least, of 4 to 190 characters, with its closing mark; empty when there is too little."""
    plain = collapse_spaces(text)
    if len(plain) > LONGEST_NORMAL:
        plain = _shortened(plain)
    if len(plain.rstrip(_SENTENCE_END)) < SHORTEST:
        return ""
    return plain if plain[-1] in _SENTENCE_END else f"{plain}."


def _shortened(text: str) -> str:
    """Cut where a sentence ends, if that leaves half of it; else between words."""
    head = text[:LONGEST_NORMAL]
    ends = [end.end() for end in re.finditer(r"[.!?](?=\s)|[。！？]", head)]
    if ends and ends[-1] >= LONGEST_NORMAL // 2:
        return head[: ends[-1]]
    return clip(text, LONGEST_NORMAL - 1, "").rstrip(" ,;:-")
