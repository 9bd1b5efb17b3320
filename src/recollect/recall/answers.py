"""What kind of thing a question asks for, and which texts have one: a time for "when", a number for "how many", a name
for "who". Only short lines differ by that: a long text has all of them.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache

from recollect.language import lexicon
from recollect.language.lexicon import Patterns

TIME_BONUS, NUMBER_BONUS, NAME_BONUS = 0.6, 0.5, 0.2
"""Of a line with a time or a number, and for each of up to `MAX_NAMES` names."""
MAX_NAMES = 3
MAX_AMBIGUOUS_CHARS = 3
"""A shorter name of a day or month in another language is a word in some other."""
MAX_CHARS = 1_000
"""Characters of a text that are looked at."""

_PATTERNS = Patterns(re.IGNORECASE)
_ASKS_NUMBER = re.compile(
    r"\bhow (?:many|much|often)\b|\bwieviele?\b|\bwie (?:viele?|oft)\b|\bcombien\b|\bcu[aá]nt[oa]s?\b|\bquant[oa]s?\b",
    re.I,
)
_ASKS_NAME = re.compile(r"^\W*(?:(?:to|from|with|for|in|at|by|of) )?(?:who|whom|whose|where|which)\b", re.IGNORECASE)
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][a-z]+")
_RELATIVE_TIME = (
    r"today|tonight|tomorrow|yesterday|recently|since|ago|(?:last|next|this|past|every) \w+|weekend|"
    r"(?:day|week|month|year)s?|morning|evening|(?:19|20)\d\d|\d{1,2}(?:st|nd|rd|th)"
)
_NUMBER = re.compile(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|several|dozen)\b", re.I
)

Bonus = Callable[[str], float]


@cache
def _time() -> re.Pattern[str]:
    names = {*lexicon.ordered_words("months"), *lexicon.ordered_words("weekdays")}
    for table in (*lexicon.tables("calendar").values(), *lexicon.tables("near_days").values()):
        for value in table.values():
            if isinstance(value, str) and re.fullmatch(r"[^\W\d_|. -]+(?:[ |][^\W\d_|. -]+)*", value):
                names |= {name for name in re.split(r"[ |]", value) if len(name) > MAX_AMBIGUOUS_CHARS}
    spelled = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(rf"\b(?:{spelled}|{_RELATIVE_TIME})\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def bonus_for(question: str) -> Bonus | None:
    """The bonus of a text, if the question asks for something that can be seen."""
    question = question[:400]
    if _ASKS_NUMBER.search(question):
        return lambda text: NUMBER_BONUS if _NUMBER.search(text[:MAX_CHARS]) else 0.0
    if _PATTERNS.asks_when.search(question):
        return lambda text: TIME_BONUS if _time().search(text[:MAX_CHARS]) else 0.0
    if _ASKS_NAME.search(question):
        return lambda text: NAME_BONUS * min(MAX_NAMES, len(_NAME.findall(text[:MAX_CHARS])))
    return None
