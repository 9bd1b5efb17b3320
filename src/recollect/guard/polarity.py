"""Whether a fact means what its quote means: "I used to live there" is not "Lives there", nor is "I'd hate to".

Looks at the part of the quote that the fact was taken from. Careful with what is said in passing: "I drink coffee
without sugar" does carry "Drinks coffee".
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from recollect.guard import wording
from recollect.guard.quote import Found
from recollect.text import words

_AROUND, _QUOTED = 1_000, 4_000
"""Characters that are read around a quote and of a quote itself."""
_BREAKS = re.compile(
    r"[,;]\s|:\s|[.!?](?=\s)|[。！？、，\n()]|\s[-–—]\s"
    r"|\s(?=(?:but|if|unless|because|although|though|while|whereas|however|before|until|aber|weil|mais|pero|mas|но)\b)"
    r"|\s(?=(?:and|so|since|und|et|y) (?:i|i'm|i've|my|we|now|ich|mein|je|mon|yo|mi)\b)"
)
_IDIOMS = re.compile(
    r"\b(?:never (?:miss|fail|forget)\w*|(?:can't|cannot|can not) (?:wait|stop|get enough|help|live without|imagine)"
    r"|couldn't (?:be|live without)|not (?:only|just|to mention)|no (?:doubt|problem|worries|idea|matter|wonder)"
    r"|why not|whether or not|nothing (?:but|better|beats)|don't (?:worry|forget|get me wrong)|don't you"
    r"|no less than|am used to|'m used to|get used to|got used to|if (?:you ask me|i'm honest|that matters)"
    r"|(?:no|without) (?:\w+ ){1,3}?and)\b"
)
"""Turns of speech that hold the words below without their meaning; and "no car and" says nothing of what follows."""
_NOT = re.compile(
    r"\b(?:not|never|no longer|no|nobody|none|cannot|without|hardly|neither|stop|stops|stopped|quit|gave up|nicht"
    r"|kein\w*|nie|niemals|pas|jamais|nunca|não|не|никогда|нет|(?:don|doesn|didn|won|can|isn|aren|wasn|wouldn|haven"
    r"|hasn|ain|shouldn|couldn)t)\b|n't\b|[不没沒未]|ない|ません|않|없"
)
_NOT_FOREIGN = re.compile(
    r"\b(?:nicht|kein\w*|nie|niemals|nichts|pas|jamais|nunca|não|non|niet|geen|inte|не|никогда|нет|ya no)\b"
    r"|(?:^|\b(?:yo|ya|pero|que|todavía|aún)\s)no\b|[不没沒未]|ない|ません|않|없"
)
_NEGATIVE = re.compile(
    _NOT.pattern
    + r"|\b(?:dislik\w+|hat(?:e|es|ed)|avoid\w*|lack\w*|former\w*|ex|un\w+|intoleran\w+|incapable|refus\w+|used to"
    r"|allerg\w+|vegan|vegetarian|teetotal\w*|sober|free|less|opposed|against|stands?|left|past|ended)\b"
)
"""What may stand in a fact for a "not" in the quote."""
_ENDING = re.compile(
    _NEGATIVE.pattern
    + r"|\b(?:moved?|moving|sold|died|dead|lost|losing|switch\w*|end|ends|finish\w*|giv\w+ up|divorc\w+|broke|broken"
    r"|cancel\w*|fired|laid|drop\w*|replac\w+|retir\w+|resign\w*|chang\w+|over|done|gone|fail\w*|rare\w*|seldom|only"
    r"|zero|bad|ban\w*|forbid\w*|worst|awful|terrible|annoy\w*|skip\w*|any ?more|instead|rather|gross|disgust\w*|hard"
    r"|difficult|struggl\w+|rid|except|few|little|miss\w*|leav\w+|out|off|cold|too|worse|suck\w*|kill\w*)\b"
)
"""What may stand in a quote for a "not" in the fact."""
_FACT_NOT = re.compile(r"\b(?:not|never|no longer|cannot|(?:don|doesn|didn|can|isn|aren)t)\b|n't\b")

_PAST = re.compile(
    r"\bused to\b|\bno longer\b|\bformerly\b|\bpreviously\b|\bfrüher\b|\bback in the days?\b|\bnot any ?more\b"
)
_TELLS_PAST = re.compile(
    r"\b(?:used to|former\w*|previous\w*|past|once|was|were|had|did|been|ex|early|earlier|früher|left|\w{2,}ed|went"
    r"|grew|quit|ago|before|back)\b|" + _NOT.pattern
)
_THOUGHT = re.compile(
    r"\b(?:if|would|wouldn't|wish|might|imagine|suppose|unless|maybe|perhaps|hypothetically|falls|vielleicht|peut-être"
    r"|quizás|talvez|could|i may|i'd|we'd|(?:want|wants|wanna|hope|hoping|plan|planning|dream|dreaming|thinking"
    r"|considering|afraid|tempted) (?:to|of|about)|in case)\b"
)
_TELLS_THOUGHT = re.compile(
    r"\b(?:if|when\w*|would|could|might|may|maybe|perhaps|want\w*|wish\w*|hop(?:e|es|ing)|plan\w*|dream\w*|think\w*|goal"
    r"|consider\w*|interest\w*|intend\w*|rather|prefer\w*|lik(?:e|es|ing)|lov(?:e|es)|enjoy\w*|dislik\w*|hat(?:e|es)"
    r"|afraid|fear\w*|look\w*|possibl\w+|tempted|unless|case|ask\w*|appreciat\w*|needs?|answer\w*|repl\w+|open|willing"
    r"|happy|curious|ready|able|can|aims?|hypothetical\w*|falls|vielleicht|möchte|will|call\w*|address\w*|favou?r\w*)\b"
)
_GOOD = re.compile(
    r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|ador(?:e|es|ed)|fan|favou?rite|mag|liebe|aime|adore|gusta|gosto)\b"
)
_ILL = re.compile(
    r"\b(?:hat(?:e|es|ed|ing)|dislik\w*|despis\w*|detest\w*|loath\w*|can't stand|cannot stand|hasse|déteste"
    r"|odio|odeio)\b"
)
_LIKENESS = re.compile(
    r"\b(?:looks?|sounds?|feels?|seems?|just|more|is|something|things|stuff) like\b|\bunlike\b"
    r"|\blike (?:a|an|this|that)\b"
)


@dataclass(frozen=True, slots=True)
class _Around:
    """A quote and what stands around it in its sentence, as far as it is read."""

    text: str
    first: int
    """Where the quote begins,"""
    last: int
    """and where it ends."""
    lower: str
    foreign: bool


def differs(found: Found, fact: str) -> str | None:
    """What the fact leaves out or turns round of its quote; None when they agree."""
    around = _around(found)
    reasons = [_difference(clause, around, _lower(fact)) for clause in _sources(around, fact)]
    return None if None in reasons or not reasons else reasons[0]


def _around(found: Found) -> _Around:
    before, quoted = found.before[-_AROUND:], found.words[:_QUOTED]
    text = f"{before}{quoted}{found.after[:_AROUND]}"
    return _Around(text, len(before), len(before) + len(quoted), _lower(text), wording.is_foreign(text))


def _sources(around: _Around, fact: str) -> list[str]:
    """The clauses of a quote that have most words in common with a fact."""
    clauses = _clauses(around)
    wanted = words(fact)
    shared = [sum(wording.was_told(word, wanted) for word in set(words(clause))) for clause in clauses]
    most = max(shared, default=0)
    return [clause for clause, count in zip(clauses, shared, strict=True) if count == most]


def _clauses(around: _Around) -> list[str]:
    """The clauses of the sentence that the quote touches."""
    text = around.text
    places = [0, *(one.end() for one in _BREAKS.finditer(_lowered(text))), len(text)]
    touched = [text[start:end] for start, end in pairwise(places) if start < around.last and end > around.first]
    return [_lower(clause).strip() for clause in touched if clause.strip()]


def _difference(clause: str, around: _Around, fact: str) -> str | None:
    plain = _IDIOMS.sub(" ", clause)
    before = plain if around.foreign else _up_to(plain, fact)
    feelings = _feeling(plain, before), _feeling(fact, fact)
    if all(feelings):
        if feelings[0] != feelings[1]:
            return "says the opposite"
    elif _is_negated(before, plain, around.foreign) and not _negates(fact, plain):
        return "leaves out a negation"
    elif _FACT_NOT.search(fact) and not _ENDING.search(around.lower) and wording.comparable(clause, fact):
        return "says the opposite"
    if _PAST.search(before) and not _TELLS_PAST.search(fact):
        return "is no longer so"
    if _THOUGHT.search(before) and not _TELLS_THOUGHT.search(fact):
        return "is not meant"
    return None


def _up_to(clause: str, fact: str) -> str:
    """The clause up to the last word that the fact has of it: what comes later does not turn it round."""
    wanted = words(fact)
    told = [
        word for word in re.finditer(r"[\w']+", clause) if any(wording.was_told(one, wanted) for one in words(word[0]))
    ]
    return clause[: told[-1].end()] if told else clause


def _is_negated(before: str, clause: str, foreign: bool) -> bool:
    """An odd number of negations; two cancel out."""
    if foreign:
        return _NOT_FOREIGN.search(clause) is not None
    last = " ".join(clause.rstrip(" .!?").split()[-2:])
    return len(_NOT.findall(before)) % 2 == 1 or (
        before != clause and re.search(r"\b(?:no longer|not|no more)$", last) is not None
    )


def _negates(fact: str, clause: str) -> bool:
    """Whether a fact says a "not" in one word or another; a word of the clause itself can't stand for it."""
    said = words(clause)
    return any(_NOT.fullmatch(word[0]) or word[0] not in said for word in _NEGATIVE.finditer(fact))


def _feeling(clause: str, before: str) -> int:
    """1 for liking, -1 for its opposite, 0 where neither or both are told; `before` is what may turn it round."""
    plain = _LIKENESS.sub(" ", clause)
    good, ill = _GOOD.search(plain), _ILL.search(plain)
    if bool(good) == bool(ill):
        return 0
    turned = len(_NOT.findall(_ILL.sub(" ", before))) % 2 == 1
    return (1 if good else -1) * (-1 if turned else 1)


def _lowered(text: str) -> str:
    """Small letters, each in its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text


def _lower(text: str) -> str:
    return text.casefold().replace("’", "'")
