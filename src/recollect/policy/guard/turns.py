"""The conversation behind a summary, by turns: who said what, in which clause, and what a day or number refers to."""

import re
from dataclasses import dataclass
from itertools import pairwise

from recollect.core.text import normalize, words
from recollect.language import word_forms
from recollect.policy.guard.clauses import lower

SPEAKER = re.compile(r"^\[([^\]\n]{1,80})\]", re.MULTILINE)
CLAUSE = re.compile(r"[.!?;,\n]\s*|\s(?=(?:and|but|so(?= \w+ \w)|because|while) (?!then\b))")
_MAX_FRAGMENT_WORDS = 2
_AMOUNT = re.compile(r"\d{2,}(?:st|nd|rd|th)?")
LITTLE = frozenset(
    "the a an and or of to in on at for with from by is are was were be been has have had do does did will would that"
    " this it its his her their they he she"
    " der die das den dem des ein eine einen einem einer und oder zu zum zur von vom im am an auf mit bei beim ist sind"
    " war waren hat haben hatte er sie ihr ihre ihren ihrem sein seine seinen seinem".split()
)
"""Words that don't identify a topic."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one speaker said; of the previous summary, which has none, each line."""

    speaker: frozenset[str]
    text: str


NOBODY = Turn(frozenset(), "")


def read_turns(said: str) -> list[Turn]:
    labels = list(SPEAKER.finditer(said))
    starts = [label.start() for label in labels]
    earlier = said[: starts[0]] if starts else said
    turns = [Turn(frozenset(), line) for line in earlier.splitlines() if line.strip()]
    ends = [*starts[1:], len(said)] if starts else []
    return turns + [
        Turn(frozenset(words(label[1])), said[label.end() : end]) for label, end in zip(labels, ends, strict=True)
    ]


def has_displaced_day(sentence: str, turns: list[Turn]) -> bool:
    """Whether a weekday or number was only said of other things: Friday's shift makes no Friday's cake."""
    names = " ".join(name for turn in turns for name in turn.speaker)
    said = [
        (part, f"{before.text} {part}") for before, turn in pairwise([NOBODY, *turns]) for part in clauses_of(turn.text)
    ]
    for clause in CLAUSE.split(sentence):
        dates = _dates(clause)
        content = [word for word in words(clause) if word not in LITTLE | dates and word not in words(names)]
        for day in dates if content else ():
            with_day = [shared(content, context) for part, context in said if day in _dates(part)]
            others = [shared(content, part) for part, _ in said if _dates(part) and day not in _dates(part)]
            if with_day and (max(with_day) == 0 or max(with_day) < max(others, default=0)):
                return True
    return False


def clauses_of(text: str) -> list[str]:
    """The clauses of a text; what has a word or two, as in "a Polo, 2014", belongs to the one before."""
    clauses: list[str] = []
    for part in CLAUSE.split(lower(text)):
        is_fragment = len(words(part)) <= _MAX_FRAGMENT_WORDS
        if is_fragment and clauses and part.strip():
            clauses[-1] += f", {part}"
        elif part.strip():
            clauses.append(part)
    return clauses


def _dates(text: str) -> set[str]:
    return {word for word in words(text) if word in word_forms.calendar_words() or _AMOUNT.fullmatch(word)}


def shared(content: list[str], text: str) -> int:
    return sum(word_forms.is_stated(word, set(words(text))) for word in content)


def all_words(turns: list[Turn]) -> set[str]:
    return set(words("\n".join(turn.text for turn in turns)))


def is_verbatim(sentence: str, turns: list[Turn]) -> bool:
    """Whether it is what somebody said, word for word, behind their name: "Ann: I quit"."""
    speaker, _, quoted = sentence.partition(":")
    name, text = set(words(speaker)), normalize(quoted)
    return bool(text) and any(name and name <= turn.speaker and text in normalize(turn.text) for turn in turns)


def is_same_word(word: str, said: str) -> bool:
    """Whether both are one word, apart from its ending: a roofer is no roof."""
    return word == said or (word_forms.is_form(word, said) and abs(len(word) - len(said)) <= 1)
