"""Extractive summaries of sentences that were really said: decisions, plans, facts, tastes, open questions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from recollect.core.text import clip, collapse_spaces, normalize, words
from recollect.models.local.grammar import expressions
from recollect.policy.similarity import Similarity, compare

MAX_LINE_CHARS = 240
MAX_LINES = 400
"""How many of the newest sentences are ranked for one summary: more would not fit in any."""
_MAX_EXCHANGE_CHARS = 60_000
_MAX_COMPARED = 60

_SPEAKER = re.compile(r"^\[(?P<who>[^\]\n]{1,60})\]:\s?(?P<text>.*)$")
_SUMMARY_LINE = re.compile(r"^(?P<who>[^\s:.!?][^:.!?\n]{0,39}): (?P<text>.+)$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_EXPRESSIONS = expressions("summary")
_WEIGHTS = {"decision": 3.0, "duty": 2.5, "personal": 2.0, "reason": 1.0, "number": 0.5}
"""What a sentence with such an expression is worth."""
_QUESTION_VALUE, _ASSISTANT_FACTOR, _RECENCY_VALUE, _MIN_WORDS = 1.5, 0.6, 1.5, 3


@dataclass(frozen=True, slots=True)
class _Sentence:
    speaker: str
    text: str
    answered: bool = False

    @property
    def line(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


def summarize(previous: str | None, exchange: str, limit: int, assistant: str = "") -> str:
    """The most valuable sentences of the previous summary and the exchange within the limit, in their order."""
    sentences = [*_read_summary(previous or ""), *_read_exchange(exchange[-_MAX_EXCHANGE_CHARS:])][-MAX_LINES:]
    return _fit(_drop_outdated(sentences), limit, assistant)


def shorten(summary: str, limit: int, assistant: str = "") -> str:
    """The most valuable sentences of a summary within the limit."""
    return (
        summary.strip()
        if len(summary.strip()) <= limit
        else _fit(_drop_outdated(list(_read_summary(summary))[-MAX_LINES:]), limit, assistant)
    )


def _read_summary(summary: str) -> Iterator[_Sentence]:
    for line in summary.splitlines():
        match = _SUMMARY_LINE.match(line.strip())
        speaker, text = (match["who"], match["text"]) if match else ("", line)
        yield from (_Sentence(speaker, sentence) for sentence in _sentences(text))


def _read_exchange(exchange: str) -> Iterator[_Sentence]:
    """Sentences with their speakers; a question counts as answered once someone else speaks."""
    turns: list[tuple[str, list[str]]] = []
    for line in _CODE.sub(" ", exchange).splitlines():
        match = _SPEAKER.match(line.strip())
        if match:
            turns.append((match["who"], [match["text"]]))
        elif turns:
            turns[-1][1].append(line)
    for index, (speaker, lines) in enumerate(turns):
        answered = any(other != speaker for other, _ in turns[index + 1 :])
        for sentence in _sentences("\n".join(lines)):
            yield _Sentence(speaker, sentence, answered)


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for sentence in _SENTENCE_END.split(line):
            normalized = collapse_spaces(sentence).strip(" -*•")
            if len(normalized) > 1 and not _EXPRESSIONS.filler.match(normalized[:MAX_LINE_CHARS]):
                yield clip(normalized, MAX_LINE_CHARS)


def _drop_outdated(sentences: list[_Sentence]) -> list[_Sentence]:
    """The sentences without repetitions, answered questions and what the same speaker later took back."""
    current: list[_Sentence] = []
    seen: set[str] = set()
    for sentence in reversed(sentences):
        key = normalize(sentence.line)
        if key in seen or (sentence.answered and sentence.text.endswith("?")) or _is_outdated(sentence, current):
            continue
        seen.add(key)
        current.append(sentence)
    return current[::-1]


def _is_outdated(sentence: _Sentence, newer: list[_Sentence]) -> bool:
    stale = (Similarity.SAME, Similarity.CONTRADICTS, Similarity.RICHER)
    return any(
        compare(other.text, sentence.text) in stale
        for other in newer[-_MAX_COMPARED:]
        if other.speaker == sentence.speaker
    )


def _fit(sentences: list[_Sentence], limit: int, assistant: str) -> str:
    """The most valuable lines that fit, in their order."""
    count, assistants = len(sentences), ("bot", "assistant", assistant.lower())
    values = [_value(sentence, index / max(1, count - 1), assistants) for index, sentence in enumerate(sentences)]
    ranked = sorted(range(count), key=lambda index: (-values[index], -index))
    chosen: list[int] = []
    remaining_chars = limit
    for index in ranked:
        line_chars = len(sentences[index].line) + (1 if chosen else 0)
        if line_chars <= remaining_chars:
            chosen.append(index)
            remaining_chars -= line_chars
    if not chosen and ranked and limit > 0:
        return clip(sentences[ranked[0]].line, limit)
    return "\n".join(sentences[index].line for index in sorted(chosen))


def _value(sentence: _Sentence, recency: float, assistants: tuple[str, ...]) -> float:
    weights = (weight for cue, weight in _WEIGHTS.items() if getattr(_EXPRESSIONS, cue).search(sentence.text))
    value = max(weights, default=0.3)
    if sentence.text.endswith("?"):
        value = _QUESTION_VALUE
    if sentence.speaker and sentence.speaker.lower() in assistants:
        value *= _ASSISTANT_FACTOR
    if len(words(sentence.text)) < _MIN_WORDS:
        value *= 0.5
    return value + _RECENCY_VALUE * recency
