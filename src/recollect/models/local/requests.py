"""Lasting requests about how to be answered; only harmless ones match."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import base_verb, object_phrase
from recollect.models.local.rule import Finding, Reading, make_finding

_PARTICIPLES = {
    "ping": "pinged", "tag": "tagged", "mention": "mentioned", "dm": "messaged", "message": "messaged",
    "call": "called", "wake": "woken", "remind": "reminded", "interrupt": "interrupted",
}  # fmt: skip


_EXPRESSIONS = expressions("requests")
_AVOIDED = {
    "suggest": "suggested", "recommend": "recommended", "mention": "mentioned", "bring up": "brought up",
    "offer": "offered", "propose": "proposed", "discuss": "discussed", "serve": "served", "cook": "cooked",
}  # fmt: skip


def language(reading: Reading) -> Finding | None:
    """ "Talk to me in German"; "write it in German" is a request of the moment."""
    is_lasting = (
        reading["me"] or reading["always"].strip(" .!") or re.search(r"(?i)always|now on|answer|reply", reading[0])
    )
    return language_wish(reading) if is_lasting else None


def language_wish(reading: Reading) -> Finding | None:
    name = reading["l"].lower()
    if name not in lexicon.words("languages"):
        return None
    return make_finding(f"wants answers in {name.capitalize()}", Kind.CONSTRAINT)


def form(reading: Reading) -> Finding | None:
    return make_finding(reading.rule.fact.format(reading["x"].lower()), Kind.CONSTRAINT)


def wish(reading: Reading) -> Finding | None:
    """ "I'd rather get short answers"."""
    return make_finding(f"prefers {reading['x'].lower()} {reading['what'].lower()}", Kind.PREFERENCE)


def manner(reading: Reading) -> Finding | None:
    """ "Always answer in short sentences"; without "always" or "me" it may be about one answer."""
    if not (reading["me"] or re.search(r"(?i)\b(?:now on|always|future)\b", reading[0])):
        return None
    phrase = object_phrase(reading["x"])
    return make_finding(f"wants answers {phrase}", Kind.CONSTRAINT) if phrase else None


def avoided(reading: Reading) -> Finding | None:
    """ "Never suggest pork", "don't talk to me about politics"."""
    phrase = object_phrase(reading["o"])
    if phrase is None or _EXPRESSIONS.passing.search(phrase):
        return None
    verb = _base(reading.verb())
    if verb in _AVOIDED:
        return make_finding(f"doesn't want {phrase} {_AVOIDED[verb]}", Kind.CONSTRAINT)
    if verb.startswith(("ask", "tell", "remind")):
        participle = {"ask": "asked about", "tell": "told about", "remind": "reminded of"}[verb.split()[0]]
        return make_finding(f"doesn't want to be {participle} {phrase}", Kind.CONSTRAINT)
    return make_finding(f"doesn't want to {verb.replace('to me ', '')} {phrase}", Kind.CONSTRAINT)


def _base(verb: str) -> str:
    """ "Bring up" for "bringing up"."""
    first, *particles = verb.split()
    return " ".join([base_verb(first) if first.endswith("ing") and first != "bring" else first, *particles])


def no_contact(reading: Reading) -> Finding | None:
    condition = re.sub(r"(?i)\s+(?:please|pls|thanks|thx|ok|okay)$", "", reading["o"].strip(" .!,"))
    is_open = re.search(r"(?i)\b(?:you|i|if|unless|this|that|it)\b", condition)
    if is_open or (reading.verb() == "call" and not condition):
        return None
    return make_finding(f"doesn't want to be {_PARTICIPLES[reading.verb()]} {condition}", Kind.CONSTRAINT)
