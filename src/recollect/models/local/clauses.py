"""Splits a message into clauses: each with its own subject, in normalized spelling, next to the original words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from recollect.language import spelling
from recollect.models.local import ellipses, rejections
from recollect.models.local.grammar import expressions, grammar

MAX_MESSAGE_CHARS = 20_000
"""Characters read of one message; anything longer is a paste."""
MAX_SENTENCE_CHARS = 500
MAX_SENTENCES = 300

_END = re.compile(
    r"(?<=[.!?…])[\"')*_]*\s+|(?<=[a-z)][.!?…])(?=(?:I|I'm|My|We|The|But|And|So|It|This|That|You|He|She|They|There)\b)|"
    r"(?<=[a-z0-9])\s+(?=(?:What|How|Do|Are|Have|Did|Where|Who|Why|Can|Would|Could) "
    r"(?:about|do|did|are|is|you|have|kind|was|would|your)\b)|"
    r"(?<=[\U0001F300-\U0001FAFF\u2600-\u27BF\uFE0F])\s+(?=[^\W_])|\n+|(?<=[a-z])\.{2,}(?=[a-z])|\s+\|\s+|\s+:[a-z_]+:\s+|\s*;\s+(?!\))"
)
_CODE = re.compile(
    r"^\s*(?:SELECT|INSERT|UPDATE|DELETE|import|from \w+ import|def \w|class \w|if \(|for \(|while \(|return\b|"
    r"const |let \w+ =|"
    r"var |console\.|#include|--|//|#!|\$ )|[{}]\s*$|\);|=>|==|\w\(\)|\b[a-z_]\w*\((?!e?s\))[^)\s]*\)|\w\(\w?['\"]"
    r"|^\W*(?:\w+ ?)?(?:warn(?:ing)?|error|info|debug|fatal|exception|traceback|log|stderr|stdout|panic|assert\w*"
    r"|critical|trace|failed|usage|output|msg|message)(?: \([^)]*\))?\s*(?::|\]|-\s)|^\W*\S+:\d+:\d+:",
    re.IGNORECASE,
)
_ASIDE = re.compile(r"\*[^*\n]{1,200}\*|<[@#&!:\w][^>\n]{0,80}>|https?://\S+|(?<!\w)@[\w.]+|:\w+:")
_EMPHASIS = re.compile(
    r"(?<=\w )(?P<mark>\*{1,2}|_{1,2})(?P<words>[^\s*_](?:[^*_\n]{0,30}[^\s*_])?)(?P=mark)"
    r"(?=(?P<end>[.,!?;:)]|$)|\s+[\w(])"
)
_ACTION = re.compile(r"[a-z]+s(?: .*)?")
_LINK = re.compile(r"<?https?://\S+")
_EXPRESSIONS = expressions("clauses")


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
        if len(sentence) > MAX_SENTENCE_CHARS:
            continue
        for text, evidence in ellipses.asides(sentence):
            if not _is_doubtful(text):
                yield _clause(text, evidence, said_at, message_id)
        sentence = ellipses.after_asides(sentence)
        if not _is_doubtful(sentence):
            yield from _split_sentence(sentence, said_at, message_id)


def _clause(text: str, evidence: str, said_at: datetime, message_id: str) -> Clause:
    lacks_capitals = evidence == evidence.lower() or _is_shouting(evidence)
    return Clause(_lower_shouting(normalize_spelling(text)), evidence.strip(), said_at, message_id, lacks_capitals)


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for gap in _END.finditer(text):
        if not _EXPRESSIONS.abbreviated.search(text[max(start, gap.start() - 12) : gap.start()]):
            yield text[start : gap.start()]
            start = gap.end()
    yield text[start:]


def _is_doubtful(sentence: str) -> bool:
    if _CODE.search(sentence) or rejections.is_secret(sentence):
        return True
    bare = strip_lead(_without_asides(sentence))
    return rejections.is_joke(_without_asides(sentence)) or rejections.is_supposed(bare) or rejections.is_foreign(bare)


def _without_asides(text: str) -> str:
    """The text without links, mentions and what is acted out: "I'm off *waves*". An emphasis loses its marks only."""
    return _ASIDE.sub(" ", _EMPHASIS.sub(_emphasized, text)) if "*" in text or "_" in text else _ASIDE.sub(" ", text)


def _emphasized(match: re.Match[str]) -> str:
    is_act = match["end"] is not None and _ACTION.fullmatch(match["words"]) is not None
    return match[0] if is_act else match["words"]


def _split_sentence(sentence: str, said_at: datetime, message_id: str) -> Iterator[Clause]:
    statement = _strip_question(sentence)
    start = 0
    gaps = [match.span() for match in _EXPRESSIONS.joint.finditer(statement)]
    gaps += [match.span("gap") for match in _EXPRESSIONS.run_on.finditer(statement)]
    for end, following in [*sorted(gaps), (len(statement), len(statement))]:
        evidence = statement[start:end].strip()
        # What follows a link does not belong to what precedes it.
        unlinked = _without_asides(_LINK.sub(" ( ", evidence))
        text = _EXPRESSIONS.subject_dropped.sub(_missing_subject, strip_lead(normalize_spelling(unlinked)))
        text = _EXPRESSIONS.run_on_verb.sub(r"\1, ", text)
        if (full := ellipses.written_out(text)) != text:
            text, evidence = full, ellipses.clause_evidence(evidence)
        if text:
            lacks_capitals = evidence == evidence.lower() or _is_shouting(evidence)
            yield Clause(_lower_shouting(text), evidence, said_at, message_id, lacks_capitals)
        start = max(start, following)


def _missing_subject(match: re.Match[str]) -> str:
    following = match.string[match.end() :].lower()
    if following.startswith(("born", "fav")):
        return "I was " if following.startswith("born") else "my "
    if following.startswith("raised"):
        return "I was "
    if _EXPRESSIONS.dropped_event.match(following):
        return "I have a "
    if following.startswith(("big", "huge", "single dad", "single m", "dad", "mom", "mum", "mother", "father")):
        return "I am a "
    if following.startswith("been"):
        return "I have "
    return "I am " if _EXPRESSIONS.participle.match(match.string[match.end() :]) else "I "


def _strip_question(sentence: str) -> str:
    """The sentence without the question at its end; empty when it is only a question."""
    if not sentence.rstrip(" \"')*").endswith("?"):
        return sentence
    question = _EXPRESSIONS.question.search(sentence)
    return sentence[: question.start()] if question else ""


@cache
def _vocabulary() -> frozenset[str]:
    """Words that rules hang on, and that people misspell."""
    return frozenset(grammar()["spellings"]["vocabulary"].split())


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), written) for pattern, written in grammar()["spellings"]["pairs"]]


def normalize_spelling(text: str) -> str:
    """The text with contractions and chat spellings written out."""
    for pattern, replacement in _spellings():
        text = pattern.sub(replacement, text)
    return " ".join(spelling.corrected(text, _vocabulary()).split())


def strip_lead(text: str) -> str:
    """The text without greetings and fillers at its beginning."""
    return _EXPRESSIONS.lead.sub("", text).strip()


def _is_shouting(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) > 8 and sum(char.isupper() for char in letters) > 0.8 * len(letters)


def _lower_shouting(text: str) -> str:
    """Text in capitals, in lower case."""
    return re.sub(r"\bi\b", "I", text.lower()) if _is_shouting(text) else text
