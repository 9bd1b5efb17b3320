"""OpenClaw: the notes in an agent's workspace, `MEMORY.md` and `memory/**/*.md`.

Instructions for the agent (AGENTS.md, SOUL.md and the like) are not memories and are not read.
"""

from collections.abc import Iterator
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.ports.format import Item, Owner
from recollect.policy.kinds import CATEGORIES
from recollect.transfer.readers import generated_pages, notes

_NOTES = ("MEMORY.md", "memory.md")
_SIGNS = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "TOOLS.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md")
_OTHERS = ("durable", "rolling", "data", *CATEGORIES, *(f"memory/{name}" for name in CATEGORIES))
"""Folders that others have who keep notes under these names too."""


class OpenClaw:
    name = "openclaw"
    about = "OpenClaw: a workspace with MEMORY.md and memory/*.md"

    def matches(self, path: Path) -> bool:
        note_files = _notes(path)
        if any((path / name).is_file() for name in _SIGNS):
            return note_files != []
        others = any((path / name).is_dir() for name in _OTHERS)
        return (
            note_files != [] and not others and not any(map(generated_pages.is_generated, generated_pages.find(path)))
        )

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        note_files = _notes(path)
        if not note_files:
            raise BadInput(f"there is neither MEMORY.md nor memory/*.md in {path}")
        for name, file in note_files:
            yield from notes.read(file, name, name, owner)


def create(spec: str) -> OpenClaw:  # noqa: ARG001 - it has no options
    return OpenClaw()


def _notes(folder: Path) -> list[tuple[str, Path]]:
    if not folder.is_dir():
        return []
    try:
        names = [name for name, _ in notes.pages(folder, "*.md")]
        curated = [("MEMORY.md", folder / name) for name in _NOTES if name in names][:1]
        return [*curated, *notes.pages(folder, "memory/**/*.md")]
    except OSError:
        return []
