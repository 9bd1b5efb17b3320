"""Rules for lasting requests about how to be answered; only harmless ones match."""

import re

from recollect.core.types import Kind
from recollect.language.lexicon import LANGUAGES
from recollect.models.local.clauses import Clause
from recollect.models.local.rule import Finding, Rule, make_finding, rule

_STYLE = (
    "short|brief|concise|terse|simple|to the point|detailed|casual|formal|informal|friendly|plain|long|thorough|"
    "technical|"
    "non-technical|polite|direct|minimal|high-level|high level|beginner-friendly"
)
_ANSWERS = r"(?:your |the |all )?(?:answers|replies|responses|explanations|messages|summaries)"


def _language(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    language = match["l"].capitalize()
    if language.lower() not in LANGUAGES:
        return None
    return make_finding(f"wants answers in {language}", Kind.CONSTRAINT)


def _style(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    return make_finding(f"wants {match['s'].lower()} answers", Kind.CONSTRAINT)


def _unwanted(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    return make_finding(f"wants no {match['x'].lower()}", Kind.CONSTRAINT)


def _wanted_form(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    return make_finding(f"wants {match['x'].lower()}", Kind.CONSTRAINT)


def _no_contact(match: re.Match[str], clause: Clause) -> Finding | None:  # noqa: ARG001 - a rule's builder
    participles = {"ping": "pinged", "tag": "tagged", "mention": "mentioned", "dm": "messaged", "message": "messaged",
            "call": "called", "wake": "woken", "remind": "reminded", "interrupt": "interrupted"}  # fmt: skip
    condition = re.sub(r"\s+(?:please|pls|thanks|thx|ok|okay)$", "", match["o"].strip(" .!,"), flags=re.IGNORECASE)
    verb = match["v"].lower()
    if re.search(r"\b(?:you|i|if|unless|this|that|it)\b", condition, re.IGNORECASE) or (
        verb == "call" and not condition
    ):
        return None
    return make_finding(f"doesn't want to be {participles[verb]} {condition}", Kind.CONSTRAINT)


_NEVER = (
    r"(?:please |pls |kindly |can you |could you )*(?:never|do not|stop|no more|don't ever|"
    r"do not ever)(?: ever)?"
)
_ALWAYS = (
    r"(?:please |pls |kindly )*(?:always|from now on,? (?:please |always )?|in (?:the )?future,? (?:please |"
    r"always )?)"
)
RULES: list[Rule] = [
    rule(rf"(?:{_ALWAYS}\s*)(?:answer|reply|respond|talk|speak|write|talk to me|answer me|reply to me)(?: to me|"
         rf" me)? in "
         r"(?P<l>\w+)[\s.!]*(?:please|pls|thanks|when.*|,.*)?$", _language),
    rule(r"(?:please |pls )?(?:answer|reply|respond|talk to|speak to|write to)(?: me|"
         r" to me)? (?:only )?in (?P<l>\w+) (?:from now "
         r"on|always|in (?:the )?future)\b.*", _language),
    rule(rf"(?:{_ALWAYS}\s*|please |pls )?keep {_ANSWERS} (?P<s>{_STYLE})\b(?! (?:this|for (?:this|now)|today)).*",
         _style),
    rule(rf"(?:{_ALWAYS}\s*|please |pls )(?:give me |use |write |prefer )?(?P<s>{_STYLE}) (?:answers|replies|"
         rf"responses|"
         r"explanations)\b.*", _style),
    rule(rf"{_NEVER} (?:use |using |send me |sending me |put |give me |giving me |add |spam )?(?:any |"
         rf"me )?(?P<x>emojis?|emoticons|"
         r"bullet points|bullet lists|tables|exclamation marks|swear words|slang|spoilers|gifs|memes|jargon|headings|"
         r"markdown|code comments|em dashes|sarcasm|puns|filler)\b(?! (?:here|in this|for this|this time|today)).*",
         _unwanted),
    rule(r"no (?P<x>emojis?|spoilers|bullet points|jargon|slang|small talk|puns)(?:,)? (?:please|pls|ever|with me|"
         r"in your "
         r"(?:answers|replies)|when .*)[\s.!]*", _unwanted),
    rule(rf"(?:{_ALWAYS}\s*|please |pls )(?:use|give me|stick to|write in) (?P<x>metric units|metric|celsius|"
         rf"imperial units|"
         r"fahrenheit|iso dates|24[- ]hour time|british spelling|american spelling|british english|"
         r"american english|bullet "
         r"points|code examples|they/them(?: pronouns)?)\b(?! (?:here|in this|for this|this time)).*", _wanted_form),
    rule(rf"{_NEVER} (?P<v>ping|tag|mention|dm|message|call|wake|remind|interrupt) me\b(?P<o>(?: (?:after|before|"
         rf"on|at|during|"
         r"in|between|about|late|early|outside)\b.{0,60})?)[\s.!,]*(?:please|pls|thanks)?[\s.!]*$", _no_contact),
]  # fmt: skip
