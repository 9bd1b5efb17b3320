"""Notes that a model keeps as files under `/memories`, in a person's part of the workspace.

The answers are worded as models were trained on them; `recollect.adapters.anthropic` passes the commands on.
"""

import threading
from collections.abc import Sequence
from pathlib import Path

from recollect.core.errors import BadInput
from recollect.core.reasons import Reason
from recollect.policy.guard.statements import gives_instructions
from recollect.policy.redaction import redact
from recollect.workspace import Workspace
from recollect.workspace.disk import Entry

ROOT = "/memories"
MAX_FILES = 1_000
MAX_FILE_BYTES = 100_000
"""A model reads a file whole."""
_LISTED_LEVELS = 2
_NUMBER_COLUMNS = 6
_CONTEXT_LINES = 2
"""Lines shown on either side of a change."""


class MemoryFiles:
    """One person's files. Each method is a command, returns text for the model, and raises BadInput."""

    def __init__(self, folder: Path, user: str) -> None:
        self._workspace = Workspace(folder, user)
        self._lock = threading.Lock()

    def view(self, path: str, lines: Sequence[int] | None = None) -> str:
        """A folder's files with their sizes, or a file's lines with their numbers."""
        name = _name(path)
        entries = self._workspace.entries(name)
        if entries is None and name == _name(ROOT):
            entries = []
        return _listing(path, entries) if entries is not None else _numbered(path, self._text(path), lines)

    def create(self, path: str, text: str) -> str:
        name, (redacted, note) = _file_name(path), _redact_and_check(path, text)
        with self._lock:
            if self._exists(name):
                raise BadInput(f"File {path} already exists")
            files = [entry for entry in self._workspace.entries(_name(ROOT)) or () if not entry.is_folder]
            if len(files) >= MAX_FILES:
                raise BadInput(f"There are {len(files)} files already; delete some, or add to one of them.")
            self._workspace.create(name, redacted)
        return f"File created successfully at: {path}{note}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace a text, which must occur exactly once."""
        with self._lock:
            before = self._text(path)
            _require_unique(path, before, old)
            added, note = _redacted(new)
            after = before.replace(old, added, 1)
            self._workspace.write(_file_name(path), _redact_and_check(path, after)[0])
        changed = before[: before.index(old)].count("\n")
        first, lines = max(0, changed - _CONTEXT_LINES), after.split("\n")
        snippet = _with_numbers(lines[first : changed + _CONTEXT_LINES + 1], first + 1)
        heading = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{heading}\n{snippet}{note}"

    def insert(self, path: str, after_line: int, text: str) -> str:
        """Add lines after this one; 0 puts them first."""
        with self._lock:
            lines = self._text(path).removesuffix("\n").split("\n")
            lines = [] if lines == [""] else lines
            if not 0 <= after_line <= len(lines):
                within = f"It should be within the range [0, {len(lines)}]."
                raise BadInput(f"Invalid `insert_line` parameter: {after_line}. {within}")
            added, note = _redacted(text.removesuffix("\n"))
            lines.insert(after_line, added)
            self._workspace.write(_file_name(path), _redact_and_check(path, "\n".join(lines) + "\n")[0])
        return f"The file {path} has been edited.{note}"

    def delete(self, path: str) -> str:
        if _name(path) == _name(ROOT):
            raise BadInput(f"Cannot delete the {ROOT} directory itself")
        with self._lock:
            if not self._workspace.remove(_file_name(path)):
                raise BadInput(f"The path {path} does not exist")
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        if _name(ROOT) in (_name(old), _name(new)):
            raise BadInput(f"Cannot rename the {ROOT} directory itself")
        with self._lock:
            if self._exists(_name(new)):
                raise BadInput(f"The destination {new} already exists")
            if not self._workspace.move(_file_name(old), _file_name(new)):
                raise BadInput(f"The path {old} does not exist")
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        with self._lock:
            self._workspace.remove(_name(ROOT))
        return "All memory cleared"

    def _exists(self, name: str) -> bool:
        return self._workspace.contains(name) or self._workspace.entries(name) is not None

    def _text(self, path: str) -> str:
        name = _name(path)
        if self._workspace.entries(name) is not None:
            raise BadInput(f"The path {path} is not a file.")
        text = self._workspace.read_text(name)
        if text is None:
            raise BadInput(f"The path {path} does not exist. Please provide a valid path.")
        return text


