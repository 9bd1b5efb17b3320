"""mem0: what `get_all` returns, saved as JSON: a list of memories, or an object with that list as `results`."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.core.errors import BadInput
from recollect.core.ports.format import Entry, Item, Owner, Problem
from recollect.core.types import Origin, Provenance
from recollect.transfer.readers import fields
from recollect.transfer.readers.json_stream import Broken, members

_OPENING = re.compile(r'\s*(?:\[|\{.*?"results"\s*:\s*\[)\s*\{', re.DOTALL)
_EMPTY = re.compile(r'\s*\{.*?"results"\s*:\s*\[\s*\]', re.DOTALL)
_MEMORY = re.compile(r'"memory"\s*:')
_OTHER_IDS = ("agent_id", "app_id", "run_id", "actor_id", "role")
_CHUNK_BYTES = 1 << 20


class Mem0:
    name = "mem0"
    about = "mem0: the JSON that get_all returns"

    def matches(self, path: Path) -> bool:
        if not path.is_file():
            return False
        opening = fields.opening(path, 20_000)
        return bool(_OPENING.match(opening) and _MEMORY.search(opening)) or bool(_EMPTY.match(opening))

    def count(self, path: Path) -> int:
        with path.open("rb") as file:
            return sum(piece.count(b'"memory"') for piece in iter(lambda: file.read(_CHUNK_BYTES), b""))

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        memories = 0
        try:
            for member in members(path):
                if member.name in ("", "results") and member.number:
                    memories += 1
                    yield _entry(member.value, f"{path.name} item {member.number}", owner)
                elif member.name == "relations" and member.number == 1:
                    yield Problem(f"{path.name} relations", "relations of a graph have no place here", is_broken=False)
        except Broken as error:
            if not memories:
                raise BadInput(f"{path.name} holds no memories of mem0: {error}") from error
            yield Problem(path.name, str(error))
        except OSError as error:
            raise BadInput(f"can't read {path}: {error.strerror}") from error


def create(spec: str) -> Mem0:  # noqa: ARG001 - it has no options
    return Mem0()


def _entry(value: Any, where: str, owner: Owner) -> Entry | Problem:
    try:
        record = fields.record(value, "entry")
        user, agent, run = (fields.name_of(record.get(name), name) for name in ("user_id", "agent_id", "run_id"))
        user = user or owner.user
        channel, thread = (agent, run) if user else (None, None)  # where recollect.adapters.mem0 looks for them
        metadata = dict(fields.record(record.get("metadata"), "metadata"))
        metadata |= {name: record[name] for name in _OTHER_IDS if record.get(name)}
        return Entry(
            location=where,
            user=user,
            guild=None if user else owner.guild,
            kind=None,
            text=fields.text(record.get("memory"), "memory"),
            tags=fields.words(record.get("categories"), "categories"),
            created=fields.timestamp(record.get("created_at"), "created_at"),
            updated=fields.timestamp(record.get("updated_at"), "updated_at"),
            expires=fields.timestamp(record.get("expiration_date"), "expiration_date"),
            source=Provenance(Origin.IMPORT, actor=user or "", channel=channel, thread=thread, metadata=metadata),
            id=fields.name_of(record.get("id"), "id"),
        )
    except BadInput as error:
        return Problem(where, str(error))
