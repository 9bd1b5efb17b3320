"""The quote is neither a joke nor a supposition."""

from recollect.core.reasons import Reason
from recollect.language.lexicon import Patterns
from recollect.policy.guard.case import Case
from recollect.policy.guard.clauses import lower

_MAX_JOKE_CHARS = 60
_PATTERNS = Patterns(
    tone_tag=r"(?<!\S)/(?:s|j|jk|joke|sarcasm|hj)\b|[\U0001f643\U0001f644]",
    taken_back=r"(?:^|[.!…,;]\s*|\.\.\s*|-\s)(?:not|nicht|pas|no|não)\W*$",  # "I love mondays... NOT"
)


def refuse(case: Case) -> Reason | None:
    quote = case.quote
    if _PATTERNS.supposition.search(lower(quote.before + quote.words)) or _is_joke(lower(quote.words)):
        return Reason.NOT_MEANT
    rest = lower(quote.after + quote.following[:_MAX_JOKE_CHARS])
    is_taken_back = _PATTERNS.taken_back.search(lower(quote.words + quote.after).rstrip()) or (
        _PATTERNS.taken_back.match(lower(quote.following).lstrip()) if quote.following.strip() else None
    )
    return Reason.NOT_MEANT if _is_joke(rest) or is_taken_back else None


def _is_joke(text: str) -> bool:
    return bool(_PATTERNS.joke.search(text) or _PATTERNS.tone_tag.search(text))
