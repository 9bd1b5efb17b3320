"""What people ask an assistant's memory for in plain words: "what do you know about me?", "forget that I smoke".

One file per language in `phrases/`; a new language is a new file. Its table `requests` has expressions by the kind of
request, which must match all of a text: `before` and `after` may surround each of them, `{name}` stands for a fragment
of the table `fragments`, a group `topic` is what the request is about, and a group `every` asks for all of that.
`questions` are expressions for how a question begins, `clause` for what only begins so, `standing` asks for a habit of
the assistant, and `answers` are the assistant's sentences.
"""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum, auto
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from recollect.core.text import collapse_spaces, question_share
from recollect.language import lexicon
from recollect.language.detection import detect
from recollect.language.lexicon import ENGLISH, read_folder
from recollect.language.prefilter import LiteralIndex, required_literals

FOLDER = Path(__file__).parent / "phrases"
MAX_CHARS = 400
"""A longer text is no plain request."""
_REFERENCE = re.compile(r"\{([a-z_]+)\}")
_ISO_DAY = re.compile(r"(?<![\d-])20\d\d-\d\d(?:-\d\d)?(?![\d-])")
_RECITALS = (
    *("fits", "nearest", "nothing", "about_you", "nothing_yet", "nothing_here", "noted", "known", "revised", "retired"),
    *("heard", "told_on", "learned_on", "talked", "not_talked", "hidden"),
)
"""Answers that only tell what memory holds."""
_MIN_OPENING_CHARS = 5
_SUBORDINATE = re.compile(r"\bdass\s*$", re.IGNORECASE)
_POSSESSIVES = ("mein", "unser")
_CAPITALIZED_MONTHS = ("en", "de")
_CLOSING = " .!?。！？…"
_QUOTES = "\"'“”„«»「」 "


class RequestKind(StrEnum):
    """In the order in which they are tried."""

    HELP = auto()
    GOODBYE = auto()
    """The conversation is over, where a face can end it."""
    HELLO = auto()
    THANKS = auto()
    ABOUT_SELF = auto()
    TALKED_ABOUT = auto()
    WHEN_TOLD = auto()
    UNDO = auto()
    """A topic says that the last change is meant, whatever it was."""
    FORGET_LAST = auto()
    """What was said last: "forget what I just said". A topic is "that", which may also be what was just answered."""
    FORGET_ALL = auto()
    FORGET = auto()
    REMEMBER = auto()
    MEANT = auto()
    """What was said last is corrected: "no, I meant Porto"."""
    ABOUT = auto()


class Excuse(StrEnum):
    """Why no model answered."""

    NO_MODEL = auto()
    UNREACHABLE = auto()
    NO_ANSWER = auto()


@dataclass(frozen=True, slots=True)
class Request:
    kind: RequestKind
    topic: str = ""
    language: str = ENGLISH
    every: bool = False
    """Everything about the topic is meant."""


@cache
def _phrases() -> dict[str, dict[str, Any]]:
    return read_folder(FOLDER)


@cache
def _patterns(language: str) -> tuple[tuple[RequestKind, re.Pattern[str]], ...]:
    return tuple((kind, pattern) for kind in RequestKind for pattern in _patterns_of(kind, language))


@cache
def _patterns_of(kind: RequestKind, language: str) -> tuple[re.Pattern[str], ...]:
    return tuple(_whole(expression, language) for expression in _phrases()[language]["requests"].get(kind.value, ()))


@cache
def _whole(expression: str, language: str) -> re.Pattern[str]:
    fragments = _phrases()[language]["fragments"]
    source = _expand(f"(?:{fragments['before']})(?:{expression})(?:{fragments['after']})", fragments)
    return re.compile(source, re.IGNORECASE)


def _expand(expression: str, fragments: dict[str, str]) -> str:
    # Fragments may refer to other fragments.
    while _REFERENCE.search(expression):
        expression = _REFERENCE.sub(lambda reference: f"(?:{fragments[reference[1]]})", expression)
    return expression


@cache
def _question_start(language: str) -> re.Pattern[str]:
    tables = _phrases()[language]
    fragments = tables["fragments"]
    starts = [f"(?:{fragments['before']})(?:{_expand(start, fragments)})" for start in tables["questions"]]
    return re.compile("|".join(starts), re.IGNORECASE)


