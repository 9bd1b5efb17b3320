"""A state that has changed since it was stated: another job, another town, a hobby given up, a corrected number.

The expressions are in `transitions.toml`, for every language that is read.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from recollect.core.text import fold
from recollect.core.types import Memo
from recollect.language import lexicon, word_forms
from recollect.language.lexicon import read_tables

MAX_CHARS = 400
"""Of a message: what is longer tells a story, in which other things have ended too."""


@cache
def _table() -> dict[str, Any]:
    return read_tables(Path(__file__).with_name("transitions.toml"))


@cache
def _expression(name: str) -> re.Pattern[str]:
    return re.compile(_table()[name], re.IGNORECASE)


@cache
def _numbers() -> frozenset[str]:
    return frozenset(_table()["numbers"].split())


@cache
def _rewrites() -> list[tuple[re.Pattern[str], str]]:
    name = _table()["name"]
    return [
        (re.compile(r"(?<![\w’'])" + when.replace("{name}", name), re.IGNORECASE), then)
        for when, then in _table()["rewrites"]
    ]


@cache
def _ends() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    return [
        (re.compile(r"(?<![A-Za-zÀ-ÿ’'])" + when, re.IGNORECASE), _expression(kind)) for when, kind in _table()["ends"]
    ]


def rewritten(text: str) -> str:
    """The text with changes told as plain statements: "changed jobs: I'm at Siemens now", "I work at Siemens now"."""
    if len(text) > MAX_CHARS or _expression("rewrite_cue").search(text) is None:
        return text
    for pattern, statement in _rewrites():
        match = pattern.search(text)
        if match is not None and not ("work at" in statement and _is_person(match["x"])):
            text = pattern.sub(statement, text, count=1)
    return text


def _is_person(name: str) -> bool:
    """Whether a name is somebody's rather than an employer's: "I'm with Anna now"."""
    return fold(name.split()[0]) in lexicon.words("given_names")


def ended_memos(text: str, known_memos: Sequence[Memo]) -> Iterator[Memo]:
    """The known memos that a message ends: a language no longer learned, studies broken off."""
    if len(text) > MAX_CHARS or _expression("end_cue").search(text) is None:
        return
    for pattern, kind in _ends():
        match = pattern.search(text)
        parts = match.groupdict() if match else {}
        what = parts.get("what") or parts.get("what2")
        if match is not None:
            yield from (memo for memo in known_memos if memo.active and kind.match(memo.text) and _has(memo, what))


def _has(memo: Memo, what: str | None) -> bool:
    named = word_forms.content_words(what) or [fold(what)] if what else []
    return all(word.rstrip("s") in fold(memo.text) for word in named)


def corrected_count(text: str, known_memos: Sequence[Memo]) -> tuple[Memo, str] | None:
    """The one memo that counts the same thing, and its text with the number that was meant."""
    matches = (_expression(name).fullmatch(text.strip()) for name in ("meant", "meant_unspaced", "recount"))
    match = next(filter(None, matches), None)
    if match is None:
        return None
    number, noun = match["number"], match["noun"]
    counts = [
        (memo, change) for memo in known_memos if memo.active and (change := _replace_count(memo.text, number, noun))
    ]
    return counts[0] if len(counts) == 1 else None


def _replace_count(statement: str, number: str, noun: str) -> str | None:
    """ "Has two cats", "three" and "cats": "Has three cats"."""
    is_number = number[0].isdigit() or number.lower() in _numbers() or not number.isascii()
    stem = re.escape(noun.rstrip("s") if noun.isascii() else noun)
    counted = re.search(rf"(?P<number>\w+?) ?(?={stem})", statement, re.IGNORECASE)
    if not is_number or counted is None:
        return None
    former = re.search(r"[0-9０-９]+$|[^\W\d_]+$", counted["number"])
    if former is None or not (former[0][0].isdigit() or former[0].lower() in _numbers()):
        return None
    start = counted.start() + former.start()
    changed = f"{statement[:start]}{number}{statement[start + len(former[0]) :]}"
    return None if fold(changed) == fold(statement) else changed
