"""Extractive summaries of sentences that were really said: decisions and duties first, then questions with their
answers, then facts. A summary is much shorter than its source, or empty. A question without an answer is kept where
somebody else may still answer it.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from recollect.core.text import clip, collapse_spaces, normalize, words
from recollect.language import requests
from recollect.language.lexicon import Patterns, read_tables
from recollect.language.word_forms import content_words
from recollect.policy.similarity import Similarity, compare

MAX_SHARE = 0.4
"""Characters that a summary gains, of those that were said since the previous one."""
MAX_LINE_CHARS = 240
MAX_LINES = 400
"""How many of the newest sentences are ranked for one summary: more would not fit in any."""
_MAX_EXCHANGE_CHARS = 60_000
_MAX_COMPARED = 60
_MAX_TURNS_TO_ANSWER = 3
_MIN_WORDS, _MIN_WORDS_OF_SMALL_TALK, _MIN_WORDS_OF_OPEN_QUESTION = 4, 6, 3
_ANSWER = " - "
"""Between a question and its answer, which begins with its speaker's name like every other line."""

_SPEAKER = re.compile(r"^\[(?P<who>[^\]\n]{1,60})\]:\s?(?P<text>.*)$")
_SUMMARY_LINE = re.compile(r"^(?P<who>[^\s:.!?][^:.!?\n]{0,39}): (?P<text>.+)$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])(?<!\b\d\.)(?<!\b\d\d\.)\s+|(?<=[。！？])\s*")
"""A number with a point may be a day: "Am 12. März"."""
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_COMMAND = re.compile(r"[!/]\w")
_TAG = re.compile(r"^\[\w+:.*\]$")
"""What a chat shows besides words, such as `[image: a cat]`."""
_QUESTION = re.compile(r"[?？][\s)\"'”」]*$|か。?$")
_PAIR = re.compile(rf"[?？][)\"'”」]*{_ANSWER}|か。?{_ANSWER}")

_DECISION, _DUTY, _QUESTION_RANK, _STATEMENT, _SMALL_TALK = range(5)
"""What is kept first when there is too little room."""


@cache
def _cues() -> dict[str, str]:
    """For each cue, the expressions of all languages in one."""
    languages = read_tables(Path(__file__).with_suffix(".toml")).values()
    names = {name for cues in languages for name in cues}
    return {name: "|".join(f"(?:{cues[name]})" for cues in languages if name in cues) for name in names}


_EXPRESSIONS = Patterns(re.IGNORECASE, _cues)


@dataclass(frozen=True, slots=True)
class _Turn:
    speaker: str
    sentences: Sequence[str]
    is_assistant: bool


@dataclass(frozen=True, slots=True)
class _Line:
    """A sentence with its speaker, or a question with its answer."""

    speaker: str
    text: str

    def __str__(self) -> str:
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


def summarize(previous: str | None, exchange: str, limit: int, assistant: str = "") -> str:
    """The most important lines of the previous summary and the exchange, within the limit and a share of what was said;
    empty when that leaves no room for anything.
    """
    previous, exchange = (previous or "").strip(), exchange[-_MAX_EXCHANGE_CHARS:]
    turns = list(_read_turns(exchange, assistant))
    room = int(MAX_SHARE * sum(map(len, _texts(exchange))))
    lines = [*_read_summary(previous), *_read_exchange(turns)][-MAX_LINES:]
    people = {line.speaker for line in lines} | {turn.speaker for turn in turns if not turn.is_assistant}
    if len(people - {""}) <= 1:  # who talks with the assistant alone asks nobody else: what is open stays so
        lines = [line for line in lines if _PAIR.search(line.text) or not requests.is_question(line.text)]
    return _fit(_drop_outdated(lines), min(limit, len(previous) + room))


def shorten(summary: str, limit: int, assistant: str = "") -> str:
    """The most important lines of a summary within the limit."""
    del assistant  # a summary has only lines worth keeping
    summary = summary.strip()
    if len(summary) <= limit:
        return summary
    lines = list(_read_summary(summary))[-MAX_LINES:]
    return _fit(_drop_outdated(lines), limit) or clip(str(lines[0]) if lines else "", limit)


