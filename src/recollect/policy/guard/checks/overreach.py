"""A fact does not generalize beyond its quote: to the present, to all and always, or in another direction."""

import re
from functools import cache

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    claims_never=r"\bnever\b",
    claims_both=r"\bboth\b",
    left=r"\b(?:{leaving})\s+(?P<place>[^\W\d_][\w'-]*)",
)
_GENERALIZATIONS = ("always", "often", "never", "only", "many", "both")
"""Each has a pattern of what claims it in a fact, and forms that support it in a quote."""


@cache
def _support(name: str) -> re.Pattern[str]:
    unspaced = [language for language in lexicon.tables("forms") if not lexicon.is_spaced(language)]
    general = lexicon.forms("general", *unspaced)
    return re.compile(rf"(?<!\w)(?:{_PATTERNS.expand('{' + name + '}')})(?!\w)|{general}")


def refuse(case: Case) -> Reason | None:
    fact, quote, clauses = case.lower_fact, f"{case.context.lower} {case.known}", case.clauses
    if _generalizes(fact, quote):
        return Reason.SAYS_MORE
    if _is_reversed(fact, quote):
        return Reason.OPPOSITE
    is_past = _PATTERNS.before.search(quote) and _is_present(fact)
    if clauses and all((is_past and _PATTERNS.pasts.search(clause)) or _is_over(fact, clause) for clause in clauses):
        return Reason.NO_LONGER_SO
    return None


def _generalizes(fact: str, quote: str) -> bool:
    for name in _GENERALIZATIONS:
        if getattr(_PATTERNS, f"claims_{name}").search(fact) and not _support(name).search(quote):
            return True
    fact_words = words(fact)
    if any(word_forms.has_form(thing, fact_words) for thing in _PATTERNS.part_of.findall(quote)):
        return not _PATTERNS.partly.search(fact)
    # "I hate this keyboard" is not about keyboards
    return any(f"{thing}s" in fact_words for thing in _PATTERNS.pointed_at.findall(quote))


def _is_reversed(fact: str, quote: str) -> bool:
    """Whether a fact reverses a preference, or arrives at a place that was left."""
    claimed, said = _PATTERNS.ordered.search(fact), _PATTERNS.ordered.search(quote)
    if claimed and said and ("prefer" in fact or not (claimed["to"] or said["to"])):
        return word_forms.is_form(claimed["more"], said["less"]) and word_forms.is_form(claimed["less"], said["more"])
    if "no longer" in fact or "n't" in fact or " not " in fact or _PATTERNS.left.search(fact):
        return False
    left = {match["place"] for match in _PATTERNS.left.finditer(quote)}
    reached = {match["place"] for match in _PATTERNS.into.finditer(quote)}
    return any(match["place"] in left - reached for match in _PATTERNS.into.finditer(fact))


def _present_verb(fact: str) -> str | None:
    """The verb of a fact in the present tense, unless it is about a taste, which lasts."""
    present = _PATTERNS.present.match(fact)
    return None if present is None or _PATTERNS.tastes.match(present["verb"]) else present["verb"]


def _is_present(fact: str) -> bool:
    return _present_verb(fact) is not None


def _is_over(fact: str, clause: str) -> bool:
    """Whether a fact in the present tense comes from a clause about the past."""
    verb = _present_verb(fact)
    if verb is None:
        return False
    is_now = _PATTERNS.now.search(clause) is not None
    if _PATTERNS.before.search(clause) or (_PATTERNS.was_doing.search(clause) and not is_now):
        return True
    if verb in ("is", "are"):
        return bool(_PATTERNS.was.search(clause)) and not (is_now or _PATTERNS.be_done.search(clause))
    verbs = [word for word in words(clause) if word_forms.is_form(word, verb)]
    if not verbs or _PATTERNS.perfect.search(clause):
        return False
    perfect = re.search(rf"(?:'ve|\bhave) (?:\w+ )?{re.escape(verbs[0])}\b", clause)
    return all(map(_is_past, verbs)) or perfect is not None


def _is_past(word: str) -> bool:
    return word.endswith("ed") or word in lexicon.words("past_verbs")
