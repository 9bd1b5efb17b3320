"""Builders for personal facts that are mentioned in passing: traits, family, travels, hopes."""

import re

from recollect.core.types import Kind
from recollect.models.local.rephrase import conjugate, object_phrase, to_third_person, trim_object
from recollect.models.local.rule import LIKELY, Finding, Reading, make_finding

_MAX_LASTING_WORDS = 12
_BARE_TRAITS = re.compile(
    r"(?i)an? |shy|outgoing|(?:intro|extro)verted|clumsy|tall|short|petite|bald|(?:color|legally) ?blind|overweight"
    r"|ambi\w+|\w+ ?sighted|hearing impaired|nonverbal|neurodivergent|dyscalculic|double.jointed|vegetarian"
    r"|liberal|conservative"
)
"""Traits without an article; the others are nouns."""


def retired(reading: Reading) -> Finding | None:
    """ "Retired from teaching"; not "retired from the call"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or re.match(r"(?i)(?:this|that|the (?:call|chat|game|channel|project|ticket))\b", phrase):
        return None
    return make_finding(
        f"{reading.match[0][: reading.match.start('o')].strip().removeprefix('have ')} {phrase}", Kind.FACT
    )


def has_been(reading: Reading) -> Finding | None:
    return make_finding(f"has been {trim_object(reading['o'])}", Kind.FACT)


def lasting(reading: Reading) -> Finding | None:
    """What is done again and again, or for a long time: "spends every summer at the lake"."""
    phrase = to_third_person(trim_object(reading["o"]))
    if not phrase or len(phrase.split()) > _MAX_LASTING_WORDS or re.search(r"(?i)\b(?:you|it|this|that)\b", phrase):
        return None
    first, *particles = reading.verb().split()
    return make_finding(" ".join([conjugate(first), *particles, phrase]), Kind.FACT)


def has_child(reading: Reading) -> Finding | None:
    """ "Has a 3 year old": a child; a server of that age is not spoken of so."""
    return make_finding(f"has {trim_object(reading['o'])}", Kind.FACT)


def trait(reading: Reading) -> Finding | None:
    """ "Is shy", "is a night owl"."""
    said = reading["o"].lower()
    article = "" if _BARE_TRAITS.match(said) else "an " if said[0] in "aeiou" else "a "
    return make_finding(f"is {article}{said}", Kind.FACT)


def travelled(reading: Reading) -> Finding | None:
    """ "Has been to Japan twice"; not "been to GitHub"."""
    if re.search(r"(?i)\b(?:github|google|hell|work|bed|stackoverflow|reddit|school|the)\b", reading["o"]):
        return None
    verb = "been" if reading.verb() == "been" else reading.verb()
    return make_finding(f"has {verb} {reading['o'].strip()}", Kind.FACT, LIKELY)


def aspires(reading: Reading) -> Finding | None:
    """ "Wants to be a vet"."""
    verb = re.sub(r"(?i)^am\b", "is", reading["verb"].lower())
    head = verb if verb.startswith("is") else conjugate(verb)
    return make_finding(f"{head} to be {reading['o']}", Kind.FACT, LIKELY)


def changed_employer(reading: Reading) -> Finding | None:
    """ "Left Acme for Globex": works at Globex."""
    finding = make_finding(f"left {reading['old']} for {reading['o']}", Kind.FACT)
    return finding and Finding(finding.text, finding.kind, replaces=f"Works at {reading['old']}")
