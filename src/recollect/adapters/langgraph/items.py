"""Values under keys, as memos: how a value becomes a text that is searched, and how it comes back as it was put.

A value's own text is kept once, as the memo's: who corrects the memo has corrected the value.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from recollect.core.errors import BadInput
from recollect.core.text import MAX_MEMO_CHARS, clip, collapse_spaces, digest
from recollect.core.types import Audience, Memo
from recollect.faces.tool.actions import RESERVED
from recollect.policy.redaction import redact
from recollect.policy.redaction.json_values import redact_value

MARK = RESERVED
"""The name in a memo's metadata under which its key and its value lie."""
LONGEST_VALUE = 100_000
"""Characters of JSON that one value may have."""
TEXTS = ("text", "content")
"""Where a value has its own text."""

Path = tuple[str, ...]
Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A value ready to be kept: the memo's text, and what goes into its metadata."""

    text: str
    metadata: dict[str, Any]


def memo_id(path: Path, key: str, audience: Audience) -> str:
    """The memo of a key. What is put for other ears is another memo: it tells nothing, and takes nothing away."""
    return f"item-{digest(json.dumps([path, key]), str(audience))[:24]}"


def keep(path: Path, key: str, value: Mapping[str, Any], chosen: str | None = None) -> StoredItem:
    """How a value is kept; `chosen` is the text to search it by, else its own text or all of its fields."""
    plain = _plain(value)
    field, own = next(((name, plain[name]) for name in TEXTS if _is_text(plain.get(name))), ("", ""))
    wanted = chosen or own or _rendered(plain)
    text = clip(collapse_spaces(redact(wanted).text), MAX_MEMO_CHARS) or key
    mark: dict[str, Any] = {"path": list(path), "key": key, "said": digest(text)}
    if field and plain[field] == text:
        mark["field"] = field
        del plain[field]
    return StoredItem(text, {MARK: {**mark, "value": plain}})


def address(memo: Memo) -> tuple[Path, str]:
    """Below which labels, and under which key, a memo lies; one that nobody put there lies under its id."""
    mark = _mark(memo)
    return (tuple(mark["path"]), mark["key"]) if mark else ((), memo.id)


def value(memo: Memo) -> Value:
    """The value that was put; where its memo says something else by now, with those words as its text."""
    mark = _mark(memo)
    if mark is None:
        return {"text": memo.text, "kind": memo.kind.value, "tags": list(memo.tags)}
    put = mark["value"]
    if "field" in mark:
        return {mark["field"]: memo.text, **put}
    return put if mark["said"] == digest(memo.text) else {**put, "text": memo.text}


def _mark(memo: Memo) -> Value | None:
    """What `keep` wrote; None for anything else that lies under the name: metadata may come from any program."""
    match memo.source.metadata.get(MARK):
        case {"path": list(), "key": str(), "said": str(), "value": dict()} as found:
            mark = cast("Value", found)
            words = (*mark["path"], mark.get("field", ""))
            return mark if all(isinstance(word, str) for word in words) else None
        case _:
            return None


def _plain(given: Mapping[str, Any]) -> Value:
    """The value as JSON, without secrets."""
    try:
        written = json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise BadInput("this value can't be kept: it can't be written as JSON") from None
    if len(written) > LONGEST_VALUE:
        raise BadInput(f"this value can't be kept: it has {len(written):,} characters of {LONGEST_VALUE:,}")
    return redact_value(json.loads(written))


def _is_text(given: object) -> bool:
    return isinstance(given, str) and bool(given.strip())


def _rendered(given: Value) -> str:
    inner = given.get("content")
    if isinstance(inner, dict):  # a note in an envelope: its own text is what counts
        within = cast("Value", inner)
        return next((within[name] for name in TEXTS if _is_text(within.get(name))), "; ".join(_lines(within, "")))
    return "; ".join(_lines(given, ""))


def _lines(given: Any, name: str) -> Iterator[str]:
    match given:
        case dict():
            for key, each in cast("Value", given).items():
                yield from _lines(each, f"{name} {key}".strip())
        case list():
            for each in cast("list[Any]", given):
                yield from _lines(each, name)
        case None | "":
            pass
        case _:
            yield f"{name}: {given}"
