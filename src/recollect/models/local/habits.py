"""Rules for habits: "usually", "every morning", "on Tuesdays"."""

import re

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugate, object_phrase
from recollect.models.local.rule import LIKELY, Finding, Rule, make_finding, rule

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
_NOT_A_HABIT = re.compile(
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
_SECOND_VERB = re.compile(rf"(?:,(?: and| or)?|\b(?:and|or)) (?:{_VERBS})\b", re.IGNORECASE)
"""A second verb, still in the first person: "cooks soup, bake"."""


def _usual_action(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "I usually drink tea"."""
    if _NOT_A_HABIT.search(match["verb"]) or _NOT_A_HABIT.match(match["o"].strip()):
        return None
    phrase = object_phrase(match["o"])
    if match["verb"].lower() in _TRANSITIVE and _WHEN.match(match["o"].strip()):
        return None
    if phrase is None or len(phrase) < 3 or _EMPTY.search(phrase) or _SECOND_VERB.search(phrase):
        return None
    verb, *particles = match["verb"].split()
    text = " ".join([match["how"], conjugate(verb), *particles, phrase])
    return make_finding(text, Kind.WORKFLOW, LIKELY)


def _regular_action(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "I run every morning"."""
    verb, *particles = match["verb"].split()
    if not match["o"] and verb in _TRANSITIVE:
        return None
    phrase = object_phrase(f"{match['o'] or ''} {match['often']}{match['more'] or ''}".strip())
    return (
        make_finding(" ".join([conjugate(verb), *particles, phrase]), Kind.WORKFLOW)
        if phrase and not _EMPTY.search(phrase)
        else None
    )


def _frequency_first(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "Every morning I run"."""
    verb, *particles = match["verb"].split()
    phrase = object_phrase(match["o"]) if match["o"].strip(" .!,") else ""
    if phrase is None:
        return None
    return make_finding(" ".join([conjugate(verb), *particles, phrase, match["often"].lower()]), Kind.WORKFLOW)


RULES: list[Rule] = [
    rule(rf"(?P<how>usually|always|normally|typically|generally|rarely|never(?! read\b)) (?!make|have|take|keep|"
         rf"do |end up|"
         rf"grab)(?P<verb>{_VERBS})\b"
         r"(?P<o>.*)",
         _usual_action),
    rule(rf"(?!have (?:\w+ed|got|been)\b)(?P<verb>{_VERBS})(?P<o>(?: (?!every\b|"
         rf"each\b)[\w'/+:-]+){{0,10}}?),? (?P<often>{_OFTEN})(?P<more>(?: (?:with|at|before|"
         r"after|and|for|in) .{1,60})?)[\s.!,]*(?:lol|haha|btw|,.*|;.*|\(.*|[^\w]*|but .*|so .*|because .*)?$",
         _regular_action),
]  # fmt: skip
FREQUENCY_FIRST: list[Rule] = [rule(rf"(?P<often>{_OFTEN}),? (?:i|we) (?P<verb>{_VERBS})\b(?P<o>.*)", _frequency_first)]
