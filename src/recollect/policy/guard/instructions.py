"""Instructions to the assistant that pose as facts. Judged by their structure, never by single words:
"API uses JWT tokens" and "please answer in German" are fine, "ignore previous instructions" is not.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache

from recollect.core.lazy import lazy_pattern
from recollect.core.text import MAX_MEMO_CHARS
from recollect.language import lexicon
from recollect.language.lexicon import Patterns
from recollect.language.prefilter import Prefilter
from recollect.policy.guard.authority import claims_authority

_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")
_JOINERS = re.compile("[\u200c\u200d]")
"""Also invisible, but emoji and Persian words need them."""
_PAIRS = (  # Cyrillic, Greek, Armenian and other letters that pass for a Latin one
    "аa еe оo рp сc уy хx іi јj ѕs ԁd һh кk мm тt вb нh гr пn ԛq ԝw єe οo αa εe ιi νv ρp τt υu χx κk ηn ωw γy βb μm σo "
    "δd ոn սu հh ցg օo քq յj լl գq աw ɡg ıi łl øo đd ħh "
    "ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz"
)
_LOOK_ALIKES = str.maketrans({pair[0]: pair[1] for pair in _PAIRS.split()})
_CAPITAL = re.compile(r"(?<=[\w,] )[^\W\d_a-zß-ÿ]\w+")
"""Within a sentence."""
_NAME = re.compile(r"\s@?[A-Z]")
"""A name behind a verb."""
_PIECE_CHARS = 2000
_OVERLAP_CHARS = 200
_SPELLED = re.compile(r"(?<!\w)\w(?:[ .·_-]\w){3,}(?!\w)")
"""Spaced-out letters, as in "s y s t e m"."""
_LEET_WORD = re.compile(r"(?<!\w)(?=[^\W\d_]*[013457@$])(?=[\d@$]*[^\W\d_])[\w@$]{3,}(?!\w)")
_LEET = [str.maketrans("0134@57$", letters) for letters in ("oieaasts", "oleaasts")]
"""Digits and signs for letters, as in "1gn0re"; a 1 may be an i or an l."""


@cache
def instruction_patterns() -> Prefilter:
    """The patterns of the lexica; matched against lower-case text."""
    parts = Patterns(table=lambda: lexicon.tables("instruction_parts")[lexicon.ENGLISH])
    sources = (source for table in lexicon.tables("instructions").values() for source in table["patterns"])
    return Prefilter([lazy_pattern(parts.expand(source)) for source in sources])


@cache
def _name_patterns() -> list[re.Pattern[str]]:
    """Patterns of orders about a named person; matched against text in its own case."""
    return [
        re.compile(lexicon.join_lines(source))
        for source in lexicon.tables("instructions")[lexicon.ENGLISH]["about_names"]
    ]


def remove_invisible(text: str) -> str:
    """Without invisible characters, which could hide words from every rule."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


@lru_cache(maxsize=256)
def is_instruction(text: str) -> bool:
    """Whether a text instructs the assistant rather than stating something.

    Cached, because fact, evidence and sentence are often the same text.
    """
    return any(_is_instruction(piece) for piece in _pieces(remove_invisible(text[:MAX_MEMO_CHARS])))


def _pieces(text: str) -> Iterator[str]:
    """Parts that each are judged in bounded work; they end with a sentence, or overlap."""
    while len(text) > _PIECE_CHARS:
        end = max((text.rfind(mark, _OVERLAP_CHARS, _PIECE_CHARS) for mark in ".!?\n"), default=0) + 1
        yield text[: end or _PIECE_CHARS]
        text = text[end or _PIECE_CHARS - _OVERLAP_CHARS :]
    yield text


def _is_instruction(text: str) -> bool:
    capitals = capitals_of(text)
    return any(_matches_any(form, capitals) for form in forms_of(text)) or _orders_about_name(text)


def follows_a_pattern(text: str) -> bool:
    """Whether a text is an order by the patterns alone: the model of orders takes short corrections for some."""
    forms = forms_of(remove_invisible(text[:MAX_MEMO_CHARS]))
    return any(_matches_pattern(form) for form in forms) or _orders_about_name(text)


def forms_of(text: str) -> list[str]:
    """A text in small letters, as it is and without disguises."""
    folded = text.lower() if text.isascii() else _fold(text)
    return list(dict.fromkeys(" ".join(form.split()) for form in dict.fromkeys((folded, *_unmask(folded)))))


def capitals_of(text: str) -> frozenset[str]:
    """The words, in small letters, that are written with a capital within a sentence."""
    return frozenset(word.casefold() for word in _CAPITAL.findall(text))


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _JOINERS.sub("", folded)


def _orders_about_name(text: str) -> bool:
    if not _NAME.search(text):
        return False
    matches = (match for pattern in _name_patterns() for match in pattern.finditer(text))
    return any(match["name"].casefold() not in lexicon.words("languages") for match in matches)


def _matches_any(form: str, capitals: frozenset[str]) -> bool:
    return _matches_pattern(form) or claims_authority(form, capitals)


def _matches_pattern(form: str) -> bool:
    return any(pattern.search(form) for pattern in instruction_patterns().candidates(form))


def _unmask(text: str) -> Iterator[str]:
    """With the intended letters: no look-alikes, no accents, no gaps between the letters of a word, no digits in it."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in decomposed if not unicodedata.combining(char)).translate(_LOOK_ALIKES)
    text = _SPELLED.sub(lambda spelled: re.sub(r"[ .·_-]", "", spelled[0]), text)
    yield text
    if _LEET_WORD.search(text):
        yield from (_LEET_WORD.sub(lambda word, letters=letters: word[0].translate(letters), text) for letters in _LEET)