def _name(path: str) -> str:
    """The workspace name of a path below /memories."""
    normalized = path.rstrip("/")
    if normalized != ROOT and not normalized.startswith(f"{ROOT}/"):
        raise BadInput(f"Path must start with {ROOT}, got: {path}")
    return normalized.removeprefix("/")


def _file_name(path: str) -> str:
    """The workspace name of a file; the folder itself is not for the model to change."""
    name = _name(path)
    if name == _name(ROOT):
        raise BadInput(f"The path {path} is not a file.")
    return name


def _redacted(text: str) -> tuple[str, str]:
    """The text without secrets, and a note about them for the answer."""
    redaction = redact(text)
    return redaction.text, f"\nNot stored: {', '.join(redaction.labels)}." if redaction.labels else ""


def _redact_and_check(path: str, text: str) -> tuple[str, str]:
    redacted, note = _redacted(text)
    size = len(redacted.encode("utf-8", "surrogatepass"))
    if size > MAX_FILE_BYTES:
        raise BadInput(f"File {path} would have {size} bytes; the limit is {MAX_FILE_BYTES}. Use several files.")
    if gives_instructions(*redacted.splitlines()):
        raise BadInput(f"File {path} was not written: it {Reason.INSTRUCTIONS}. Notes hold what was said.")
    return redacted, note


def _require_unique(path: str, text: str, old: str) -> None:
    if not old or old not in text:
        raise BadInput(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
    if text.count(old) > 1:
        places = ", ".join(map(str, _lines_with(text, old)))
        raise BadInput(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {places}. "
            "Please ensure it is unique"
        )


def _lines_with(text: str, old: str) -> list[int]:
    line_numbers: list[int] = []
    position = text.find(old)
    while position >= 0:
        line_numbers.append(text.count("\n", 0, position) + 1)
        position = text.find(old, position + len(old))
    return line_numbers


def _listing(path: str, entries: Sequence[Entry]) -> str:
    base = path.rstrip("/")
    heading = f"Here're the files and directories up to {_LISTED_LEVELS} levels deep in {path}, excluding hidden items:"
    total = sum(entry.size for entry in entries if not entry.is_folder)
    listed = [entry for entry in entries if entry.name.count("/") < _LISTED_LEVELS]
    rows = [f"{_size(entry.size)}\t{base}/{entry.name}{'/' if entry.is_folder else ''}" for entry in listed]
    return "\n".join([heading, f"{_size(total)}\t{base}", *rows])


def _numbered(path: str, text: str, view_range: Sequence[int] | None) -> str:
    lines, first = text.split("\n"), 1
    if view_range:
        first, last = _range(view_range, len(lines))
        lines = lines[first - 1 : last]
    return f"Here's the content of {path} with line numbers:\n{_with_numbers(lines, first)}"


def _range(view_range: Sequence[int], count: int) -> tuple[int, int]:
    """First and last line of a range; -1 is the end."""
    if len(view_range) == 2:
        first, last = max(1, view_range[0]), count if view_range[1] == -1 else view_range[1]
        if first <= min(last, count):
            return first, last
    raise BadInput(f"Invalid `view_range` parameter: {list(view_range)}. The file has {count} lines.")


def _with_numbers(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_NUMBER_COLUMNS}}\t{line}" for number, line in enumerate(lines, first))


def _size(count: int) -> str:
    """A human-readable size: 512B, 1.5K."""
    if count < 1024:
        return f"{count}B"
    return f"{count / 1024:.1f}".removesuffix(".0") + "K" if count < 1024**2 else f"{count / 1024**2:.1f}M"
