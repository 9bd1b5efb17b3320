"""Lasting requests about how to be answered; only harmless ones match."""

import re

from recollect.core.types import Kind
from recollect.language import lexicon
from recollect.models.local.rule import Finding, Reading, make_finding

_PARTICIPLES = {
    "ping": "pinged", "tag": "tagged", "mention": "mentioned", "dm": "messaged", "message": "messaged",
    "call": "called", "wake": "woken", "remind": "reminded", "interrupt": "interrupted",
}  # fmt: skip


def language(reading: Reading) -> Finding | None:
    name = reading["l"].lower()
    if name not in lexicon.words("languages"):
        return None
    return make_finding(f"wants answers in {name.capitalize()}", Kind.CONSTRAINT)


def form(reading: Reading) -> Finding | None:
    return make_finding(reading.rule.fact.format(reading["x"].lower()), Kind.CONSTRAINT)


def no_contact(reading: Reading) -> Finding | None:
    condition = re.sub(r"(?i)\s+(?:please|pls|thanks|thx|ok|okay)$", "", reading["o"].strip(" .!,"))
    is_open = re.search(r"(?i)\b(?:you|i|if|unless|this|that|it)\b", condition)
    if is_open or (reading.verb() == "call" and not condition):
        return None
    return make_finding(f"doesn't want to be {_PARTICIPLES[reading.verb()]} {condition}", Kind.CONSTRAINT)
