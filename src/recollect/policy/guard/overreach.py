"""Whether a fact generalizes beyond its quote: to the present, to all and always, or in another direction."""

import re
from collections.abc import Sequence

from recollect.core.text import words
from recollect.language import word_forms

_ALL = (
    r"always|every\w*|each|all|whole|daily|nightly|weekly|constantly|24/7|any|(?:mon|tues|wednes|thurs|fri|satur"
    r"|sun)days"
    r"|mornings|evenings|nights|weekends|jede\w*|immer|alle\w*|täglich|toujours|chaque|tou[st]\w*|siempre|cada"
    r"|tod[oa]s?"
    r"|sempre|ogni|всегда|кажд\w+"
)
_OFTEN = (
    rf"{_ALL}|often|regular\w*|usually|mostly|frequent\w*|general\w*|typical\w*|main\w*|a lot|lots|most|times|lately"
    rf"|these days"
    r"|keep|oft|meistens|souvent|a menudo|spesso|часто|go-to|primarily|much"
)
_NO = r"never|\w*n't|not|no|none|nothing|without|cannot|nie\w*|kein\w*|nicht|jamais|pas|nunca|não|non|mai|не|никогда"
_GENERALIZATIONS = (
    (re.compile(r"\b(?:always|every|each|all|daily|constantly|everything|everyone)\b"), _ALL),
    (re.compile(r"\b(?:often|regularly|usually|frequently|generally|typically)\b"), _OFTEN),
    (re.compile(r"\bnever\b"), _NO),
    (
        re.compile(r"\b(?:only|solely|exclusively)\b"),
        r"only|just|nothing but|except|solely|exclusively|nur|seulement|solo|только",
    ),
    (
        re.compile(r"\b(?:many|several|multiple|lots|numerous|various)\b"),
        r"many|lots|loads|tons|several|multiple|dozens|a lot|bunch|plenty|much|various|collect\w*|different|\d+"
        r"|viele|muchos",
    ),
    (re.compile(r"\bboth\b"), r"both|two|and|beide\w*"),
)
_COMPILED_GENERALIZATIONS = tuple(
    (claim, re.compile(rf"(?<!\w)(?:{support})(?!\w)|毎|いつも|全|每|总|没|不|ない|ません"))
    for claim, support in _GENERALIZATIONS
)
_PART_OF = re.compile(
    r"\b(?:one|some|two|half|most|many|few|none|several|einer|eine|une?|uno|una) (?:of|von|de) (?:my|the|our"
    r"|these) (\w+)"
)
_PARTLY = re.compile(r"\b(?:one|some|two|half|most|many|few|several|an?)\b")
_POINTED_AT = re.compile(r"\b(?:this|that) ([a-z]{3,})\b")

_PRESENT = re.compile(
    r"^\W*(?:(?:the )?user |(?:he|she|they) |(?:[\w-]+'s|her|his|their|my|our) (?:[\w-]+ ){1,3}?|[\w-]+ (?=(?:is|are"
    r"|has) ))??"
    r"(?P<verb>is|are|has(?! (?:been|\w+ed)\b)|(?!was\b|this\b|its\b|his\b|users?\b)[a-z]{2,}[^s'\W]s)\b"
)
"""A fact in the present tense, by its verb in the third person."""
_TASTES = re.compile(r"lov|lik|enjoy|hat|prefer|ador|dislik")
_IRREGULAR = (
    "ate drank drove ran swam sang spoke wrote taught kept knew went rode sold slept spent fought drew flew grew wore "
    "hatte war wohnte lebte arbeitete spielte habitais travaillais étais avais vivía tenía era trabajaba tinha morava"
)
_PASTS = re.compile(r"\b(?:did|had|was|were|went|\w{2,}ed)\b")
_WAS = re.compile(r"\b(?:was|were|war|waren|étais|était|era|fui)\b")
_IS = re.compile(
    r"\b(?:am|i'm|im|is|are|'re|we're|it's|he's|she's|been|become|became|still|now|turned|\w+'s)\b|'s\b|'m\b|'re\b"
)
_WAS_DOING = re.compile(r"\b(?:was|were) (?:\w+ )?\w+ing\b")
_BE_DONE = re.compile(
    r"\b(?:was|were) (?:\w+ )?(?:born|diagnosed|promoted|hired|adopted|raised|named|made|given|told|laid)\b"
)
_PERFECT = re.compile(
    r"\b(?:haven't|hasn't)\b|\bbeen \w+ing\b|\b(?:have|has|had|i've|ive|we've|been|'ve)\b(?=.*\b(?:since|for|always"
    r"|ever|all)\b)|\bsince\b"
)
_BEFORE = re.compile(
    r"\bas a (?:kid|child|teen\w*)\b|\bwhen i was\b|\bback when\b|\bback then\b|\buntil (?:\d{4}|last|i was"
    r"|i turned)\b|\bbefore (?:this|that)\b"
    r"|\bin my (?:teens|youth|childhood)\b|\ba long time ago\b|\bals kind\b|\bdamals\b|\bfrüher\b|^avant\b|\bantes\b"
    r"|\bde niñ[oa]\b"
)
_ORDERED = re.compile(
    r"(?<![\w'-])(?P<more>[\w'-]+) (?:(?P<to>to)|over|than|rather than|instead of) (?:the |a |an )?(?P<less>[\w'-]+)"
)
_FROM = re.compile(r"\b(?:from|left|leaving|aus|verlassen|quitté)\s+(?P<place>[^\W\d_][\w'-]*)")
_INTO = re.compile(r"\b(?:in|to|at)\s+(?P<place>[^\W\d_][\w'-]*)")


