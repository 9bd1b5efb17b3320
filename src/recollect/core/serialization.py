"""Memos as JSON values and back: one writer and one reader for the log, exports, files, the API and the command line.

`memo_fields` has every field. What the documents of a memo leave out or name otherwise, they do on purpose:

- the log, a person's export and `devclaw` files (`memo_to_json`): no empty fields;
- JSON lines (`transfer/formats/jsonl`): likewise, and the owner as `type` with `user` or `guild`;
- REST (`faces/http/api/records`): the owner as `user` and `guild`, and no `trace` of the model call;
- the command line (`faces/cli/records`): the fields that people look at, with the lore's guild as `guild`.

The `memory` tool describes memos in a vocabulary of its own, for models (`faces/tool/render`).
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from recollect.core.types import Audience, Kind, Memo, Origin, Provenance, Status, Subject

_TIMES = ("created", "updated", "happened", "expires")
_SOURCE = ("actor", "platform", "guild", "channel", "channel_name", "thread", "message", "evidence", "trace")


def memo_fields(memo: Memo) -> dict[str, Any]:
    """Every field of a memo, empty ones included."""
    source = {"origin": memo.source.origin.value} | {name: getattr(memo.source, name) for name in _SOURCE}
    source["metadata"] = dict(memo.source.metadata)
    source["heard"] = str(memo.source.heard) if memo.source.heard else None
    return {
        "id": memo.id,
        "subject": memo.subject.id,
        "subject_guild": memo.subject.guild,
        "kind": memo.kind.value,
        "label": memo.label,
        "text": memo.text,
        "tags": list(memo.tags),
        "status": memo.status.value,
        "confidence": memo.confidence,
        "pinned": memo.pinned,
        "audience": str(memo.audience),
        "source": source,
        **{name: _to_iso(getattr(memo, name)) for name in _TIMES},
        "supersedes": memo.supersedes,
        "superseded_by": memo.superseded_by,
        "hits": memo.hits,
        "version": memo.version,
    }


def memo_to_json(memo: Memo) -> dict[str, Any]:
    """All fields of a memo that are not empty."""
    fields = memo_fields(memo)
    return _without_empty(fields | {"source": _without_empty(fields["source"])})


def memo_from_json(value: Mapping[str, Any]) -> Memo:
    """The memo that `memo_to_json` or `memo_fields` wrote."""
    source = dict(value.get("source", {}))
    audience = source.pop("heard", None)
    return Memo(
        id=value["id"],
        subject=Subject(value["subject"], value.get("subject_guild")),
        kind=Kind(value["kind"]),
        label=value.get("label"),
        text=value["text"],
        tags=tuple(value.get("tags", ())),
        status=Status(value.get("status", "active")),
        confidence=value.get("confidence", 1.0),
        pinned=value.get("pinned", False),
        audience=Audience.parse(value["audience"]),
        source=Provenance(
            origin=Origin(source.pop("origin", "manual")),
            heard=Audience.parse(audience) if audience else None,
            **source,
        ),
        created=datetime.fromisoformat(value["created"]),
        updated=datetime.fromisoformat(value["updated"]),
        happened=_parse_iso(value.get("happened")),
        expires=_parse_iso(value.get("expires")),
        supersedes=value.get("supersedes"),
        superseded_by=value.get("superseded_by"),
        hits=value.get("hits", 0),
        version=value.get("version", 1),
    )


def _to_iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()


def _parse_iso(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _without_empty(value: dict[str, Any]) -> dict[str, Any]:
    # Keep zeros: without its field, a confidence of 0.0 would be read back as the default of 1.
    return {name: item for name, item in value.items() if item or type(item) in (int, float)}