@cache
def _verb_first(language: str) -> re.Pattern[str] | None:
    tables = _phrases().get(language, {})
    starts = [f"(?:{tables['fragments']['address']})(?:{start})" for start in tables.get("verb_first", ())]
    return re.compile("|".join(starts), re.IGNORECASE) if starts else None


def is_verb_first(text: str, language: str) -> bool:
    """Whether a text begins with the verb, as questions do in some languages."""
    pattern = _verb_first(language)
    return pattern is not None and pattern.match(text) is not None


@cache
def _standing_patterns() -> tuple[re.Pattern[str], ...]:
    expressions = (tables["standing"] for tables in _phrases().values() if "standing" in tables)
    return tuple(re.compile(expression, re.IGNORECASE) for expression in expressions)


@cache
def _clause_patterns() -> tuple[re.Pattern[str], ...]:
    expressions = (tables["clause"] for tables in _phrases().values() if "clause" in tables)
    return tuple(re.compile(expression, re.IGNORECASE) for expression in expressions)


def recognize(text: str) -> Request | None:
    """The request that a text makes in one of the languages; None when it says anything else."""
    if len(text) > MAX_CHARS:
        return None
    plain = collapse_spaces(text).replace("’", "'").rstrip(_CLOSING)
    requests = [request for language in _phrases() if (request := _recognize_in(plain, language)) is not None]
    if len(requests) > 1:  # "anota que …" is Spanish and Portuguese
        spoken = detect(text)
        requests.sort(key=lambda request: request.language != spoken)
    return requests[0] if requests else None


def _recognize_in(plain: str, language: str) -> Request | None:
    for kind, pattern in _patterns(language):
        if match := pattern.fullmatch(plain):
            topic = (match.groupdict().get("topic") or "").strip(_QUOTES + ",:")
            # "Merk dir, dass ich …" leaves the verb at the end, where no memory has it.
            if topic and _SUBORDINATE.search(plain[: match.start("topic")]):
                topic = _main_clause(topic)
            return Request(kind, topic, language, every=bool(match.groupdict().get("every")))
    return None


@lru_cache(maxsize=256)
def is_about_self(text: str) -> bool:
    """Whether someone asks for everything that is known about them."""
    plain = collapse_spaces(text[: MAX_CHARS + 1]).replace("’", "'").rstrip(_CLOSING)
    if len(text) > MAX_CHARS:
        return False
    return any(_whole(*name).fullmatch(plain) for name in _about_self().found_in(plain.lower()))


@cache
def _about_self() -> LiteralIndex[tuple[str, str]]:
    """Expressions, each with its language, by what a text must have one of: most texts have none of it, and compiling
    takes longer than a search.
    """
    return LiteralIndex(
        {
            (expression, language): map(str.lower, required_literals(_expand(expression, tables["fragments"])))
            for language, tables in _phrases().items()
            for expression in tables["requests"].get(RequestKind.ABOUT_SELF.value, ())
        }
    )


def _main_clause(clause: str) -> str:
    """A German subordinate clause in the order of a main one: "ich in Berlin wohne" is "ich wohne in Berlin"."""
    words = clause.split()
    subject = 2 if words[0].lower().startswith(_POSSESSIVES) else 1
    is_verb_last = len(words) > subject + 1 and words[-1].islower()
    return " ".join([*words[:subject], words[-1], *words[subject:-1]]) if is_verb_last else clause


def is_question(text: str) -> bool:
    """Whether a text asks something, with a question mark or without; "can you always …?" tells something."""
    plain = collapse_spaces(text[:MAX_CHARS]).replace("’", "'")
    # Before the question mark counts: "can you always …?" states how someone wants it.
    if any(pattern.match(plain) for pattern in _standing_patterns()):
        return False
    if question_share(text) > 0:
        return True
    if any(pattern.fullmatch(plain) for pattern in _clause_patterns()):
        return False
    return any(_question_start(language).match(plain) or is_verb_first(plain, language) for language in _phrases())


