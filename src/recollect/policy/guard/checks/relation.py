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
                if is_object and not _keeps(relation, case):
                    return reason
    return None


def _keeps(relation: str, case: Case) -> bool:
    patterns = getattr(_PATTERNS, relation), getattr(_PATTERNS, f"states_{relation}")
    return any(pattern.search(case.lower_fact) for pattern in patterns)
