"""Words for relatives and acquaintances in several languages: "Mum" and "Mutter" both mean mother."""

from functools import cache, lru_cache

from recollect.core.text import fold, words
from recollect.language import lexicon

_KINDS = {
    "partner": frozenset(("wife", "husband", "girlfriend", "boyfriend")),
    "parent": frozenset(("mother", "father")),
    "sibling": frozenset(("sister", "brother")),
    "child": frozenset(("son", "daughter")),
}
"""Relatives of either sex, and those of one."""


@cache
def _canonical() -> dict[str, str]:
    entries = (entry for table in lexicon.tables("people").values() for entry in table.items())
    return {fold(word): name for name, group in entries for word in group.split()}


@cache
def people() -> frozenset[str]:
    """Words for relatives, acquaintances and strangers."""
    return frozenset(_canonical()) | lexicon.words("strangers")


@cache
def unspaced() -> frozenset[str]:
    """Words of scripts without spaces."""
    return frozenset(word for word in _canonical() if ord(word[0]) > 0x3000)


@lru_cache(maxsize=8192)
def person(word: str) -> str | None:
    """The canonical word for a relative or acquaintance, singular or plural; None for any other word."""
    folded = fold(word)
    canonical = _canonical().get(folded)
    if canonical is None and len(folded) > 4 and folded[-1] in "sn":
        return _canonical().get(folded[:-1]) or _canonical().get(folded[:-2])
    return canonical


def is_same_person(first: str, second: str) -> bool:
    """Whether two words name the same relative or acquaintance."""
    return person(first) is not None and person(first) == person(second)


def may_be(said: str, asked: str) -> bool:
    """Whether who is said may be who is asked about: a wife is a partner, and a husband is no "Partnerin"."""
    one, other = person(said), person(asked)
    if one is None or other is None or one == other:
        return one is not None and one == other
    if fold(asked).endswith("partnerin") and one in ("husband", "boyfriend"):
        return False
    return one in _KINDS.get(other, ()) or other in _KINDS.get(one, ())


def is_bare(word: str) -> bool:
    """Whether a word means the speaker's own relative even without a "my"."""
    return word in lexicon.words("bare_relatives")


def mentioned(text: str) -> set[str]:
    """The canonical words for everyone mentioned, including in scripts without spaces."""
    canonical = _canonical()
    people = {canonical[word] for word in words(text) if word in canonical}
    return people | {canonical[word] for word in unspaced() if word in text}


def opens(word: str) -> bool:
    """Whether a word that opens a clause means the speaker's own relative: "wife's a nurse"."""
    return word in lexicon.words("opening_relatives")
