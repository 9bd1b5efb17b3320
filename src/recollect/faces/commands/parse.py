"""Parses chat commands: `!memory forget Acme` is the verb `forget` and the words after it."""

import re
from dataclasses import dataclass

_COMMAND = re.compile(r"\s*[!/]memory(?:\s+(?P<verb>\S+)(?:\s+(?P<words>.*))?)?\s*", re.IGNORECASE | re.DOTALL)
_QUOTES = ('""', "''", "``", "“”", "„“", "‘’", "«»", "「」")


@dataclass(frozen=True, slots=True)
class ParsedCommand:
    verb: str
    words: str = ""


def parse(text: str) -> ParsedCommand | None:
    """The command in a message; None when it is none. Without a verb it means `show`."""
    match = _COMMAND.fullmatch(text)
    if match is None:
        return None
    return ParsedCommand((match["verb"] or "show").casefold(), (match["words"] or "").strip())


def unquoted(words: str) -> str:
    """The words without a pair of quotation marks around them, if there are none inside."""
    for first, last in _QUOTES:
        content = words[1:-1]
        if len(words) > 1 and words.startswith(first) and words.endswith(last) and not {first, last} & set(content):
            return content.strip()
    return words


def split(words: str) -> tuple[str, str]:
    """The first word, in lower case, and the remaining text."""
    first, *remaining = words.split(maxsplit=1) or [""]
    return first.casefold(), remaining[0].strip() if remaining else ""


def split_reference(words: str) -> tuple[str, str]:
    """The reference to a memo, one word or several in quotation marks, and the remaining text."""
    for first, last in _QUOTES:
        end = words.find(last, 1)
        if words.startswith(first) and end > 0:
            return words[1:end].strip(), words[end + 1 :].strip()
    first, *remaining = words.split(maxsplit=1) or [""]
    return first, remaining[0].strip() if remaining else ""
