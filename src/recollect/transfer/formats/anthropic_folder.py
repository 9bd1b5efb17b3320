"""The folder of Anthropic's memory tool: files of any kind below `/memories`, as a model keeps them.

They are stored where recollect's own memory tool looks for them; statements in text files also become memories.
"""

from collections.abc import Iterator
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.ports.format import Item, Owner
from recollect.transfer.readers import notes

ROOT = "memories"
_WORDY = ("", ".md", ".txt", ".markdown")
_TEXTS = (*_WORDY, ".xml", ".json", ".yaml", ".yml", ".csv")


class AnthropicFolder:
    name = "anthropic"
    about = "Anthropic's memory tool: a folder memories/ with files"

    def matches(self, path: Path) -> bool:
        root = _root(path)
        try:
            return root is not None and any(file.suffix in _TEXTS for _, file in notes.pages(root, "**/*"))
        except OSError:
            return False

    def read(self, path: Path, owner: Owner) -> Iterator[Item]:
        root = _root(path) or path
        if not root.is_dir():
            raise BadInput(f"{path} is not a folder")
        for name, file in notes.pages(root, "**/*"):
            wordy = file.suffix.lower() in _WORDY
            yield from notes.read(file, name, f"{ROOT}/{name}", owner, wordy=wordy, private=True)


def create(spec: str) -> AnthropicFolder:  # noqa: ARG001 - it has no options
    return AnthropicFolder()


def _root(path: Path) -> Path | None:
    """The folder itself, or what it lies in."""
    if path.name == ROOT and path.is_dir():
        return path
    root = path / ROOT
    return root if root.is_dir() and not root.is_symlink() else None
