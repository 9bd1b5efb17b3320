"""Builders for events: appointments, journeys and milestones, with relative dates written out."""

from recollect.core.types import Kind
from recollect.language import dates, lexicon
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, finish_statement, object_phrase
from recollect.models.local.rule import LIKELY, SURE, Finding, Reading

_EXPRESSIONS = expressions("events")
_TEAM = ("we ", "our ")
_DESTINATION_WORDS = frozenset("the a an my our visit see move fly travel attend".split())


def dated(text: str, clause: Clause, *, ahead: bool, needs_day: bool) -> Finding | None:
    """The event with its date; an event without a date is kept only when `needs_day` is false."""
    date = dates.find(text, clause.said_at, ahead=ahead)
    if date is None:
        phrase = None if needs_day or _EXPRESSIONS.long_ago.search(text) else object_phrase(text)
        statement = phrase and finish_statement(phrase)
        return Finding(statement, Kind.EVENT, LIKELY) if statement else None
    if ahead and (_EXPRESSIONS.past_date.search(text[date.start : date.end]) or _EXPRESSIONS.regular.search(text)):
        return None
    if ahead and date.day == clause.said_at.date():
        return None  # over before anyone asks
    if not ahead and _EXPRESSIONS.time_limit.match(text, date.start):
        return None  # says how long or how late, not when it happened
    event = object_phrase(_EXPRESSIONS.before_date.sub("", text[: date.start])) if date.start else None
    hour = _EXPRESSIONS.hour.search(text[date.start : date.end])
    details = f"{f' {hour[0].strip()}' if hour else ''}{_details(text[date.end :], clause)}"
    statement = finish_statement(f"{event} {date.words}{details}") if event else None
    if statement is None:
        return None
    return Finding(statement, Kind.EVENT, SURE, happened=dates.start_of_day(date.day, clause.said_at))


def _details(text: str, clause: Clause) -> str:
    """The time of day, the place or the company that follow a date: "at 3pm", "in Seville"."""
    details = _EXPRESSIONS.details.match(text)
    if details is None or dates.find(details["more"], clause.said_at, ahead=True):
        return ""
    phrase = object_phrase(details["more"].lstrip(" ,"))
    return f" {phrase}" if phrase else ""


def strip_years_ago(text: str) -> str:
    """ "Bought a house two years ago": what lasts is the house."""
    return _EXPRESSIONS.years_ago.sub("", text)


def upcoming(reading: Reading) -> Finding | None:
    """What is in some days; of a team, a deadline or a meeting is over before anyone asks."""
    if reading.clause.text.lower().startswith(_TEAM) and _EXPRESSIONS.of_days.search(reading["o"]):
        return None
    return _upcoming(reading.rule.fact.format(reading["o"]), reading)


def travels(reading: Reading) -> Finding | None:
    return _upcoming(f"{reading.verb()} {reading['o']}", reading) if _is_journey(reading) else None


def departs(reading: Reading) -> Finding | None:
    return _upcoming(f"{conjugate(reading.verb())} {reading['o']}", reading)


def own_event(reading: Reading) -> Finding | None:
    """ "My exam is on Friday"; not "our next meeting is tomorrow"."""
    if reading.clause.text.lower().startswith(_TEAM) and _EXPRESSIONS.of_days.search(reading["what"]):
        return None
    return _upcoming(f"{reading['what']} is {reading['o']}", reading)


def bare_event(reading: Reading) -> Finding | None:
    """ "Dentist appointment on Friday at 3pm", said as a note."""
    return _upcoming(reading["o"], reading)


def own_term(reading: Reading) -> Finding | None:
    """ "Our lease ends in August"."""
    return _upcoming(f"{reading['what']} {reading['does'].lower()} {reading['o']}", reading)


def turns(reading: Reading) -> Finding | None:
    """ "I'll be 30 in June"."""
    return _upcoming(f"will be {reading['age']} {reading['o']}", reading)


def past_event(reading: Reading) -> Finding | None:
    event = strip_years_ago(_EXPRESSIONS.further_predicate.sub("", reading["o"]))
    return dated(event, reading.clause, ahead=False, needs_day=False)


def _upcoming(text: str, reading: Reading) -> Finding | None:
    return dated(text, reading.clause, ahead=True, needs_day=True)


def _is_journey(reading: Reading) -> bool:
    """ "Going to Lisbon", "going to visit Bo"; not "going to order some food"."""
    if reading.verb() != "going":
        return True
    destination, _, tail = reading["o"].strip().removeprefix("back ").partition(" ")[2].partition(" ")
    name = destination.lower()
    if destination[:1].isupper() or name in _DESTINATION_WORDS or name in lexicon.words("places"):
        return True
    day = dates.find(tail, reading.clause.said_at, ahead=True) if reading.clause.lacks_capitals else None
    return day is not None and not day.start
