"""Typing at a terminal: a line to edit, with what was typed before and completion of commands."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

from recollect.faces.cli.output import safe
from recollect.policy.redaction import redact
from recollect.workspace.disk import keep_private

HISTORY = "chat_history"
"""The file of what was typed, in the data folder."""
_STYLE = Style.from_dict({"who": "bold ansigreen", "mark": "ansibrightblack"})


class Terminal:
    """A person at a terminal."""

    def __init__(self, history: Path | None, words: Mapping[str, Iterable[str]]) -> None:
        """`words` are the commands to complete, and of each what may follow it."""
        kept: History = InMemoryHistory() if history is None else Typed(history)
        self._session: PromptSession[str] = PromptSession(
            history=kept, completer=Commands(words), complete_while_typing=False, style=_STYLE
        )

    async def line(self, label: str) -> str | None:
        """What was typed; nothing after Ctrl-C, and None after Ctrl-D."""
        print()
        try:
            with patch_stdout(raw=True):  # what is printed meanwhile goes above the line
                return (await self._session.prompt_async([("class:who", safe(label)), ("class:mark", " › ")])).strip()
        except KeyboardInterrupt:
            return ""
        except EOFError:
            return None


class Typed(FileHistory):
    """What was typed, without its secrets, for the owner's eyes."""

    def store_string(self, string: str) -> None:
        path = Path(os.fsdecode(self.filename))
        with suppress(OSError):  # a history that can't be written is no reason to stop talking
            path.touch(mode=0o600)
            keep_private(path)
            super().store_string(redact(string).text)


class Commands(Completer):
    """Completes the first word of a line, and the second after a command that has some."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        del complete_event
        *before, begun = document.text_before_cursor.split(" ")
        if not before and begun[:1] in ("/", "!"):
            found = self._words.keys()
        elif len(before) == 1:
            found = self._words.get(before[0], ())
        else:
            return
        for word in found:
            if word.startswith(begun):
                yield Completion(word, start_position=-len(begun))
