"""Whether a quote entails a fact: "I moved there" entails "Lives there", "I visited" doesn't, nor "want" "has".

Facts use a few plain verbs that are seldom the speaker's own; `verb_families` lists what entails each of them, in the
present or only in the past.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from recollect.core.text import words
from recollect.language import kinship, word_forms
from recollect.policy.guard.clauses import QuoteContext
from recollect.policy.guard.verb_families import FAMILIES, Family

_AUXILIARY = re.compile(
    r"\bha(?:s|d|ve) (?:(?:not|never|always|also|just|already|recently|long|no longer|only) )?"
    r"(?:been|become|taught|grown|lost|had|known|gone|seen|done|made|met|left|read|run|won|\w{2,}ed)\b"
    r"|\bha(?:s|d|ve) to\b"
)
DENIED = re.compile(r"\b(?:not|never|no longer|cannot|without|stopped|quit|left|lost|former\w*)\b|n't\b")
_MY = re.compile(
    r"\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|nos|mi|mis|nuestr[oa]s?|meus?|minhas?|mi[oa]|мо[йяи]|наш\w?)\b"
)
_MAX_WORDS_AFTER_MY = 4
_VERB = re.compile(r"is|are|was|were|has|had|have|can|will|\w{2,}ed")
_JOINED = re.compile(
    r"\s(?=(?:and|or|then|after|when) (?:then |just |also )?(?:\w{2,}ed|went|saw|met|got|bought|had|am|was|work|live"
    r"|have|love"
    r"|hate|like|play|study|use)\b)"
)


@dataclass(frozen=True, slots=True)
class _CompiledFamily:
    """A verb family with compiled patterns."""

    name: str
    claims: re.Pattern[str]
    claims_past: re.Pattern[str]
    now: re.Pattern[str]
    ever: re.Pattern[str]
    unless: re.Pattern[str] | None
    owned: bool


@cache
def _families(english: bool) -> tuple[_CompiledFamily, ...]:
    return tuple(_compile(family, english) for family in FAMILIES)


def _compile(family: Family, english: bool) -> _CompiledFamily:
    now = [family.now, *([] if english else [family.foreign])]
    past = [family.past, *([] if english else [family.foreign_past])]
    claims, claims_past = (re.compile(rf"\b(?:{forms})\b") for forms in (family.claims, family.claims_past))
    unless = re.compile(rf"\b(?:{family.unless})\b") if family.unless else None
    unspaced = "" if english else family.unspaced
    entailing = _entailing_pattern(now, unspaced), _entailing_pattern([*now, *past], unspaced)
    return _CompiledFamily(family.name, claims, claims_past, *entailing, unless, family.owned)


def _entailing_pattern(groups: Iterable[str], unspaced: str) -> re.Pattern[str]:
    spaced = rf"(?<!\w)(?:{'|'.join(filter(None, groups))})(?!\w)"
    return re.compile(f"{spaced}|{unspaced}" if unspaced else spaced)


@cache
def _any_claim() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(f'{family.claims}|{family.claims_past}' for family in FAMILIES)})\b")


@dataclass(frozen=True, slots=True)
class Entailment:
    """The words that entail a verb of a fact: their clause, their position in it, and the verb's family."""

    clause: str
    position: int
    family: str


def entails(fact: str, context: QuoteContext, known: str = "") -> list[Entailment] | None:
    """What entails each plain verb of the fact; None if one is not entailed. All texts are in lower case.

    A verb that is already `known` with its object needs no entailment.
    """
    if DENIED.search(fact):
        return []  # a negation is checked by `polarity`
    fact = _AUXILIARY.sub(lambda had: had[0].partition(" ")[2], fact)
    related = _related_parts(fact, context.clauses)
    entailments: list[Entailment] = []
    for family, pattern in _claimed(fact, word_forms.is_surely_english(context.text)):
        if known and _is_known(family, fact, known):
            continue
        entailment = next(_entailments(family, pattern, related, fact), None)
        if entailment is None:
            return None
        entailments.append(entailment)
    return entailments


def _claimed(fact: str, english: bool) -> Iterator[tuple[_CompiledFamily, re.Pattern[str]]]:
    if not _any_claim().search(fact):
        return
    for family in _families(english):
        if family.claims_past.search(fact):
            yield family, family.ever
        elif family.claims.search(fact):
            yield family, family.now


def _is_known(family: _CompiledFamily, fact: str, known: str) -> bool:
    """Whether a known memo has the verb and its object: "Lives in Rome" does not cover "Lives in Paris"."""
    claim = family.claims.search(fact) or family.claims_past.search(fact)
    objects = word_forms.content_words(fact[claim.end() :]) if claim else ()
    return family.claims.search(known) is not None and bool(objects) and word_forms.has_form(objects[0], words(known))


def parts(clauses: Iterable[str]) -> list[str]:
    """Clauses, split further where another verb is joined on."""
    return [part for clause in clauses for part in _JOINED.split(clause)]


def _related_parts(fact: str, clauses: Iterable[str]) -> list[str]:
    """The parts that share a content word with the fact; all of them if none does."""
    all_parts = parts(clauses)
    content = word_forms.content_words(fact)
    related = [part for part in all_parts if any(word_forms.is_stated(word, set(words(part))) for word in content)]
    return related or all_parts


def _entailments(
    family: _CompiledFamily, pattern: re.Pattern[str], related: Iterable[str], fact: str
) -> Iterator[Entailment]:
    for part in related:
        if _is_excluded(family, part, fact):
            continue
        if family.owned and (position := _possessive_position(part, fact)) is not None:
            yield Entailment(part, position, family.name)
        elif match := pattern.search(part):
            yield Entailment(part, match.start(), family.name)


def _is_excluded(family: _CompiledFamily, part: str, fact: str) -> bool:
    """Whether a word such as "interview" excludes the verb, and the fact ("Has a job interview") doesn't contain it."""
    exclusion = family.unless.search(part) if family.unless else None
    return exclusion is not None and not word_forms.has_form(words(exclusion[0])[-1], words(fact))


def _possessive_position(part: str, fact: str) -> int | None:
    """Position of a "my" before something that the fact names; of any "my" if the languages can't be compared."""
    content = word_forms.content_words(fact)
    for mine in _MY.finditer(part):
        if not word_forms.is_comparable(part, fact) or any(
            word_forms.is_stated(word, content) for word in _possession(part, mine.end())
        ):
            return mine.start()
    return None


def _possession(part: str, start: int) -> Iterator[str]:
    """The words right after a "my", up to a verb or another owner."""
    for token in part[start:].split()[:_MAX_WORDS_AFTER_MY]:
        if _VERB.fullmatch(token):
            return
        yield from words(token)
        if token.endswith(("'s", "s'")) or kinship.person(token):
            return
