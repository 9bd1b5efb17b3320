"""Builders for the past that stays true: what people used to do, what happened to them, who raised them."""

import re

from recollect.core.types import Kind
from recollect.language import dates, lexicon
from recollect.models.local import events
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration, to_third_person, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding
from recollect.models.local.statements import is_trade

_EXPRESSIONS = expressions("biography")
_MAX_WORDS = 12
_WISHES = {"planning": "is planning", "hoping": "hopes", "would love": "would love", "would like": "would like"}


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


def plans(reading: Reading) -> Finding | None:
    """ "Plans to move to Denver in 2027": a wish needs no day."""
    text = _EXPRESSIONS.someday.sub("", reading["o"])
    if (
        _EXPRESSIONS.soon.search(reading.clause.text)
        or _EXPRESSIONS.of_others.search(text)
        or len(text.split()) > _MAX_WORDS
    ):
        return None
    verb = reading.verb()
    said = f"{_WISHES.get(verb) or conjugate(verb)} {text}"
    if dates.find(said, reading.clause.said_at, ahead=True) is not None:
        return events.dated(said, reading.clause, ahead=True, needs_day=True)
    phrase = object_phrase(text)
    return make_finding(f"{_WISHES.get(verb) or conjugate(verb)} {phrase}", Kind.FACT, LIKELY) if phrase else None


def as_child(reading: Reading) -> Finding | None:
    """ "Was a picky eater as a kid": without its time it would be said of today."""
    when = _EXPRESSIONS.childhood.search(reading["o"])
    phrase = object_phrase(_EXPRESSIONS.childhood.sub("", reading["o"]))
    if when is None or phrase is None or len(phrase.split()) > _MAX_WORDS:
        return None
    verb = reading.verb().replace("did not", "didn't").replace("were", "was")
    return make_finding(f"{verb} {phrase} {to_third_person(when[0]).strip()}", Kind.FACT, LIKELY)


def finds(reading: Reading) -> Finding | None:
    """ "Finds it hard to fall asleep"; not to follow some code."""
    phrase = object_phrase(reading["o"])
    words = set((phrase or "").lower().split())
    if phrase is None or words & {"the", "these", "those"} or words & lexicon.words("code_words"):
        return None
    return make_finding(f"finds it {reading['how'].lower()} {phrase}", Kind.FACT, LIKELY)


def life_event(reading: Reading) -> Finding | None:
    """ "Beat cancer in 2012", "lost their dad when they were 12"."""
    when = to_third_person(trim_object(reading["when"] or ""))
    return make_finding(f"{reading.verb()} {to_third_person(reading['o'])} {when}", Kind.FACT)
