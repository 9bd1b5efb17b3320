"""A quote entails its fact: "I moved there" entails "Lives there", "I visited" doesn't, nor "want" "has".

Facts use a few plain verbs that are seldom the speaker's own; the lexica list what entails each of them, in the present
or only in the past. What is missing there is refused, so that too little is learned rather than too much.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import amendments, kinship, lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    perfect_tense=r"\bhat\b(?=.*\b\w*ge\w{2,}(?:t|en)\W*$)",
    swap=r"\b(?:switched|swapped|moved|changed|went|traded|transferred)\b.*\bfrom\b.+\bto\b"
    r"|\b(?:ditched|dumped|dropped|replaced|swapped|traded)\b.+\b(?:for|with|by)\b",
)
_PARTS = Patterns(table=lambda: lexicon.tables("verb_parts")[lexicon.ENGLISH])
_MAX_WORDS_AFTER_MY = 4


@dataclass(frozen=True, slots=True)
class _Family:
    """A plain verb of facts, and the words of a quote that entail it."""

    name: str
    claims: re.Pattern[str]
    """Its forms in a fact about the present."""
    claims_past: re.Pattern[str]
    """Its forms in a fact about the past or a wish."""
    now: re.Pattern[str]
    """What entails it in the present."""
    ever: re.Pattern[str]
    """What entails it in the present or in the past."""
    unless: re.Pattern[str] | None
    """What excludes the verb despite a match."""
    owned: bool
    """Whether "my …" entails it for the named thing."""
    anywhere: re.Pattern[str] | None
    """What entails it wherever it is said: "changed jobs: I'm at Siemens now"."""


@cache
def _families(english: bool) -> tuple[_Family, ...]:
    return tuple(_compile(name, english) for name in lexicon.tables("verbs")[lexicon.ENGLISH])


def _compile(name: str, english: bool) -> _Family:
    languages = (lexicon.ENGLISH,) if english else ()
    unspaced = "" if english else _forms(name, "now", spaced=False)
    entailing = _forms(name, "now", languages=languages), _forms(name, "now", "past", languages=languages)
    now, ever = (re.compile(rf"(?<!\w)(?:{forms})(?!\w)" + (f"|{unspaced}" if unspaced else "")) for forms in entailing)
    claims, claims_past = (re.compile(rf"\b(?:{_forms(name, field)})\b") for field in ("claims", "claims_past"))
    unless = _forms(name, "unless")
    owned = lexicon.tables("verbs")[lexicon.ENGLISH][name].get("owned", False)
    anywhere = _forms(name, "anywhere")
    excluding, entailing_all = (re.compile(rf"\b(?:{forms})\b") if forms else None for forms in (unless, anywhere))
    return _Family(name, claims, claims_past, now, ever, excluding, owned, entailing_all)


def _forms(name: str, *fields: str, spaced: bool = True, languages: tuple[str, ...] = ()) -> str:
    """What languages have for the verb in a field, as alternatives."""
    tables = lexicon.tables("verbs", *languages).items()
    verbs = [table[name] for language, table in tables if name in table and lexicon.is_spaced(language) is spaced]
    return "|".join(_PARTS.expand(verb[field]) for field in fields for verb in verbs if field in verb)


@cache
def _any_claim() -> re.Pattern[str]:
    names = lexicon.tables("verbs")[lexicon.ENGLISH]
    return re.compile(rf"\b(?:{'|'.join(_forms(name, 'claims', 'claims_past') for name in names)})\b")


@dataclass(frozen=True, slots=True)
class Entailment:
    """The words that entail a verb of a fact: their clause, their position in it, and the verb's family."""

    clause: str
    position: int
    family: str


def refuse(case: Case) -> Reason | None:
    return Reason.DOES_NOT_FOLLOW if entailments(case) is None else None


