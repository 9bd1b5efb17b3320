"""Find a quote in a message, ignoring white space, case, width, emphasis and the shape of quotation marks."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from recollect.core.text import words
from recollect.language import lexicon

MAX_EVIDENCE_CHARS = 220
"""Evidence is clipped to this length."""

_SHAPES = str.maketrans(
    {**dict.fromkeys("’‘‛ʼ´", "'"), **dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‐‑‒–—―−", "-"), "…": "..."}
)
_EMPHASIS = frozenset("*_~|`")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_MIN_SINGLE_WORD_CHARS = 7
_COMMA = re.compile(r"[,;:]\s")
_SENTENCE_END = re.compile(r"(?<!\bDr)(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bSt)(?<!\bSra)(?<!\bMme)[.!?](?=\s)|[。！？\n]")


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A quote as found in a message, with the sentence around it."""

    words: str
    before: str
    """The text before it in its sentence."""
    after: str
    """The text after it in its sentence, with the closing punctuation."""
    following: str
    """The text after its sentence."""

    @property
    def sentence(self) -> str:
        return f"{self.before}{self.words}{self.after}"

    @property
    def clause(self) -> str:
        """The quote with the text before it since the last comma, in lower case."""
        return lower(_COMMA.split(self.before)[-1] + self.words)


def find_quote(quote: str, message: str) -> QuoteMatch | None:
    """The quote as it stands in the message, if it does; never inside a longer word."""
    message = unicodedata.normalize("NFC", message)
    needle = _normalize(unicodedata.normalize("NFC", quote))[0].strip(" \"'.,;:!?。！？、-")
    normalized, origins = _normalize(message)
    start = normalized.find(needle) if needle else -1
    # A match inside a longer word is none, but a later one may be.
    while start >= 0 and not _is_whole(normalized, start, start + len(needle)):
        start = normalized.find(needle, start + 1)
    return None if start < 0 else _match(message, origins[start], origins[start + len(needle) - 1] + 1)


def _match(message: str, start: int, end: int) -> QuoteMatch:
    sentence_start = max((match.end() for match in _SENTENCE_END.finditer(message, 0, start)), default=0)
    stop = _SENTENCE_END.search(message, end)
    sentence_end = stop.end() if stop else len(message)
    return QuoteMatch(
        message[start:end], message[sentence_start:start], message[end:sentence_end], message[sentence_end:]
    )


def sentences(text: str) -> list[str]:
    """The sentences of a text that have any words."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    parts = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return [part for part in parts if words(part)]


@lru_cache(maxsize=16)
def _normalize(text: str) -> tuple[str, Sequence[int]]:
    """The text as quotes are compared, and the original index of each of its characters."""
    # Most messages need no normalization, and then each index is its own origin.
    if text.isascii() and text.isprintable() and "  " not in text and text[:1] != " " and _EMPHASIS.isdisjoint(text):
        return text.lower(), range(len(text))
    chars: list[str] = []
    origins: list[int] = []
    for index, char in enumerate(text):
        normalized = _normalize_char(char)
        if normalized == " " and not (chars and chars[-1] != " "):
            continue
        chars += normalized
        # NFKC may make several characters of one, and all of them stand for it.
        origins += [index] * len(normalized)
    return "".join(chars), origins


@lru_cache(maxsize=4096)
def _normalize_char(char: str) -> str:
    if char.isspace():
        return " "
    if char in _EMPHASIS or unicodedata.category(char) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", char.translate(_SHAPES)).casefold()


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_is_inside_word(text, start) or _is_inside_word(text, end))


def _is_inside_word(text: str, position: int) -> bool:
    """Whether a position splits a word; scripts without spaces may be split anywhere."""
    if position <= 0 or position >= len(text):
        return False
    left, right = text[position - 1], text[position]
    return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def has_content(quote: str) -> bool:
    """Whether a quote is long enough to mean anything: two words, one of them a content word, or one long word."""
    all_words = words(quote)
    content = [word for word in all_words if word not in lexicon.words("quote_fillers")]
    if any(map(_UNSPACED.match, content)):
        return len(_UNSPACED.findall(quote)) >= 3
    return bool(content) and (len(all_words) > 1 or len(content[0]) >= _MIN_SINGLE_WORD_CHARS)


def lower(text: str) -> str:
    """Lower case, with one width of letters and one shape of apostrophe."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return text.casefold().replace("’", "'")
