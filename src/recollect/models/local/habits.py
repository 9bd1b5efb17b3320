"""Rules for what people do again and again: "usually", "every morning", "on Tuesdays"."""

import re

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugated, thing
from recollect.models.local.rule import LIKELY, Finding, Rule, rule, stated

_VERBS = (
    "go|run|swim|train|meditate|wake up|get up|start|write|review|deploy|commute|bike|cycle|walk|read|cook|"
    "practi[cs]e|"
    "journal|code|play|visit|call|meet|teach|do|take|drink|eat|test|commit|work|lift|climb|hike|row|skate|surf|"
    "plan|check|"
    "clean|bake|brew|study|fast|stream|post|back up|batch|block|end|finish|volunteer|travel|fly|drive|push|ship|"
    "release|"
    "rebase|squash|merge|sketch|draw|paint|pair|jog|sleep|nap|stretch|do yoga|garden|sing|rehearse|dance|watch|"
    "listen to|"
    "order|skip|have|host|grab|use|track|log|keep|make|prepare|rewrite|document|format|lint|profile|benchmark"
)
_OFTEN = (
    r"(?:every (?:single )?(?:other )?(?:day|morning|evening|night|week|weekend|month|year|summer|winter|spring|"
    r"autumn|fall|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|sprint|quarter)|each (?:morning|day|night|week|"
    r"evening)|on "
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days|on weekends|most (?:mornings|days|evenings|weekends)|(?:once|"
    r"twice|three "
    r"times|four times|\d times) (?:a|per) (?:day|week|month|year)|before (?:bed|breakfast|work)|after work|"
    r"in the mornings)"
)
_OUT = re.compile(
    r"\b(?:wonder|think|feel|forget|wish|hope|say|get (?:lost|confused|stuck|this|the|an?)|end up|mess|lose|fail|"
    r"see|admin|"
    r"password|access|permission|instructions?|prompts?|rules|hear|want|need|know|be|am|are|believe|assume|"
    r"thought|knew)\b",
    re.IGNORECASE,
)

_EMPTY = re.compile(
    r"^(?:(?:out|home|back|away|there)$|to|time|enough|any|an? (?:clue|hard)|luck|issues?|problems?|trouble|"
    r"mistakes?|typos?|fun|doubts?|"
    r"questions?|crazy|"
    r"insane|wild)\b|\b(?:this|that|it|these|those)\b",
    re.IGNORECASE,
)
_TRANSITIVE = frozenset("watch do take have use make keep grab order host visit call check track log get post".split())
_WHEN = re.compile(r"(?:around|during|at|in|on|when|after|before|until)\b", re.IGNORECASE)
_LISTED = re.compile(rf"(?:,(?: and| or)?|\b(?:and|or)) (?:{_VERBS})\b", re.IGNORECASE)
"""A second thing that is done, still in the first person: "cooks soup, bake"."""


def _habit(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "I usually drink tea"."""
    if _OUT.search(match["verb"]) or _OUT.match(match["o"].strip()):
        return None
    found = thing(match["o"])
    if match["verb"].lower() in _TRANSITIVE and _WHEN.match(match["o"].strip()):
        return None
    if found is None or len(found) < 3 or _EMPTY.search(found) or _LISTED.search(found):
        return None
    verb, *rest = match["verb"].split()
    text = " ".join([match["how"], conjugated(verb), *rest, found])
    return stated(text, Kind.WORKFLOW, LIKELY)


def _regular(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "I run every morning"."""
    verb, *rest = match["verb"].split()
    if not match["o"] and verb in _TRANSITIVE:
        return None
    said = thing(f"{match['o'] or ''} {match['often']}{match['more'] or ''}".strip())
    return (
        stated(" ".join([conjugated(verb), *rest, said]), Kind.WORKFLOW) if said and not _EMPTY.search(said) else None
    )


def _opened(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "Every morning I run"."""
    verb, *rest = match["verb"].split()
    said = thing(match["o"]) if match["o"].strip(" .!,") else ""
    if said is None:
        return None
    return stated(" ".join([conjugated(verb), *rest, said, match["often"].lower()]), Kind.WORKFLOW)


RULES: list[Rule] = [
    rule(rf"(?P<how>usually|always|normally|typically|generally|rarely|never(?! read\b)) (?!make|have|take|keep|"
         rf"do |end up|"
         rf"grab)(?P<verb>{_VERBS})\b"
         r"(?P<o>.*)",
         _habit),
    rule(rf"(?!have (?:\w+ed|got|been)\b)(?P<verb>{_VERBS})(?P<o>(?: (?!every\b|"
         rf"each\b)[\w'/+:-]+){{0,10}}?),? (?P<often>{_OFTEN})(?P<more>(?: (?:with|at|before|"
         r"after|and|for|in) .{1,60})?)[\s.!,]*(?:lol|haha|btw|,.*|;.*|\(.*|[^\w]*|but .*|so .*|because .*)?$",
         _regular),
]  # fmt: skip
OPENED: list[Rule] = [rule(rf"(?P<often>{_OFTEN}),? (?:i|we) (?P<verb>{_VERBS})\b(?P<o>.*)", _opened)]
