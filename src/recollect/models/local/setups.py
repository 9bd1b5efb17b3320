"""Builders for technical setups: machines, services, the tools of a team."""

import re

from recollect.core.types import Kind
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, strip_duration, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding
from recollect.models.local.statements import is_named, is_tool
from recollect.models.local.work import is_trouble, predicate, speaks_for_others

_EXPRESSIONS = expressions("setups")


def _is_specific(phrase: str) -> bool:
    """Whether it says which: a brand, a model, a known tool; "a laptop" alone is no news."""
    return any(is_tool(word) or _EXPRESSIONS.model.fullmatch(word.strip(",.")) for word in phrase.split()) or bool(
        _EXPRESSIONS.brand.search(phrase)
    )


def machine(reading: Reading) -> Finding | None:
    """ "Has a Raspberry Pi 4 as a NAS"; not "has a laptop with a black screen"."""
    phrase = object_phrase(f"{reading['o']}{reading['for'] or ''}")
    if phrase is None or not _is_specific(phrase) or is_trouble(reading) or speaks_for_others(reading):
        return None
    return make_finding(f"has {phrase}", Kind.TOOL, LIKELY)


def of_mine(reading: Reading) -> Finding | None:
    """ "Server is a CentOS 7 box", "PC has a GTX 1070"."""
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or len(phrase.split()) > 8 or not _is_specific(phrase) or is_trouble(reading):
        return None
    if _EXPRESSIONS.passing.match(phrase):
        return None
    return make_finding(f"their {reading['what'].lower()} {reading['is'].lower()} {phrase}", Kind.TOOL, LIKELY)


def moved_ours(reading: Reading) -> Finding | None:
    """ "Moved their frontend from Angular to Svelte"."""
    old, new = object_phrase(reading["old"]), object_phrase(strip_duration(reading["new"]))
    if old is None or new is None or not (is_named(old) or is_named(new)) or len(f"{old} {new}".split()) > 8:
        return None
    what = f" their {reading['what'].lower()}" if reading["what"] else ""
    who = "their team " if speaks_for_others(reading) else ""
    return make_finding(f"{who}{reading.verb()}{what} from {old} to {new}", Kind.TOOL)


def at_work(reading: Reading) -> Finding | None:
    """ "Uses Bazel at work", said as "at work we use Bazel": a tool that nobody lists may be meant."""
    if not _EXPRESSIONS.workplace_first.search(reading.clause.evidence) or is_trouble(reading):
        return None
    phrase = object_phrase(strip_duration(reading["o"]))
    if phrase is None or len(phrase.split()) > 8 or not is_named(" ".join(phrase.split()[:3])):
        return None
    verb, *particles = reading.verb().removeprefix("are ").removeprefix("am ").split()
    third = verb if verb == "stuck" else conjugate(verb)
    said = " ".join([*(["is"] if verb == "stuck" else []), third, *particles, phrase])
    return make_finding(f"{'their team ' if speaks_for_others(reading) else ''}{said}", Kind.TOOL, LIKELY)


def team_holds(reading: Reading) -> Finding | None:
    """ "Their team owns the payments API"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or len(phrase.split()) > 8 or is_trouble(reading):
        return None
    return make_finding(f"their {reading['what'].lower()} {predicate(_base(reading['verb']))} {phrase}", Kind.FACT)


def _base(verb: str) -> str:
    return re.sub(r"(?i)^(own|maintain|handle|manage|build|support|run|look)s\b", r"\1", verb)


def joined(reading: Reading) -> Finding | None:
    """ "Joined redhat in March", in lower case: a time beside it says that it is an employer."""
    name = trim_object(reading["o"])
    if not reading.clause.lacks_capitals or is_tool(name) or _EXPRESSIONS.no_employer.match(name):
        return None
    return make_finding(f"{reading.verb()} {name.title()} {trim_object(reading['when'])}", Kind.FACT, LIKELY)


def relies(reading: Reading) -> Finding | None:
    """ "Uses stripe connect for their marketplace": a purpose makes a use last."""
    phrase = object_phrase(reading["o"])
    if phrase is None or is_trouble(reading) or not is_named(phrase) or _EXPRESSIONS.passing.match(phrase):
        return None
    purpose = object_phrase(reading["for"])
    if purpose is None or not re.match(r"their (?!(?:case|use case|test|example|code|function|problem)\b)", purpose):
        return None
    return make_finding(f"uses {phrase} for {purpose}", Kind.TOOL, LIKELY)


def main_one(reading: Reading) -> Finding | None:
    """ "Main integration they use is Slack"."""
    phrase = object_phrase(reading["o"])
    what = reading["what"].lower()
    if (
        phrase is None
        or is_trouble(reading)
        or len(phrase.split()) > 6
        or what.endswith((" thing", " problem", " issue"))
    ):
        return None
    return make_finding(f"the {what} they {reading.verb()} is {phrase}", Kind.TOOL, LIKELY)


def not_using(reading: Reading) -> Finding | None:
    """ "Is not using ORCID", of whoever "we" are at work."""
    phrase = object_phrase(reading["o"])
    if phrase is None or is_trouble(reading):
        return None
    return make_finding(
        f"{'their team is' if speaks_for_others(reading) else 'is'} not using {phrase}", Kind.TOOL, LIKELY
    )


def back_to(reading: Reading) -> Finding | None:
    """ "Tried Cursive but went back to Emacs"."""
    return make_finding(f"uses {reading['o']}", Kind.TOOL, LIKELY) if is_named(reading["o"]) else None
