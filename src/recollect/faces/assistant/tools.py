"""The tools of an assistant in a turn: its memory, and files of the workspace where those may be read.

A tool's failure is no fact about the world: a memory that only repeats a failure of this turn is refused.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recollect.core.errors import BadInput, RecollectError
from recollect.core.text import clip, collapse_spaces, words
from recollect.core.types import Message
from recollect.faces.tool.dispatcher import MemoryTool
from recollect.faces.tool.schema import schema
from recollect.memory import AsyncMemory
from recollect.policy.redaction import redact
from recollect.settings import Settings
from recollect.workspace import Workspace
from recollect.workspace.names import context_files, daily

_FILES_HINT = "Files named in the prompt, and notes of the workspace such as MEMORY.md or memory/2026-01-31.md."
_PATH = {"path": {"type": "string"}}
_NOTE = {**_PATH, "text": {"type": "string"}, "append": {"type": "boolean", "default": False}}


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}


def offers_memory(settings: Settings) -> bool:
    """Whether a model is offered the `memory` tool."""
    return settings.enabled and settings.memos.enabled


def tool_definitions(settings: Settings) -> tuple[ToolDefinition, ...]:
    """The tools that are offered; without durable memory there is none for it."""
    files = (
        ToolDefinition("read_file", f"Read a file. {_FILES_HINT}", _object(_PATH, ["path"])),
        ToolDefinition(
            "write_file", f"Write a note, or append to one. {_FILES_HINT}", _object(_NOTE, ["path", "text"])
        ),
    )
    memory = schema("openai")["function"]
    definition = ToolDefinition(memory["name"], memory["description"], memory["parameters"])
    return (definition, *files) if offers_memory(settings) else files


def _object(properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _problem(name: str, arguments: Mapping[str, Any]) -> str:
    """What is wrong with the arguments of a file tool, for the model; empty if nothing is."""
    known, required = (_PATH, ["path"]) if name == "read_file" else (_NOTE, ["path", "text"])
    for unknown in arguments.keys() - known.keys():
        return f"{name} takes no {clip(unknown, 60)!r}; it takes {', '.join(known)}"
    missing = [each for each in required if not isinstance(arguments.get(each), str)]
    return f"{name} needs {' and '.join(missing)}" if missing else ""


ECHO_SHARE = 0.5
"""A memory that has this share of its words in common with a failed call only repeats the failure."""
MAX_FILE_BYTES = 100_000
MAX_CALL_CHARS = 100
"""Characters of a call that are shown."""


def describe_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A call in one line, for people: `memory search: where do I live`."""
    action = str(arguments.get("action") or "")
    keys = ("query", "content", "text", "path", "id", "ids")
    what = next((str(arguments[key]) for key in keys if arguments.get(key)), "")
    head = " ".join(filter(None, [name.replace("_", " "), action]))
    return clip(collapse_spaces(redact(f"{head}: {what}" if what else head).text), MAX_CALL_CHARS)


@dataclass
class AssistantTools:
    """The tools for answering one message; created for each."""

    memory: AsyncMemory
    message: Message
    show_call: Callable[[str], None] | None = None
    failures: list[str] = field(default_factory=list[str])

    async def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The result of a tool call; bad arguments are answered, too."""
        if self.show_call is not None:
            self.show_call(describe_call(name, arguments))
        if name == "memory":
            return await self.remember(arguments)
        path = str(arguments.get("path") or "")
        if problem := _problem(name, arguments):  # a note would be replaced by nothing
            self.failed(f"{name} {path} {problem} failed")
            return f"error: {problem}"
        if name == "read_file":
            return await self.read_file(path)
        return await self.write_file(path, arguments["text"], arguments.get("append") in (True, "true"))

    async def remember(self, arguments: Mapping[str, Any]) -> str:
        """The `memory` tool, for the message's author and place."""
        content = str(arguments.get("content") or "")
        is_new = arguments.get("action") in ("save", "update") and arguments.get("category") != "preference"
        if is_new and self._repeats_failure(content):
            return "error: this only repeats a call that failed in this turn; that is no fact about the world"
        answer = await MemoryTool(self.memory, user=self.message.author, place=self.message.place).call(arguments)
        return answer.text if answer.ok else f"error: {answer.text.removeprefix('error: ')}"

    async def read_file(self, path: str) -> str:
        """The text of a file that the prompt names, or of a note of the workspace."""
        return await self._run_file_tool("read_file", path, lambda: self._read(path))

    async def write_file(self, path: str, text: str, append: bool = False) -> str:
        """Write a note of the workspace; only in direct messages."""
        return await self._run_file_tool("write_file", path, lambda: self._write(path, text, append))

    def failed(self, failure: str) -> None:
        self.failures.append(failure)

    def succeeded(self, name: str) -> None:
        """A later success of a tool cancels its earlier failures."""
        self.failures = [failure for failure in self.failures if not failure.startswith(f"{name} ")]

    def _repeats_failure(self, content: str) -> bool:
        content_words = set(words(content))
        return any(
            len(content_words & set(words(failure))) >= ECHO_SHARE * len(content_words)
            for failure in self.failures
            if content_words
        )

    async def _run_file_tool(self, name: str, path: str, operation: Any) -> str:
        try:
            text: str = await asyncio.to_thread(operation)
        except RecollectError as error:
            self.failed(f"{name} {path} {error} failed blocked unavailable not possible can't")
            return f"error: {error}"
        self.succeeded(name)
        return text

    def _read(self, path: str) -> str:
        context = self._context_file(path)
        text = context if context is not None else self._workspace().read_text(self._name(path), MAX_FILE_BYTES)
        if text is None:
            raise BadInput(f"there is no file {path!r}")
        return text

    def _write(self, path: str, text: str, append: bool) -> str:
        workspace, name, text = self._workspace(), self._name(path), redact(text).text
        if append and name == daily(self.message.at):
            workspace.append_daily(text, self.message.at)
        elif append:
            workspace.append(name, text)
        else:
            workspace.write(name, text)
        return f"written: {name}"

    def _context_file(self, path: str) -> str | None:
        """A context file, if that is what is named and it belongs to this place."""
        folder: Path = self.memory.settings.workspace.context_dir
        requested = Path(path)
        if not requested.is_relative_to(folder):
            return None
        name = requested.relative_to(folder).as_posix()
        place_files = context_files(self.message.place, by_name=not self.memory.settings.workspace.per_user)
        if not name.startswith("base/") and name not in place_files:
            raise BadInput(f"{path!r} is not a file of this conversation")
        return Workspace(folder).read_text(name, MAX_FILE_BYTES)

    def _workspace(self) -> Workspace:
        settings, message = self.memory.settings, self.message
        if message.place.person != message.person:
            raise BadInput("notes are read and written in direct messages only")
        return Workspace(settings.workspace.dir, message.person if settings.workspace.per_user else None)

    def _name(self, path: str) -> str:
        """A file's name in the workspace; the prompt lists whole paths."""
        root = self._workspace().root
        return Path(path).relative_to(root).as_posix() if Path(path).is_relative_to(root) else path
