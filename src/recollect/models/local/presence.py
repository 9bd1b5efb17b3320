"""Builders for where and when people work: places, time zones, days and hours."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import conjugate, object_phrase, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding
from recollect.models.local.statements import place_name
from recollect.models.local.work import predicate, speaks_for_others, third_person

_LANDS = frozenset(
    "Germany France Spain Portugal Italy Poland Sweden Norway Finland Denmark Iceland Ireland Scotland Wales England"
    " Canada Mexico Brazil Argentina Chile Australia Japan India China Taiwan Vietnam Thailand Indonesia Malaysia"
    " Singapore Israel Turkey Egypt Kenya Nigeria Ghana Ukraine Russia Romania Bulgaria Greece Hungary Austria"
    " Switzerland Belgium Croatia Serbia Slovenia Slovakia Estonia Latvia Lithuania".split()
)


def located(reading: Reading) -> Finding | None:
    """ "Is in Melbourne", said in passing, or a country: a journey would have its reason beside it."""
    place = place_name(reading["o"], reading.clause)
    if place is None or re.search(r"(?i)\b(?:for|until|till|visiting|with|about|on|at|trip)\b", reading["o"]):
        return None
    is_land = expressions("statements").country.match(place) is not None or place in _LANDS
    is_known = is_land or place.split()[0].lower().strip(",") in lexicon.words("places")
    is_lasting = reading["cue"] or is_land
    return make_finding(f"is in {place}", Kind.FACT, LIKELY) if is_known and is_lasting else None


def based(reading: Reading) -> Finding | None:
    place = place_name(reading["o"], reading.clause)
    return make_finding(f"is based in {place}", Kind.FACT) if place else None


def works_from(reading: Reading) -> Finding | None:
    place = place_name(reading["o"], reading.clause)
    return make_finding(f"works from {place}", Kind.FACT) if place else None


def hours(reading: Reading) -> Finding | None:
    if speaks_for_others(reading):
        return None
    phrase = re.sub(
        r"(?<=\band )(?:leave|finish|stop|log|end|quit|go|sign|knock)\b", third_person, trim_object(reading["o"])
    )
    return make_finding(f"{predicate(reading['verb'])} {phrase}", Kind.WORKFLOW)


def refuses(reading: Reading) -> Finding | None:
    """ "Doesn't work Fridays", "never merges after lunch"."""
    if speaks_for_others(reading) or " " not in reading["o"].strip():
        return None
    verb, _, rest = trim_object(reading["o"]).partition(" ")
    phrase = f"never {conjugate(verb)}" if reading.verb() == "never" else f"doesn't {verb}"
    return make_finding(f"{phrase} {rest}", Kind.WORKFLOW)


def usually(reading: Reading) -> Finding | None:
    phrase = object_phrase(reading["o"])
    return make_finding(f"is usually {phrase}", Kind.WORKFLOW) if phrase and not speaks_for_others(reading) else None


def off(reading: Reading) -> Finding | None:
    days = reading["o"].lower()
    is_regular = days.rstrip().endswith("s") or " every " in days
    return make_finding(f"is {reading['o']}", Kind.WORKFLOW) if is_regular else None


def part_time(reading: Reading) -> Finding | None:
    phrase = re.sub(r"(?i)^(?:only|just|working|here) ", "", reading["o"])
    return make_finding(f"works {phrase} {reading['days'] or ''}", Kind.WORKFLOW)


def hours_are(reading: Reading) -> Finding | None:
    phrase = trim_object(reading["o"])
    return make_finding(f"their {reading['what'].lower()} are {phrase}", Kind.WORKFLOW) if phrase else None


def day_is(reading: Reading) -> Finding | None:
    day = reading["o"].capitalize()
    return make_finding(f"{day} {reading['is'].lower()} their {reading['what'].lower()}", Kind.WORKFLOW)
