"""The conversation as the assistant has it before its eyes, turn by turn; compacted when it gets too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

NEARLY_FULL = 0.8
"""Share of the window at which it is compacted."""
KEPT = 0.3
"""Share of the window that the newest turns may take after that."""
_CHARS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Turn:
    """What a message and its answer added to the conversation, tool calls included."""

    messages: Sequence[Any]
    tokens: int
    at: datetime
    """When the message was said."""


@dataclass
class Window:
    """The turns of one conversation, oldest first, in a room of so many tokens."""

    room: int
    turns: list[Turn] = field(default_factory=list[Turn])
    people: set[str] = field(default_factory=set[str])
    """Who took part in it."""

    @property
    def messages(self) -> list[Any]:
        return [message for turn in self.turns for message in turn.messages]

    @property
    def since(self) -> datetime | None:
        """When the message of the last turn was said."""
        return self.turns[-1].at if self.turns else None

    def is_nearly_full(self, coming: int) -> bool:
        """Whether so many tokens more would leave too little room; a single turn can't be compacted."""
        return bool(self.turns) and sum(turn.tokens for turn in self.turns) + coming > NEARLY_FULL * self.room

    def compact(self) -> int:
        """Drop the oldest turns; how many went."""
        before, total = len(self.turns), 0
        kept: list[Turn] = []
        for turn in reversed(self.turns):
            total += turn.tokens
            if total > KEPT * self.room:
                break
            kept.append(turn)
        self.turns = kept[::-1]
        return before - len(self.turns)


def tokens(text: str) -> int:
    """About as many tokens as a text takes."""
    return -(-len(text) // _CHARS_A_TOKEN)
