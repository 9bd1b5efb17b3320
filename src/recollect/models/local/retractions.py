"""What is no longer so: a known memo to retract, or a statement that it ended."""

import re
from collections.abc import Sequence
from dataclasses import replace

from recollect.core.types import Kind, Memo
from recollect.models.local.about_me import RULES
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import base, conjugated, thing, timeless
from recollect.models.local.rule import LIKELY, Finding, first, stated
from recollect.policy.similarity import Similarity, compare

_ENDED = re.compile(
    r"(?:(?:am )?no longer (?P<a>.+)|(?:do not|can't|cannot) (?P<b>.+?) anymore\b.*|am not (?P<c>.+?) anymore\b.*|"
    r"(?:have )?(?:just |recently |finally )?(?:stopped|quit|gave up|given up) (?P<g>\w+ing)\b(?P<d>.*)|"
    r"(?:have )?(?:just |recently |finally )?(?:left|quit) (?P<e>[A-Z]\w+.*)|used to (?P<f>.+))$",
    re.IGNORECASE,
)
_ONE_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)
_GENERIC = re.compile(r"(?P<verb>[a-z]+)\b(?P<o>.*)", re.IGNORECASE)
_PLAIN_VERBS = frozenset("eat drink smoke play work live use own drive run write do go watch read teach code".split())


def ended(rest: str, clause: Clause) -> tuple[Finding, bool] | None:
    """What ended, as it was when it held, and whether its end is worth a statement of its own."""
    match = _ENDED.match(rest)
    if match is None:
        return None
    if match["e"]:
        found = first(RULES, f"work at {match['e']}", clause)
    elif match["g"]:
        found = _was(f"{base(match['g'])}{timeless(match['d'])}", clause)
    else:
        said = match["a"] or match["b"] or match["f"] or f"am {match['c']}"
        found = _was(f"am {said}" if match[0].lower().startswith("am no longer") else said, clause)
    return (found, not (match["e"] or match["f"])) if found else None


def _was(said: str, clause: Clause) -> Finding | None:
    found = first(RULES, said, clause)
    plain = _GENERIC.match(said)
    if found is None and plain and plain["verb"].lower() in _PLAIN_VERBS:
        rest = thing(plain["o"]) if plain["o"].strip(" .!,") else ""
        if rest is not None:
            return stated(f"{conjugated(plain['verb'])} {rest}", Kind.FACT, LIKELY)
    return found


def matching(text: str, known: Sequence[Memo]) -> list[Memo]:
    """Known memos that say this."""
    return [memo for memo in known if memo.active and compare(text, memo.text) in _ONE_FACT]


def ending(found: Finding) -> Finding | None:
    """The statement that something ended; it contradicts the statement that it holds."""
    text = found.text[0].lower() + found.text[1:]
    text = re.sub(r"^is ", "", text)
    return (
        None if re.match(r"(?:doesn't|can't|isn't|name|timezone)", text) else replace(found, text=f"No longer {text}")
    )
