"""The quote is neither a joke nor a supposition."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import lower

_MAX_JOKE_CHARS = 60
_PATTERNS = Patterns(tone_tag=r"(?<!\S)/(?:s|j|jk|joke|sarcasm|hj)\b")


def refuse(case: Case) -> Reason | None:
    quote = case.quote
    if _PATTERNS.supposition.search(lower(quote.before + quote.words)) or _is_joke(lower(quote.words)):
        return Reason.NOT_MEANT
    return Reason.NOT_MEANT if _is_joke(lower(quote.after + quote.following[:_MAX_JOKE_CHARS])) else None


def _is_joke(text: str) -> bool:
    return bool(_PATTERNS.joke.search(text) or _PATTERNS.tone_tag.search(text))
