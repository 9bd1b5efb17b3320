"""The last messages of this conversation, word for word, under a budget.

From the newest backwards: the assistant's message is cut to what is left, a user's message that does not fit ends it.
"""

from collections.abc import Sequence
from typing import Protocol

from recollect import lines
from recollect.ports import Scene
from recollect.text import clip
from recollect.types import Block, Line, Message

SHORTEST = 20
"""Characters below which a cut message says nothing."""


class HistorySettings(Protocol):
    @property
    def inject_max_chars(self) -> int | None: ...
    @property
    def max_messages(self) -> int: ...


class Uses(Protocol):
    @property
    def history(self) -> HistorySettings: ...


class HistoryLayer:
    def __init__(self, settings: Uses) -> None:
        self._history = settings.history

    async def offer(self, scene: Scene) -> Sequence[Block]:
        limit = self._history.max_messages
        found = await scene.store.read(lambda tx: tx.journal.recent(scene.place, limit + 1, before=scene.now))
        messages = [message for message in found if message.id != scene.message][-limit:]
        shown = window(messages, self._history.inject_max_chars)
        return [Block("history", tuple(Line(line, "said in this conversation") for line in shown))] if shown else []


def window(messages: Sequence[Message], budget: int | None) -> list[str]:
    """The newest lines that fit, oldest first."""
    shown: list[str] = []
    left = 1 << 60 if budget is None else budget
    for message in reversed(messages):
        line = lines.said(message)
        if len(line) > left:
            if not message.bot or left < SHORTEST:
                break
            line = clip(line, left)
        shown.append(line)
        left -= len(line) + 1
    return shown[::-1]


def create(spec: str, settings: Uses) -> HistoryLayer:  # noqa: ARG001 - every layer is made from its name
    return HistoryLayer(settings)
