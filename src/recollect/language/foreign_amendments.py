"""Corrections in a message of their own in other languages than English: "nein, 35", "quise decir Málaga".

`read` recognizes one, `amend` puts its value into an earlier statement: a number for the number, a day for the day,
what follows a preposition for what follows one there, a name for the name at the end.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from recollect.core.text import fold
from recollect.language import lexicon, local_dates

MAX_CHARS = 60
_MAX_VALUE_WORDS, _MAX_TAIL_WORDS = 4, 4
_ISO_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_NAME_AT_END = re.compile(r"(?<=\s)[A-ZÀ-Þ][\w'’&+-]*(?: [A-ZÀ-Þ0-9][\w'’&+-]*)*$")
_WORD = re.compile(r"[^\W\d_]+")
_EDGES = " \t,.!…~:;*\"'“”„«»。、！"


@dataclass(frozen=True, slots=True)
class Reading:
    """The right words of a correction, the wrong ones where it names them, and whether it must be a correction."""

    value: str
    former: str
    is_strong: bool


@dataclass(frozen=True, slots=True)
class _Language:
    """How a language corrects."""

    name: str
    whole: tuple[re.Pattern[str], ...]
    strong: re.Pattern[str]
    no_value: re.Pattern[str]
    prepositions: frozenset[str]
    numbers: frozenset[str]
    is_spaced: bool


@cache
def _languages() -> tuple[_Language, ...]:
    tables = lexicon.read_tables(Path(__file__).with_suffix(".toml"))
    return tuple(_language(name, table) for name, table in tables.items())


def _language(name: str, table: dict[str, Any]) -> _Language:
    is_spaced = not table.get("unspaced", False)
    end = rf"(?:[\s,]*(?P<tail>{table['tail']}))" if is_spaced else rf"(?P<tail>{table['tail']})"
    lead = rf"(?P<lead>(?:(?:{table['lead']})[\s,.:!、。…]*(?<!\w)|(?:{table['lead']})[\s,.:!、。…]+)+)"
    contrasts = [rf"{lead}?{contrast}{'' if is_spaced else end + '?'}" for contrast in table["contrast"]]
    wholes = [*contrasts, rf"{lead}(?P<value>.+?){end}?", rf"(?P<value>.+?){end}" if is_spaced else "(?!x)x"]
    return _Language(
        name,
        tuple(re.compile(whole, re.IGNORECASE) for whole in wholes),
        re.compile(table["strong"], re.IGNORECASE),
        re.compile(table["no_value"], re.IGNORECASE),
        frozenset(table["prepositions"].split()),
        frozenset(table["numbers"].split()),
        is_spaced,
    )


@cache
def _cue() -> re.Pattern[str]:
    tables = lexicon.read_tables(Path(__file__).with_suffix(".toml")).values()
    spaced = "|".join(f"{table['lead']}|{table['tail']}|nicht|pas" for table in tables if not table.get("unspaced"))
    unspaced = "|".join(f"{table['lead']}|なくて?" for table in tables if table.get("unspaced"))
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}", re.IGNORECASE)


def read(text: str) -> Reading | None:
    """The correction that a message consists of."""
    text = " ".join(text.replace("’", "'").split())
    if len(text) > MAX_CHARS or "?" in text or "？" in text or _cue().search(text) is None:
        return None
    return next(_readings(text.strip(_EDGES)), None)


def read_opening(text: str) -> Reading | None:
    """The correction that a message opens with, and explains: "perdón, en Vitoria, Bilbao era antes"."""
    parts = " ".join(text.replace("’", "'").split()).split(", ")
    if len(parts) < 3 or len(parts[-1].split()) < 2:
        return None
    opening = read(", ".join(parts[:2]))
    return opening if opening is not None and opening.value[-1:].isalnum() else None


def _readings(text: str) -> Iterator[Reading]:
    for language in _languages():
        for whole in language.whole:
            match = whole.fullmatch(text)
            if match is None:
                continue
            said = match.groupdict()
            value, former = (said["value"] or "").strip(_EDGES), (said.get("former") or "").strip(_EDGES)
            if not value or len(value.split()) > _MAX_VALUE_WORDS or language.no_value.match(value):
                continue
            marks = f"{said.get('lead') or ''} {said.get('tail') or ''}"
            yield Reading(value, former, bool(former) or language.strong.search(marks) is not None)


def amend(statement: str, reading: Reading, said_at: datetime) -> tuple[str, date | None] | None:
    """The statement with the right value, and the day that it names now; None unless it has a value of that sort."""
    for language in _languages():
        if reading.former and find_former(statement, reading.former) is None:
            return None
        changed = _amended(statement, reading, language, said_at)
        if changed is not None and fold(changed[0]) != fold(statement):
            return changed
    return None


def _amended(
    statement: str, reading: Reading, language: _Language, said_at: datetime
) -> tuple[str, date | None] | None:
    day = local_dates.find(reading.value, language.name, said_at.date())
    if day is not None and not _ISO_DATE.search(statement):
        return _with_day_of_month(statement, reading.value, language)
    if day is not None:
        is_day = _is_day(reading.value, day, language)
        return (_ISO_DATE.sub(str(day.day), statement, count=1), day.day) if is_day else None
    if _ISO_DATE.search(statement):
        return None
    numbered = _with_number(statement, reading.value, language)
    if numbered is not None or _is_number(reading.value.split()[0], language):
        return (numbered, None) if numbered else None
    named = (
        _without_former(statement, reading)
        or _after_preposition(statement, reading, language)
        or _at_end(statement, reading, language)
    )
    return None if named is None else (named, None)


def _with_day_of_month(statement: str, value: str, language: _Language) -> tuple[str, date | None] | None:
    """Another day of the same month: "am 14. Mai" for a birthday on the 4th."""
    former, meant = _NUMBER.findall(statement), _NUMBER.findall(value)
    if len(former) != 1 or len(meant) != 1:
        return None
    month = {word for word in _WORD.findall(value.lower()) if word not in language.prepositions}
    is_same = bool(month) and month <= set(_WORD.findall(statement.lower()))
    return (statement.replace(former[0], meant[0], 1), None) if is_same else None


def _is_day(value: str, day: local_dates.LocalDate, language: _Language) -> bool:
    """Whether a value names a day and says nothing else."""
    for words in day.words:
        value = value.lower().replace(words.lower(), "")
    return language.prepositions.issuperset(value.lower().split())


def _is_number(word: str, language: _Language) -> bool:
    return _NUMBER.match(word) is not None or fold(word) in set(map(fold, language.numbers))


def _with_number(statement: str, value: str, language: _Language) -> str | None:
    """A number for the only number, with a unit only where it is the same."""
    first, _, unit = value.partition(" ")
    digits = _NUMBER.match(value)
    if digits and not language.is_spaced:
        first, unit = digits[0], value[digits.end() :]
    elif not language.is_spaced and value[0] in language.numbers:
        first, unit = value[0], value[1:]
    if not _is_number(first, language):
        return None
    words = "|".join(sorted(language.numbers, key=len, reverse=True))
    spans = re.compile(
        rf"\d+(?:[.,:]\d+)*|\b(?:{words})\b" if language.is_spaced else rf"\d+|[{words.replace('|', '')}]"
    )
    matches = list(spans.finditer(statement))
    if len(matches) != 1:
        return None
    start, end = matches[0].span()
    following = fold(statement[end:]).strip()
    if unit and not following.startswith(fold(unit).strip()[:4]):
        return None
    return f"{statement[:start]}{first}{statement[end:]}"


def _without_former(statement: str, reading: Reading) -> str | None:
    """The right words in the place of the wrong ones that the correction names."""
    former = find_former(statement, reading.former) if reading.former else None
    return f"{statement[: former.start()]}{reading.value}{statement[former.end() :]}" if former else None


def find_former(statement: str, former: str) -> re.Match[str] | None:
    """Where a statement has the wrong words, not as a part of others: "Oscar" has no "car", nor "35" a "3"."""
    return re.search(rf"(?<![a-zß-ÿ0-9]){re.escape(former)}(?![a-zß-ÿ0-9])", statement, re.IGNORECASE)


def _is_place(value: str) -> bool:
    return fold(value) in lexicon.words("places")


def _after_preposition(statement: str, reading: Reading, language: _Language) -> str | None:
    """ "In Bonn" for "in Köln": what follows the last preposition, if that is short."""
    first, _, rest = reading.value.partition(" ")
    if first.lower() not in language.prepositions or not rest:
        return None
    is_name = all(word[0].isupper() for word in rest.split())
    if not is_name and not (reading.is_strong and " " not in rest):
        return None
    words = statement.split()
    places = [place for place, word in enumerate(words) if place and word.lower() in language.prepositions]
    if not places or len(words) - places[-1] - 1 > _MAX_TAIL_WORDS:
        return None
    return " ".join([*words[: places[-1]], first.lower(), rest])


def _at_end(statement: str, reading: Reading, language: _Language) -> str | None:
    """A name for the name at the end, without words that say so a place for a place; in Japanese, the value of a
    relation that has one at a time.
    """
    name = _NAME_AT_END.search(statement)
    if not reading.is_strong and not (name and _is_place(name[0]) and _is_place(reading.value)):
        return None
    if not language.is_spaced:
        slots = lexicon.tables("slots", language.name).get(language.name, {}).values()
        match = next((match for slot in slots if (match := re.fullmatch(slot, statement))), None)
        return None if match is None else f"{reading.value}{statement[match.end(match.lastindex or 0) :]}"
    if name is None or not all(word[0].isupper() for word in reading.value.split()):
        return None
    return f"{statement[: name.start()]}{reading.value}"
