"""A chat message as an order: `!memory forget Acme` is the verb `forget` and the words after it."""

import re
from dataclasses import dataclass

_ORDER = re.compile(r"\s*[!/]memory(?:\s+(?P<verb>\S+)(?:\s+(?P<words>.*))?)?\s*", re.IGNORECASE | re.DOTALL)
_QUOTES = ('""', "''", "``", "“”", "„“", "‘’", "«»", "「」")


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    verb: str
    words: str = ""


def parse(text: str) -> ParsedCommand | None:
    """The order that a message gives; None when it gives none. Without a verb it asks to show."""
    found = _ORDER.fullmatch(text)
    if found is None:
        return None
    return ParsedCommand((found["verb"] or "show").casefold(), (found["words"] or "").strip())


def unquoted(words: str) -> str:
    """Without the quotation marks around it, if there is a pair and none of them inside."""
    for first, last in _QUOTES:
        inside = words[1:-1]
        if len(words) > 1 and words.startswith(first) and words.endswith(last) and not {first, last} & set(inside):
            return inside.strip()
    return words


def split(words: str) -> tuple[str, str]:
    """The first word, in lower case, and what follows it."""
    first, *rest = words.split(maxsplit=1) or [""]
    return first.casefold(), rest[0].strip() if rest else ""
