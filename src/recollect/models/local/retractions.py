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
from recollect.policy.similarity import Similarity, compare

_EXPRESSIONS = expressions("retractions")
_SAME_FACT = (Similarity.SAME, Similarity.RICHER, Similarity.POORER)
_GENERIC = re.compile(r"(?P<verb>[a-z]+)\b(?P<o>.*)", re.IGNORECASE)
_COMMON_VERBS = frozenset("eat drink smoke play work live use own drive run write do go watch read teach code".split())


def find_ended(predicate: str, clause: Clause) -> tuple[Finding, bool] | None:
    """The statement that no longer holds, and whether its end is worth a statement of its own."""
    match = _EXPRESSIONS.ended.match(predicate)
    if match is None:
        return None
    if match["e"]:
        finding = first_finding("me", f"work at {match['e']}", clause)
    elif match["g"]:
        finding = _read_past(f"{base_verb(match['g'])}{strip_duration(match['d'])}", clause)
    else:
        past = match["a"] or match["b"] or match["f"] or f"am {match['c']}"
        finding = _read_past(f"am {past}" if match[0].lower().startswith("am no longer") else past, clause)
    return (finding, not (match["e"] or match["f"])) if finding else None


def _read_past(predicate: str, clause: Clause) -> Finding | None:
    finding = first_finding("me", predicate, clause)
    generic = _GENERIC.match(predicate)
    if finding is None and generic and generic["verb"].lower() in _COMMON_VERBS:
        phrase = object_phrase(generic["o"]) if generic["o"].strip(" .!,") else ""
        if phrase is not None:
            return make_finding(f"{conjugate(generic['verb'])} {phrase}", Kind.FACT, LIKELY)
    return finding


def matching_memos(text: str, known_memos: Sequence[Memo]) -> list[Memo]:
    """Active known memos that state the same fact."""
    return [memo for memo in known_memos if memo.active and compare(text, memo.text) in _SAME_FACT]


def end_statement(finding: Finding) -> Finding | None:
    """The statement that something ended; it contradicts the statement that it holds."""
    text = finding.text[0].lower() + finding.text[1:]
    text = re.sub(r"^is ", "", text)
    return (
        None if re.match(r"(?:doesn't|can't|isn't|name|timezone)", text) else replace(finding, text=f"No longer {text}")
    )
