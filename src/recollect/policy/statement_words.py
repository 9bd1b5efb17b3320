"""The words of a statement that matter when it is compared with another one: stems in order, and who is meant."""

import re
from functools import cache, lru_cache

from recollect.core.text import words
from recollect.language import lexicon, word_forms
from recollect.language.prefilter import required_literals

_NOT_FILLER_AT_END = frozenset("a i it".split())
"""Not filler at the end of a text: "vitamin A", "works in IT"."""
_PERSONS = {
    "he": "he", "his": "he", "him": "he", "she": "she", "her": "she", "hers": "she",
    "they": "they", "their": "they", "them": "they", "you": "you", "your": "you", "yours": "you",
}  # fmt: skip
_PERSON = re.compile(r"\b(?:i|me|my|mine|we|us|our|he|his|him|she|hers?|they|their|them|yours?|you)\b")
_PHRASES = (
    (re.compile(r"^((?:i|we|user|the user|he|she|they)?\s*)used to\b"), r"\1not"),
    (re.compile(r"\bno longer\b"), "not"),
    (
        re.compile(r"\b(?:can'?t|cannot) stand\b|\b(?:doesn|don)'?t (?:like|love|enjoy)\b|\bis(?:n'?t| not) into\b"),
        "hates",
    ),
    (re.compile(r"\bis (?:(?:really |very )?into|an? (?:big |huge |massive )?fan of|obsessed with)\b"), "likes"),
    (re.compile(r"\b(?:can'?t|cannot)\b"), "can not"),
    (re.compile(r"\bwon'?t\b"), "will not"),
    (re.compile(r"\b(?:don|doesn|isn|aren)'?t\b"), "not"),
    (re.compile(r"(?<=\bnot\b)(.{0,80}?)\bany ?more\b"), r"\1"),
    (re.compile(r"\b(\d+)(?:st|nd|rd|th)\b"), r"\1"),
    (re.compile(r"(?<=\d)\.(?=\d)"), "point"),
    (re.compile(r"(?:(?<=utc)|(?<=gmt)|(?<=\s))-\s?(?=\d)"), " minus "),
    (re.compile(r"[,;:(]|\s[-–—]\s|\b(?:named|called)\b"), " and "),
    (re.compile(r"(?:\band\s+){2,}"), "and "),
)
_ENDINGS = (("ies", "y"), ("ing", ""), ("es", "e"), ("s", ""))
"""Not those of the past tense."""


def roles(text: str) -> list[str]:
    """Pronouns in order, all first persons alike; nothing where only one person is named."""
    pronouns: list[str] = _PERSON.findall(text)
    first = {"i": "me", "my": "me", "mine": "me", "we": "us", "our": "us"}
    kinds: list[str] = [first.get(word) or _PERSONS.get(word, word) for word in pronouns]
    return kinds if len(set(kinds)) > 1 else []


def persons(text: str) -> set[str]:
    return {_PERSONS[word] for word in words(text) if word in _PERSONS}


def stems(text: str) -> list[str]:
    """Stems of the words that matter, in order."""
    for literals, pattern, replacement in _phrases():
        for literal in literals:
            if literal in text:
                text = pattern.sub(replacement, text)
                break
    all_words = words(text)
    last, filler = len(all_words) - 1, lexicon.words("filler")
    return [
        _stem(word)
        for index, word in enumerate(all_words)
        if word not in filler or (index == last and word in _NOT_FILLER_AT_END)
    ]


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """A rough stem, enough to equate `prefers` with `prefer` and `editors` with `editor`, but not the past tense."""
    if word in _unchanged():
        return word
    stem = word_forms.stem(word, _ENDINGS)
    return lexicon.synonyms("statement").get(stem, stem)


@cache
def _unchanged() -> frozenset[str]:
    """Words that have no stem."""
    names = "negation", "prepositions", "additions", "past"
    return frozenset[str]().union(*map(lexicon.words, names))


@cache
def _phrases() -> list[tuple[tuple[str, ...], re.Pattern[str], str]]:
    """What is replaced before words are compared, in all languages, with the literals without which it can't occur."""
    pairs = (pair for table in lexicon.tables("similar").values() for pair in table.get("phrases", ()))
    foreign = [(re.compile(pattern), replacement) for pattern, replacement in pairs]
    return [
        (required_literals(pattern.pattern), pattern, replacement) for pattern, replacement in (*foreign, *_PHRASES)
    ]
