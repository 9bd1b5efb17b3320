"""Every search for secrets, in order; imported by the first `redact`, because that takes long."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from recollect.core.lazy import lazy_pattern
from recollect.language.prefilter import LiteralIndex
from recollect.policy.redaction import (
    access,
    codes,
    commands,
    indirect,
    key_material,
    known_formats,
    mentioned,
    named_keys,
    nearby,
    numbers,
    opened,
    pairs,
    phrases,
    seed_phrases,
    spoken_secrets,
)
from recollect.policy.redaction.shapes import MIXED
from recollect.policy.redaction.span import MARKER, Span
from recollect.policy.redaction.visible_text import visible_text

_DIGIT = lazy_pattern(r"\d")
_GENERAL_LABELS = ("password", "PIN", "key")
_LITERALS = LiteralIndex[Callable[..., Iterator[Span]]](
    {
        access.codes: access.CODE_LITERALS,
        access.answers: access.QUESTION_LITERALS,
        indirect.spans: indirect.LITERALS,
        seed_phrases.spans: seed_phrases.NAMES,
        commands.spans: commands.LITERALS,
        codes.spans: codes.LITERALS,
        numbers.spans: numbers.ID_STEMS,
        named_keys.spans: named_keys.LITERALS,
        nearby.turn_spans: nearby.TURN_LITERALS,
        **nearby.VALUE_SEARCHES,
        **phrases.SEARCHES,
    }
)
"""What each search needs: one pass over a text excludes most of them."""


def secrets_in(text: str) -> list[Span]:
    """The secrets of a text, in order; overlapping ones are merged."""
    return _disjoint(_spans(text), text)


def _spans(text: str) -> Iterator[Span]:
    """The secrets in a text, and in its visible form if that differs."""
    yield from _plain_spans(text)
    if visible := visible_text(text):
        yield from map(visible.original_span, _plain_spans(visible.text))


def _plain_spans(text: str) -> Iterator[Span]:
    lower = text.replace("İ", "i").lower()  # the only letter whose lower case is longer
    # One cheap search decides whether the slow patterns run; most messages mention no secret.
    if spoken_secrets.mentions(lower):
        yield from spoken_secrets.spans(text, lower)
        yield from mentioned.spelled_spans(lower)
        yield from mentioned.field_spans(text, lower)
    found = _LITERALS.found_in(lower)
    if access.codes in found:
        yield from access.codes(lower)
    for search in (access.answers, indirect.spans, commands.spans, *phrases.SEARCHES):
        if search in found:
            yield from search(text, lower)
    yield from nearby.phrase_spans(lower)
    yield from seed_phrases.spans(lower, is_named=seed_phrases.spans in found)
    # Codes and mixed secrets have digits, so texts without any skip all of these.
    is_joined = opened.JOINED.search(text) is not None
    if _DIGIT.search(text):
        yield from _spans_with_digits(text, lower, found, is_joined=is_joined)
    elif is_joined:
        yield from opened.spans(text, lower)
        yield from pairs.spans(text, lower)
    elif "/" in text:
        yield from pairs.spans(text, lower)
    if known_formats.LONG_RUN.search(text):
        yield from known_formats.spans(text)
        yield from key_material.spans(text, lower)


def _spans_with_digits(
    text: str, lower: str, found: set[Callable[..., Iterator[Span]]], *, is_joined: bool
) -> Iterator[Span]:
    mixed, has_code = MIXED.search(text) is not None, nearby.has_code(lower)
    if mixed or is_joined or opened.CANDIDATE.search(text):
        yield from opened.spans(text, lower)
    if mixed or is_joined or "/" in text:
        yield from pairs.spans(text, lower)
        yield from pairs.changed_spans(text, lower)
    if nearby.turn_spans in found:
        yield from nearby.turn_spans(lower)
    if has_code:
        yield from nearby.named_spans(lower)
    if has_code or mixed:
        for search in found.intersection(nearby.VALUE_SEARCHES):
            yield from search(text, lower)
    if mixed:
        yield from nearby.sign_spans(text)
        yield from mentioned.spans(text, lower)
    if named_keys.spans in found:
        yield from named_keys.spans(text, lower)
    yield from numbers.spans(text, lower, is_named=numbers.spans in found)
    if codes.spans in found or not lower.isascii():
        yield from codes.spans(text, lower)


def _disjoint(spans: Iterable[Span], text: str) -> list[Span]:
    """Spans in order, overlapping ones merged under the label of the first, or of the one that says more."""
    in_order = sorted(spans, key=lambda span: (span.start, span.label in _GENERAL_LABELS, span.end))
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
