"""The guard of a model's summary: each sentence rests on what was said, and none gives instructions or rights."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date

from recollect.core.reasons import Reason
from recollect.core.text import normalize, words
from recollect.language import lexicon, word_forms
from recollect.language.lexicon import Patterns
from recollect.policy.guard.clauses import lower
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
_MAX_SUBJECT_WORDS = 3
_MIN_SHARED_WORDS = 1
_PATTERNS = Patterns(
    clause=r"[.!?;,\n]\s*|\s(?=(?:and|but|so|because|while) (?!then\b))",
    supposed=r"\b(?:if|might|may|maybe|perhaps|wish|unless|would|could|suppose|imagine|thinking (?:of|about))\b",
    as_supposed=r"\b(?:if|might|may|maybe|perhaps|wish\w*|unless|would|could|suppos\w+|imagin\w+|think\w*|consider\w*|plan\w*"
    r"|want\w*|hop\w+|possib\w+|potential\w*|discuss\w*|ask\w*|suggest\w*|propos\w+|fear\w*|worr\w+|idea\w*|option\w*)\b",
)
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
    if not word_forms.is_worded_from(said, sentence, min_share=MIN_SHARE):
        return Reason.NOT_SAID
    return _refuse_attributed(sentence, _turns(said))


@dataclass(frozen=True, slots=True)
class _Turn:
    """What one speaker said; of the previous summary, which has none, each line."""

    speaker: frozenset[str]
    text: str


def _turns(said: str) -> list[_Turn]:
    labels = list(_SPEAKER.finditer(said))
    starts = [label.start() for label in labels]
    earlier = said[: starts[0]] if starts else said
    turns = [_Turn(frozenset(), line) for line in earlier.splitlines() if line.strip()]
    ends = [*starts[1:], len(said)]
    return turns + [
        _Turn(frozenset(words(label[1])), said[label.end() : end]) for label, end in zip(labels, ends, strict=True)
    ]


def _refuse_attributed(sentence: str, turns: list[_Turn]) -> Reason | None:
    """Why a sentence about a speaker is not what they said: it is another's, or without its "not" or its "if".

    What was said to or about them counts as well, and so does the next turn, which may be the assistant's answer.
    """
    stated = set(words(sentence))
    subjects = {name for turn in turns for name in turn.speaker if name in words(sentence)[:_MAX_SUBJECT_WORDS]}
    if not subjects:
        return None
    own = [
        turn.text
        for before, turn in zip([_Turn(frozenset(), ""), *turns], turns, strict=False)
        if turn.speaker & stated or before.speaker & stated or stated & subjects & set(words(turn.text))
    ]
    if not word_forms.is_worded_from("\n".join(own), sentence, " ".join(subjects), min_share=MIN_SHARE):
        return Reason.SOMEBODY_ELSE
    return _refuse_polarity(sentence, [turn.text for turn in turns if turn.speaker & subjects])


def _refuse_polarity(sentence: str, own: list[str]) -> Reason | None:
    """Whether all that was said about it is denied or supposed, and the sentence is neither."""
    claim = lower(sentence)
    content = word_forms.content_words(claim)
    clauses = [clause for text in own for clause in _PATTERNS.clause.split(lower(text)) if clause.strip()]
    shares = [sum(word_forms.is_stated(word, set(words(clause))) for word in content) for clause in clauses]
    highest = max(shares, default=0)
    if highest < _MIN_SHARED_WORDS:
        return None
    sources = [clause for clause, share in zip(clauses, shares, strict=True) if share == highest]
    if all(_PATTERNS.denial.search(clause) for clause in sources):
        is_kept = _PATTERNS.denial.search(claim) or _PATTERNS.negative.search(claim) or _PATTERNS.ending.search(claim)
        return None if is_kept else Reason.NEGATION_DROPPED
    if all(_PATTERNS.supposed.search(clause) for clause in sources):
        return None if _PATTERNS.as_supposed.search(claim) else Reason.NOT_MEANT
    return None
