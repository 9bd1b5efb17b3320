"""The language of a short message, by its script, its function words and the letters that only it has.

docs/decisions.md says why there is no library for it.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache

from recollect.core.text import fold
from recollect.language import conjugation, lexicon

UNKNOWN = ""
"""Too short to tell, or no words at all."""
_MAX_CHARS = 600
_MARK_WEIGHT = 0.5
_MIN_VERB_CHARS = 3
_MIN_UNKNOWN_WORDS, _MIN_SHARE = 5, 0.15
"""From this many words on, a text with hardly any known function word is in some other language."""
OTHER = "another language"
_MIN_CERTAIN_WORDS = 2
_WORD = re.compile(r"[^\W\d_]+")
_LETTER = re.compile(r"[^\W\d_]")


@cache
def _weights() -> dict[str, dict[str, float]]:
    """The languages that have a function word, or a verb that people say of themselves; shared ones say less."""
    owners: dict[str, list[str]] = {}
    for language, table in lexicon.tables("words").items():
        verbs = (fold(verb) for verb in conjugation.verb_forms(language) if len(verb) >= _MIN_VERB_CHARS)
        for word in {*table.get("function", "").split(), *verbs}:
            owners.setdefault(word, []).append(language)
    ambiguous = lexicon.words("ambiguous")
    return {
        word: dict.fromkeys(languages, (0.3 if word in ambiguous else 1.0) / len(languages))
        for word, languages in owners.items()
    }


@cache
def _marks() -> list[tuple[str, re.Pattern[str]]]:
    """Letters and elisions that few other languages have."""
    marks = lexicon.top_level("marks")
    return [(language, re.compile(pattern)) for language, pattern in marks.items()]


@cache
def _any_mark() -> re.Pattern[str]:
    """Whatever one of the marks matches: most texts have none."""
    return re.compile("|".join(f"(?:{pattern.pattern})" for _, pattern in _marks()))


def _may_have_marks(text: str) -> bool:
    """Among the letters of English only an elision is a mark."""
    return "'" in text or not text.isascii()


def detect(text: str) -> str:
    """The code of a language with a lexicon, the name of a script, `OTHER`, or `UNKNOWN`."""
    return next(iter(_rank(text[:_MAX_CHARS])), UNKNOWN)


def rank(text: str) -> list[str]:
    """The languages that a text may be in, the likeliest first, as far as their scores are close."""
    return [*_rank(text[:_MAX_CHARS])]


@lru_cache(maxsize=16_384)  # several steps of a search or of learning ask about the same text
def _rank(text: str) -> Sequence[str]:
    text = text.lower()
    if not text.isascii() and (script := _foreign_script(text)):
        return [script]
    scores: defaultdict[str, float] = defaultdict(float)
    distinct = dict.fromkeys(_WORD.findall(text))
    weights = _weights()
    for word in distinct:
        is_ascii = word.isascii()
        languages = weights.get(word if is_ascii else fold(word))
        if languages is not None:
            for language, weight in languages.items():
                if is_ascii or language != lexicon.ENGLISH:
                    scores[language] += weight
    if _may_have_marks(text) and _any_mark().search(text):
        for language, pattern in _marks():
            if pattern.search(text):
                scores[language] += _MARK_WEIGHT
    ranked = sorted(
        filter(scores.get, scores), key=lambda language: (-scores[language], language != lexicon.ENGLISH, language)
    )
    best = scores[ranked[0]] if ranked else 0
    if best < _MIN_SHARE * len(distinct) and len(distinct) >= _MIN_UNKNOWN_WORDS and lexicon.ENGLISH not in ranked[:1]:
        is_foreign = not text.isascii() and any(not char.isascii() and char.isalpha() for char in text)
        return [OTHER, *ranked] if is_foreign else ranked
    return [language for language in ranked if scores[language] >= best / 2]


def is_certain(text: str) -> bool:
    """Whether more than a single word, or a word and letters that few others have, tell the language."""
    language = detect(text)
    if len(language) != len(lexicon.ENGLISH) or language in _scripts().values():
        return bool(language)
    known = [
        word for word in set(_WORD.findall(text[:_MAX_CHARS].lower())) if language in _weights().get(fold(word), {})
    ]
    marked = any(name == language and pattern.search(text.lower()) for name, pattern in _marks())
    return len(known) + marked >= _MIN_CERTAIN_WORDS


def name_of(language: str) -> str:
    """The English name of a language, for people."""
    return lexicon.top_level("name").get(language, language)


@cache
def _scripts() -> dict[str, str]:
    """The language that a script is taken for."""
    return {script: language for language, script in lexicon.top_level("script").items()}


def _foreign_script(text: str) -> str:
    """The language or the script of a text that is mostly not in Latin letters; empty for Latin."""
    letters = _LETTER.findall(text)
    scripts = Counter(unicodedata.name(char, "").partition(" ")[0] for char in letters if not char.isascii())
    latin = scripts.pop("LATIN", 0) + sum(char.isascii() for char in letters)
    if scripts["HIRAGANA"] + scripts["KATAKANA"] + scripts["KATAKANA-HIRAGANA"]:
        return "ja"  # product names in Latin letters are common
    if sum(scripts.values()) <= latin / 2:
        return ""
    script = scripts.most_common(1)[0][0]
    return _scripts().get(script, f"{script.title()} script")
