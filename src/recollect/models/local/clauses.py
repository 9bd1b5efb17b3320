"""Splits a message into clauses: each with its own subject, in normalized spelling, next to the original words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from recollect.models.local import rejections

MAX_MESSAGE_CHARS = 20_000
"""Characters read of one message; anything longer is a paste."""
MAX_SENTENCE_CHARS = 500
MAX_SENTENCES = 300

_END = re.compile(
    r"(?<=[.!?…])[\"')*_]*\s+|(?<=[.!?…])(?=[A-Z])(?<![A-Z].)|"
    r"(?<=[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F])\s+(?=[^\W_])|\n+|\s+\|\s+|\s*;\s+(?!\))"
)
_ABBREVIATED = re.compile(r"\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|st|approx|no|inc|corp|ltd|co)\.$", re.IGNORECASE)
_CODE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|import|from \w+ import|def \w|class \w|if \(|for \(|while \(|return\b|"
    r"const |let \w+ =|"
    r"var |console\.|#include|--|//|#!|\$ )|[{}]\s*$|\);|=>|==|\w\(\)|\w\('"
)
_ASIDE = re.compile(r"\*[^*\n]{1,200}\*|<[@#&!:\w][^>\n]{0,80}>|https?://\S+|(?<!\w)@[\w.]+|:\w+:")
_SUBJECT = (
    r"(?:i|i'm|im|i've|ive|i'd|i'll|my|our|we|we're|we've|we'll|me and my|i’m|i’ve|i’d|i’ll|we’re|we’ve|"
    r"call me|please call me)\b(?!\.)"
)
_JOINT = re.compile(
    rf"(?:\s*,|\s+[-–—]+)?(?<!\bme)\s+(?:and|but|so|because|bc|cuz|cause|since|although|though|plus|also|&|and also|"
    rf"but also|and "
    rf"now|but now|so now|and yes|and btw|and yeah|and currently|but currently)\s+(?={_SUBJECT})"
    rf"|\s*,?\s+but\s+(?=(?:the|he|she|they|it|it's|people|nobody|everyone)\b)"
    rf"|\s*(?:,|:|\s[-–—]+)\s+(?:(?:then|now|also|currently|btw|well|actually)\s+)?(?={_SUBJECT})",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"(?:,|\s[-–—]|\s(?:and|but|so))\s+(?:(?:and|but|so|ok|then)\s+)?(?:what|how|where|who|why|which|when|do|does|"
    r"did|can|"
    r"could|is|are|any|anyone|anybody|have|has|should|would|will|got|am|thoughts|right|isn't|don't|you|u|wbu|hbu|"
    r"know|"
    r"suggestions|ideas|recommend)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:[\W_]+|(?:well|so|yeah|yep|yes|no(?=[,.!])|nope|nah|oh|ah|hmm+|um+|uh|ok|okay|btw|by the way|fyi|psa|"
    r"actually|honestly|"
    r"tbh|ngl|also|and|but|plus|hey|hi|hello|hiya|yo|lol|haha+|anyway|anyways|look|listen|note|reminder|update|intro|"
    r"fun fact|ps|p\.s|for context|for the record|for reference|for what it's worth|fwiw|just so you know|just fyi|"
    r"so you know|heads up|as i said|like i said|as mentioned|as you know|fair enough|same here|same|me too|true|"
    r"right|"
    r"sure|cool|nice|thanks|thx|ty|thank you|sorry|damn|omg|wow|welp|all(?= my\b)|(?:man|dude|bro|guys|folks|all|"
    r"everyone|team|"
    r"bot)(?=\s*[,:.!…-])|(?:hey|hi|hello|thanks|morning) (?:there|all|everyone|folks|guys|team|bot|man|dude|bro)|"
    r"good morning|morning|good evening|evening|gm|the good news is(?: that)?|good news|big news|great news|"
    r"news|personally|remember|"
    r"(?:please |pls )?remember (?:that|this)|please note(?: that)?|note that|keep in mind(?: that)?|you should know"
    r"(?: that)?|the thing is|thing is|turns out|in fact|to be fair|to be honest|as for me|for me|at work|"
    r"at my job|at home|in my (?:free|spare) time|funny enough|basically|"
    r"again|correction|quick update|small update|unfortunately|fortunately|luckily|sadly|happily|finally|obviously|"
    r"of course|clearly|since|because|now|currently|nowadays|these days|lately|recently|then|just|still|mind you|"
    r"about me|a bit about me|in general|generally|in my case|not gonna lie|no joke|seriously|oh and|ah yes|"
    r"i mean|i must "
    r"say|i have to say|i have to admit|i admit|i confess|i can confirm|let me add|guess what|long story short|wait|"
    r"nice to meet you(?: all)?|glad to be here|long time lurker|first time poster|newbie here|new here)"
    r"(?=[\s,:.!…-]|$)[\s,:.!…-]*)+",
    re.IGNORECASE,
)
_SPELLINGS = [
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"[’ʼ`´]", "'"),
        (r"\bi'?m\b", "I am"),
        (r"\bi a m\b", "I am"),
        (r"\bi'?ve\b", "I have"),
        (r"\bi'd\b", "I would"),
        (r"\bi'll\b", "I will"),
        (r"\bwe're\b", "we are"),
        (r"\bwe'?ve\b", "we have"),
        (r"\bwe'll\b", "we will"),
        (r"\bdon'?t\b", "do not"),
        (r"\bcan'?t\b", "cannot"),
        (r"\bcan not\b", "cannot"),
        (r"\bdoesn'?t\b", "doesn't"),
        (r"\bisn'?t\b", "isn't"),
        (r"\bi am not\b", "I am not"),
        (r"\bany ?more\b", "anymore"),
        (r"\b(my (?:\w+ )?\w+)'s (?=name\b|birthday\b|bday\b|favou?rite\b)", r"\1's "),
        (r"\bmy name's\b", "my name is"),
        (r"\bgonna\b", "going to"),
        (r"\bfav(?:e|s)?\b", "favourite"),
        (r"\bbday\b|\bb-day\b", "birthday"),
        (r"\bi\b(?!/)", "I"),
    )
]
_SUBJECT_DROPPED = re.compile(
    r"^(?=(?:moved|switched|migrated|got (?:promoted|married|engaged|a new|my|accepted|hired|laid)|started (?:a|"
    r"my|at|"
    r"learning)|finished (?:my|writing|reading)|adopted|bought a|passed my|graduated|allergic to|based in|"
    r"(?:working on an?|building an?|living in)(?!.*\b(?:is|was|are|were|must|can|could|will|would|has|feels?|"
    r"sounds?|seems?|"
    r"looks?|makes?|takes?|helps?|gives?|gets?|brings?|keeps?|means?)\b)|born (?:and raised )?in|originally from|"
    r"currently (?:working|living|learning)|"
    r"big fan of|"
    r"huge fan of|been an?|turned \d|quit my|joined)\b)",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"^(?:allergic|based|working|building|living|originally|big|huge|from)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement in a message."""

    text: str
    """In normalized spelling: "I am", "do not"; a lower-case "i" becomes "I"."""
    evidence: str
    """The original words."""
    said_at: datetime
    message_id: str
    lacks_capitals: bool
    """Whether the author writes names without capitals, or everything in capitals."""