def question_languages(text: str) -> frozenset[str]:
    """The languages in which a text begins as questions do: "was" does so in English and in German."""
    plain = collapse_spaces(text[:MAX_CHARS]).replace("’", "'")
    return frozenset(language for language in _phrases() if _question_start(language).match(plain))


def languages() -> frozenset[str]:
    return frozenset(_phrases())


def language_of(text: str) -> str:
    """The language of a text, if there are phrases in it; else English."""
    language = detect(text)
    return language if language in _phrases() else ENGLISH


def answer(name: str, language: str = ENGLISH, /, **values: object) -> str:
    """A sentence of the assistant, in English where the language has none."""
    sentences = _phrases().get(language, {}).get("answers", {})
    return sentences.get(name, _phrases()[ENGLISH]["answers"][name]).format(**values)


@cache
def _recall_openings() -> tuple[str, ...]:
    sentences = (tables["answers"].get(name, "") for tables in _phrases().values() for name in _RECITALS)
    openings = {sentence.partition("{")[0].strip() for sentence in sentences}
    return tuple(opening for opening in openings if len(opening) > _MIN_OPENING_CHARS)


@cache
def _listening_replies() -> frozenset[str]:
    return frozenset(tables["answers"]["heard"] for tables in _phrases().values())


@cache
def _excuses() -> re.Pattern[str]:
    """How a reply begins that no model made."""
    return re.compile("|".join(f"(?:{_excuse_in(tables['answers'])})" for tables in _phrases().values()))


def _excuse_in(sentences: dict[str, str]) -> str:
    excuses = "|".join(re.escape(sentences[excuse]) for excuse in Excuse)
    listens = re.escape(sentences["listens"].removeprefix("{excuse}"))
    stop = sentences["excused"].removeprefix("{excuse}").removesuffix("{text}")
    return rf"(?:{excuses})(?: \([^\n]{{1,200}}\))?(?:{listens}\s*|{re.escape(stop)}|{re.escape(stop.strip())}$)"


def without_filler(reply: str) -> str:
    """What a reply says besides that no model answers, and that the assistant listens; nothing if that is all."""
    excuse = _excuses().match(reply)
    plain = reply[excuse.end() :] if excuse else reply
    return "" if plain in _listening_replies() else plain


def is_recall_reply(text: str) -> bool:
    """Whether a reply only tells what memory holds, so that it adds nothing to a conversation."""
    start = text[:MAX_CHARS]
    excuse = _excuses().match(start)
    plain = start[excuse.end() :] if excuse else start
    return any(plain.startswith(opening) or f". {opening}" in plain for opening in _recall_openings())


def day(value: date, language: str = ENGLISH) -> str:
    """A date as people write it."""
    name = _month(value, language)
    return answer("day", language, day=value.day, month=name, year=value.year) if name else value.isoformat()


def _month(value: date, language: str) -> str:
    names = lexicon.ordered_words("months") if language == ENGLISH else _months(language)
    if not names:
        return ""
    return names[value.month - 1].capitalize() if language in _CAPITALIZED_MONTHS else names[value.month - 1]


@cache
def _months(language: str) -> tuple[str, ...]:
    table = lexicon.tables("calendar", language).get(language, {}) if language in _phrases() else {}
    return tuple(group.split("|")[0] for group in table.get("months", "").split())


def in_second_person(text: str, language: str) -> str:
    """A memory as it is told to the one whom it is about: "Sa sœur" is "Ta sœur"."""
    for opening, own in _phrases().get(language, {}).get("addressed", {}).items():
        if text.startswith(f"{opening} "):
            return f"{own}{text.removeprefix(opening)}"
    return text


def with_local_days(text: str, language: str) -> str:
    """A text with the days and months that memory writes as 2026-12-03 and 2026-12 as people write them."""

    def write(match: re.Match[str]) -> str:
        is_month = match[0].count("-") == 1
        try:
            value = date.fromisoformat(f"{match[0]}-01" if is_month else match[0])
        except ValueError:
            return match[0]
        if not is_month:
            return day(value, language)
        name = _month(value, language)
        return answer("month", language, month=name, year=value.year) if name else match[0]

    return _ISO_DAY.sub(write, text)
