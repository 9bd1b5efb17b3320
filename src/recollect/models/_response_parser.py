"""What a model wrote, read as far as that is safe. Never raises: what can't be used is skipped and named.

The answer is one JSON object of upserts and deprecations, but models wrap, rename, shorten and break it. Where several
JSON values stand in a text, the fullest shape wins (upserts over facts, over a bare array, over a single fact), then
one in a fence over one in prose, then the first: so an example in prose gives way to an answer in a fence.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from recollect.core.ports.model import ExtractionResult, Proposal, Retraction
from recollect.core.text import clean, collapse_spaces
from recollect.core.types import Kind
from recollect.policy.kinds import CATEGORIES, MAX_TAGS, TYPES, tags

LONGEST = 200_000
"""Characters that are read of an answer."""


_DEEPEST = 32


_ATTEMPTS = 64
"""Places at which JSON may begin that are tried."""


_ELEMENTS = 200


_USUAL = 0.7
"""Confidence in a proposal that names none."""


_PROBLEMS = 50


_EARLIEST, _LATEST = 1900, 2200
"""Years in which something can have happened; year 1 is what a program writes for "never"."""


_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


_START = re.compile(r"[\[{]")


_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


_MARKUP = re.compile(r"```\w*|\s+")


_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")


_LABELS = frozenset([*Kind, *TYPES, *CATEGORIES, "general"])


_TEXT = ("text", "fact", "content", "memory", "statement")


_KIND = ("kind", "type", "category")


_EVIDENCE = ("evidence", "quote", "source_quote", "sourceQuote")


_REPLACES = ("replaces", "supersedes")


_MESSAGE = ("message", "messageId", "message_id")


_UPSERTS = ("upserts", "facts", "memories", "items")


_DEPRECATIONS = ("deprecations", "retractions", "deletions")


@dataclass(frozen=True, slots=True)
class _JsonFragment:
    """A JSON value found in a text."""

    value: Any
    end: int
    fenced: bool
    whole: bool


def parse_response(text: str, most: int | None = None) -> ExtractionResult:
    """The proposals and retractions in what a model wrote; at most `most` proposals."""
    problems = ["cut off"] if len(text) > LONGEST else []
    text = clean(text[:LONGEST])
    pieces = list(_pieces(text, problems))
    best = max(pieces, key=lambda piece: (_shape(piece.value), piece.fenced), default=None)
    if best is None or not _is_answer(best.value, text):
        problems.append("no JSON" if best is None else "no facts in the JSON")
        return ExtractionResult(problems=tuple(dict.fromkeys(problems)), flaw=problems[-1])
    flaw = "" if best.whole else "cut off"
    if flaw:
        problems.append(flaw)
    upserts, deprecations = _parts(best.value)
    proposals = list(_proposals(upserts, problems))
    retractions = tuple(_retractions(deprecations, problems))
    if (upserts or deprecations) and not proposals and not retractions:
        flaw = problems[-1]
    if most is not None and len(proposals) > max(0, most):
        problems.append("more than asked for")
        proposals = proposals[: max(0, most)]
    return ExtractionResult(tuple(proposals), retractions, tuple(dict.fromkeys(problems))[:_PROBLEMS], flaw=flaw)


def _pieces(text: str, problems: list[str]) -> Iterator[_JsonFragment]:
    """The JSON values that stand in a text, side by side."""
    fences = [fence.span() for fence in _FENCE.finditer(text)]
    at = 0
    for _ in range(_ATTEMPTS):
        start = _START.search(text, at)
        if start is None:
            return
        piece = _piece(text, start.start(), any(first <= start.start() < end for first, end in fences), problems)
        at = start.end() if piece is None else piece.end
        if piece is not None:
            yield piece
    problems.append("too many brackets")


def _piece(text: str, start: int, fenced: bool, problems: list[str]) -> _JsonFragment | None:
    """The JSON value that begins here, or what is complete of it; None when there is none."""
    open_brackets: list[str] = []
    last, missing = 0, ""
    for token in _TOKEN.finditer(text, start):
        sign = token[0]
        if sign in "[{":
            open_brackets.append("]" if sign == "[" else "}")
            if len(open_brackets) > _DEEPEST:
                problems.append("nested too deeply")
                return None
        elif sign in "]}":
            if open_brackets.pop() != sign:
                return None
            if not open_brackets:
                value = _parsed(text[start : token.end()])
                return None if value is None else _JsonFragment(value, token.end(), fenced, whole=True)
            if sign == "}" and open_brackets[-1] == "]":
                last, missing = token.end(), "".join(reversed(open_brackets))
    value = _parsed(text[start:last] + missing) if last else None  # cut off: what is complete of it
    return None if value is None else _JsonFragment(value, len(text), fenced, whole=False)


def _parsed(source: str) -> Any:
    """A JSON array or object, or None; whole numbers stay text, which has no limit."""
    for attempt in (source, _TRAILING_COMMA.sub(r"\1", source)):
        try:
            return json.loads(attempt, strict=False, parse_int=str, parse_constant=_nothing)
        except (ValueError, RecursionError):
            continue
    return None


def _nothing(_: str) -> None:
    """NaN and the infinities say nothing."""


def _shape(value: Any) -> int:
    """How much a value looks like an answer; below 0 it is none."""
    if isinstance(value, list):
        elements = cast("list[Any]", value)
        return 1 if any(isinstance(one, dict) for one in elements) else -1 if elements else 0
    if not isinstance(value, dict):
        return -1
    given = cast("dict[str, Any]", value)
    if not given:
        return 0
    if "upserts" in given or "deprecations" in given:
        return 4
    if any(name in given for name in (*_UPSERTS, *_DEPRECATIONS)):
        return 3
    if _first(given, _TEXT) is not None:
        return 1
    return 2 if any(_shape(inner) >= 3 for inner in given.values()) else -1


def _is_answer(value: Any, text: str) -> bool:
    """Whether a value answers the question. A bare empty one does so only alone: inside of an answer that was cut off
    in its first element it is that element's list of tags.
    """
    if value in ([], {}):
        return _MARKUP.sub("", text) in ("[]", "{}")
    return _shape(value) >= 0


def _parts(value: Any) -> tuple[list[Any], list[Any]]:
    """The elements to keep and those to retract."""
    if isinstance(value, list):
        return cast("list[Any]", value), []
    given = cast("dict[str, Any]", value)
    if not given:
        return [], []
    if _shape(given) == 1:
        return [given], []
    if _shape(given) == 2:
        return _parts(next(inner for inner in given.values() if _shape(inner) >= 3))
    return _listed(_first(given, _UPSERTS)), _listed(_first(given, _DEPRECATIONS))


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _proposals(elements: list[Any], problems: list[str]) -> Iterator[Proposal]:
    if len(elements) > _ELEMENTS:
        problems.append("too many elements")
    for number, element in enumerate(elements[:_ELEMENTS], 1):
        if not isinstance(element, dict):
            problems.append(f"element {number} is no object")
            continue
        given = cast("dict[str, Any]", element)
        text = _text(_first(given, _TEXT))
        if not text:
            problems.append(f"element {number} has no text")
            continue
        yield _proposal(given, text, problems)


def _proposal(given: Mapping[str, Any], text: str, problems: list[str]) -> Proposal:
    source: Any = given.get("source")
    inner = cast("dict[str, Any]", source) if isinstance(source, dict) else {}
    return Proposal(
        text=text,
        kind=_kind(_first(given, _KIND), problems),
        evidence=_text(_first(given, _EVIDENCE)) or _text(_first(inner, _EVIDENCE)),
        message=_text(_first(given, _MESSAGE)) or _text(_first(inner, _MESSAGE)),
        id=_text(given.get("id")) or None,
        replaces=_several(_first(given, _REPLACES)),
        about=_text(given.get("about")) or None,
        tags=tags(_several(given.get("tags"))),
        confidence=_confidence(given.get("confidence"), problems),
        happened=_time(given.get("happened"), problems),
    )


def _retractions(elements: list[Any], problems: list[str]) -> Iterator[Retraction]:
    for number, element in enumerate(elements[:_ELEMENTS], 1):
        given = cast("dict[str, Any]", element) if isinstance(element, dict) else {"id": element}
        memo_id = _text(given.get("id")) or None
        match = _text(_first(given, ("matchText", "match_text", "match", "text"))) or None
        if memo_id is None and match is None:
            problems.append(f"deprecation {number} names nothing")
            continue
        yield Retraction(_text(given.get("reason")) or "no longer so", memo_id, match)


def _text(value: Any) -> str:
    """A text or number as one line; anything else is nothing."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return collapse_spaces(clean(str(value)))


def _several(value: Any) -> tuple[str, ...]:
    """Distinct texts of an array, or of a text with commas."""
    parts: list[Any] = value.split(",") if isinstance(value, str) else _listed(value)
    return tuple(dict.fromkeys(text for text in map(_text, parts[:MAX_TAGS]) if text))


def _kind(value: Any, problems: list[str]) -> str:
    kind = _text(value).lower()
    if kind in _LABELS:
        return kind
    problems.append("unknown kind" if kind else "no kind")
    return "other"


def _confidence(value: Any, problems: list[str]) -> float:
    if value is None:
        return _USUAL
    try:
        number = float(_text(value))
    except ValueError:
        number = float("nan")
    if math.isnan(number):
        problems.append("confidence is no number")
        return _USUAL
    return min(1.0, max(0.0, number))


def _time(value: Any, problems: list[str]) -> datetime | None:
    """A day or a time; one without a zone is taken as UTC."""
    text = _text(value)
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or not _EARLIEST <= found.year <= _LATEST:
        problems.append("happened is no date")
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
