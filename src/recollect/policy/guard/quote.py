"""Find a quote in what was said: white space, case, width, marks of emphasis and shapes of quotes apart."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from recollect.core.text import words

LONGEST = 220
"""Characters of evidence that are kept."""

_SHAPES = str.maketrans(
    {**dict.fromkeys("’‘‛ʼ´", "'"), **dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‐‑‒–—―−", "-"), "…": "..."}
)
_EMPHASIS = frozenset("*_~|`")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_EMPTY = frozenset(
    """
    i im ive id a an the am is are was be been do does did have has had it its this that my me you your we our and or
    but so to of in on at for with as yes no not yeah ok okay really very just too also ich bin das ist und der die ein
    je suis le la un une et est yo soy el es que y eu sou o e um uma я это и в на
    """.split()
)
_LONG_WORD = 7
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """A quote where it stands, with the sentence around it."""

    words: str
    before: str
    """What stands before it in its sentence."""
    after: str
    """What stands after it in its sentence, with the mark that ends it."""
    following: str
    """What comes after its sentence."""

    @property
    def sentence(self) -> str:
        return f"{self.before}{self.words}{self.after}"


def find(quote: str, said: str) -> QuoteMatch | None:
    """The quote as it was said, or nothing; never inside of a longer word."""
    said = unicodedata.normalize("NFC", said)
    wanted = _plain(unicodedata.normalize("NFC", quote))[0].strip(" \"'.,;:!?。！？、-")
    plain, places = _plain(said)
    at = plain.find(wanted) if wanted else -1
    while at >= 0 and not _is_whole(plain, at, at + len(wanted)):
        at = plain.find(wanted, at + 1)
    return None if at < 0 else _found(said, places[at], places[at + len(wanted) - 1] + 1)


def _found(said: str, start: int, end: int) -> QuoteMatch:
    first = max((mark.end() for mark in _SENTENCE_END.finditer(said, 0, start)), default=0)
    stop = _SENTENCE_END.search(said, end)
    last = stop.end() if stop else len(said)
    return QuoteMatch(said[start:end], said[first:start], said[end:last], said[last:])


def _plain(text: str) -> tuple[str, list[int]]:
    """The text in the form in which quotes are compared, and where each of its characters comes from."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plain = _plain_char(char)
        if plain == " " and not (chars and chars[-1] != " "):
            continue
        chars += plain
        places += [place] * len(plain)
    return "".join(chars), places


@lru_cache(maxsize=4096)
def _plain_char(char: str) -> str:
    if char.isspace():
        return " "
    if char in _EMPHASIS or unicodedata.category(char) == "Cf":
        return ""
    return unicodedata.normalize("NFKC", char.translate(_SHAPES)).casefold()


def _is_whole(plain: str, start: int, end: int) -> bool:
    return not (_runs_on(plain, start) or _runs_on(plain, end))


def _runs_on(plain: str, at: int) -> bool:
    """Whether a word goes on across this place; scripts without spaces may be cut anywhere."""
    if at <= 0 or at >= len(plain):
        return False
    left, right = plain[at - 1], plain[at]
    return left.isalnum() and right.isalnum() and not (_UNSPACED.match(left) or _UNSPACED.match(right))


def says_something(quote: str) -> bool:
    """Whether a quote is long enough to mean anything: two words, one of them not empty, or one long word."""
    said = words(quote)
    meant = [word for word in said if word not in _EMPTY]
    if any(map(_UNSPACED.match, meant)):
        return len(_UNSPACED.findall(quote)) >= 3
    return bool(meant) and (len(said) > 1 or len(meant[0]) >= _LONG_WORD)
