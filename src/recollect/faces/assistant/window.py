"""The conversation as the assistant has it before its eyes, turn by turn; compacted when it gets too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.core.types import Message
from recollect.recall.withheld import Withheld

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
    asked: Message
    """The message, as it was said."""
    said: str = ""
    """Every word that the assistant and its tools said to it."""

    @property
    def at(self) -> datetime:
        """When the message was said."""
        return self.asked.at


@dataclass
class Window:
    """The turns of one conversation, oldest first, in a room of so many tokens."""

    room: int
    turns: list[Turn] = field(default_factory=list[Turn])
    people: set[str] = field(default_factory=set[str])
    """Who took part in it."""
    without: frozenset[tuple[str, str]] = frozenset()
    """Memos, by scope and id, that had been forgotten or taken back at its last turn."""

    @property
    def messages(self) -> list[Any]:
        return [message for turn in self.turns for message in turn.messages]

    @property
    def since(self) -> datetime | None:
        """When the message of the last turn was said."""
        return self.turns[-1].at if self.turns else None

    def is_outdated(self, held: Withheld) -> bool:
        """Whether it repeats what is withheld by now, or was begun without something that is told again."""
        repeats = any(held.hides(turn.asked) or held.repeats(turn.said, turn.asked) for turn in self.turns)
        return bool(self.turns) and (repeats or not self.without <= held.memos)

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
