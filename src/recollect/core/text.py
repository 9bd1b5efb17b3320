"""Words, keys and truncation of text in any script."""

import hashlib
import math
import re
import unicodedata
from functools import lru_cache

from recollect.core.errors import BadInput

MAX_WORDS = 20_000
"""Limit per text, so that a hostile megabyte costs milliseconds, not memory."""

OPENING_WORDS = 60
"""Number of words at the start of a text that say what it is about."""

_PLAIN_WORD = re.compile(r"[a-z0-9]+")
_ASCII_WORD = re.compile(r"c\+\+|[cf]#|[a-z0-9]+(?:'[a-z]+)?")
# Combining marks (vowels, points, viramas), and joiners inside a word.
_MARKS = (
    "\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0903\u093a-\u094f\u0951-\u0957"
    "\u0962\u0963\u0980-\u0df3\u0f18-\u0fbc\u200c\u200d"
)
_LETTER = rf"(?:[^\W_]|[{_MARKS}])"
_WORD = re.compile(rf"c\+\+|[cf]#|[^\W_]{_LETTER}*(?:['’]{_LETTER}+)?")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_SENTENCE_END = re.compile(r"[.!?]+(?=\s|$)|[。！？]+|\n+")
_MAX_QUESTION_WORDS = 15
_MAX_SENTENCES_CHARS = 20_000
# Scripts written without spaces between words, or whose particles are attached to words.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003134f]+"
)


def fold(text: str) -> str:
    """The text as it is compared: case-folded, one width, no accents."""
    if text.isascii():
        return text.lower()
    compatible = unicodedata.normalize("NFKD", text)  # first, because styled letters have no case
    decomposed = unicodedata.normalize("NFKD", compatible.casefold())
    unaccented = "".join(char for char in decomposed if not _is_accent(char))
    return unicodedata.normalize("NFC", unaccented)


@lru_cache(maxsize=4096)
def _is_accent(char: str) -> bool:
    """Accents, Hebrew points and Arabic vowel signs, which are optional in writing."""
    return "\u0300" <= char <= "\u036f" or "\u0591" <= char <= "\u05c7" or "\u064b" <= char <= "\u065f"


def words(text: str) -> list[str]:
    """The words of a text, in order; runs of unspaced script become single characters and pairs."""
    folded = fold(text)
    if folded.isascii():
        if "'" in folded:
            return [_strip_possessive(word) for word in _ASCII_WORD.findall(folded)[:MAX_WORDS]]
        simple = "+" not in folded and "#" not in folded
        return (_PLAIN_WORD if simple else _ASCII_WORD).findall(folded)[:MAX_WORDS]
    result: list[str] = []
    for word in _WORD.findall(folded)[:MAX_WORDS]:
        if _UNSPACED.search(word):
            result += _split_unspaced(word)
        else:
            result += _split_spaced(word)
    return result[:MAX_WORDS]


def _strip_possessive(word: str) -> str:
    """Without the 's of a possessive or the apostrophe of a contraction."""
    return word.removesuffix("'s").replace("'", "") if "'" in word else word


def _split_unspaced(word: str) -> list[str]:
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        parts += _split_spaced(word[end : run.start()])
        chars = run.group()
        pairs = [chars[i : i + 2] for i in range(len(chars) - 1)]
        parts += [part for part in (*chars, *pairs) if any(map(str.isalnum, part))]
        end = run.end()
    return parts + _split_spaced(word[end:])


def _split_spaced(text: str) -> list[str]:
    return [_strip_possessive(word.replace("’", "'")) for word in _WORD.findall(text)]


def query_words(text: str) -> list[str]:
    """Distinct words to search for, in order; single characters of an unspaced run are covered by its pairs."""
    distinct = dict.fromkeys(words(text))
    if text.isascii():
        return list(distinct)
    pairs = [word for word in distinct if len(word) == 2 and _UNSPACED.fullmatch(word)]
    covered = set("".join(pairs))
    return [word for word in distinct if not (len(word) == 1 and word in covered)]


def question_share(text: str) -> float:
    """The share of words inside short questions: a text with a high share asks rather than states."""
    if "?" not in text and "？" not in text:
        return 0.0
    in_questions = total = 0
    for sentence in _SENTENCE.findall(text[:_MAX_SENTENCES_CHARS]):
        count = len(sentence.split())
        total += count
        if count <= _MAX_QUESTION_WORDS and sentence.rstrip().endswith(("?", "？")):
            in_questions += count
    return in_questions / total if total else 0.0


@lru_cache(maxsize=4096)
def inverse_frequency(size: int, frequency: int) -> float:
    """The weight of a word that stands in `frequency` of `size` texts."""
    return math.log(1 + max(0.0, size - frequency + 0.5) / (frequency + 0.5))


_JOINERS = "\u200c\u200d"
"""Invisible, but emoji and Persian words need them inside."""


def collapse_spaces(text: str) -> str:
    """Trim and collapse white space; NUL and other control characters become spaces."""
    if text.isprintable():
        return " ".join(text.split())
    visible = "".join(char if char.isprintable() or char in _JOINERS else " " for char in text)
    words = (word.strip(_JOINERS) for word in visible.split())
    return " ".join(word for word in words if word)


def normalize(text: str) -> str:
    """The key under which texts count as the same: folded, spaces collapsed, no closing punctuation."""
    return collapse_spaces(fold(text)).rstrip(" .!?。！？")


def digest(*parts: str) -> str:
    """A stable hexadecimal fingerprint of several texts."""
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def clip(text: str, limit: int, ending: str = "…") -> str:
    """At most `limit` characters, cut between words where that is possible."""
    if len(text) <= limit:
        return text
    kept_chars = max(0, limit - len(ending))
    start = text[:kept_chars]
    space = start.rfind(" ")
    if space > kept_chars // 2:
        start = start[:space]
    return (start.rstrip() + ending)[:limit]


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, cut after a sentence where there is one in the second half, else between words."""
    if len(text) <= limit:
        return text
    ends = (match.end() for match in _SENTENCE_END.finditer(text[: limit + 1]))
    end = max((end for end in ends if end <= limit), default=0)
    return text[:end].rstrip() if end > limit // 2 else clip(text, limit)


def clean(text: str) -> str:
    """A text that every store can hold: no lone surrogates, no NUL."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")


def escape(part: str, separator: str) -> str:
    """A part of a name, with the separator between parts percent-encoded; `unescape` reverses it."""
    return part.replace("%", "%25").replace(separator, f"%{ord(separator):02X}")


def unescape(part: str, separator: str) -> str:
    return part.replace(f"%{ord(separator):02X}", separator).replace("%25", "%")


def join_escaped(separator: str, *parts: str) -> str:
    """Parts joined to one name, so that different parts never give the same name."""
    name = separator.join(parts)
    if "%" not in name and name.count(separator) < len(parts):  # nearly always: ids need no escaping
        return name
    return separator.join(escape(part, separator) for part in parts)


MAX_MEMO_CHARS = 8_000
"""A longer text is a document, not a memo."""


def valid_memo_text(text: str) -> str:
    """The text of a memo, spaces collapsed; raises BadInput if it is empty or too long."""
    collapsed = collapse_spaces(text)
    if not collapsed:
        raise BadInput("there is nothing to remember: the text is empty")
    if len(collapsed) > MAX_MEMO_CHARS:
        raise BadInput(f"{len(collapsed):,} characters are too long to remember; the limit is {MAX_MEMO_CHARS:,}")
    return collapsed