def overreaches(fact: str, quote: str, clauses: Sequence[str]) -> str | None:
    """How a fact says more than its quote; None if it doesn't. All texts are in lower case."""
    if any(claim.search(fact) and not support.search(quote) for claim, support in _COMPILED_GENERALIZATIONS):
        return "says more than was said"
    if any(word_forms.has_form(thing, words(fact)) for thing in _PART_OF.findall(quote)) and not _PARTLY.search(fact):
        return "says more than was said"
    if any(_is_made_general(thing, fact) for thing in _POINTED_AT.findall(quote)):
        return "says more than was said"
    if _is_reversed(fact, quote):
        return "says the opposite"
    if _BEFORE.search(quote) and clauses and all(_is_present(fact) and _PASTS.search(clause) for clause in clauses):
        return "is no longer so"
    return "is no longer so" if clauses and all(_is_over(fact, clause) for clause in clauses) else None


def _is_made_general(thing: str, fact: str) -> bool:
    """Whether a fact is about all things of a kind; "I hate this keyboard" is not about keyboards."""
    return f"{thing}s" in words(fact)


def _is_reversed(fact: str, quote: str) -> bool:
    """Whether a fact reverses a preference, or arrives at a place that was left."""
    claimed, said = _ORDERED.search(fact), _ORDERED.search(quote)
    if claimed and said and ("prefer" in fact or not (claimed["to"] or said["to"])):
        return word_forms.is_form(claimed["more"], said["less"]) and word_forms.is_form(claimed["less"], said["more"])
    if "no longer" in fact or "n't" in fact or " not " in fact:
        return False
    left = {match["place"] for match in _FROM.finditer(quote)}
    reached = {match["place"] for match in _INTO.finditer(quote)}
    return any(match["place"] in left - reached for match in _INTO.finditer(fact)) and not _FROM.search(fact)


def _is_present(fact: str) -> bool:
    """Whether a fact is in the present tense and not about a taste, which lasts."""
    present = _PRESENT.match(fact)
    return present is not None and not _TASTES.match(present["verb"])


def _is_over(fact: str, clause: str) -> bool:
    """Whether a fact in the present tense comes from a clause about the past."""
    present = _PRESENT.match(fact)
    if present is None or _TASTES.match(present["verb"]):
        return False
    if _BEFORE.search(clause) or (_WAS_DOING.search(clause) and not _IS.search(clause)):
        return True
    if present["verb"] in ("is", "are"):
        return bool(_WAS.search(clause)) and not (_IS.search(clause) or _BE_DONE.search(clause))
    verbs = [word for word in words(clause) if word_forms.is_form(word, present["verb"])]
    if not verbs or _PERFECT.search(clause):
        return False
    perfect = re.search(rf"(?:'ve|\bhave) (?:\w+ )?{re.escape(verbs[0])}\b", clause)
    return all(map(_is_past, verbs)) or perfect is not None


def _is_past(word: str) -> bool:
    return word.endswith("ed") or word in _IRREGULAR.split()
