"""Rules for events: appointments, journeys and milestones, with relative dates written out."""

import re

from recollect.core.types import Kind
from recollect.language import relative_dates
from recollect.language.lexicon import EVENTS, PETS, PLACES
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import finish_statement, object_phrase
from recollect.models.local.rule import LIKELY, SURE, Finding, Rule, rule

_BEFORE_DATE = re.compile(
    r"(?:,? (?:coming up|scheduled|set|planned|due|happening|of|for|by|before|from|until|till))+\s*$", re.I
)
"""Words that introduce a date; they go when the date is written out."""
_DESTINATION_WORDS = frozenset("the a an my our visit see move fly travel attend".split())
_REGULAR = re.compile(r"\b(?:every|each|daily|weekly|monthly|yearly|regular)\b", re.IGNORECASE)
_FURTHER_PREDICATE = re.compile(
    r",? and (?:(?:now|also|just|then) )?(?:have|am|are|will|can|cannot|do|love|like|enjoy|practi[cs]e|play|use|"
    r"work|go|"
    r"train|live|hope|want|plan|feel|think|look|need|get|meet|run|learn)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""A second predicate, still in the first person."""
_LONG_AGO = re.compile(r"\b(?:once|one time|years ago|ages ago|when i was|back (?:in|when)|as a kid)\b", re.IGNORECASE)
_PAST_DATE = re.compile(r"\b(?:last|yesterday|ago)\b", re.IGNORECASE)
_TIME_LIMIT = re.compile(r"[, ]*(?:by|until|till|from|before|starting)\b", re.IGNORECASE)
"""Introduces a date that says how long or how late, not when it happened."""


def _dated_event(text: str, clause: Clause, *, ahead: bool, needs_day: bool) -> Finding | None:
    """The event with its date; an event without a date is kept only when `needs_day` is false."""
    date = relative_dates.find(text, clause.said_at, ahead=ahead)
    if date is None:
        phrase = None if needs_day or _LONG_AGO.search(text) else object_phrase(text)
        statement = phrase and finish_statement(phrase)
        return Finding(statement, Kind.EVENT, LIKELY) if statement else None
    if ahead and _PAST_DATE.search(text[date.start : date.end]):
        return None
    if not ahead and _TIME_LIMIT.match(text, date.start):
        return None
    if ahead and _REGULAR.search(text):
        return None
    event = object_phrase(_BEFORE_DATE.sub("", text[: date.start])) if date.start else None
    statement = finish_statement(f"{event} {date.words}") if event else None
    if statement is None:
        return None
    return Finding(statement, Kind.EVENT, SURE, happened=relative_dates.start_of_day(date.day, clause.said_at))


def _upcoming_event(verb: str):
    def build(match: re.Match[str], clause: Clause) -> Finding | None:
        return _dated_event(f"{verb} {match['o']}".strip(), clause, ahead=True, needs_day=True)

    return build


def _is_journey(match: re.Match[str], clause: Clause) -> bool:
    """ "Going to Lisbon", "going to visit Bo"; not "going to order some food"."""
    if match["v"].lower() != "going":
        return True
    destination, _, tail = match["o"].strip().removeprefix("back ").partition(" ")[2].partition(" ")
    if destination[:1].isupper() or destination.lower() in _DESTINATION_WORDS or destination.lower() in PLACES:
        return True
    day = relative_dates.find(tail, clause.said_at, ahead=True) if clause.lacks_capitals else None
    return day is not None and not day.start


def _own_event(match: re.Match[str], clause: Clause) -> Finding | None:
    """ "My exam is on Friday"."""
    return _dated_event(f"{match['what']} is {match['o']}", clause, ahead=True, needs_day=True)


def _past_event(match: re.Match[str], clause: Clause) -> Finding | None:
    return _dated_event(_FURTHER_PREDICATE.sub("", match["o"]), clause, ahead=False, needs_day=False)


RULES: list[Rule] = [
    rule(rf"(?:have got|have|got) (?P<o>(?:(?:an? |my |our |the |two |three |"
         rf"another )(?:[\w'-]+ ){{0,4}}?)?(?:{EVENTS})s?\b.+)",
         _upcoming_event("has")),
    rule(r"am (?:going to be )?(?P<v>flying|travell?ing|heading|moving|going|driving|off|"
         r"leaving)(?P<o> (?:back )?(?:to|for) .+)",
         lambda m, c: _upcoming_event(m["v"].lower())(m, c) if _is_journey(m, c) else None),
    rule(r"am (?P<o>(?:getting married|starting (?:at|as|my|a)|running (?:a|the|my)|defending my|taking (?:my|"
         r"the)|giving a|"
         r"speaking at|visiting|hosting|graduating|retiring|having surgery|turning \d+|seeing|presenting|"
         r"launching|releasing|"
         r"shipping|on vacation|on holiday|on leave|on parental leave|out of office|away)\b.*)", _upcoming_event("")),
    rule(r"(?:are) (?P<o>(?:launching|releasing|shipping|moving|getting married|going|flying|migrating|"
         r"expecting)\b.*)",
         _upcoming_event("")),
    rule(r"will be (?P<o>(?:in|at|away|on|out of|travell?ing|flying)\b.+)", _upcoming_event("will be")),
    rule(r"(?P<v>fly|leave|move|turn|start|graduate|retire|defend) (?P<o>.+)", lambda m, c:
         _upcoming_event({"fly": "flies"}.get(m["v"].lower(), m["v"].lower() + "s"))(m, c)),
    rule(r"(?:have )?(?:just |finally |recently |officially )*(?P<o>(?:got (?:promoted|married|engaged|divorced|"
         r"laid off|hired|"
         r"accepted (?:into|to)|my (?:degree|licen[cs]e|driver's|visa|citizenship|phd|green card|black belt)|"
         r"a (?:new )?"
         r"(?:job|puppy|kitten|dog|cat|promotion)|into (?:university|college|grad school|med school))|graduated|"
         r"started (?:a new job|a new role|at (?=(?-i:[A-Z]))|my (?:new|own|first|phd|master)|university|college|"
         r"an? (?:company|"
         r"business|blog|"
         r"podcast|newsletter|band))|finished (?:writing |defending )?my (?:\w+ )?(?:thesis|degree|phd|"
         r"dissertation|book|novel|studies|exams|"
         r"internship|training|apprenticeship|residency|masters?|bachelors?|album|course|bootcamp)|passed my|"
         r"quit (?:my job|smoking|drinking)|"
         r"bought (?:an?|my|our) (?:[\w-]+ )?(?:house|flat|apartment|car|motorcycle|bike|boat|van|piano|guitar)|"
         rf"adopted(?= (?:[\w'-]+ ){{0,4}}(?:{PETS}|pup|pet|kid|child|baby|son|daughter|boy|girl|rescue|children)s?\b)|"
         r"ran (?:a|my|the) (?:\w+ )?(?:half[- ])?marathon|broke my (?:leg|arm|wrist|ankle|collarbone|"
         r"foot|toe|finger|hand)|published (?:my|a)|launched (?:my|our|a)|released (?:my|our)|joined (?!because|"
         r"the (?:channel|server|call|chat)|this|here|late|just|in\b|to\b|for\b)\w|became an?(?! (?:bit|lot|little|"
         r"problem|mess|thing|habit|real|total|huge|big)\b)(?! (?:\w+ ){0,3}fan\b)|had a baby|"
         r"submitted my|defended my|turned \d\d)\b.*)", _past_event),
]  # fmt: skip
OWN_EVENTS: list[Rule] = [
    rule(rf"(?:my|our) (?P<what>(?:[\w'-]+ ){{0,3}}?(?:{EVENTS})s?) (?:is|are) (?:scheduled (?:for )?|coming up )?"
         r"(?P<o>.+)", _own_event),
]  # fmt: skip