def _read_summary(summary: str) -> Iterator[_Line]:
    for line in summary.splitlines():
        match = _SUMMARY_LINE.match(line.strip())
        speaker, text = (match["who"], match["text"]) if match else ("", line)
        if _PAIR.search(text):
            yield _Line(speaker, text)
        else:
            yield from (_Line(speaker, sentence) for sentence in _sentences(text))


def _texts(exchange: str) -> Iterator[str]:
    """What was said, without the names of the speakers."""
    for line in exchange.splitlines():
        match = _SPEAKER.match(line.strip())
        yield match["text"] if match else line.strip()


def _read_turns(exchange: str, assistant: str) -> Iterator[_Turn]:
    turns: list[tuple[str, list[str]]] = []
    for line in _CODE.sub(" ", exchange).splitlines():
        match = _SPEAKER.match(line.strip())
        if match:
            turns.append((match["who"], [match["text"]]))
        elif turns:
            turns[-1][1].append(line)
    assistants = {"bot", "assistant", assistant.lower()} - {""}
    recited = False  # whether memory answered by itself: neither that nor the question has to be summed up
    kept: list[tuple[str, str, bool]] = []
    for speaker, lines in reversed(turns):
        text, is_assistant = "\n".join(lines), speaker.lower() in assistants
        is_recital = is_assistant and requests.is_recall_reply(text)
        if not (is_recital or (recited and requests.is_question(text)) or _COMMAND.match(text)):
            kept.append((speaker, text, is_assistant))
        recited = is_recital
    for speaker, text, is_assistant in reversed(kept):
        yield _Turn(speaker, list(_sentences(text, filler=True)), is_assistant)


def _sentences(text: str, *, filler: bool = False) -> Iterator[str]:
    for line in text.splitlines():
        for sentence in _SENTENCE_END.split(line):
            normalized = collapse_spaces(sentence).strip(" -*•#>")
            if len(normalized) > 1 and not _TAG.match(normalized) and (filler or not _is_filler(normalized)):
                yield clip(normalized, MAX_LINE_CHARS)


def _is_filler(sentence: str) -> bool:
    return bool(_EXPRESSIONS.filler.match(sentence[:MAX_LINE_CHARS]))


def _read_exchange(turns: Sequence[_Turn]) -> Iterator[_Line]:
    """What people said, and what they were answered; the assistant's other words repeat what is known anyway."""
    answers: set[tuple[int, str]] = set()
    for index, turn in enumerate(turns):
        if turn.is_assistant:
            continue
        questions = [sentence for sentence in turn.sentences if _is_question(sentence) and not _is_filler(sentence)]
        for sentence in turn.sentences:
            if _is_filler(sentence) or (index, sentence) in answers:
                continue
            if not _is_question(sentence):
                yield _Line(turn.speaker, sentence)
            elif sentence == questions[-1]:  # of several in a row, the last one gets the answer
                answer = _find_answer(turns, index)
                if answer is None:
                    yield _Line(turn.speaker, sentence)
                elif answer:
                    position, words_said = answer
                    answers.add(answer)
                    yield _Line(turn.speaker, f"{sentence}{_ANSWER}{turns[position].speaker}: {words_said}")


def _is_question(sentence: str) -> bool:
    return bool(_QUESTION.search(sentence))


def _find_answer(turns: Sequence[_Turn], asked: int) -> tuple[int, str] | tuple[()] | None:
    """The turn and the sentence that answer a question; None if nobody has answered yet, and nothing if all that came
    was the assistant's memory: it is known without a summary.
    """
    answers: tuple[()] | None = None
    for index in range(asked + 1, min(len(turns), asked + 1 + _MAX_TURNS_TO_ANSWER)):
        turn = turns[index]
        if turn.speaker == turns[asked].speaker or (turn.is_assistant and answers is not None):
            continue
        statements = [sentence for sentence in turn.sentences if not _is_question(sentence)]
        if turn.is_assistant:
            is_memory = any(map(_EXPRESSIONS.echo.search, statements))  # often only its first line says so
            statements = [text for text in statements if not _is_filler(text) and not text.endswith(("!", "！", ":"))]
            if is_memory or not statements:
                answers = ()
                continue
        for sentence in statements:
            if _EXPRESSIONS.answer.match(sentence) or not _is_filler(sentence):
                return index, sentence
    return answers


