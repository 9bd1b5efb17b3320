"""Parses what a model wrote. Never raises: what can't be used is skipped and reported as a problem.

The answer is one JSON object of upserts and deprecations, but models wrap, rename, shorten and break it. Where a text
contains several JSON values, the fullest shape wins (upserts over facts, over a bare array, over a single fact), then
one in a fence over one in prose, then the first: an example in prose loses to an answer in a fence.
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

MAX_RESPONSE_CHARS = 200_000
"""Characters read of an answer."""
_MAX_DEPTH = 32
_MAX_ATTEMPTS = 64
"""How many opening brackets are tried as the start of a JSON value."""
_MAX_ELEMENTS = 200
_DEFAULT_CONFIDENCE = 0.7
"""Confidence of a proposal that states none."""
_MAX_PROBLEMS = 50
_MIN_YEAR, _MAX_YEAR = 1900, 2200
"""Plausible years of an event; programs write year 1 for "never"."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_START = re.compile(r"[\[{]")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_MARKUP = re.compile(r"```\w*|\s+")
_TRAILING_COMMA = re.compile(r",(\s*+[}\]])")
_NAMED = re.compile(r'\s*[{\[]*\s*"')
"""How JSON goes on after its first bracket."""
_LOOP = re.compile(r"(?=\S)(.{4,60}?)\1{5}", re.DOTALL)
_MAX_LOOP_CHARS = 1_000
_LABELS = frozenset([*Kind, *TYPES, *CATEGORIES, "general"])
_TEXT_FIELDS = ("text", "fact", "content", "memory", "statement")
_KIND_FIELDS = ("kind", "type", "category")
_EVIDENCE_FIELDS = ("evidence", "quote", "source_quote", "sourceQuote")
_REPLACES_FIELDS = ("replaces", "supersedes")
_MESSAGE_FIELDS = ("message", "messageId", "message_id")
_MATCH_FIELDS = ("matchText", "match_text", "match", "text")
_UPSERT_FIELDS = ("upserts", "facts", "memories", "items")
_DEPRECATION_FIELDS = ("deprecations", "retractions", "deletions")


@dataclass(frozen=True, slots=True)
class _JsonFragment:
    """A JSON value found in a text."""

    value: Any
    end: int
    fenced: bool
    whole: bool


def parse_response(text: str, max_proposals: int | None = None) -> ExtractionResult:
    """The proposals and retractions in a model's answer; at most `max_proposals` proposals."""
    problems = ["cut off"] if len(text) > MAX_RESPONSE_CHARS else []
    text = clean(text[:MAX_RESPONSE_CHARS])
    fragments = list(_find_fragments(text, problems))
    best = max(fragments, key=lambda fragment: (_shape_rank(fragment.value), fragment.fenced), default=None)
    if best is None or not _is_answer(best.value, text):
        problems.append(_no_answer(text))
        return ExtractionResult(problems=tuple(dict.fromkeys(problems)), flaw=problems[-1])
    flaw = "" if best.whole else "cut off"
    if flaw:
        problems.append(flaw)
    upserts, deprecations = _split_changes(best.value)
    proposals = list(_read_proposals(upserts, problems))
    retractions = tuple(_read_retractions(deprecations, problems))
    proposals = list(dict.fromkeys(proposals))
    if (upserts or deprecations) and not proposals and not retractions:
        flaw = problems[-1]
    if max_proposals is not None and len(proposals) > max(0, max_proposals):
        problems.append("more than asked for")
        proposals = proposals[: max(0, max_proposals)]
    return ExtractionResult(tuple(proposals), retractions, tuple(dict.fromkeys(problems))[:_MAX_PROBLEMS], flaw=flaw)


def _no_answer(text: str) -> str:
    """Why there is no answer in a text."""
    if not text.strip():
        return "the answer is empty"
    if _repeats(text):
        return "the answer repeats itself without end"
    begins = _START.search(text)
    if begins is None:
        return "no JSON"
    if _read_fragment(text, begins.start(), fenced=False, problems=[]) is not None:
        return "no facts in the JSON"
    return "cut off in its first element" if _NAMED.match(text, begins.end()) else "no JSON"


def _find_fragments(text: str, problems: list[str]) -> Iterator[_JsonFragment]:
    """The JSON values in a text, side by side."""
    fences = [fence.span() for fence in _FENCE.finditer(text)]
    position = 0
    for _ in range(_MAX_ATTEMPTS):
        start = _START.search(text, position)
        if start is None:
            return
        fenced = any(first <= start.start() < end for first, end in fences)
        fragment = _read_fragment(text, start.start(), fenced, problems)
        position = start.end() if fragment is None else fragment.end
        if fragment is not None:
            yield fragment
    problems.append("too many brackets")


def _read_fragment(text: str, start: int, fenced: bool, problems: list[str]) -> _JsonFragment | None:
    """The JSON value that begins at `start`, or its complete elements if it is cut off; None when there is none."""
    open_brackets: list[str] = []
    complete_end, closing_brackets = 0, ""
    for token in _TOKEN.finditer(text, start):
        bracket = token[0]
        if bracket in "[{":
            open_brackets.append("]" if bracket == "[" else "}")
            if len(open_brackets) > _MAX_DEPTH:
                problems.append("nested too deeply")
                return None
        elif bracket in "]}":
            if open_brackets.pop() != bracket:
                return None
            if not open_brackets:
                value = _load_json(text[start : token.end()])
                return None if value is None else _JsonFragment(value, token.end(), fenced, whole=True)
            if bracket == "}" and open_brackets[-1] == "]":
                complete_end, closing_brackets = token.end(), "".join(reversed(open_brackets))
    # The text ended first: the value was cut off, so its last complete element is closed.
    value = _load_json(text[start:complete_end] + closing_brackets) if complete_end else None
    return None if value is None else _JsonFragment(value, len(text), fenced, whole=False)


def _load_json(source: str) -> Any:
    """A JSON array or object, or None; integers stay text, which has no size limit."""
    for attempt in (source, _TRAILING_COMMA.sub(r"\1", source)):
        try:
            return json.loads(attempt, strict=False, parse_int=str, parse_constant=_drop_constant)
        except (ValueError, RecursionError):
            continue
    return None


def _drop_constant(_: str) -> None:
    """NaN and the infinities become null."""


def _shape_rank(value: Any) -> int:
    """How much a value looks like an answer; negative if it is none."""
    if isinstance(value, list):
        elements = cast("list[Any]", value)
        return 1 if any(isinstance(element, dict) for element in elements) else -1 if elements else 0
    if not isinstance(value, dict):
        return -1
    fields = cast("dict[str, Any]", value)
    if not fields:
        return 0
    if "upserts" in fields or "deprecations" in fields:
        return 4
    if any(name in fields for name in (*_UPSERT_FIELDS, *_DEPRECATION_FIELDS)):
        return 3
    if _first_field(fields, _TEXT_FIELDS) is not None:
        return 1
    return 2 if any(_shape_rank(inner) >= 3 for inner in fields.values()) else -1


def _is_answer(value: Any, text: str) -> bool:
    """Whether a value is an answer. A bare empty one must stand alone: in an answer that was cut off within its first
    element it is that element's list of tags.
    """
    if value in ([], {}):
        return _MARKUP.sub("", text) in ("[]", "{}")
    return _shape_rank(value) >= 0


def _split_changes(value: Any) -> tuple[list[Any], list[Any]]:
    """The elements to keep and those to retract."""
    if isinstance(value, list):
        return cast("list[Any]", value), []
    fields = cast("dict[str, Any]", value)
    if not fields:
        return [], []
    if _shape_rank(fields) == 1:
        return [fields], []
    if _shape_rank(fields) == 2:
        return _split_changes(next(inner for inner in fields.values() if _shape_rank(inner) >= 3))
    return _as_list(_first_field(fields, _UPSERT_FIELDS)), _as_list(_first_field(fields, _DEPRECATION_FIELDS))


def _first_field(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _read_text_field(fields: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return _read_text(_first_field(fields, names))


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _read_proposals(elements: list[Any], problems: list[str]) -> Iterator[Proposal]:
    if len(elements) > _MAX_ELEMENTS:
        problems.append("too many elements")
    for number, element in enumerate(elements[:_MAX_ELEMENTS], 1):
        if not isinstance(element, dict):
            problems.append(f"element {number} is no object")
            continue
        fields = cast("dict[str, Any]", element)
        text = _read_text_field(fields, _TEXT_FIELDS)
        if not text:
            problems.append(f"element {number} has no text")
            continue
        proposal = _read_proposal(fields, text, problems)
        if _repeats(proposal.text) or _is_loop(fields.get("tags")):
            problems.append(f"element {number} repeats itself")
            continue
        yield proposal


def _repeats(text: str) -> bool:
    """Whether a model got stuck: the same words again and again."""
    return _LOOP.search(text[-_MAX_LOOP_CHARS:]) is not None


def _is_loop(tags: Any) -> bool:
    """Whether a list of tags says the same few over and over."""
    listed = [str(tag) for tag in _as_list(tags)]
    return len(listed) > MAX_TAGS and len(set(listed)) <= len(listed) // 2


def _read_proposal(fields: Mapping[str, Any], text: str, problems: list[str]) -> Proposal:
    source: Any = fields.get("source")
    source_fields = cast("dict[str, Any]", source) if isinstance(source, dict) else {}
    return Proposal(
        text=text,
        kind=_read_kind(_first_field(fields, _KIND_FIELDS), problems),
        evidence=_read_text_field(fields, _EVIDENCE_FIELDS) or _read_text_field(source_fields, _EVIDENCE_FIELDS),
        message=_read_text_field(fields, _MESSAGE_FIELDS)
        or _read_text_field(source_fields, _MESSAGE_FIELDS)
        or _read_text(source),
        id=_read_text(fields.get("id")) or None,
        replaces=_read_texts(_first_field(fields, _REPLACES_FIELDS)),
        about=_read_text(fields.get("about")) or None,
        tags=tags(_read_texts(fields.get("tags"))),
        confidence=_read_confidence(fields.get("confidence"), problems),
        happened=_read_time(fields.get("happened"), problems),
    )


def _read_retractions(elements: list[Any], problems: list[str]) -> Iterator[Retraction]:
    for number, element in enumerate(elements[:_MAX_ELEMENTS], 1):
        fields = cast("dict[str, Any]", element) if isinstance(element, dict) else {"id": element}
        memo_id = _read_text(fields.get("id")) or None
        match = _read_text_field(fields, _MATCH_FIELDS) or None
        if memo_id is None and match is None:
            problems.append(f"deprecation {number} names nothing")
            continue
        evidence = _read_text_field(fields, _EVIDENCE_FIELDS)
        yield Retraction(_read_text(fields.get("reason")) or "no longer so", memo_id, match, evidence)


def _read_text(value: Any) -> str:
    """A text or number as one line; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return collapse_spaces(clean(str(value)))


def _read_texts(value: Any) -> tuple[str, ...]:
    """The distinct texts of an array or of a comma-separated text."""
    parts: list[Any] = value.split(",") if isinstance(value, str) else _as_list(value)
    return tuple(dict.fromkeys(text for text in map(_read_text, parts[:MAX_TAGS]) if text))


def _read_kind(value: Any, problems: list[str]) -> str:
    kind = _read_text(value).lower()
    if kind in _LABELS:
        return kind
    problems.append("unknown kind" if kind else "no kind")
    return "other"


def _read_confidence(value: Any, problems: list[str]) -> float:
    if value is None:
        return _DEFAULT_CONFIDENCE
    try:
        confidence = float(_read_text(value))
    except ValueError:
        confidence = float("nan")
    if math.isnan(confidence):
        problems.append("confidence is no number")
        return _DEFAULT_CONFIDENCE
    return min(1.0, max(0.0, confidence))


def _read_time(value: Any, problems: list[str]) -> datetime | None:
    """A date or time; UTC is assumed where it has no zone."""
    text = _read_text(value)
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or not _MIN_YEAR <= time.year <= _MAX_YEAR:
        problems.append("happened is no date")
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
