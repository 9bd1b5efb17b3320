"""The words of a language that questions and what answers them are recognized by.

One file per language in `topics/`; a new language is a new file. `idle` are words that say nothing about what is asked,
`own`, `speaks` (as a subject) and `other` are words for oneself and for others, `correction` and `retraction` open a
statement that changes what was said before it, `changed` says that something planned is at another time or off, `ended`
that something may be no longer so, `former` that it surely isn't; `asks_still` and `asks_now` ask whether or what it is
now. `name` and `naming` tell what someone or something is called, `determiner` and `verb` go before and after a
subject, `fillers` are phrases without meaning, `spellings` put right how people write, `synonyms` has groups of words,
one per line, `wish` and `asks_wish` are what is not yet so, and questions about such, `unsure` what may be so or is
only said. `wants` is what an answer must contain; `times` are words for a time, and an expression of the same name as a
want has the words that go with such an answer: `past` those for what was so once, `where` those that go before a place.
`topics` are expressions: how a question asks about a thing, how statements about it are worded and, if that also fits
statements about something else, how those that answer are. Further keys tell whether a statement answers for sure:
`refusal` has the words for what isn't so or isn't wanted, `gone` those for what is over, `relations` pairs of what a
question asks and what its answer has to state then; `clock` and `weekday` ask for more than any time; `was` opens a
memory of what was so, which only answers what `asks_past`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from recollect.core.text import fold
from recollect.language import lexicon, spelling
from recollect.language.lexicon import ENGLISH, read_tables

FOLDER = Path(__file__).parent / "topics"
_NEVER = "(?!)"
_SPELLED_OUT = re.compile(rf"(?<![\\\w)\]])[a-zäöüßáéíóúàâçèêîôõãñ]{{{spelling.MIN_CHARS},}}(?![?*(])")


@dataclass(frozen=True, slots=True)
class Topic:
    asks: re.Pattern[str]
    states: re.Pattern[str]
    answers: re.Pattern[str]
    """Statements that surely are about it."""


@dataclass(frozen=True, slots=True)
class Tables:
    idle: frozenset[str]
    own: re.Pattern[str]
    other: re.Pattern[str]
    speaks: re.Pattern[str]
    correction: re.Pattern[str]
    changed: re.Pattern[str]
    retraction: re.Pattern[str]
    name: re.Pattern[str]
    naming: re.Pattern[str]
    naming_kin: re.Pattern[str]
    wish: re.Pattern[str]
    asks_wish: re.Pattern[str]
    fillers: re.Pattern[str]
    links: Mapping[str, re.Pattern[str]]
    determiner: re.Pattern[str]
    verb: re.Pattern[str]
    ended: re.Pattern[str]
    asks_still: re.Pattern[str]
    asks_now: re.Pattern[str]
    unsure: re.Pattern[str]
    negation: re.Pattern[str]
    ends_it: re.Pattern[str]
    preposition: re.Pattern[str]
    former: re.Pattern[str]
    refusal: re.Pattern[str]
    gone: re.Pattern[str]
    clock: re.Pattern[str]
    weekday: re.Pattern[str]
    was: re.Pattern[str]
    asks_past: re.Pattern[str]
    relations: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]
    capitalizes_nouns: bool
    synonyms: Mapping[str, tuple[str, ...]]
    times: str
    wants: tuple[tuple[str, re.Pattern[str]], ...]
    topics: tuple["Topic", ...]
    spellings: tuple[tuple[re.Pattern[str], str], ...]
    vocabulary: frozenset[str]

    def spelled(self, text: str) -> str:
        text = text.replace("’", "'")
        for pattern, replacement in self.spellings:
            text = pattern.sub(replacement, text)
        return spelling.corrected(text, self.vocabulary)


def languages() -> frozenset[str]:
    return frozenset(path.stem for path in FOLDER.glob("*.toml"))


@cache
def tables_of(language: str) -> Tables:
    data: dict[str, Any] = read_tables(FOLDER / f"{language if language in languages() else ENGLISH}.toml")
    kin = "|".join(lexicon.relatives(language) if language in languages() else lexicon.relatives(ENGLISH))
    first = "(?-i:[A-ZÄÖÜ][a-zäöüß]{2,})?" if data.get("compounds") else ""  # "Blutdruck" of "Blutdrucktabletten"
    return Tables(
        frozenset(map(fold, data["idle"].split())),
        _whole(data["own"]),
        _whole(data["other"]),
        _whole(data["speaks"]),
        _opening(f"{data['correction']}|{data['retraction']}"),
        _whole(data["changed"]),
        _opening(data["retraction"]),
        # names are told by their capital, relatives may have one or not
        re.compile(data["name"].replace("{kin}", f"(?i:{kin})")),
        re.compile(f"{data['naming']}|{data['names']}" if "names" in data else data["naming"]),
        re.compile(data["naming"]),
        _whole(data["wish"]),
        _whole(data["asks_wish"]),
        _whole(data["fillers"]),
        {kind: _whole(data[kind]) for kind in data["wants"] if kind in data},
        _whole(data["determiner"]),
        _whole(data["verb"]),
        _whole(data["ended"]),
        _whole(data["asks_still"]),
        _whole(data["asks_now"]),
        _whole(data["unsure"]),
        _whole(data["negation"]),
        _whole(f"(?:{data['ended']})(?: \\w+)? (?:{data['pronoun']})"),
        _whole(data["preposition"]),
        _whole(data["former"]),
        _whole(data.get("refusal", data["negation"])),
        _whole(data.get("gone", data["former"])),
        _whole(data.get("clock", _NEVER)),
        _whole(data.get("weekday", _NEVER)),
        _whole(data.get("was", _NEVER)),
        _whole(data.get("asks_past", _NEVER)),
        tuple((_whole(asks), _whole(states)) for asks, states in data.get("relations", ())),
        data.get("compounds", False),
        _synonyms(data.get("synonyms", "").splitlines()),
        data["times"],
        tuple((kind, _whole(expression)) for kind, expression in data["wants"].items()),
        tuple(_topic(first, *expressions) for expressions in data["topics"].values()),
        tuple((re.compile(pattern), replacement) for pattern, replacement in data.get("spellings", ())),
        frozenset(_SPELLED_OUT.findall(" ".join(f"{asks} {states}" for asks, states, *_ in data["topics"].values()))),
    )


def _topic(prefix: str, asks: str, states: str, answers: str = "") -> Topic:
    stated = _whole(f"{prefix}(?:{states})")
    return Topic(_whole(asks), stated, _whole(answers) if answers else stated)


def _synonyms(groups: Iterable[str]) -> dict[str, tuple[str, ...]]:
    synonyms: dict[str, list[str]] = {}
    for group in groups:
        for word in map(fold, group.split()):
            synonyms.setdefault(word, []).extend(fold(other) for other in group.split() if fold(other) != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in synonyms.items()}


def _whole(expression: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{expression})(?!\w)", re.IGNORECASE)


def _opening(expression: str) -> re.Pattern[str]:
    fillers = "oh|ah|ach|hm+|ok|okay|so|well|and|und|aber|but|pues|bon|bom|um+|uh|er|äh+m?|eh|ne|nö|na"
    return re.compile(rf"\W*(?:(?:{fillers}),? )?(?:{expression})", re.IGNORECASE)


@cache
def times() -> frozenset[str]:
    names = [fold(name) for language in languages() for name in tables_of(language).times.split()]
    return frozenset(form for name in names for form in (name, f"{name}s"))
