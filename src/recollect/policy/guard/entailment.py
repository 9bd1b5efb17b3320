"""What may follow from what: "I moved there" carries "Lives there", "I visited" does not; nor does "want" carry "has".

Facts are told with a few plain verbs that are seldom the speaker's own; `families` has what carries each of them, as a
thing of now or only of the past.
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
_MY_REACH = 4
_VERB = re.compile(r"is|are|was|were|has|had|have|can|will|\w{2,}ed")
_JOINED = re.compile(
    r"\s(?=(?:and|or|then|after|when) (?:then |just |also )?(?:\w{2,}ed|went|saw|met|got|bought|had|am|was|work|live"
    r"|have|love"
    r"|hate|like|play|study|use)\b)"
)


@dataclass(frozen=True, slots=True)
class _Read:
    """A family, ready for use."""

    name: str
    claims: re.Pattern[str]
    claims_past: re.Pattern[str]
    now: re.Pattern[str]
    ever: re.Pattern[str]
    unless: re.Pattern[str] | None
    owned: bool


@cache
def _families(english: bool) -> tuple[_Read, ...]:
    return tuple(_read(family, english) for family in FAMILIES)


def _read(family: Family, english: bool) -> _Read:
    now = [family.now, *([] if english else [family.foreign])]
    past = [family.past, *([] if english else [family.foreign_past])]
    claims, claims_past = (re.compile(rf"\b(?:{one})\b") for one in (family.claims, family.claims_past))
    unless = re.compile(rf"\b(?:{family.unless})\b") if family.unless else None
    unspaced = "" if english else family.unspaced
    carriers = _carrier(now, unspaced), _carrier([*now, *past], unspaced)
    return _Read(family.name, claims, claims_past, *carriers, unless, family.owned)


def _carrier(groups: Iterable[str], unspaced: str) -> re.Pattern[str]:
    spaced = rf"(?<!\w)(?:{'|'.join(filter(None, groups))})(?!\w)"
    return re.compile(f"{spaced}|{unspaced}" if unspaced else spaced)


@cache
def _any_claim() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(f'{family.claims}|{family.claims_past}' for family in FAMILIES)})\b")


@dataclass(frozen=True, slots=True)
class Entailment:
    """A verb of a fact, and where in which clause it is carried."""

    clause: str
    at: int
    family: str


def entails(fact: str, told: QuoteContext, known: str = "") -> list[Entailment] | None:
    """For each plain verb of the fact what carries it; None when one is carried by nothing. All in small letters.

    What is `known` already, verb and all, need not be carried again.
    """
    if DENIED.search(fact):
        return []  # what is not so needs no ground but the "not" itself
    fact = _AUXILIARY.sub(lambda had: had[0].partition(" ")[2], fact)
    sharing = _sharing(fact, told.clauses)
    found: list[Entailment] = []
    for family, pattern in _claimed(fact, word_forms.is_surely_english(told.text)):
        if known and _is_known(family, fact, known):
            continue
        carrier = next(_carriers(family, pattern, sharing, fact), None)
        if carrier is None:
            return None
        found.append(carrier)
    return found


def _claimed(fact: str, english: bool) -> Iterator[tuple[_Read, re.Pattern[str]]]:
    if not _any_claim().search(fact):
        return
    for family in _families(english):
        if family.claims_past.search(fact):
            yield family, family.ever
        elif family.claims.search(fact):
            yield family, family.now


def _is_known(family: _Read, fact: str, known: str) -> bool:
    """Whether a memo has the verb, and what comes next after it: "Lives in Rome" does not know "Lives in Paris"."""
    claim = family.claims.search(fact) or family.claims_past.search(fact)
    rest = word_forms.own(fact[claim.end() :]) if claim else ()
    return family.claims.search(known) is not None and bool(rest) and word_forms.has_form(rest[0], words(known))


def parts(clauses: Iterable[str]) -> list[str]:
    """Clauses, cut once more where another verb is joined on."""
    return [part for clause in clauses for part in _JOINED.split(clause)]


def _sharing(fact: str, clauses: Iterable[str]) -> list[str]:
    """Parts that have something of the fact; else all of them."""
    cut = parts(clauses)
    wanted = word_forms.own(fact)
    sharing = [part for part in cut if any(word_forms.was_told(word, set(words(part))) for word in wanted)]
    return sharing or cut


def _carriers(family: _Read, pattern: re.Pattern[str], sharing: Iterable[str], fact: str) -> Iterator[Entailment]:
    for part in sharing:
        if _is_taken_away(family, part, fact):
            continue
        if family.owned and (place := _owned(part, fact)) is not None:
            yield Entailment(part, place, family.name)
        elif found := pattern.search(part):
            yield Entailment(part, found.start(), family.name)


def _is_taken_away(family: _Read, part: str, fact: str) -> bool:
    """Unless the fact tells of that as well: "Has a job interview"."""
    taken = family.unless.search(part) if family.unless else None
    return taken is not None and not word_forms.has_form(words(taken[0])[-1], words(fact))


def _owned(part: str, fact: str) -> int | None:
    """Where "my" stands before something that the fact names; any "my" of a language that can't be compared."""
    wanted = word_forms.own(fact)
    for mine in _MY.finditer(part):
        if not word_forms.comparable(part, fact) or any(
            word_forms.was_told(word, wanted) for word in _thing(part, mine.end())
        ):
            return mine.start()
    return None


def _thing(part: str, start: int) -> Iterator[str]:
    """The words right after a "my": up to a verb, or to whoever else has something."""
    for token in part[start:].split()[:_MY_REACH]:
        if _VERB.fullmatch(token):
            return
        yield from words(token)
        if token.endswith(("'s", "s'")) or kinship.person(token):
            return
