"""The quote states something: it is no question, other than a request that the fact states as a wish."""

from recollect.core.reasons import Reason
from recollect.language import word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case

_PATTERNS = Patterns(
    opens_question=r"^\W*(?:and |but |so |hey |or )?(?:{asks})\b",
    tagged=r", ?(?:{question_tag})\s*[?？]\s*$",
    opens_with_you=r"\W*(?:you|u|du|tu|any)\b",
)
_MARKS = ("?", "？")


def refuse(case: Case) -> Reason | None:
    if not any(mark in case.context.text for mark in _MARKS):
        return None
    if _PATTERNS.tagged.search(case.context.lower):
        return Reason.ASKED
    ending, comma, _ = case.quote.after.partition(",")
    is_asked = not comma and ending.rstrip().endswith(_MARKS) and _asks(case.quote.clause, case.lower_fact)
    is_answered = bool(case.clauses) and all(_is_answered(clause, case.lower_fact) for clause in case.clauses)
    return Reason.ASKED if is_asked or is_answered else None


def _is_answered(clause: str, fact: str) -> bool:
    """Whether a clause within the quote is a question, regardless of an answer: "are you a nurse? yes"."""
    if not clause.endswith(_MARKS):
        return False
    if clause.startswith("¿") or word_forms.is_foreign(clause):
        is_request = _PATTERNS.asks_you.search(clause) and _PATTERNS.wishes.search(fact)
        return not (is_request or _PATTERNS.wish.search(fact))
    return _asks(clause, fact) or (_PATTERNS.opens_with_you.match(clause) is not None and not _requests(clause, fact))


def _asks(clause: str, fact: str) -> bool:
    return _PATTERNS.opens_question.match(clause) is not None and not _requests(clause, fact)


def _requests(clause: str, fact: str) -> bool:
    return bool(_PATTERNS.asks_for.match(clause) and _PATTERNS.wish.search(fact))
