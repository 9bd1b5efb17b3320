"""How something relates to a place, a cause or a topic is part of the fact: near is not in, against is not for."""

import re

from recollect.core.reasons import Reason
from recollect.core.text import words
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_ARTICLES = "of |the |a |an |my |our |der |dem |den |die |das |la |le |les |el |los |o |os |l'|d'"
_OBJECT = rf" (?:{_ARTICLES})*(?P<what>[^\W\d_][\w-]*)"
_ELISION = re.compile(r"\b[ld]['’]")
_PATTERNS = Patterns(
    near=r"(?<!\w)(?:{distance})" + _OBJECT,
    versus=r"(?<!\w)(?:{opposition})" + _OBJECT,
    topic=r"(?<!\w)(?:{subject_matter})" + _OBJECT,
    is_what=r"^(?:(?:the )?user |\w+ )?(?:is|was|has been|became) (?:now |also |currently )?(?:an? )?"
    r"(?P<what>[a-z][\w-]+)\W*$",
    of_others=r"\b(?:with|among|by|around|against|alongside|beside|calls?|called|named|naming)"
    r" (?:(?:an?|the|some|many|my|other|our|of) |['\"“])*(?:\w+ )?['\"“]?(?P<what>[a-z][\w-]+)",
    belongs=r"(?P<owner>[^\W\d_][\w-]+)['’]s (?P<what>[^\W\d_][\w-]+)",
)
_RELATIONS = (
    ("near", "distance", Reason.SAYS_MORE),
    ("versus", "opposition", Reason.OPPOSITE),
    ("topic", "subject_matter", Reason.SAYS_MORE),
)
"""What is looked for in the quote, what a fact must keep of it, and the reason if it doesn't."""


def refuse(case: Case) -> Reason | None:
    fact_words = words(_ELISION.sub("", case.lower_fact))
    for name, relation, reason in _RELATIONS:
        for clause in case.clauses:
            for match in getattr(_PATTERNS, name).finditer(clause):
                is_object = any(word_forms.has_form(word, fact_words) for word in words(match["what"]))
                if is_object and not _preserves_relation(relation, case):
                    return reason
    if _is_object_of(case):
        return Reason.SAYS_MORE
    return Reason.SOMEBODY_ELSE if _is_owner_of(case, fact_words) else None


def _is_object_of(case: Case) -> bool:
    """Whether a fact says that the speaker is what they only are with: "I work with doctors" is not "Is a doctor"."""
    claimed = _PATTERNS.is_what.match(case.lower_fact)
    if claimed is None or case.context.foreign:
        return False
    said = [match for clause in case.clauses for match in _PATTERNS.of_others.finditer(clause)]
    return any(word_forms.is_form(match["what"], claimed["what"]) for match in said)


def _is_owner_of(case: Case, fact_words: list[str]) -> bool:
    """Whether a fact names the owner for what is owned: "with my ex's cat" is not "with an ex"."""
    for clause in case.clauses:
        for match in _PATTERNS.belongs.finditer(clause):
            is_thing = bool(word_forms.content_words(match["what"])) and len(match["owner"]) > 2
            is_named = all(word in fact_words for word in words(match["owner"]))
            is_dropped = not word_forms.has_form(match["what"], fact_words) and clause.count(match["owner"]) == 1
            if is_thing and is_named and is_dropped and not match["what"].endswith(("ing", "ed")):
                return True
    return False


def _preserves_relation(relation: str, case: Case) -> bool:
    patterns = getattr(_PATTERNS, relation), getattr(_PATTERNS, f"states_{relation}")
    return any(pattern.search(case.lower_fact) for pattern in patterns)
