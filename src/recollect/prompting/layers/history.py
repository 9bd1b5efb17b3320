"""The last messages of this conversation, word for word, under a budget.

From the newest backwards: a message of the assistant is cut to fit, a user's message that does not fit ends the window.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from recollect.core.ports import PromptRequest
from recollect.core.ports.layer import Block, Line
from recollect.core.text import clip
from recollect.core.types import Message, Summary
from recollect.policy import rendering
from recollect.policy.rendering import window


class HistorySettings(Protocol):
    @property
    def inject_max_chars(self) -> int | None: ...
    @property
    def max_messages(self) -> int: ...


class LayerSettings(Protocol):
    @property
    def history(self) -> HistorySettings: ...


class HistoryLayer:
    def __init__(self, settings: LayerSettings) -> None:
        self._budget = settings.history.inject_max_chars
        self._max_messages = settings.history.max_messages

    async def blocks(self, request: PromptRequest) -> Sequence[Block]:
        messages = list(request.recent)[-self._max_messages :]
        if request.layout.stable_first:
            messages = [self._shortened(message) for message in messages]
            messages = messages[self._start(messages, request.summary) :]
        lines = tuple(Line(line, "said in this conversation") for line in window(messages, self._budget))
        return [Block("history", lines, chars=self._budget)] if lines else []

    def _shortened(self, message: Message) -> Message:
        """At most a third of the budget per message, so that no one can fill it alone."""
        max_chars = None if self._budget is None else self._budget // 3
        return (
            message
            if max_chars is None or len(message.text) <= max_chars
            else replace(message, text=clip(message.text, max_chars))
        )

    def _start(self, messages: list[Message], summary: Summary | None) -> int:
        """Where the window starts: it moves with the summary, which changes the prompt anyway, or else in steps."""
        if summary is not None:
            start = overlap(messages, summary.through or summary.updated, self._budget)
            if start and not _is_cut(messages[start:], window(messages[start:], self._budget)):
                return start
        lines = window(messages, self._budget)
        return step(messages, len(lines)) if len(messages) == self._max_messages or _is_cut(messages, lines) else 0


def _is_cut(messages: Sequence[Message], lines: list[str]) -> bool:
    """Whether a message was left out or cut."""
    return [line for line in map(rendering.render_message, messages) if line] != lines


def overlap(messages: Sequence[Message], summarized: datetime, budget: int | None) -> int:
    """Index of the first summarized message that is shown too: as many as fit into a third of the budget."""
    covered = [message for message in messages if message.at <= summarized]
    return len(covered) - len(window(covered, None if budget is None else budget // 3))


def step(messages: Sequence[Message], fits: int) -> int:
    """Where a window of about so many messages starts, such that it keeps its start for many turns.

    Of the messages in the older half of the window it is the one before which the roundest moment passed: that
    stays the same message until it falls out, and then the next such message is far away. A long silence counts
    as round, so the window tends to start with a new conversation.
    """
    first = len(messages) - fits
    last = max(first, len(messages) - -(-fits // 2))
    seconds = [int(message.at.timestamp()) for message in messages]
    candidates = range(max(1, first), min(last + 1, len(messages)))
    return max(
        candidates, key=lambda index: ((seconds[index - 1] ^ seconds[index]).bit_length(), -index), default=first
    )


def create(spec: str, settings: LayerSettings) -> HistoryLayer:  # noqa: ARG001 - every layer is made from its name
    return HistoryLayer(settings)
