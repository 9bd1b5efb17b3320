"""Values under keys, stored as memos: how a value becomes searchable text, and how it is restored.

A value's own text is stored once, as the memo's: correcting the memo corrects the value.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from recollect.core.errors import BadInput
from recollect.core.text import MAX_MEMO_CHARS, clip, collapse_spaces, digest
from recollect.core.types import ITEM_METADATA, Audience, Memo
from recollect.policy.redaction import redact
from recollect.policy.redaction.json_values import redact_value

MAX_VALUE_CHARS = 100_000
"""Limit of one value, as JSON."""
TEXT_FIELDS = ("text", "content")
"""Fields of a value that hold its own text."""

Path = tuple[str, ...]
Value = dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredItem:
    """A value ready to be stored: the memo's text, and its metadata."""

    text: str
    metadata: dict[str, Any]


def memo_id(path: Path, key: str, audience: Audience) -> str:
    """The memo id of a key; values for different audiences are different memos, which don't affect each other."""
    return f"item-{digest(json.dumps([path, key]), str(audience))[:24]}"


def to_stored_item(path: Path, key: str, value: Mapping[str, Any], search_text: str | None = None) -> StoredItem:
    """Prepare a value; it is searched by `search_text`, else by its own text, else by all of its fields."""
    fields = _to_json(value)
    field, own_text = next(((name, fields[name]) for name in TEXT_FIELDS if _is_text(fields.get(name))), ("", ""))
    source_text = search_text or own_text or _render_fields(fields)
    text = clip(collapse_spaces(redact(source_text).text), MAX_MEMO_CHARS) or redact(key).text
    labels = [redact(label).text for label in path]  # the id is made of the originals, so both are still found
    envelope: dict[str, Any] = {"path": labels, "key": redact(key).text, "said": digest(text)}
    if field and fields[field] == text:
        envelope["field"] = field
        del fields[field]
    return StoredItem(text, {ITEM_METADATA: {**envelope, "value": fields}})


def address(memo: Memo) -> tuple[Path, str]:
    """The labels and the key of a memo; for one that was not put as an item, its id."""
    envelope = _read_envelope(memo)
    return (tuple(envelope["path"]), envelope["key"]) if envelope else ((), memo.id)


def value(memo: Memo) -> Value:
    """The value that was put; if its memo was edited since, with the new text."""
    envelope = _read_envelope(memo)
    if envelope is None:
        return {"text": memo.text, "kind": memo.kind.value, "tags": list(memo.tags)}
    stored_value = envelope["value"]
    if "field" in envelope:
        return {envelope["field"]: memo.text, **stored_value}
    return stored_value if envelope["said"] == digest(memo.text) else {**stored_value, "text": memo.text}


def _read_envelope(memo: Memo) -> Value | None:
    """What `to_stored_item` wrote; None for anything else: metadata may come from any program."""
    match memo.source.metadata.get(ITEM_METADATA):
        case {"path": list(), "key": str(), "said": str(), "value": dict()} as metadata:
            envelope = cast("Value", metadata)
            words = (*envelope["path"], envelope.get("field", ""))
            return envelope if all(isinstance(word, str) for word in words) else None
        case _:
            return None


def _to_json(value: Mapping[str, Any]) -> Value:
    """A copy of the value as JSON types, without secrets."""
    try:
        encoded = json.dumps(dict(value), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise BadInput("this value can't be stored: it can't be written as JSON") from None
    if len(encoded) > MAX_VALUE_CHARS:
        raise BadInput(f"this value can't be stored: it has {len(encoded):,} characters of {MAX_VALUE_CHARS:,}")
    return redact_value(json.loads(encoded))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _render_fields(value: Value) -> str:
    content_field = value.get("content")
    if isinstance(content_field, dict):  # a wrapped note: its inner text is the one that is searched
        content = cast("Value", content_field)
        return next(
            (content[name] for name in TEXT_FIELDS if _is_text(content.get(name))), "; ".join(_lines(content, ""))
        )
    return "; ".join(_lines(value, ""))


def _lines(value: Any, name: str) -> Iterator[str]:
    match value:
        case dict():
            for key, child in cast("Value", value).items():
                yield from _lines(child, f"{name} {key}".strip())
        case list():
            for child in cast("list[Any]", value):
                yield from _lines(child, name)
        case None | "":
            pass
        case _:
            yield f"{name}: {value}"
