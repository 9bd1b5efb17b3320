"""The assistant's own state of a conversation; everything else is in the store."""

from collections import deque
from typing import Protocol

from recollect.core.types import Message


class HistorySettings(Protocol):
    @property
    def max_messages(self) -> int: ...
    @property
    def inject_max_chars(self) -> int | None: ...


class Session:
    def __init__(self, history: HistorySettings) -> None:
        self._history = history
        self.messages: deque[Message] = deque(maxlen=history.max_messages)
        """The messages, where memory is switched off."""
        self.reply: Message | None = None
        """The last reply, until it is stored."""
        self.last_changes: dict[str, object] = {}
        """By author: the id of their last change as of their last message."""
        self._unsaved_chars: int | None = None
        self._unsaved_messages = 0

    def say(self, *messages: Message) -> None:
        """Count what was said since the model last got a turn to save what would be lost."""
        self._unsaved_chars = (self._unsaved_chars or 0) + sum(len(message.text) for message in messages)
        self._unsaved_messages += len(messages)

    def is_full(self, chars: int, messages: int) -> bool:
        """Whether half of the history is unsaved; of what a process before us sent, all counts as unsaved."""
        if self._unsaved_chars is None:
            self._unsaved_chars, self._unsaved_messages = chars, messages
        limit = self._history.inject_max_chars
        many_chars = limit is not None and self._unsaved_chars > limit // 2
        return many_chars or self._unsaved_messages > self._history.max_messages // 2

    def save(self) -> None:
        self._unsaved_chars = self._unsaved_messages = 0
