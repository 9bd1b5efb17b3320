"""Likes and dislikes, as opposed to praise of something at hand: "I love rowing", not "I love the frame"."""

import re

from recollect.core.types import Kind
from recollect.models.local.clauses import Clause
from recollect.models.local.rephrase import conjugate, object_phrase, trim_object
from recollect.models.local.rule import Finding, make_finding

_NOT_A_TASTE = re.compile(
    r"^(?:not to (?:say|talk|know|think)|to (?:say|think|admit|see|hear|know|break|be (?:that|honest)|ask|add|"
    r"point|note|believe|go home|sleep)|"
    r"being "
    r"(?:right|wrong|here|back|able|told|sick|this|so|stuck|late|behind|lost|there)|my (?:life|job|self)|myself|"
    r"life|mondays?|when|how|that|"
    r"where|your|i|we|was|were|is|are|had|has|will|did|does|"
    r"the (?:way|fact|idea)|it|this|a good|having to|with(?= )|for(?= )|of(?= )|at(?= )|by(?= )|from(?= )|"
    r"to (?:choose|judge|complain|brag|argue|interrupt|bother|disappoint|wait)|seeing|hearing|doing (?:this|that|"
    r"it)|an? (?:lot|bit)|"
    r"knowing|getting (?:this|old)|not (?:being|having|getting))\b|^(?:to (?:go|do|be|have|get|try|see|watch)|"
    r"(?:many|several|some) (?:characters|ones|things)|to help|helping|playing for fun|to be here|sharing)$",
    re.IGNORECASE,
)
_UNIQUE_NOUN = re.compile(
    r"(?:ocean|sea|mountains?|beach|outdoors|countryside|smell|sound|taste|cold|heat|rain|snow|desert|forest|"
    r"quiet|silence|"
    r"colou?r (?:\w+|of .*)|dark|stars|city|theatre|theater|opera|cinema|winter|summer|gym)"
    r"(?:$| (?:of|in|at|on|when|more|most|best) | (?:and|or) the )",
    re.IGNORECASE,
)
_ARTICLE_INSIDE = re.compile(r"^(?:\w+ing|to \w+)\b(?: [\w'-]+){0,4}? the ", re.IGNORECASE)
_GENERIC = re.compile(
    r"(?-i:[A-Z])|\d|(?:[\w'-]+ ){0,2}(?:of|that|who|i|we) |(?:local |great |open )?(?:community|kitchen|garden|"
    r"gym|park|beach|beaches|"
    r"mountains?|outdoors|woods|forest|sea|ocean|sun|rain|snow|river|lake|water|countryside|city|cinema|theat(?:er|"
    r"re)|library|"
    r"piano|guitar|violin|cello|drums?|flute|clarinet|sax\w*|trumpet|bass|ukulele|news|radio|stars|sky|moon|sunset|"
    r"sunrise|"
    r"world|internet|command line|terminal|office|mornings?|evenings?|afternoons?|weekends?|winter|summer|spring|"
    r"autumn|fall|"
    r"family|kids|children|dogs?|cats?|elderly|environment|past|future|arts?|basics|classics|couch|sofa|road|train|"
    r"bus|car|"
    r"house|dishes|floor|stage|nature)\b",
    re.IGNORECASE,
)
"""What "the" may introduce without a previous mention."""
_ADVERB = re.compile(r"^(?:me some |(?:also|just|really|even|still|mostly) )+", re.IGNORECASE)
_APPEARANCE = re.compile(
    r"\b(?:vibes?|look|energy|design|views?|atmosphere|colou?rs?|idea|touch|details?|style|theme|feel|mood)$"
    r"|'s (?:ideas?|points?|comments?|questions?|answers?|suggestions?|plans?)\b",
    re.I,
)
_FINITE_VERB = re.compile(
    r"(?:(?!\b(?:who|that|which|what|where|how|when|whatever)\b).)*\b(?:is|was|are|were)\b", re.IGNORECASE
)
"""A verb with a subject of its own: the sentence has run on."""


def taste(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    verb, phrase = match["verb"].lower(), _ADVERB.sub("", trim_object(match["o"]))
    if (
        _NOT_A_TASTE.match(phrase)
        or _FINITE_VERB.match(phrase)
        or is_at_hand(verb, phrase)
        or (" than " in phrase and "rather than" not in phrase)
    ):
        return None
    rephrased = object_phrase(phrase)
    if rephrased is None:
        return None
    if verb.startswith("cannot stand"):
        return make_finding(f"can't stand {rephrased}", Kind.PREFERENCE)
    if verb.startswith("do not"):
        return make_finding(f"doesn't {verb.split()[-1]} {rephrased}", Kind.PREFERENCE)
    return make_finding(f"{conjugate(verb)} {rephrased}", Kind.PREFERENCE)


def fancies(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    """ "Am a huge fan of trains", "am not a morning person"."""
    phrase = object_phrase(match["o"])
    fan = re.match(r".*?\bfan of ", phrase or "")
    if phrase is None or (fan and is_at_hand("like", phrase[fan.end() :])):
        return None
    return make_finding(("isn't " if " not " in match[0] else "is ") + phrase, Kind.PREFERENCE)


def is_at_hand(verb: str, phrase: str) -> bool:
    """Whether it is something particular at hand: "the traffic", "my printer" that is hated; not "the Beatles"."""
    article, _, noun = phrase.partition(" ")
    if article.lower() == "the":
        return bool(_APPEARANCE.search(noun)) or not (noun[:1].isupper() or _UNIQUE_NOUN.match(noun))
    inside = _ARTICLE_INSIDE.search(phrase)
    if "'s " in phrase and _APPEARANCE.search(phrase):
        return True
    if inside and not _GENERIC.match(phrase, inside.end()):
        return True
    return article.lower() in ("my", "our") and verb not in ("love", "like", "enjoy", "adore", "prefer")
