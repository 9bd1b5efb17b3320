"""The JSON schema of an answer. Every list and text has a limit, and the evidence comes first.

A weak model that starts to ramble is stopped by the limits where the server enforces them, and a model that has to
quote before it states stays closer to what was said. The schema depends on few things: providers compile each new one.
"""

from typing import Any, Literal

MAX_EVIDENCE_CHARS = 220
MAX_TEXT_CHARS = 160
MAX_ALIAS_CHARS = 4
MAX_REPLACED = 2
MAX_RETRACTIONS = 2
_MAX_ID_CHARS = 40
_MAX_TAGS, _MAX_TAG_CHARS = 4, 24
_MAX_MERGED = 10
"""Memos that one consolidated memo may replace."""

Shape = Literal["short", "documented", "consolidation"]
"""`documented` is what one of the earlier designs specifies, with real ids; see `ExtractionInput.real_ids`."""

_KINDS = ("fact", "preference", "project", "constraint", "person", "tool", "workflow", "event")


def changes_schema(shape: Shape, max_proposals: int) -> dict[str, Any]:
    """The schema of an answer with at most so many proposals."""
    return _object(
        upserts=_list(_object(**_upsert(shape)), max_proposals),
        deprecations=_list(_object(**_deprecation(shape)), MAX_RETRACTIONS if shape == "short" else max_proposals),
    )


def _upsert(shape: Shape) -> dict[str, Any]:
    evidence = _text(MAX_EVIDENCE_CHARS, "the words it rests on, copied exactly")
    text = _text(MAX_TEXT_CHARS, "one short sentence in the words of the evidence")
    kind = {"type": "string", "enum": list(_KINDS)}
    if shape == "short":
        replaced = _list(_text(MAX_ALIAS_CHARS), MAX_REPLACED, "known memories that it makes untrue, such as k1")
        source = _text(MAX_ALIAS_CHARS, "the message quoted, such as m1")
        return {"evidence": evidence, "source": source, "text": text, "kind": kind, "replaces": replaced}
    memo_id = _nullable(_text(_MAX_ID_CHARS), "id of the known memory that this says anew, else null")
    if shape == "consolidation":
        replaced = _list(_text(MAX_ALIAS_CHARS), _MAX_MERGED, "memories that it replaces")
        return {"evidence": evidence, "text": text, "kind": kind, "id": memo_id, "replaces": replaced}
    source = _object(messageId=_text(_MAX_ID_CHARS, "id of the message quoted"))
    tags = _list(_text(_MAX_TAG_CHARS), _MAX_TAGS, "lowercase words")
    return {"evidence": evidence, "source": source, "text": text, "kind": kind, "tags": tags, "id": memo_id}


def _deprecation(shape: Shape) -> dict[str, Any]:
    if shape == "short":
        evidence = _text(MAX_EVIDENCE_CHARS, "the words that say so, copied exactly")
        return {"evidence": evidence, "id": _text(MAX_ALIAS_CHARS, "the known memory, such as k1")}
    reason = {"reason": _text(MAX_TEXT_CHARS)}
    if shape == "consolidation":
        return {"id": _text(MAX_ALIAS_CHARS), **reason}
    match = _nullable(_text(MAX_EVIDENCE_CHARS), "its whole text, only if its id is unknown")
    return {"id": _nullable(_text(_MAX_ID_CHARS)), "matchText": match, **reason}


def _object(**properties: Any) -> dict[str, Any]:
    required = list(properties)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _list(items: dict[str, Any], limit: int, description: str = "") -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": limit, **_described(description)}


def _text(limit: int, description: str = "") -> dict[str, Any]:
    return {"type": "string", "maxLength": limit, **_described(description)}


def _nullable(schema: dict[str, Any], description: str = "") -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}], **_described(description)}


def _described(description: str) -> dict[str, Any]:
    return {"description": description} if description else {}