@lru_cache(maxsize=1)
def entailments(case: Case) -> list[Entailment] | None:
    """What entails each plain verb of the fact; None if one is not entailed.

    A verb that is already known with its object needs no entailment. The last answer is kept for `attribution`.
    """
    fact = case.lower_fact
    if _PATTERNS.denied.search(fact):
        return []  # a negation is checked by `polarity`
    fact = _PATTERNS.auxiliary.sub(lambda had: had[0].partition(" ")[2], fact)
    fact = _PATTERNS.perfect_tense.sub("", fact)
    related = _related_parts(fact, case.context.clauses)
    entailed: list[Entailment] = []
    for family, pattern in _claimed(fact, word_forms.is_surely_english(case.context.text)):
        if case.known and _is_known(family, fact, case.known):
            continue
        entailment = next(_entailments(family, pattern, related, fact), None)
        if entailment is None and case.known and _is_replaced(family, case):
            entailment = Entailment(related[0], 0, family.name)
        if entailment is None and family.anywhere and family.anywhere.search(case.context.text.lower()):
            entailment = Entailment(related[0], 0, family.name)
        if entailment is None:
            return None
        entailed.append(entailment)
    return entailed


def _claimed(fact: str, english: bool) -> Iterator[tuple[_Family, re.Pattern[str]]]:
    if not _any_claim().search(fact):
        return
    for family in _families(english):
        if family.claims_past.search(fact):
            yield family, family.ever
        elif family.claims.search(fact):
            yield family, family.now


def _is_known(family: _Family, fact: str, known: str) -> bool:
    """Whether a known memo has the verb and its object: "Lives in Rome" does not cover "Lives in Paris"."""
    claim = family.claims.search(fact) or family.claims_past.search(fact)
    objects = word_forms.content_words(fact[claim.end() :]) if claim else ()
    return family.claims.search(known) is not None and bool(objects) and word_forms.has_form(objects[0], words(known))


def _is_replaced(family: _Family, case: Case) -> bool:
    """Whether the speaker put another value into a known statement: "no wait, Oslo", "switched from law to physics"."""
    if family.claims.search(case.known) is None:
        return False
    correction = amendments.read(case.own_text)
    if correction is not None and correction.is_strong:
        return True
    said = words(case.own_text)
    names_former = any(word_forms.has_form(word, said) for word in word_forms.content_words(case.known))
    return names_former and _PATTERNS.swap.search(case.own_text.lower()) is not None


def parts(clauses: Iterable[str]) -> list[str]:
    """Clauses, split further where another verb is joined on."""
    return [part for clause in clauses for part in _PATTERNS.joined.split(clause)]


def _related_parts(fact: str, clauses: Iterable[str]) -> list[str]:
    """The parts that share a content word or a relative with the fact; all of them if none does."""
    all_parts = parts(clauses)
    content, relatives = word_forms.content_words(fact), kinship.mentioned(fact)
    related = [
        part
        for part in all_parts
        if any(word_forms.is_stated(word, set(words(part))) for word in content)
        or (relatives and relatives & kinship.mentioned(part))
    ]
    return related or all_parts


def _entailments(family: _Family, pattern: re.Pattern[str], related: Iterable[str], fact: str) -> Iterator[Entailment]:
    for part in related:
        if _is_excluded(family, part, fact):
            continue
        if family.owned and (position := _possessive_position(part, fact)) is not None:
            yield Entailment(part, position, family.name)
        elif match := pattern.search(part):
            yield Entailment(part, match.start(), family.name)


def _is_excluded(family: _Family, part: str, fact: str) -> bool:
    """Whether a word such as "interview" excludes the verb, and the fact ("Has a job interview") doesn't contain it."""
    exclusion = family.unless.search(part) if family.unless else None
    return exclusion is not None and not word_forms.has_form(words(exclusion[0])[-1], words(fact))


def _possessive_position(part: str, fact: str) -> int | None:
    """Position of a "my" before something that the fact names; of any "my" if the languages can't be compared."""
    content = word_forms.content_words(fact)
    for mine in _PATTERNS.my.finditer(part):
        if not word_forms.is_comparable(part, fact) or any(
            word_forms.is_stated(word, content) for word in _possession(part, mine.end())
        ):
            return mine.start()
    return None


def _possession(part: str, start: int) -> Iterator[str]:
    """The words right after a "my", up to a verb or another owner."""
    for token in part[start:].split()[:_MAX_WORDS_AFTER_MY]:
        if _PATTERNS.verb.fullmatch(token):
            return
        yield from words(token)
        if token.endswith(("'s", "s'")) or kinship.person(token):
            return
