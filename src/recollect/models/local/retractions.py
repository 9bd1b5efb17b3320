"""Recognizes what is no longer so: a known memo to retract, or a statement that it ended."""

import re
from collections.abc import Sequence
from dataclasses import replace

from recollect.core.types import Kind, Memo
from recollect.models.local.clauses import Clause
from recollect.models.local.grammar import expressions
from recollect.models.local.rephrase import base_verb, conjugate, object_phrase, strip_duration
from recollect.models.local.rule import LIKELY, Finding, make_finding
from recollect.models.local.rules import first_finding
from recollect.policy.similarity import Similarity, compare, details

_EXPRESSIONS = expressions("retractions")
_SAME_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)
_ARTICLE = re.compile(r"(?:my|the|our|that|an?) (?:old |little |beloved )?", re.IGNORECASE)
_HAVING = (
    "Has", "Owns", "Drives", "Rides", "Uses", "Bought", "Got", "Keeps", "Plays", "Runs", "Prefers", "Codes in",
    "Editor is", "Car is", "Bike is", "Phone is", "Laptop is", "Browser is", "Works with", "Writes", "Loves their",
)  # fmt: skip
_GENERIC = re.compile(r"(?P<verb>[a-z]+)\b(?P<o>.*)", re.IGNORECASE)
_COMMON_VERBS = frozenset("eat drink smoke play work live use own drive run write do go watch read teach code".split())


def find_ended(predicate: str, clause: Clause) -> tuple[Finding, bool] | None:
    """The statement that no longer holds, and whether its end is worth a statement of its own."""
    match = _EXPRESSIONS.ended.match(predicate)
    if match is None:
        return None
    if match["h"]:
        phrase = object_phrase(_ARTICLE.sub("", match["h"]))
        finding = make_finding(f"has {phrase}", Kind.FACT, LIKELY) if phrase else None
    elif match["e"]:
        finding = first_finding("me", f"work at {match['e']}", clause)
    elif match["g"]:
        finding = _read_past(f"{base_verb(match['g'])}{strip_duration(match['d'])}", clause)
    else:
        past = match["a"] or match["b"] or _EXPRESSIONS.contrasted.sub("", match["f"] or "") or f"am {match['c']}"
        past = re.sub(r"(?i)^be\b", "am", past)
        finding = _read_past(f"am {past}" if match[0].lower().startswith("am no longer") else past, clause)
    return (finding, not (match["e"] or match["f"] or match["h"])) if finding else None


def _read_past(predicate: str, clause: Clause) -> Finding | None:
    finding = first_finding("me", predicate, clause)
    generic = _GENERIC.match(predicate)
    is_lasting = generic and not re.match(r" (?:the|this|that|these|those) ", generic["o"])
    if finding is None and generic and is_lasting and generic["verb"].lower() in _COMMON_VERBS:
        phrase = object_phrase(generic["o"]) if generic["o"].strip(" .!,") else ""
        if phrase is not None:
            return make_finding(f"{conjugate(generic['verb'])} {phrase}", Kind.FACT, LIKELY)
    return finding


def matching_memos(text: str, known_memos: Sequence[Memo]) -> list[Memo]:
    """Active known memos that state the same fact, perhaps in more detail or as another kind of having it."""
    return [memo for memo in known_memos if memo.active and _states(memo.text, text)]


def _states(known: str, text: str) -> bool:
    if compare(text, known) in _SAME_FACT or details(known, text):
        return True
    verb, _, thing = text.partition(" ")
    return verb in ("Has", "Uses") and any(details(known, f"{other} {thing}") for other in _HAVING)


def end_statement(finding: Finding) -> Finding | None:
    """The statement that something ended; it contradicts the statement that it holds."""
    text = finding.text[0].lower() + finding.text[1:]
    text = re.sub(r"^is ", "", text)
    return (
        None if re.match(r"(?:doesn't|can't|isn't|name|timezone)", text) else replace(finding, text=f"No longer {text}")
    )
