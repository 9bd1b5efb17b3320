"""Rules for what happens on a day: appointments, journeys, milestones, with the date written out."""

import re

from recollect.core.types import Kind
from recollect.language import relative_dates
from recollect.language.lexicon import EVENTS, PETS, PLACES
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import sentence, thing
from recollect.models.local.rule import LIKELY, SURE, Finding, Rule, rule

_LEFT = re.compile(
    r"(?:,? (?:coming up|scheduled|set|planned|due|happening|of|for|by|before|from|until|till))+\s*$", re.I
)
"""What leads up to a date that is put in other words."""
_ALONG = frozenset("the a an my our visit see move fly travel attend".split())
_OFTEN = re.compile(r"\b(?:every|each|daily|weekly|monthly|yearly|regular)\b", re.IGNORECASE)
_ONWARD = re.compile(
    r",? and (?:(?:now|also|just|then) )?(?:have|am|are|will|can|cannot|do|love|like|enjoy|practi[cs]e|play|use|"
    r"work|go|"
    r"train|live|hope|want|plan|feel|think|look|need|get|meet|run|learn)\b.*",
    re.IGNORECASE | re.DOTALL,
)
"""What the speaker does besides, still in the first person."""
_LONG_AGO = re.compile(r"\b(?:once|one time|years ago|ages ago|when i was|back (?:in|when)|as a kid)\b", re.IGNORECASE)
_GONE = re.compile(r"\b(?:last|yesterday|ago)\b", re.IGNORECASE)
_BOUND = re.compile(r"[, ]*(?:by|until|till|from|before|starting)\b", re.IGNORECASE)
"""A date that says how long or how late, not when it happened."""


def _dated(text: str, clause: Clause, *, ahead: bool, needs_day: bool) -> Finding | None:
    """The event with its day; without one only where the event is worth keeping by itself."""
    found = relative_dates.find(text, clause.at, ahead=ahead)
    if found is None:
        made = None if needs_day or _LONG_AGO.search(text) else thing(text)
        fine = made and sentence(made)
        return Finding(fine, Kind.EVENT, LIKELY) if fine else None
    if ahead and _GONE.search(text[found.start : found.end]):
        return None
    if not ahead and _BOUND.match(text, found.start):
        return None
    if ahead and _OFTEN.search(text):
        return None
    what = thing(_LEFT.sub("", text[: found.start])) if found.start else None
    fine = sentence(f"{what} {found.words}") if what else None
    if fine is None:
        return None
    return Finding(fine, Kind.EVENT, SURE, happened=relative_dates.moment(found.day, clause.at))


def _coming(verb: str):
    def build(match: re.Match[str], clause: Clause) -> Finding | None:
        return _dated(f"{verb} {match['o']}".strip(), clause, ahead=True, needs_day=True)

    return build


def _is_journey(match: re.Match[str], clause: Clause) -> bool:
    """ "Going to Lisbon", "going to visit Bo"; not "going to order some food"."""
    if match["v"].lower() != "going":
        return True
    where, _, rest = match["o"].strip().removeprefix("back ").partition(" ")[2].partition(" ")
    if where[:1].isupper() or where.lower() in _ALONG or where.lower() in PLACES:
        return True
    day = relative_dates.find(rest, clause.at, ahead=True) if clause.plain else None
    return day is not None and not day.start


def _mine(match: re.Match[str], clause: Clause) -> Finding | None:
    """ "My exam is on Friday"."""
    return _dated(f"{match['what']} is {match['o']}", clause, ahead=True, needs_day=True)


def _past(match: re.Match[str], clause: Clause) -> Finding | None:
    return _dated(_ONWARD.sub("", match["o"]), clause, ahead=False, needs_day=False)


RULES: list[Rule] = [
    rule(rf"(?:have got|have|got) (?P<o>(?:(?:an? |my |our |the |two |three |"
         rf"another )(?:[\w'-]+ ){{0,4}}?)?(?:{EVENTS})s?\b.+)",
         _coming("has")),
    rule(r"am (?:going to be )?(?P<v>flying|travell?ing|heading|moving|going|driving|off|"
         r"leaving)(?P<o> (?:back )?(?:to|for) .+)",
         lambda m, c: _coming(m["v"].lower())(m, c) if _is_journey(m, c) else None),
    rule(r"am (?P<o>(?:getting married|starting (?:at|as|my|a)|running (?:a|the|my)|defending my|taking (?:my|"
         r"the)|giving a|"
         r"speaking at|visiting|hosting|graduating|retiring|having surgery|turning \d+|seeing|presenting|"
         r"launching|releasing|"
         r"shipping|on vacation|on holiday|on leave|on parental leave|out of office|away)\b.*)", _coming("")),
    rule(r"(?:are) (?P<o>(?:launching|releasing|shipping|moving|getting married|going|flying|migrating|"
         r"expecting)\b.*)",
         _coming("")),
    rule(r"will be (?P<o>(?:in|at|away|on|out of|travell?ing|flying)\b.+)", _coming("will be")),
    rule(r"(?P<v>fly|leave|move|turn|start|graduate|retire|defend) (?P<o>.+)", lambda m, c:
         _coming({"fly": "flies"}.get(m["v"].lower(), m["v"].lower() + "s"))(m, c)),
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
         r"submitted my|defended my|turned \d\d)\b.*)", _past),
]  # fmt: skip
MINE: list[Rule] = [
    rule(rf"(?:my|our) (?P<what>(?:[\w'-]+ ){{0,3}}?(?:{EVENTS})s?) (?:is|are) (?:scheduled (?:for )?|coming up )?"
         r"(?P<o>.+)", _mine),
]  # fmt: skip
