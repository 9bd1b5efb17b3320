"""Birthdays: who said "I'm 33" and now "46 since last week" or "ayer cumplí 34" is a year older, and so is their child.

What is said may leave away whose age it is, so an age is meant that is a year less; the expressions are in `ages.toml`,
by language.
"""

import re
from functools import cache
from pathlib import Path

from recollect.language.lexicon import read_tables

MAX_CHARS = 100
_EDGES = " .!~…*。！"
_AGE = re.compile(r"(?P<age>\d{1,3})(?= years old\b| years?\b| Jahre\b| ans\b| años\b| anos\b|歳|才)")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth".split()
_ROUND = {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60, "seventieth": 70}


@cache
def _turned() -> list[re.Pattern[str]]:
    tables = read_tables(Path(__file__).with_suffix(".toml")).values()
    return [re.compile(table["turned"].replace("\n", ""), re.IGNORECASE) for table in tables]


def grow(statement: str, text: str) -> str | None:
    """The statement with the age that a text gives; None unless it is one more than the statement's."""
    text = " ".join(text.replace("’", "'").split()).strip(_EDGES) if len(text) <= MAX_CHARS else ""
    age, known = _new_age(text), _AGE.search(statement)
    if age is None or known is None or int(known["age"]) != age - 1:
        return None
    return f"{statement[: known.start()]}{age}{statement[known.end() :]}"


def _new_age(text: str) -> int | None:
    match = next((match for pattern in _turned() if (match := pattern.fullmatch(text))), None)
    if match is None:
        return None
    said = match.groupdict()
    number = next((said[name] for name in ("age", "age2", "age3") if said.get(name)), None)
    if number is not None:
        return int(number)
    nth = said["nth"].lower()
    return _ORDINALS.index(nth) + 1 if nth in _ORDINALS else _ROUND.get(nth)
