"""Birthdays: who said "I'm 33" and now "46 since last week" or "ayer cumplí 34" is a year older, and so is their child.

What is said may leave away whose age it is, so the one known age that is a year less is meant; the expressions are in
`ages.toml`, by language.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from recollect.core.types import Memo, Message
from recollect.language.lexicon import read_tables
from recollect.policy.guard.own_words import own_words

MAX_CHARS = 100
_EDGES = " .!~…*。！"
_AGE = re.compile(r"(?P<age>\d{1,3})(?= years old\b|$|,? years?\b| Jahre\b| ans\b| años\b| anos\b|歳|才)")
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth".split()
_ROUND = {"twentieth": 20, "thirtieth": 30, "fortieth": 40, "fiftieth": 50, "sixtieth": 60, "seventieth": 70}


@cache
def _turned() -> list[re.Pattern[str]]:
    tables = read_tables(Path(__file__).with_suffix(".toml")).values()
    return [re.compile(table["turned"].replace("\n", ""), re.IGNORECASE) for table in tables]


def grown(message: Message, known_memos: Sequence[Memo]) -> tuple[Memo, str] | None:
    """The memo on the age that is one more now, and what it says then; None where no age, or more than one, is meant."""
    text = " ".join(own_words(message.text[: MAX_CHARS + 1], message.name).replace("’", "'").split()).strip(_EDGES)
    age = _new_age(text) if len(text) <= MAX_CHARS else None
    if age is None:
        return None
    aged = [(memo, match) for memo in known_memos if memo.active and (match := _AGE.search(memo.text))]
    meant = [(memo, match) for memo, match in aged if int(match["age"]) == age - 1]
    if len(meant) != 1:
        return None
    memo, match = meant[0]
    return memo, f"{memo.text[: match.start()]}{age}{memo.text[match.end() :]}"


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
