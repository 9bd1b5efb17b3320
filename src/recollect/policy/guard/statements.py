"""The guard of what is written without a quote: remembered, saved by a tool, imported, edited, posted.

The rules are those of learned facts: nothing instructs the assistant, and what is said about somebody else is the
speaker's own note on that person.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import lru_cache

from recollect.core.changes import Candidate
from recollect.core.clock import from_ms
from recollect.core.reasons import Reason
from recollect.core.types import Kind, Memo, Message, Place
from recollect.language.lexicon import Patterns
from recollect.policy.guard.authority import addresses_assistant
from recollect.policy.guard.case import Case
from recollect.policy.guard.checks.subject import other_person
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.quote import find_quote

_NOTE_KINDS = frozenset({Kind.FACT, Kind.PREFERENCE, Kind.CONSTRAINT, Kind.EVENT, Kind.TOOL, Kind.WORKFLOW})
"""Kinds that a statement about somebody else can't have; a project or a summary may well name people."""
_OPENING = re.compile(r"^\W+")
_NOWHERE, _NEVER = Place(), from_ms(0)
_PATTERNS = Patterns(
    someone=r"(?:the|that|this|your|his|her|their|le|la|les|ton|ta|son|sa|el|tu|su|o|a|il|der|die|das|dein|deine|sein|ihr"
    r"|il mio|la mia|il suo|o meu|a minha) (?:[\w-]+ ){0,2}?(?:{relatives}|guy|girl|man|woman|kid|admin|mod|moderator"
    r"|landlord|landlady|teacher|intern|tenant|nachbarin?|chefin?|vermieter|voisine?|vecin[oa]|vizinh[oa])s?"
    r"(?: (?:in|from|at|next|of|de|du|da|von|aus|nebenan)\b[^,.]{0,30})? [^\W\d_]",
)


def screen(candidate: Candidate, speaker: Callable[[], str] = str) -> Candidate | Reason:
    """The candidate as it may be merged, or why it is refused. `speaker` looks up the display name of who states it."""
    texts = (candidate.text, candidate.source.evidence, candidate.label)
    if gives_instructions(*texts):
        return Reason.INSTRUCTIONS
    tags = without_instructions(candidate.tags)
    kind = kind_of_statement(candidate.kind, candidate.text, candidate.subject.id)
    if kind is not candidate.kind:
        kind = kind_of_statement(candidate.kind, candidate.text, f"{speaker()} {candidate.subject.id}")
    if kind is candidate.kind and tags == candidate.tags:
        return candidate
    return replace(candidate, kind=kind, tags=tags)


def gives_instructions(*texts: str | None) -> bool:
    return any(text and is_instruction(text) for text in texts)


def kind_of_statement(kind: Kind, text: str, speaker: str = "") -> Kind:
    """`person` for what is said about somebody else, else the kind as it is."""
    return Kind.PERSON if kind in _NOTE_KINDS and is_about_another(text, speaker) else kind


@lru_cache(maxsize=1024)
def is_about_another(text: str, name: str = "") -> bool:
    """Whether a statement is about somebody else than its speaker, or reports what somebody else said."""
    start = _OPENING.sub("", text.casefold())
    if _PATTERNS.others_first.match(start):
        return True
    if _PATTERNS.someone.match(start) and not _PATTERNS.first_person.search(start):
        return True
    quote = find_quote(text, text)
    if quote is None:
        return False
    message = Message("", "", _NOWHERE, text, _NEVER, name)
    return other_person(Case(text, text, quote, message)) is not None


def is_for_own_prompts(memo: Memo, name: str) -> bool:
    """Whether a memo belongs into its owner's own prompts alone: a note on somebody else, or how to be answered."""
    if memo.kind is Kind.PERSON or is_answer_request(memo.text):
        return True
    return is_about_another(memo.text, f"{name} {memo.subject.id}")


@lru_cache(maxsize=1024)
def is_answer_request(text: str) -> bool:
    """Whether a text asks the assistant to do something, such as to answer in some way."""
    return _PATTERNS.answer_request.search(text.casefold()) is not None or addresses_assistant(text)


def without_instructions(labels: Iterable[str]) -> tuple[str, ...]:
    return tuple(label for label in labels if not is_instruction(label))
