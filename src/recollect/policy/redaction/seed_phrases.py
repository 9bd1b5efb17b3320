"""Seed phrases of crypto wallets (BIP 39): twelve or more of their 2,048 words in a row, even if nothing names them.

`seed_words.bin` is a Bloom filter of the English words: about one other word in 400 passes for one of them, twelve
in a row don't. With a name before it, any row of that many words counts, as the lists of other languages do.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files

from recollect.core.lazy import lazy_pattern
from recollect.policy.redaction.span import Span

MIN_WORDS = 12
_MAX_WORDS = 24
_BETWEEN = r"(?:[ \t,;|\"'-]{1,3}|\s{0,3}\n\s{0,3}|\s{1,2})(?:\(?\d{1,2}[.):]\s{0,2})?"
# Possessive: a row that ends too early is not tried again with fewer words.
_ROW = lazy_pattern(rf"(?<![\w'’])(?:[a-z]{{3,8}}+(?![\w'’])(?:[\s,;|\"()-]|\d{{1,2}}[.):])*+){{{MIN_WORDS},64}}+")
_WORD = lazy_pattern(r"[^\W\d_]{3,12}")
_NAMED = lazy_pattern(
    r"(?:(?:seed|mnemonic|mnemonik\w*|wallet|recovery|secret|backup|wiederherstellungs|merk|geheim)"
    r"[ -]?(?:phrase|words?|seed|wörter|satz)"
    r"|seed|mnemonic|phrase (?:de récupération|secrète|seed)|frase (?:semilla|de recuperaci[óo]n|semente"
    r"|de recuperação|seed|di recupero)"
    r"|palabras semilla|palavras-chave da carteira|parole (?:segrete|seed|del wallet)|fraza (?:seed|odzyskiwania)"
    r"|kurtarma (?:kelimeleri|ifadesi))"
    rf"(?: is| are| ist| lautet| est| es| é| è| to)?\s{{0,2}}[:=]?\s{{0,4}}(?:\(?1[.):]\s{{0,2}})?"
    rf"([^\W\d_]{{3,12}}(?:{_BETWEEN}[^\W\d_]{{3,12}}){{{MIN_WORDS - 1},{_MAX_WORDS - 1}}})"
)
NAMES = (
    "seed mnemo wallet recover phrase backup frase palabras palavras parole fraza kurtarma wiederher merk geheim secret"
).split()
_FUNCTION_WORDS = frozenset(
    "the and for with that are was you your has have not but from they this und der die das ist nicht que les des une "
    "est los las por para não con per della jest się nie bir için".split()
)


def spans(lower: str, *, is_named: bool) -> Iterator[Span]:
    """The seed phrases of a text in lower case, which has one of the `NAMES` or none."""
    for row in _ROW.finditer(lower):
        yield from _known_words(row)
    for named in _NAMED.finditer(lower) if is_named else ():
        if not _FUNCTION_WORDS.intersection(_WORD.findall(named[1])):
            yield Span(*named.span(1), "seed phrase")


def _known_words(row: re.Match[str]) -> Iterator[Span]:
    """Each part of a row of words that has enough words of the list without another between them."""
    words: list[re.Match[str]] = []
    for word in (*_WORD.finditer(row[0]), None):
        if word is not None and _is_seed_word(word[0]):
            words.append(word)
            continue
        if len(words) >= MIN_WORDS and len({match[0] for match in words}) > MIN_WORDS // 2:
            yield Span(row.start() + words[0].start(), row.start() + words[-1].end(), "seed phrase")
        words = []


@lru_cache(maxsize=4096)
def _is_seed_word(word: str) -> bool:
    bits = _bits()
    digest = blake2b(word.encode(), digest_size=8).digest()
    positions = (int.from_bytes(digest[at : at + 2], "big") % (len(bits) * 8) for at in (0, 2, 4, 6))
    return all(bits[position >> 3] >> (position & 7) & 1 for position in positions)


@lru_cache(maxsize=1)
def _bits() -> bytes:
    return files("recollect.policy.redaction").joinpath("seed_words.bin").read_bytes()
