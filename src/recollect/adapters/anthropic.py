"""Anthropic's memory tool (`memory_20250818`) on a person's files, for the tool runner of Anthropic's SDK.

client.beta.messages.tool_runner(tools=[AnthropicMemory(folder, user="ann")], …)
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from recollect.core.errors import MissingExtra, RecollectError
from recollect.faces.tool.files import MemoryFiles

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
    from anthropic.types.beta import BetaMemoryTool20250818Command as Command
    from anthropic.types.beta import BetaMemoryTool20250818CreateCommand as Create
    from anthropic.types.beta import BetaMemoryTool20250818DeleteCommand as Delete
    from anthropic.types.beta import BetaMemoryTool20250818InsertCommand as Insert
    from anthropic.types.beta import BetaMemoryTool20250818RenameCommand as Rename
    from anthropic.types.beta import BetaMemoryTool20250818StrReplaceCommand as StrReplace
    from anthropic.types.beta import BetaMemoryTool20250818ViewCommand as View
except ModuleNotFoundError as error:
    raise MissingExtra("Anthropic's memory tool", "llm") from error

_COMMAND: TypeAdapter[Command] = TypeAdapter(
    Annotated[View | Create | StrReplace | Insert | Delete | Rename, Field(discriminator="command")]
)


class AnthropicMemory(BetaAbstractMemoryTool):
    """For `Anthropic`: one person's files below `folder`, usually `settings.workspace.dir`."""

    def __init__(self, folder: Path, *, user: str) -> None:
        super().__init__()
        self._files = MemoryFiles(folder, user)

    def call(self, input: object) -> str:
        return self.execute(_parse_command(input))

    def execute(self, command: Command) -> str:
        return _run(lambda: _execute(self._files, command))

    view = create = str_replace = insert = delete = rename = execute

    def clear_all_memory(self) -> str:
        return _run(self._files.clear)


class AsyncAnthropicMemory(BetaAsyncAbstractMemoryTool):
    """The same for `AsyncAnthropic`; files are accessed in a thread."""

    def __init__(self, folder: Path, *, user: str) -> None:
        super().__init__()
        self._files = MemoryFiles(folder, user)

    async def call(self, input: object) -> str:
        return await self.execute(_parse_command(input))

    async def execute(self, command: Command) -> str:
        return await asyncio.to_thread(_run, lambda: _execute(self._files, command))

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(_run, self._files.clear)


def _parse_command(arguments: object) -> Command:
    """Validate a model's arguments, which the SDK does not; raises ToolError, whose text the model sees."""
    try:
        return _COMMAND.validate_python(arguments)
    except ValidationError as error:
        problems = [f"{'.'.join(map(str, problem['loc'][1:]))} {problem['msg']}".strip() for problem in error.errors()]
        raise ToolError(f"This is no memory command: {'; '.join(problems)}") from None


def _execute(files: MemoryFiles, command: Command) -> str:
    match command:
        case View(path=path, view_range=lines):
            return files.view(path, lines)
        case Create(path=path, file_text=text):
            return files.create(path, text)
        case StrReplace(path=path, old_str=old, new_str=new):
            return files.str_replace(path, old, new)
        case Insert(path=path, insert_line=line, insert_text=text):
            return files.insert(path, line, text)
        case Delete(path=path):
            return files.delete(path)
        case Rename(old_path=old, new_path=new):
            return files.rename(old, new)


def _run(work: Callable[[], str]) -> str:
    """Run the work; errors become ToolErrors, whose text the model sees."""
    try:
        return work()
    except RecollectError as error:
        raise ToolError(str(error)) from error
