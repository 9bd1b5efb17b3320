"""Rules for what happens on a day: appointments, journeys, milestones, with the date written out."""

import re

from recollect.models.local import when
from recollect.models.local.clauses import Clause
from recollect.models.local.findings import LIKELY, SURE, Finding, Rule, rule
from recollect.models.local.lexicon import EVENTS
from recollect.models.local.wording import sentence, thing
from recollect.types import Kind


def _dated(text: str, clause: Clause, *, ahead: bool, needs_day: bool) -> Finding | None:
    """The event with its day; without one only where the event is worth keeping by itself."""
    found = when.find(text, clause.at, ahead=ahead)
    if found is None:
        made = None if needs_day else thing(text)
        fine = made and sentence(made)
        return Finding(fine, Kind.EVENT, LIKELY) if fine else None
    what = thing(text[: found.start]) if found.start else None
    fine = sentence(f"{what} {found.words}") if what else None
    if fine is None:
        return None
    return Finding(fine, Kind.EVENT, SURE, happened=when.moment(found.day, clause.at))


def _coming(verb: str):
    def build(match: re.Match[str], clause: Clause) -> Finding | None:
        return _dated(f"{verb} {match['o']}".strip(), clause, ahead=True, needs_day=True)

    return build


def _mine(match: re.Match[str], clause: Clause) -> Finding | None:
    """ "My exam is on Friday"."""
    return _dated(f"{match['what']} is {match['o']}", clause, ahead=True, needs_day=True)


def _past(match: re.Match[str], clause: Clause) -> Finding | None:
    return _dated(match["o"], clause, ahead=False, needs_day=False)


RULES: list[Rule] = [
    rule(rf"(?:have got|have|got) (?P<o>(?:(?:an? |my |our |the |two |three |"
         rf"another )(?:[\w'-]+ ){{0,4}}?)?(?:{EVENTS})s?\b.+)",
         _coming("has")),
    rule(r"am (?:going to be )?(?P<v>flying|travell?ing|heading|moving|going|driving|off|"
         r"leaving)(?P<o> (?:back )?(?:to|for) .+)",
         lambda m, c: _coming(m["v"].lower())(m, c)),
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
         r"started (?:a new job|a new role|at|my (?:new|own|first|phd|master)|university|college|an? (?:company|"
         r"business|blog|"
         r"podcast|newsletter|band))|finished (?:writing |defending )?my (?:\w+ )?(?:thesis|degree|phd|"
         r"dissertation|book|novel|studies|exams|"
         r"internship|training|apprenticeship|residency|masters?|bachelors?|album|course|bootcamp)|passed my|"
         r"quit (?:my job|smoking|drinking)|"
         r"bought (?:an?|my|our) (?:[\w-]+ )?(?:house|flat|apartment|car|motorcycle|bike|boat|van|piano|guitar)|"
         r"adopted|"
         r"ran (?:a|my|the) (?:\w+ )?(?:half[- ])?marathon|broke my (?:leg|arm|wrist|ankle|collarbone|"
         r"foot|toe|finger|hand)|published (?:my|a)|launched (?:my|our|a)|released (?:my|our)|joined (?!because|"
         r"the (?:channel|server|call|chat)|this|here|late|just|in\b|to\b|for\b)\w|became a|had a baby|"
         r"submitted my|defended my|turned \d\d)\b.*)", _past),
]  # fmt: skip
MINE: list[Rule] = [
    rule(rf"(?:my|our) (?P<what>(?:[\w'-]+ ){{0,3}}?(?:{EVENTS})s?) (?:is|are) (?:scheduled (?:for )?|coming up )?"
         r"(?P<o>.+)", _mine),
]  # fmt: skip
