"""Secret values out of a text before anything is stored: keys by their format, passwords by how people tell them.

Runs on every observed message, so each search has a cheap test before it. Mentions of secrets stay as they are.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from recollect.policy.redaction import known_formats, spoken_secrets
from recollect.policy.redaction.span import MARK, Span
from recollect.policy.redaction.visible_text import visible_text

_ROUNDS = 4
"""A mark put in place of one secret may set off another; that is rare and soon over."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names their kinds, never their values."""

    text: str
    found: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """The text with every secret value replaced by a mark such as `[redacted: AWS key]`."""
    found: dict[str, None] = {}
    for _ in range(_ROUNDS):
        spans = _disjoint(_spans(text), text)
        if not spans:
            break
        found |= dict.fromkeys(span.label for span in spans)
        text = _marked(text, spans)
    return Redacted(text, tuple(found))


@lru_cache(maxsize=1024)
def redact_name(name: str) -> str:
    """What someone is called, without secrets; the same few over and over."""
    return redact(name).text


def redact_tags(given: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are kept: each once, in small letters, without secrets, which are known by their capitals too."""
    kept = dict.fromkeys(redact(tag.strip()).text.lower()[:100] for tag in given if tag.strip())
    return tuple(kept)[:50]


def _spans(text: str) -> Iterator[Span]:
    """Where secrets stand in a text, and in what it shows if that is not the same."""
    yield from known_formats.spans(text)
    yield from spoken_secrets.spans(text)
    if clear := visible_text(text):
        yield from map(clear.placed, known_formats.spans(clear.text))
        yield from map(clear.placed, spoken_secrets.spans(clear.text))


def _disjoint(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order, overlapping ones joined under the label of the first."""
    found = sorted(spans)
    if not found:
        return []
    marks = [mark.span() for mark in MARK.finditer(text)]
    joined: list[Span] = []
    for span in filter(None, (_beside_marks(span, marks) for span in found)):
        if joined and span.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Span(last.start, max(last.end, span.end), last.label)
        else:
            joined.append(span)
    return joined


def _beside_marks(span: Span, marks: list[tuple[int, int]]) -> Span | None:
    """The span with the whole of a mark of before that it cuts into; nothing when it lies inside of one."""
    before = bisect_left(marks, (span.end, 0))
    start, end = marks[before - 1] if before else (0, 0)
    if end <= span.start:
        return span
    return (
        None
        if start <= span.start and span.end <= end
        else Span(min(start, span.start), max(end, span.end), span.label)
    )


def _marked(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += [text[end : span.start], f"[redacted: {span.label}]"]
        end = span.end
    return "".join([*parts, text[end:]])
