"""Redaction of secret values before anything is stored: keys by their format, passwords by how people state them.

Runs on every message, so each search has a cheap test before it. Mere mentions of secrets are not redacted.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from recollect.core.text import collapse_spaces, valid_memo_text
from recollect.core.types import Place
from recollect.policy.redaction.span import Span

_MAX_PASSES = 4
"""A marker may complete the pattern of another secret; that is rare and ends after a pass or two."""
_MAX_TAGS, _MAX_TAG_CHARS = 50, 100
_MAX_READ_TAGS, _MAX_READ_TAG_CHARS = 10 * _MAX_TAGS, 10 * _MAX_TAG_CHARS
"""What is read of tags, as some are the same, and a secret that is cut in the middle is not recognized."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets; `found` names their kinds, never their values."""

    text: str
    labels: tuple[str, ...] = ()


def redact(text: str) -> Redacted:
    """The text with every secret value replaced by a marker such as `[redacted: AWS key]`."""
    from recollect.policy.redaction.scan import secrets_in  # a hundred patterns, compiled on first use

    labels: dict[str, None] = {}
    for _ in range(_MAX_PASSES):
        spans = secrets_in(text)
        if not spans:
            break
        labels |= dict.fromkeys(span.label for span in spans)
        text = _replace_spans(text, spans)
    return Redacted(text, tuple(labels))


def redact_memo(text: str) -> Redacted:
    """The text of a memo, on one line, without secrets; raises BadInput if it is empty or too long.

    What is a secret may depend on the lines: in a table the name stands above it.
    """
    line = valid_memo_text(text)
    if "\n" not in text:
        return redact(line)
    by_lines = redact(text)
    on_one = redact(collapse_spaces(by_lines.text)) if by_lines.labels else redact(line)
    return Redacted(on_one.text, tuple(dict.fromkeys(by_lines.labels + on_one.labels)))


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
    stripped = (tag.strip()[:_MAX_READ_TAG_CHARS] for tag in islice(tags, _MAX_READ_TAGS))
    redacted = dict.fromkeys(redact(tag).text.lower()[:_MAX_TAG_CHARS] for tag in stripped if tag)
    return tuple(redacted)[:_MAX_TAGS]


def _replace_spans(text: str, spans: Iterable[Span]) -> str:
    parts: list[str] = []
    end = 0
    for span in spans:
        parts += [text[end : span.start], f"[redacted: {span.label}]"]
        end = span.end
    return "".join([*parts, text[end:]])
