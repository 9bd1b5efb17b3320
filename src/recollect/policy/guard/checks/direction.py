"""Who does what to whom, from where to where, and which place goes with which verb."""

import re

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    origin=r"\b(?:from|von|aus|de|depuis|desde|da|dal|z|ze) (?P<place>[^\W\d_][\w'’-]+)",
    target=r"\b(?:to|into|nach|à|a|al|para|do|na) (?P<place>[^\W\d_][\w'’-]+)",
    passive=r"\b(?:is|was|were|been|got) (?P<verb>\w+) by (?P<who>[^\W\d_][\w'’-]+)",
    offset=r"\b(?:day|week|month|year|hour)s? (?P<side>after|before|from) (?P<what>[^\W\d_][\w'’-]+)",
    not_only=r"(?:\bnot|n't) (?:only|just|merely|simply)\b|\bnicht nur\b|\bpas (?:que|seulement)\b|\bno s[óo]lo\b"
    r"|\bnão só\b|\bnon solo\b",
    last_time=r"\bsince i last\b|\bago (?:that|when) i last\b",
)
_CLAUSE = re.compile(r"\s*[,;]\s*|\s+(?:but|while|though|whereas|aber|mais|pero|mas|ma|ale|ama)\s+")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-ZÀ-Þ][\w'’-]+")
_MIN_FACT_WORDS = 3


def refuse(case: Case) -> Reason | None:
    quote = case.context.lower
    if _swaps_ends(case.lower_fact, quote) or _swaps_people(case):
        return Reason.OPPOSITE
    if _takes_other_place(case) or _drops_offset(case.lower_fact, quote):
        return Reason.SAYS_MORE
    if _PATTERNS.last_time.search(quote) and not re.search(
        r"\b(?:last|not|no longer|stopped|ago)\b|n't", case.lower_fact
    ):
        return Reason.NO_LONGER_SO
    is_denied = _PATTERNS.denial.search(case.lower_fact) and not _PATTERNS.not_only.search(case.lower_fact)
    return Reason.OPPOSITE if is_denied and _PATTERNS.not_only.search(quote) else None


def _swaps_ends(fact: str, quote: str) -> bool:
    """Whether the fact arrives where the quote sets out, and sets out where it arrives."""
    said_from, said_to = _places("origin", quote), _places("target", quote)
    return bool(_places("origin", fact) & (said_to - said_from) and _places("target", fact) & (said_from - said_to))


def _places(name: str, text: str) -> set[str]:
    return {match["place"] for match in getattr(_PATTERNS, name).finditer(text)}


def _swaps_people(case: Case) -> bool:
    """Whether who did something has it done to them: "Bob owes me" is not "Owes Bob", "I beat Tom" not the reverse."""
    fact, quote = case.lower_fact, case.context.lower
    if passive := _PATTERNS.passive.search(fact):
        verb = rf"\bi (?:\w+ )?(?P<verb>\w+) (?:(?!by\b)\w+ )?{re.escape(passive['who'])}\b"
        said = re.search(verb, quote)
        return said is not None and word_forms.is_form(said["verb"], passive["verb"])
    stated = words(fact)
    for name in {match.lower() for match in _NAME.findall(case.fact)}:
        done = re.search(rf"\b{re.escape(name)} (?P<verb>\w+) (?:me|us|mir|mich|uns)\b", quote)
        if done and name in stated[1:_MIN_FACT_WORDS] and word_forms.is_form(done["verb"], stated[0]):
            return True
    return False


def _takes_other_place(case: Case) -> bool:
    """Whether a name goes with a verb that has another one in its clause: "born in Leeds but grew up in York"."""
    clauses = _CLAUSE.split(case.quote.sentence)
    names = {name.lower() for name in _NAME.findall(case.fact)}
    verbs = [word for word in word_forms.content_words(case.fact) if word not in names]
    if len(clauses) == 1 or not names or not verbs:
        return False
    holding = [clause for clause in clauses if word_forms.has_form(verbs[0], words(clause))]
    others = [{name.lower() for name in _NAME.findall(clause)} for clause in holding]
    return bool(holding) and all(each and not each & names for each in others)


def _drops_offset(fact: str, quote: str) -> bool:
    """Whether "the day after Christmas" became Christmas."""
    offsets = list(_PATTERNS.offset.finditer(quote))
    return any(each["what"] in words(fact) and not re.search(rf"\b{each['side']}\b", fact) for each in offsets)
