"""A fact keeps its quote's polarity: "I used to live there" is not "Lives there", nor is "I'd hate to".

Looks only at the part of the quote from which the fact was derived: "I drink coffee without sugar" does support "Drinks
coffee".
"""

import re

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import QuoteContext

_PATTERNS = Patterns(
    taken_back=r"^(?:but|although|though|except|only|and|however)?,? ?(?:(?:actually|really|in fact|of course) )?"
    r"(?:i|we) (?:(?:really|actually) )?(?:didn't|don't|wasn't|weren't|haven't|hadn't|won't|couldn't|am not|never did"
    r"|lied|was lying|made (?:it|that) up)(?: really| actually| at all)?\W*$",
    denies=r"\b(?:not|never|no longer|lied)\b|n't\b",
    perhaps=r"\b(?:might|may|could|maybe|perhaps|possibly|not sure)\b",
    surely=r"\b(?:will|is going to|is gonna)\b",
)
_ARTICLES = ("a", "an", "the")


def refuse(case: Case) -> Reason | None:
    if any(_is_ruled_out(clause, case.lower_fact) for clause in case.context.clauses[1:]):
        return Reason.NEGATION_DROPPED
    is_taken_back = any(_PATTERNS.taken_back.match(clause) for clause in case.context.clauses[1:])
    if is_taken_back and not _PATTERNS.denies.search(case.lower_fact):
        return Reason.NEGATION_DROPPED
    if _makes_certain(case):
        return Reason.NOT_MEANT
    reasons = [_difference(clause, case.context, case.lower_fact) for clause in case.clauses]
    return None if None in reasons or not reasons else reasons[0]


def _is_ruled_out(clause: str, fact: str) -> bool:
    """Whether a fact states what a clause rules out: ", not dogs"."""
    added = _PATTERNS.added_denial.match(clause)
    content = (word_forms.content_words(added["what"]) or _numbers(added["what"])) if added else ()
    is_stated = bool(content) and all(word_forms.has_form(word, words(fact)) for word in content)
    return is_stated and not _PATTERNS.denial.search(fact)


def _makes_certain(case: Case) -> bool:
    """Whether a fact says "will" of what only might be."""
    if not _PATTERNS.surely.search(case.lower_fact) or _PATTERNS.perhaps.search(case.lower_fact):
        return False
    return bool(case.clauses) and all(_PATTERNS.perhaps.search(clause) for clause in case.clauses)


def _numbers(text: str) -> list[str]:
    return [word for word in words(text) if word.isdigit()]


def _is_conditional(context: QuoteContext, clause: str) -> bool:
    """Whether the sentence begins with a condition for the clause."""
    condition = _PATTERNS.if_clause.match(context.lower)
    return condition is not None and context.lower.find(clause) >= condition.end()


def _difference(clause: str, context: QuoteContext, fact: str) -> Reason | None:
    literal = _PATTERNS.idioms.sub(" ", clause)
    before = literal if context.foreign else _up_to(literal, fact)
    feelings = _feeling(literal, before), _feeling(fact, fact)
    if all(feelings):
        if feelings[0] != feelings[1]:
            return Reason.OPPOSITE
    elif _is_negated(before, literal, context.foreign) and not _negates(fact, literal, context.foreign):
        return Reason.NEGATION_DROPPED
    elif _adds_denial(fact, clause, context.foreign):
        return Reason.OPPOSITE
    if _PATTERNS.was_so.search(before) and not (_PATTERNS.states_past.search(fact) or _PATTERNS.denial.search(fact)):
        return Reason.NO_LONGER_SO
    hypothesis = _PATTERNS.hypothesis.search(before)
    is_supposed = hypothesis is not None and not _keeps_word(hypothesis[0], fact, context.foreign)
    if (is_supposed or _is_conditional(context, clause)) and not _PATTERNS.states_hypothesis.search(fact):
        return Reason.NOT_MEANT
    return None


def _keeps_word(marker: str, fact: str, foreign: bool) -> bool:
    """Whether a fact has the word that makes a clause a supposition; forms are alike by chance in other languages."""
    fact_words = words(fact)
    first = words(marker)[0]
    return first in fact_words if foreign else word_forms.has_form(first, fact_words)


def _up_to(clause: str, fact: str) -> str:
    """The clause up to the last word that it shares with the fact: what comes later does not reverse it."""
    fact_words = [word for word in words(fact) if word not in _ARTICLES]
    shared = [
        match
        for match in re.finditer(r"[\w']+", clause)
        if any(word_forms.has_form(word, fact_words) for word in words(match[0]))
    ]
    return clause[: shared[-1].end()] if shared else clause


def _is_negated(before: str, clause: str, foreign: bool) -> bool:
    """Whether a clause has an odd number of negations; two cancel out."""
    if foreign:
        return _PATTERNS.foreign_denial.search(clause) is not None
    if len(_PATTERNS.denial.findall(before)) % 2 == 1:
        return True
    last = " ".join(clause.rstrip(" .!?").split()[-2:])
    return before != clause and re.search(r"\b(?:no longer|not|no more)$", last) is not None


def _negates(fact: str, clause: str, foreign: bool) -> bool:
    """Whether a fact expresses a "not" in some way, other than by a word of the clause itself."""
    if foreign and not word_forms.is_surely_english(fact):
        return _PATTERNS.foreign_denial.search(fact) is not None
    clause_words = words(clause)
    is_negative = any(word[0] not in clause_words for word in _PATTERNS.negative.finditer(fact))
    return is_negative or _PATTERNS.denial.search(fact) is not None


def _adds_denial(fact: str, clause: str, foreign: bool) -> bool:
    """Whether only the fact has a "not", in the language of its clause."""
    if not word_forms.is_comparable(clause, fact):
        return False
    if _PATTERNS.fact_denial.search(fact):
        return not _is_ending(clause)
    if not foreign or word_forms.is_surely_english(fact):
        return False
    return _PATTERNS.foreign_denial.search(fact) is not None and not _PATTERNS.foreign_denial.search(clause)


def _is_ending(clause: str) -> bool:
    """Whether a clause has anything that a "not" of the fact may express."""
    patterns = _PATTERNS.denial, _PATTERNS.negative, _PATTERNS.ending
    return any(pattern.search(clause) for pattern in patterns)


def _feeling(clause: str, before: str) -> int:
    """1 for liking, -1 for disliking, 0 for neither or both; a negation in `before` reverses it."""
    literal = _PATTERNS.simile.sub(" ", clause)
    liking, disliking = _PATTERNS.liking.search(literal), _PATTERNS.disliking.search(literal)
    if bool(liking) == bool(disliking):
        return 0
    is_reversed = len(_PATTERNS.denial.findall(_PATTERNS.disliking.sub(" ", before))) % 2 == 1
    return (1 if liking else -1) * (-1 if is_reversed else 1)
