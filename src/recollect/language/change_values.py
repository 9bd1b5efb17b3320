"""Values of the sort of a slot, as clauses name them: another language, another weekday, a model of the same series."""

import re
from collections.abc import Iterable, Iterator

from recollect.core.text import fold
from recollect.language import lexicon
from recollect.language.change_tables import ChangeLanguage, Slot

_NO_KINDS = ("single", "governor", "over", "follows")
"""What the table of closed classes has besides them."""
_NAMED_KINDS = ("phone", "laptop", "car")
"""Of which the value has a model as well, which goes with it: "Nissan Leaf"."""
_YEAR = re.compile(r"(?:19|20)\d\d")


def kindred(language: ChangeLanguage, slot: Slot, clauses: Iterable[str]) -> str | None:
    """The slot's value with another one of its closed class: a language, a color, a make of car.

    The class says what is meant, so that a word for a change anywhere in the message is enough.
    """
    if not language.kinds or language.kinds["single"].fullmatch(slot.statement) is None:
        return None
    own = [clause for clause in clauses if language.kinds["over"].search(clause) is None]
    for name, members in _kinds(language):
        if (old := members.search(slot.value)) is None:
            continue
        new = {match[0] for clause in own for match in _governed(language, members, clause, old[0])}
        if len(new) == 1:
            value = new.pop()
            is_whole = name in _NAMED_KINDS
            return value if is_whole else f"{slot.value[: old.start()]}{value}{slot.value[old.end() :]}"
    return None


def is_of_class(language: ChangeLanguage, slot: Slot, value: str) -> bool:
    """Whether a value that belongs to a closed class takes the place of one of that class: no child is "French"."""
    for _, members in _kinds(language):
        if members.fullmatch(value):
            return members.search(slot.value) is not None
    tools = lexicon.words("tools")
    is_tool = fold(value) in tools and fold(value) not in lexicon.words("given_names")
    return not is_tool or slot.sort in ("thing", "attribute") or fold(slot.value) in tools


def _kinds(language: ChangeLanguage) -> list[tuple[str, re.Pattern[str]]]:
    return [(name, members) for name, members in language.kinds.items() if name not in _NO_KINDS]


def _governed(language: ChangeLanguage, members: re.Pattern[str], clause: str, old: str) -> Iterator[re.Match[str]]:
    """The members of a class that a clause says are used, learned or had, other than the old one."""
    for match in re.finditer(rf"(?<!\w)(?:{members.pattern})(?!\w)", clause, re.IGNORECASE):
        is_other = fold(match[0]) != fold(old) and not fold(old).startswith(fold(match[0]))
        is_whole = language.kinds["follows"].match(clause, match.end()) is not None  # not "French fries"
        if is_other and is_whole and language.kinds["governor"].search(clause[: match.start()]):
            yield match


def weekdays(language: ChangeLanguage, slot: Slot, clause: str) -> Iterator[str]:
    """Another day of the week, in the form of the old one: "Thursdays" for "Mondays"."""
    weekday = language.expressions.weekday
    old = weekday.search(slot.value)
    for match in weekday.finditer(clause) if old else ():
        if old and match["day"].lower() != old["day"].lower():
            day = match["day"].capitalize() if language.capital_weekdays else match["day"].lower()
            yield f"{slot.value[: old.start('day')]}{day}{slot.value[old.end('day') :]}"


def is_count(language: ChangeLanguage, slot: Slot, clause: str, match: re.Match[str]) -> bool:
    """Whether a number counts the same: with the same label or unit, or with none."""
    own, start, end = language.expressions, match.start(), match.end()
    if match[0] == slot.value or _YEAR.fullmatch(match[0]) or own.no_count_before.search(clause[:start]):
        return False
    before, after = fold(clause[:start]).split(), fold(clause[end:])
    if slot.label and before and before[-1] == slot.label:
        return True
    if slot.unit and after.lstrip(" -").startswith(slot.unit):
        return True
    needs_unit = bool(slot.unit) and not language.is_spaced
    needs_label = bool(slot.label) and not slot.unit
    return not needs_unit and not needs_label and own.bare_count.match(clause, end) is not None


def model(slot: Slot, clause: str) -> str:
    """A model of the same series, where the clause tells what happened: "S22" for "Galaxy S9"."""
    series = re.fullmatch(r"([A-Z]+)\d+", slot.value.split()[-1])
    if slot.sort != "thing" or series is None:
        return ""
    models = re.findall(rf"\b{series[1]}\d+\b", clause)
    return models[0] if len(models) == 1 and models[0] not in slot.value else ""


def completed(slot: Slot, value: str) -> str:
    """The value with the brand of the old one, where only its number is said: "9 pro" for "Pixel 6"."""
    brand, _, number = slot.value.partition(" ")
    is_model = any(map(str.isdigit, value)) and any(map(str.isdigit, number)) and " " not in brand + number
    is_model = is_model and brand.isalpha() and value[:1] in (number[:1], *"0123456789")
    return f"{brand} {value}" if is_model and " " in f"{value} " and slot.sort == "thing" else value
