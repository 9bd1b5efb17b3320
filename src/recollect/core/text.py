"""Words, keys and cuts of text in any script; the standard library only."""

import hashlib
import math
import re
import unicodedata
from functools import lru_cache

from recollect.core.errors import BadInput

MAX_WORDS = 20_000
"""Words read of one text: a hostile megabyte costs milliseconds, not memory."""


OPENING = 60
"""Words at the start of a text that say what it is about."""


_PLAIN_WORD = re.compile(r"[a-z0-9]+")


_ASCII_WORD = re.compile(r"c\+\+|[cf]#|[a-z0-9]+(?:'[a-z]+)?")


# Signs that belong to the letter before them (vowels, points, viramas), and joiners inside a word.
_MARKS = (
    "\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0980-\u0df3\u0f18-\u0fbc\u200c\u200d"
)


_LETTER = rf"(?:[^\W_]|[{_MARKS}])"


_WORD = re.compile(rf"c\+\+|[cf]#|[^\W_]{_LETTER}*(?:['’]{_LETTER}+)?")


_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|[。！？]+|\n+")


_SHORT_QUESTION = 15


# Scripts written without spaces between words, or whose words carry glued particles.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]+"
)


def fold(text: str) -> str:
    """The text in the form in which it is compared: one case, one width, no accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text)  # first, as styled letters have no case of their own
    decomposed = unicodedata.normalize("NFKD", plain.casefold())
    bare = "".join(char for char in decomposed if not _is_accent(char))
    return unicodedata.normalize("NFC", bare)


@lru_cache(maxsize=4096)
def _is_accent(char: str) -> bool:
    """Accents, Hebrew points and Arabic vowel signs: written or not, the word is the same."""
    return "\u0300" <= char <= "\u036f" or "\u0591" <= char <= "\u05c7" or "\u064b" <= char <= "\u065f"


def words(text: str) -> list[str]:
    """The words of a text, in order; runs of unspaced script become single characters and pairs."""
    folded = fold(text)
    if folded.isascii():
        if "'" in folded:
            return [_bare(word) for word in _ASCII_WORD.findall(folded)[:MAX_WORDS]]
        simple = "+" not in folded and "#" not in folded
        return (_PLAIN_WORD if simple else _ASCII_WORD).findall(folded)[:MAX_WORDS]
    found: list[str] = []
    for word in _WORD.findall(folded)[:MAX_WORDS]:
        if _UNSPACED.search(word):
            found += _split_unspaced(word)
        else:
            found += _spaced(word)
    return found[:MAX_WORDS]


def _bare(word: str) -> str:
    """Without the 's of a possessive, and without the apostrophe of a contraction."""
    return word.removesuffix("'s").replace("'", "") if "'" in word else word


def _split_unspaced(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        parts += _spaced(word[end : run.start()])
        chars = run.group()
        pairs = [chars[i : i + 2] for i in range(len(chars) - 1)]
        parts += [part for part in (*chars, *pairs) if any(map(str.isalnum, part))]
        end = run.end()
    return parts + _spaced(word[end:])


def _spaced(text: str) -> list[str]:
    return [_bare(word.replace("’", "'")) for word in _WORD.findall(text)]


def query_words(text: str) -> list[str]:
    """Distinct words to look for, in order; a single character of an unspaced run yields to its pairs."""
    found = dict.fromkeys(words(text))
    pairs = [word for word in found if len(word) == 2 and _UNSPACED.fullmatch(word)]
    covered = set("".join(pairs))
    return [word for word in found if not (len(word) == 1 and word in covered)]


def question_share(text: str) -> float:
    """Share of the words that stand in short questions: such a text asks, it tells little."""
    if "?" not in text and "？" not in text:
        return 0.0
    asked = total = 0
    for sentence in _SENTENCE.findall(text[:20_000]):
        count = len(sentence.split())
        total += count
        if count <= _SHORT_QUESTION and sentence.rstrip().endswith(("?", "？")):
            asked += count
    return asked / total if total else 0.0


@lru_cache(maxsize=4096)
def inverse_frequency(size: int, frequency: int) -> float:
    """The weight of a word that stands in `frequency` of `size` texts."""
    return math.log(1 + max(0.0, size - frequency + 0.5) / (frequency + 0.5))


_JOINERS = "\u200c\u200d"
"""Invisible, but they hold emoji and Persian words together."""


def collapse_spaces(text: str) -> str:
    """Trim and collapse white space; NUL and other control characters become spaces."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
    return " ".join(text.split())


def normalize(text: str) -> str:
    """What two texts must share to count as the same text: folded, squeezed, no closing punctuation."""
    return collapse_spaces(fold(text)).rstrip(" .!?。！？")


def digest(*parts: str) -> str:
    """A stable hexadecimal fingerprint of several texts."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def clip(text: str, limit: int, ending: str = "…") -> str:
    """At most `limit` characters, cut between words where that is possible."""
    if len(text) <= limit:
        return text
    room = max(0, limit - len(ending))
    cut = text[:room]
    space = cut.rfind(" ")
    if space > room // 2:
        cut = cut[:space]
    return (cut.rstrip() + ending)[:limit]


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut after a sentence where there is one in the second half, else between words."""
    if len(text) <= limit:
        return text
    end = max((found.end() for found in _SENTENCE_END.finditer(text[: limit + 1]) if found.end() <= limit), default=0)
    return text[:end].rstrip() if end > limit // 2 else clip(text, limit)


def clean(text: str) -> str:
    """A text that every store can hold: no lone surrogates, no NUL."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def escape(part: str, sign: str) -> str:
    """A part of a name, without the sign that stands between the parts; `unmarked` undoes it."""
    return part.replace("%", "%25").replace(sign, f"%{ord(sign):02X}")


def unescape(part: str, sign: str) -> str:
    return part.replace(f"%{ord(sign):02X}", sign).replace("%25", "%")


def join_escaped(sign: str, *parts: str) -> str:
    """Parts as one name, in such a way that other parts make another name."""
    name = sign.join(parts)
    if "%" not in name and name.count(sign) < len(parts):  # ids are plain, nearly always
        return name
    return sign.join(escape(part, sign) for part in parts)


MAX_MEMO_CHARS = 8_000
"""Characters of one memo: more is a document, not something to remember."""


def valid_memo_text(text: str) -> str:
    """A text fit to remember; raises BadInput."""
    plain = collapse_spaces(text)
    if not plain:
        raise BadInput("there is nothing to remember: the text is empty")
    if len(plain) > MAX_MEMO_CHARS:
        raise BadInput(f"{len(plain):,} characters are too long to remember; the limit is {MAX_MEMO_CHARS:,}")
    return plain