def _drop_outdated(lines: Sequence[_Line]) -> list[_Line]:
    """The lines without repetitions, duties that are done, and what the same speaker later took back."""
    current: list[_Line] = []
    seen: set[str] = set()
    done: list[Collection[str]] = []
    for line in reversed(lines):
        key, rank = normalize(str(line)), _rank(line)
        if key in seen or _is_outdated(line, current) or (rank == _DUTY and _is_done(line, done)):
            continue
        if rank > _DUTY and _EXPRESSIONS.done.search(line.text):
            done.append(set(content_words(line.text)))
        seen.add(key)
        current.append(line)
    return current[::-1]


def _is_outdated(line: _Line, newer: Sequence[_Line]) -> bool:
    stale = (Similarity.SAME, Similarity.CONTRADICTS, Similarity.RICHER)
    return any(
        compare(other.text, line.text) in stale for other in newer[-_MAX_COMPARED:] if other.speaker == line.speaker
    )


def _is_done(duty: _Line, done: Sequence[Collection[str]]) -> bool:
    """Whether someone said later that it is done: most of what is left to do is named again."""
    todo = set(content_words(duty.text))
    return any(len(todo.intersection(said)) >= max(1, len(todo) / 3) for said in done)


def _fit(lines: Sequence[_Line], limit: int) -> str:
    """The most important lines that fit; they are shown by importance and in the order of time."""
    ranks = [_rank(line) for line in lines]
    order = sorted(range(len(lines)), key=lambda index: (_cost(lines[index], ranks[index], index / len(lines)), -index))
    chosen: dict[int, str] = {}
    remaining_chars = limit
    for index in order:
        line, room = lines[index], remaining_chars - (1 if chosen else 0)
        if _is_slight(line, ranks[index]):
            continue
        wordings = _shortened(line, _MIN_WORDS - 1), str(line), _shortened(line)
        text = next((wording for wording in wordings if wording and len(wording) <= room), "")
        if text:
            chosen[index] = text
            remaining_chars = room - len(text)
    return "\n".join(chosen[index] for index in sorted(chosen, key=lambda index: (ranks[index], index)))


def _shortened(line: _Line, min_words: int = 1) -> str:
    """A question with the first clause of its answer, unless the rest restricts it or has numbers; empty if it can't be
    shorter.
    """
    pair = _PAIR.search(line.text)
    clause, _, rest = line.text[pair.end() :].partition(", ") if pair else ("", "", "")
    is_restricted = re.search(rf"\d|\b(?:{_EXPRESSIONS.restriction.pattern})\b", rest, re.IGNORECASE)
    says_enough = len(words(clause.partition(": ")[2])) >= min_words
    return (
        f"{line.speaker}: {line.text[: pair.end()]}{clause}"
        if pair and rest and says_enough and not is_restricted
        else ""
    )


def _rank(line: _Line) -> int:
    text = line.text
    if _EXPRESSIONS.decision.search(text) and not _EXPRESSIONS.tentative.search(text):
        return _DECISION
    if _EXPRESSIONS.duty.search(text):
        return _DUTY
    if _PAIR.search(text) or _is_question(text):
        return _QUESTION_RANK
    return _STATEMENT if _EXPRESSIONS.personal.search(text) or _EXPRESSIONS.reason.search(text) else _SMALL_TALK


def _cost(line: _Line, rank: int, recency: float) -> float:
    """What is kept first costs least: decisions, duties, and then what says much, is new, or was asked."""
    if rank <= _DUTY:
        return rank - recency / 2
    has_number, has_name = re.search(r"\d", line.text), re.search(r"(?<=[a-z,] )[A-Z][a-z]", line.text)
    base = 2.5 if rank == _QUESTION_RANK else rank
    return base - recency - 0.6 * bool(has_number) - 0.6 * bool(has_name)


def _is_slight(line: _Line, rank: int) -> bool:
    """Whether a line says too little to be kept, such as an exclamation, or "lunch?" that nobody answered."""
    if rank == _QUESTION_RANK and not _PAIR.search(line.text):
        return line.text.isascii() and len(words(line.text)) < _MIN_WORDS_OF_OPEN_QUESTION  # Japanese has no spaces
    min_words = _MIN_WORDS_OF_SMALL_TALK if rank == _SMALL_TALK else _MIN_WORDS
    return rank > _QUESTION_RANK and (line.text.endswith(("!", "！")) or len(words(line.text)) < min_words)
