"""Input at a terminal: line editing with history and completion of commands."""

import asyncio
import os
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.patch_stdout import patch_stdout
from prompt_toolkit.styles import Style

from recollect.faces.cli.output import safe
from recollect.policy.redaction import redact
from recollect.workspace.disk import keep_private

ESCAPE_WAIT_SECONDS = 0.1
HISTORY = "chat_history"
"""The history file in the data folder."""
_STYLE = Style.from_dict({"who": "bold ansigreen", "mark": "ansibrightblack"})


class Terminal:
    """A person at a terminal."""

    def __init__(self, history: Path | None, words: Mapping[str, Iterable[str]]) -> None:
        """`words` are the commands to complete, each with the words that may follow it."""
        history_store: History = InMemoryHistory() if history is None else RedactedHistory(history)
        self._session: PromptSession[str] = PromptSession(
            history=history_store, completer=CommandCompleter(words), complete_while_typing=False, style=_STYLE
        )

    async def line(self, label: str) -> str | None:
        """The typed line; empty after Ctrl-C, None after Ctrl-D."""
        print()
        try:
            with patch_stdout(raw=True):  # output meanwhile goes above the line
                return (await self._session.prompt_async([("class:who", safe(label)), ("class:mark", " › ")])).strip()
        except KeyboardInterrupt:
            print("(Ctrl-D or exit leaves, help shows what you can do)")
            return ""
        except EOFError:
            return None

    @contextmanager
    def stop_keys(self, stop: Callable[[], object]) -> Generator[None]:
        """While a reply is written, Esc and Ctrl-C call `stop`; other keys are kept for the next line."""
        source, loop = self._session.input, asyncio.get_running_loop()
        flush: asyncio.TimerHandle | None = None

        def take(keys: Sequence[KeyPress]) -> None:
            if any(press.key in (Keys.Escape, Keys.ControlC) for press in keys):
                stop()
            store_typeahead(source, [press for press in keys if press.key not in (Keys.Escape, Keys.ControlC)])

        def read() -> None:
            nonlocal flush
            take(source.read_keys())
            if flush is not None:
                flush.cancel()
            # Esc alone, unless more bytes of an escape sequence follow
            flush = loop.call_later(ESCAPE_WAIT_SECONDS, lambda: take(source.flush_keys()))

        with source.raw_mode(), source.attach(read):
            try:
                yield
            finally:
                if flush is not None:
                    flush.cancel()


class RedactedHistory(FileHistory):
    """A private history file without secrets."""

    def store_string(self, string: str) -> None:
        path = Path(os.fsdecode(self.filename))
        with suppress(OSError):  # a history that can't be written must not end the chat
            path.touch(mode=0o600)
            keep_private(path)
            super().store_string(redact(string).text)


class CommandCompleter(Completer):
    """Completes the first word of a line, and the second after a command that has some."""

    def __init__(self, words: Mapping[str, Iterable[str]]) -> None:
        self._words = words

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        del complete_event
        *previous, prefix = document.text_before_cursor.split(" ")
        if not previous and prefix[:1] in ("/", "!"):
            candidates = self._words.keys()
        elif len(previous) == 1:
            candidates = self._words.get(previous[0], ())
        else:
            return
        for word in candidates:
            if word.startswith(prefix):
                yield Completion(word, start_position=-len(prefix))