def split_clauses(own_words: str, said_at: datetime, message_id: str) -> Iterator[Clause]:
    """The clauses of an author's own words that may state something."""
    for index, sentence in enumerate(_sentences(own_words[:MAX_MESSAGE_CHARS])):
        if index >= MAX_SENTENCES:
            return
        if len(sentence) <= MAX_SENTENCE_CHARS and not _is_doubtful(sentence):
            yield from _split_sentence(sentence, said_at, message_id)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for gap in _END.finditer(text):
        if not _ABBREVIATED.search(text[max(start, gap.start() - 12) : gap.start()]):
            yield text[start : gap.start()]
            start = gap.end()
    yield text[start:]


def _is_doubtful(sentence: str) -> bool:
    if _CODE.search(sentence) or rejections.is_secret(sentence):
        return True
    bare = strip_lead(_ASIDE.sub(" ", sentence))
    return rejections.is_joke(_ASIDE.sub(" ", sentence)) or rejections.is_supposed(bare) or rejections.is_foreign(bare)


def _split_sentence(sentence: str, said_at: datetime, message_id: str) -> Iterator[Clause]:
    statement = _strip_question(sentence)
    start = 0
    for joint in [*_JOINT.finditer(statement), None]:
        evidence = statement[start : joint.start() if joint else len(statement)].strip()
        text = _SUBJECT_DROPPED.sub(_missing_subject, strip_lead(normalize_spelling(_ASIDE.sub(" ", evidence))))
        if text:
            lacks_capitals = evidence == evidence.lower() or _is_shouting(evidence)
            yield Clause(_lower_shouting(text), evidence, said_at, message_id, lacks_capitals)
        start = joint.end() if joint else start


def _missing_subject(match: re.Match[str]) -> str:
    if match.string[match.end() :].lower().startswith(("big", "huge")):
        return "I am a "
    if match.string[match.end() :].lower().startswith("been"):
        return "I have "
    return "I am " if _PARTICIPLE.match(match.string[match.end() :]) else "I "


def _strip_question(sentence: str) -> str:
    """The sentence without the question at its end; empty when it is only a question."""
    if not sentence.rstrip(" \"')*").endswith("?"):
        return sentence
    question = _QUESTION.search(sentence)
    return sentence[: question.start()] if question else ""


def normalize_spelling(text: str) -> str:
    """The text with contractions and chat spellings written out."""
    for pattern, replacement in _SPELLINGS:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def strip_lead(text: str) -> str:
    """The text without greetings and fillers at its beginning."""
    return _LEAD.sub("", text).strip()


def _is_shouting(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 8 and sum(char.isupper() for char in letters) > 0.8 * len(letters)


def _lower_shouting(text: str) -> str:
    """Text in capitals, in lower case."""
    return re.sub(r"\bi\b", "I", text.lower()) if _is_shouting(text) else text
