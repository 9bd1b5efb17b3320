"""Redaction of secret values before anything is stored: keys by their format, passwords by how people state them.

Runs on every message, so each search has a cheap test before it. Mere mentions of secrets are not redacted.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from recollect.core.types import Place
from recollect.policy.redaction import (
    codes,
    commands,
    key_material,
    known_formats,
    numbers,
    seed_phrases,
    spoken_secrets,
)
from recollect.policy.redaction.span import MARKER, Span
from recollect.policy.redaction.visible_text import visible_text

_DIGIT = re.compile(r"\d")
_MAX_PASSES = 4
"""A marker may complete the pattern of another secret; that is rare and ends after a pass or two."""
_MAX_TAGS, _MAX_TAG_CHARS = 50, 100


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names their kinds, never their values."""

    text: str
    labels: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """The text with every secret value replaced by a marker such as `[redacted: AWS key]`."""
    labels: dict[str, None] = {}
    for _ in range(_MAX_PASSES):
        spans = _disjoint(_spans(text), text)
        if not spans:
            break
        labels |= dict.fromkeys(span.label for span in spans)
        text = _replace_spans(text, spans)
    return Redacted(text, tuple(labels))


@lru_cache(maxsize=1024)
def redact_name(name: str) -> str:
    """A display name without secrets; cached, because the same few names recur."""
    return redact(name).text


def redact_place(place: Place) -> Place:
    """The place; what it is called is text that people chose."""
    name = place.name and redact_name(place.name)
    return place if name == place.name else replace(place, name=name)


def redact_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags without secrets, each once, in lower case."""
    # Redact before lowering: some formats of secrets are recognized by their capitals.
    redacted = dict.fromkeys(redact(tag.strip()).text.lower()[:_MAX_TAG_CHARS] for tag in tags if tag.strip())
    return tuple(redacted)[:_MAX_TAGS]


def _spans(text: str) -> Iterator[Span]:
    """The secrets in a text, and in its visible form if that differs."""
    yield from _plain_spans(text)
    if visible := visible_text(text):
        yield from map(visible.original_span, _plain_spans(visible.text))


def _plain_spans(text: str) -> Iterator[Span]:
    lower = text.replace("İ", "i").lower()  # the only letter whose lower case is longer
    yield from spoken_secrets.spans(text, lower)
    yield from seed_phrases.spans(lower)
    yield from commands.spans(text, lower)
    if _DIGIT.search(text):
        yield from numbers.spans(text, lower)
        yield from codes.spans(text, lower)
    if known_formats.LONG_RUN.search(text):
        yield from known_formats.spans(text)
        yield from key_material.spans(text, lower)


def _disjoint(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order, overlapping ones merged under the label of the first."""
    in_order = sorted(spans)
    if not in_order:
        return []
    markers = [match.span() for match in MARKER.finditer(text)]
    merged: list[Span] = []
    for span in filter(None, (_cover_marker(span, markers) for span in in_order)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.label)
        else:
            merged.append(span)
    return merged


def _cover_marker(span: Span, markers: list[tuple[int, int]]) -> Span | None:
    """The span, extended over an earlier pass's marker that it overlaps; None if it lies inside one."""
    index = bisect_left(markers, (span.end, 0))
    start, end = markers[index - 1] if index else (0, 0)
    if end <= span.start:
        return span
    if start <= span.start and span.end <= end:
        return None
    return Span(min(start, span.start), max(end, span.end), span.label)


def _replace_spans(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += [text[end : span.start], f"[redacted: {span.label}]"]
        end = span.end
    return "".join([*parts, text[end:]])
