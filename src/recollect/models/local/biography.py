"""Builders for what is behind people and stays true: what they used to do, what happened to them, who raised them."""

import re

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding
from recollect.models.local.statements import is_trade

_EXPRESSIONS = expressions("biography")
_MAX_WORDS = 12


def used_to(predicate: str, clause: Clause) -> Finding | None:
    """ "Used to live in Japan": where, as what, with what; not "used to work", of a program."""
    match = _EXPRESSIONS.used_to.match(_EXPRESSIONS.and_now.sub("", predicate))
    if match is None or _EXPRESSIONS.unsettled.search(clause.text):
        return None
    verb, rest = match["verb"].lower(), match["o"].strip()
    if verb == "be":
        core = re.sub(r"(?i)^(?:an?|the) ", "", rest)
        if not (is_trade(core) or _EXPRESSIONS.was.match(core)):
            return None
    phrase = object_phrase(strip_duration(rest)) if rest else ""
    if phrase is None or len(phrase.split()) > _MAX_WORDS or (not phrase and verb not in ("smoke", "drink", "box")):
        return None
    return make_finding(f"used to {verb} {phrase}", Kind.FACT, LIKELY)


def happened(reading: Reading) -> Finding | None:
    """ "Broke their back in 2015"."""
    when = trim_object(reading["when"] or "")
    return make_finding(f"{reading.verb()} their {reading['o']} {when}", Kind.FACT)


def was_member(reading: Reading) -> Finding | None:
    """ "Was on the swim team"."""
    return make_finding(f"was {reading['how'].lower()} the {reading['o']} {reading['when'] or ''}", Kind.FACT, LIKELY)


def raised_by(reading: Reading) -> Finding | None:
    kin = reading["kin"].lower()
    return make_finding(f"their {kin} raised them", Kind.PERSON, about=kin)


def long_at(reading: Reading) -> Finding | None:
    """ "Has worked at the same company for 15 years"."""
    return make_finding(f"has {reading.verb()} {reading['o']} {trim_object(reading['for'])}", Kind.FACT)


def experienced(reading: Reading) -> Finding | None:
    """ "Has been skydiving four times"."""
    return make_finding(f"has been {reading['o']}", Kind.FACT, LIKELY)


def described(reading: Reading) -> Finding | None:
    """ "Is a bit of a foodie", "is more of an intermediate Rust programmer"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > _MAX_WORDS:
        return None
    is_fit = _EXPRESSIONS.kind_of_person.search(phrase) or is_trade(re.sub(r"(?i)^.*? of an? ", "", phrase))
    return make_finding(f"is {phrase}", Kind.FACT, LIKELY) if is_fit else None


def child_at(reading: Reading) -> Finding | None:
    """ "Their oldest started college", "their son is in 8th grade"."""
    kin, phrase = reading["kin"].lower(), object_phrase(reading["o"])
    if phrase is None:
        return None
    verb = re.sub(r"(?i)^(?:just|recently|now|currently|finally) ", "", reading["does"].lower())
    return make_finding(f"their {kin} {verb} {phrase}", Kind.PERSON, about=kin)


def prefers_doing(reading: Reading) -> Finding | None:
    """ "Prefers writing SQL by hand"; not "prefers using the other one"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or not 2 <= len(phrase.split()) <= _MAX_WORDS or " the " in f" {phrase} ":
        return None
    return make_finding(f"prefers {phrase}", Kind.PREFERENCE, LIKELY)


def only_ever(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"has only ever {reading.verb()} {phrase}", Kind.FACT, LIKELY) if phrase else None


def due(reading: Reading) -> Finding | None:
    """ "Is having a baby in March"."""
    return make_finding(f"{reading['what']} {reading['when'].strip()}", Kind.FACT)


def acts(reading: Reading) -> Finding | None:
    """A verb that few rules know, in the third person: "dual boots Arch and Mint"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    verb, *particles = reading.verb().split()
    if phrase is None or len(phrase.split()) > _MAX_WORDS:
        return None
    return make_finding(" ".join([conjugate(verb), *particles, phrase]), Kind.TOOL, LIKELY)
