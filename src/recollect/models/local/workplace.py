"""Builders for workplaces: what they run on, and what their people have made, learned and never learned."""

import re

from recollect.core.types import Kind
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import object_phrase, strip_duration, to_third_person, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding
from recollect.models.local.statements import is_named, is_tool, place_name
from recollect.models.local.work import is_trouble, predicate, speaks_for_others

_SEPARATORS = re.compile(r"[\s,/]+")
_MAX_SUBJECT_WORDS = 6


def names_tool(phrase: str) -> bool:
    return any(map(is_tool, _SEPARATORS.split(phrase)))


def hosted(reading: Reading) -> Finding | None:
    """ "Hosts everything on Heroku"; not "runs into trouble on Windows"."""
    phrase = to_third_person(trim_object(reading["o"]))
    if is_trouble(reading) or not names_tool(reading["tool"]):
        return None
    verb = predicate(reading["verb"])
    return make_finding(f"{'their team ' if speaks_for_others(reading) else ''}{verb} {phrase}", Kind.TOOL, LIKELY)


def _says_still(reading: Reading) -> bool:
    """Rules see a predicate without its adverbs."""
    return re.search(r"(?i)\bstill\b", reading.clause.evidence) is not None


def still_on(reading: Reading) -> Finding | None:
    """ "We're still on Java 8": what is old stays for a while."""
    phrase = object_phrase(reading["o"])
    if phrase is None or is_trouble(reading) or not is_tool(phrase.split()[0]) or not _says_still(reading):
        return None
    return make_finding(f"still uses {phrase}", Kind.TOOL, LIKELY)


def supports(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    if phrase is None or not is_named(" ".join(phrase.split()[:2])) or is_trouble(reading) or not _says_still(reading):
        return None
    return make_finding(f"{'their team ' if speaks_for_others(reading) else ''}still supports {phrase}", Kind.TOOL)


def has_system(reading: Reading) -> Finding | None:
    """ "Has a monorepo with 40 services at work"; not what a program has."""
    phrase = object_phrase(reading["o"])
    is_own = expressions("statements").own_workplace.search(reading.clause.evidence)
    if phrase is None or not is_own or is_trouble(reading):
        return None
    return make_finding(f"their team has {phrase}", Kind.TOOL, LIKELY)


def is_written_in(reading: Reading) -> Finding | None:
    """ "All our services are in Kotlin"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or not names_tool(phrase) or is_trouble(reading):
        return None
    return make_finding(f"their {reading['what'].lower()} {reading['is'].lower()} in {phrase}", Kind.TOOL)


def named_work(reading: Reading) -> Finding | None:
    """ "Wrote a small library called quickcsv"."""
    name = trim_object(reading["o"]).split(" ")[0].strip("`'\"")
    if len(name) < 3:
        return None
    what = trim_object(reading["what"])
    verb = {"written": "wrote", "have": "has", "maintain": "maintains"}.get(reading.verb(), reading.verb())
    return make_finding(f"{verb} {what} called {name}", Kind.PROJECT)


def gave_talk(reading: Reading) -> Finding | None:
    when = reading["when"] or ""
    return make_finding(f"{reading.verb()} a {reading['what'].lower()} at {reading['o']}{when}", Kind.FACT)


def knows_some(reading: Reading) -> Finding | None:
    """ "Knows a bit of SQL", "knows almost nothing about kubernetes", "doesn't know any Haskell"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 2 * _MAX_SUBJECT_WORDS or not names_tool(phrase):
        return None
    if speaks_for_others(reading):
        return None
    return make_finding(f"{predicate(reading['verb'])} {reading['how'].lower()} {phrase}", Kind.FACT, LIKELY)


def no_expert(reading: Reading) -> Finding | None:
    """ "Is not a C++ guru"."""
    if not names_tool(reading["tool"]):
        return None
    return make_finding(f"is {reading['o'].lower().replace(reading['tool'].lower(), reading['tool'])}", Kind.FACT)


def learned(reading: Reading) -> Finding | None:
    """ "Learned Lisp in the 80s"; not "learned a lot in that meeting"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > _MAX_SUBJECT_WORDS or not names_tool(phrase):
        return None
    return make_finding(f"learned {phrase} {trim_object(reading['when'])}", Kind.FACT)


def has_used(reading: Reading) -> Finding | None:
    """ "Has used Linux since 2004"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or len(phrase.split()) > _MAX_SUBJECT_WORDS or not names_tool(phrase) or is_trouble(reading):
        return None
    return make_finding(f"has {reading['verb'].lower()} {phrase} {trim_object(reading['when'])}", Kind.TOOL)


def avoids(reading: Reading) -> Finding | None:
    """ "Avoids ORMs": a way of working; not "avoids the problem"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 4 or re.match(r"(?i)(?:it|that|this|the|an?|any|some)\b", phrase):
        return None
    return make_finding(f"{predicate(reading['verb'])} {phrase}", Kind.WORKFLOW, LIKELY)


def own_venture(reading: Reading) -> Finding | None:
    """ "Runs their own company", "founded a startup"."""
    phrase = re.sub(r"(?i)^my\b", "their", trim_object(reading["o"]))
    verb = reading.verb() if reading.verb().endswith("ed") else predicate(reading["verb"])
    return make_finding(f"{verb} {phrase}", Kind.FACT) if phrase else None


def started_early(reading: Reading) -> Finding | None:
    """ "Has been programming since they were 12"."""
    when = to_third_person(trim_object(reading["o"]))
    lead = "has been " if reading[0].lower().startswith("have been") else "started "
    return make_finding(f"{lead}{reading.verb()} {when}", Kind.FACT)


def sells(reading: Reading) -> Finding | None:
    """ "Their company sells concert tickets"; what one person makes is another rule's."""
    phrase = object_phrase(reading["o"])
    if phrase is None or not speaks_for_others(reading) or is_trouble(reading):
        return None
    return make_finding(f"their company {predicate(reading['verb'])} {phrase}", Kind.FACT, LIKELY)


def mostly_doing(reading: Reading) -> Finding | None:
    """ "Half of my job is writing Terraform"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > _MAX_SUBJECT_WORDS:
        return None
    return make_finding(f"{reading['share'].lower()} of their {reading['what'].lower()} is {phrase}", Kind.FACT, LIKELY)


def team_place(reading: Reading) -> Finding | None:
    """ "My team is in Bangalore"."""
    place = place_name(reading["o"], reading.clause)
    what = to_third_person(reading["what"]).lower()
    return make_finding(f"their {what} is in {place}", Kind.FACT) if place else None
