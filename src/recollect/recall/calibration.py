"""How sure a search is that it found what was asked about: from 0 to 1, and comparable between queries.

A logistic model of what its candidates show, fitted on the tuning halves that `bench.calibration` reads:

- how much of the question's words, by weight, stands in one text, and the best cosine;
- how much was said: the more text, the more is similar by chance;
- whether the question names someone who speaks here, or a name that never occurs here;
- where none of its words occur, whether it is about a person at all ("who invented the telephone?" is not), or made of
  words at all ("zzz qqq" is not).
"""

import math
import re
from collections.abc import Collection, Mapping

from recollect.core.ports.ranker import STOP_WORDS, RankPool
from recollect.core.text import inverse_frequency, words
from recollect.language import word_forms

RELEVANT_SCORE = 0.5
"""The score from which on a hit counts as relevant; below it, it is merely the nearest."""

COVERED, COSINE, TEXT, BIAS = 4.3, 11.5, -0.54, 0.0
COVERED_ALONE, TEXT_ALONE, BIAS_ALONE = 7.0, -0.46, 1.75
"""The same without vectors."""
KNOWN_SPEAKER, UNKNOWN_NAME = 1.6, -0.45
"""An unknown name is stronger evidence in a large memory: its weight grows with the text, as that of `TEXT` does."""
NOTHING_COVERED, IMPERSONAL = -0.1, -3.0
"""For an item that only vectors found: they find something near in every small memory."""
MAX_UNRELATED_COSINE = 0.2
"""If a quarter of the candidates exceeds this, the embedder finds everything similar, and only the excess counts."""

PERSONS = frozenset("i me my mine myself we us our you your he him his she her they them their user".split())
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+")
_VOWEL = re.compile("[aeiouy]")


def match(text: str, terms: Collection[str], pool: RankPool, speakers: Collection[str], own: Collection[str]) -> float:
    """How sure it is that something among the candidates is about the question; `speakers` are those it names."""
    frequencies: dict[str, int] = {}
    for item in pool.items:
        frequencies.update(item.shared)
    amount = math.log(1 + pool.size * pool.mean_length)
    covered = _covered(terms, pool, frequencies)
    cosines = sorted(item.cosine for item in pool.items if item.cosine is not None)
    if cosines:
        # Relative to the lower quarter: embedders differ in what cosine unrelated texts have.
        best = cosines[-1] - max(0.0, cosines[len(cosines) // 4] - MAX_UNRELATED_COSINE)
        evidence = COVERED * covered + COSINE * best + TEXT * amount + BIAS
    else:
        evidence = COVERED_ALONE * covered + TEXT_ALONE * amount + BIAS_ALONE
    if speakers:
        evidence += KNOWN_SPEAKER
    elif _has_unknown_name(text, frequencies, own):
        # The more is known, the more a name that is nowhere in it says.
        evidence += UNKNOWN_NAME * amount
    if not covered:
        is_aimless = not speakers and (_is_impersonal(text, own) or _is_noise(text))
        evidence += NOTHING_COVERED + (IMPERSONAL if is_aimless else 0)
    return 1 / (1 + math.exp(-evidence))


def _covered(terms: Collection[str], pool: RankPool, frequencies: Mapping[str, int]) -> float:
    """The largest share of the question, by the weight of its words, that stands in one item."""
    asked = sum(inverse_frequency(pool.size, frequencies.get(term, 0)) for term in terms)
    if not asked:
        return 0.0
    # Most candidates share the same few words with the question.
    shared = {tuple(item.shared.values()) for item in pool.items}
    weights = (sum(inverse_frequency(pool.size, frequency) for frequency in counts) for counts in shared)
    return min(1.0, max(weights, default=0.0) / asked)


def _is_impersonal(text: str, own: Collection[str]) -> bool:
    """Whether it is an English sentence that speaks of no person; keywords such as "home town" are no sentence."""
    said = {part for word in words(text) for part in word.split("'")}
    return said.isdisjoint(PERSONS) and said.isdisjoint(own) and word_forms.is_surely_english(text)


def _is_noise(text: str) -> bool:
    """Whether it is keyboard noise such as "zzz qqq", which can't be pronounced."""
    said = [word for word in words(text) if word.isascii() and word.isalpha()]
    return bool(said) and len(said) == len(words(text)) and not any(map(_VOWEL.search, said))


def _has_unknown_name(text: str, known: Collection[str], own: Collection[str]) -> bool:
    """Whether a question has a capitalized word that is nowhere among the candidates; English ones only, because other
    languages capitalize more.
    """
    names = {word for name in _NAME.findall(text) for word in words(name)} - STOP_WORDS - word_forms.calendar_words()
    return any(name not in known and name not in own for name in names) and word_forms.is_english(text)
