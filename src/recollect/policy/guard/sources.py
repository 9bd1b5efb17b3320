"""Whether a sentence of the assistant's rests on what people said: a memory line, or a line of a summary.

Unlike a proposal it comes without a quote, so the words are looked up in everything that was said.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from recollect.core.reasons import Reason
from recollect.core.text import clip, collapse_spaces, words
from recollect.core.types import Message
from recollect.language import word_forms
from recollect.policy.guard.case import Case, Claim
from recollect.policy.guard.checks import FACT_CHECKS, asked, polarity, sincerity
from recollect.policy.guard.grounding import keeps_names, keeps_numbers
from recollect.policy.guard.own_words import own_words
from recollect.policy.guard.quote import MAX_EVIDENCE_CHARS, find_quote, sentences

_MEANING_CHECKS = (sincerity, asked, polarity)


@dataclass(frozen=True, slots=True)
class Source:
    """The message on which a sentence rests, and its words there."""

    message: Message
    quote: str


def find_source(sentence: str, messages: Sequence[Message]) -> Source | Reason:
    """What a sentence rests on: all its words were said by people, most of them in the sentence that is returned."""
    claim = Claim(sentence, "")
    for check in FACT_CHECKS:
        if reason := check.refuse(claim):
            return reason
    said = [(message, own_words(message.text, message.name)) for message in messages if not message.bot]
    everything, names = "\n".join(text for _, text in said), " ".join(message.name for message, _ in said)
    if reason := unsupported_reason(
        sentence, everything, max((message.at.date() for message, _ in said), default=None), names
    ):
        return reason
    content = word_forms.content_words(sentence, names)
    message, quote = max(
        ((message, quote) for message, text in said for quote in sentences(text)),
        key=lambda row: (sum(word_forms.is_stated(word, words(row[1])) for word in content), row[0].at),
    )
    return _meaning_reason(sentence, message, quote) or Source(
        message, clip(collapse_spaces(quote), MAX_EVIDENCE_CHARS)
    )


def unsupported_reason(sentence: str, said: str, today: date | None, names: str = "") -> Reason | None:
    """Why a sentence says what was not said: a word, a number or a name."""
    if today is None or not word_forms.has_words_of(said, sentence, names):
        return Reason.TOO_FEW_WORDS
    if not keeps_numbers(sentence, said, today):
        return Reason.NUMBER_NOT_SAID
    return None if keeps_names(sentence, said, names) else Reason.NAME_NOT_SAID


def _meaning_reason(sentence: str, message: Message, quoted: str) -> Reason | None:
    quote = find_quote(quoted, own_words(message.text, message.name))
    if quote is None:
        return Reason.NO_QUOTE
    case = Case(sentence, quoted, quote, message)
    for check in _MEANING_CHECKS:
        if reason := check.refuse(case):
            return reason
    return None
