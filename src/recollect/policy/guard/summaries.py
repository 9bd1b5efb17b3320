"""The guard of a model's summary: each sentence rests on what was said, and none gives instructions or rights."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date

from recollect.core.reasons import Reason
from recollect.core.text import normalize, words
from recollect.language import lexicon, word_forms
from recollect.policy.guard.grounding import keeps_names, keeps_numbers
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.quote import sentences

MIN_SHARE = 0.5
"""Share of a sentence's content words that must have been said: a summary says it in fewer words, not in others."""
MAX_OVERLENGTH = 10
"""A text this many times over its limit is no summary that could be shortened."""
_DATA = re.compile(r"(?:```\w*\s*)?(?:\{|\[\s*[\[{\"\]])")
"""How JSON begins, and no summary does: `[Ann] says` is one, `["Ann"]` is not."""
_SPEAKER = re.compile(r"^\[([^\]\n]{1,80})\]", re.MULTILINE)
_MAX_EMPTY_WORDS = 2
_MAX_REPEATS = 2
_MIN_LOOP_WORDS, _MIN_DISTINCT_SHARE = 24, 0.5


@dataclass(frozen=True, slots=True)
class CheckedSummary:
    """What may be kept of a summary; empty with a `reason` if nothing may."""

    text: str
    reason: Reason | None = None
    """Why something was left out."""


def check_summary(text: str, said: str, today: date, limit: int) -> CheckedSummary:
    """The sentences of a summary that rest on what was said: the previous summary, and the messages since."""
    if reason := _unusable(text, limit):
        return CheckedSummary("", reason)
    kept, first_reason = text, None
    for sentence in sentences(text):
        if reason := _refuse(sentence, said, today):
            kept, first_reason = kept.replace(sentence, "", 1), first_reason or reason
    return CheckedSummary(re.sub(r"[ \t]{2,}", " ", re.sub(r"\n\s*\n+", "\n", kept)).strip(" \n-*•"), first_reason)


def _unusable(text: str, limit: int) -> Reason | None:
    """Why a whole text is no summary."""
    if _DATA.match(text):
        return Reason.NO_PROSE
    if len(text) > MAX_OVERLENGTH * max(limit, 1):
        return Reason.TOO_LONG
    return Reason.REPETITION if _loops(text) else None


def _loops(text: str) -> bool:
    counts = Counter(normalize(sentence) for sentence in sentences(text) if len(words(sentence)) > 2)
    if counts and max(counts.values()) > _MAX_REPEATS:
        return True
    said = words(text)
    runs = list(zip(said, said[1:], said[2:], strict=False))
    return len(runs) >= _MIN_LOOP_WORDS and len(set(runs)) < _MIN_DISTINCT_SHARE * len(runs)


def _says_little(sentence: str, said: str) -> bool:
    """Whether a sentence is too short to claim anything, and of nobody: "So far, so good." """
    names = {name for speaker in _SPEAKER.findall(said) for name in words(speaker)} | lexicon.words("given_names")
    return len(word_forms.content_words(sentence)) <= _MAX_EMPTY_WORDS and names.isdisjoint(words(sentence))


def _refuse(sentence: str, said: str, today: date) -> Reason | None:
    if is_instruction(sentence):
        return Reason.INSTRUCTIONS
    if _says_little(sentence, said):
        return None
    if not keeps_numbers(sentence, said, today):
        return Reason.NUMBER_NOT_SAID
    unsaid_people = lexicon.words("given_names").intersection(words(sentence)).difference(words(said))
    if unsaid_people or not keeps_names(sentence, said):  # a capital at its beginning is no sign of a name
        return Reason.NAME_NOT_SAID
    return None if word_forms.is_worded_from(said, sentence, min_share=MIN_SHARE) else Reason.NOT_SAID
