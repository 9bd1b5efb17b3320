"""The conversation as the model sees it, turn by turn; compacted when it gets too long."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recollect.core.types import Message
from recollect.recall.withheld import Withheld

COMPACT_AT_SHARE = 0.8
"""Share of the window at which it is compacted."""
RETAINED_SHARE = 0.3
"""Share of the window that the newest turns may take after that."""
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Turn:
    """What a message and its answer added to the conversation, tool calls included."""

    messages: Sequence[Any]
    tokens: int
    message: Message
    """The message as it was written, without the prompt around it."""
    reply_text: str = ""
    """All text of the assistant and its tools in this turn."""

    @property
    def said_at(self) -> datetime:
        """When the message was written."""
        return self.message.at


@dataclass
class Window:
    """The turns of one conversation, oldest first, within a budget of tokens."""

    max_tokens: int
    turns: list[Turn] = field(default_factory=list[Turn])
    people: set[str] = field(default_factory=set[str])
    """Its participants."""
    withheld_memos: frozenset[tuple[str, str]] = frozenset()
    """Memos, by scope and id, that were forgotten at its last turn."""
    removals: frozenset[tuple[str, datetime]] = frozenset()
    """Messages whose words had been removed then."""

    @property
    def messages(self) -> list[Any]:
        return [message for turn in self.turns for message in turn.messages]

    @property
    def since(self) -> datetime | None:
        """When the message of the last turn was written."""
        return self.turns[-1].said_at if self.turns else None

    def is_outdated(self, withheld: Withheld) -> bool:
        """Whether it may repeat what is withheld or was removed since, or lacks something that no longer is."""
        repeats = any(
            withheld.hides(turn.message) or withheld.repeats(turn.reply_text, turn.message) for turn in self.turns
        )
        is_restored = not self.withheld_memos <= withheld.memos
        return bool(self.turns) and (repeats or is_restored or not withheld.removals <= self.removals)

    def is_nearly_full(self, new_tokens: int) -> bool:
        """Whether it should be compacted before so many tokens are added."""
        return (
            bool(self.turns)
            and sum(turn.tokens for turn in self.turns) + new_tokens > COMPACT_AT_SHARE * self.max_tokens
        )

    def compact(self) -> int:
        """Drop the oldest turns; returns their number."""
        count, total = len(self.turns), 0
        retained: list[Turn] = []
        for turn in reversed(self.turns):
            total += turn.tokens
            if total > RETAINED_SHARE * self.max_tokens:
                break
            retained.append(turn)
        self.turns = retained[::-1]
        return count - len(self.turns)


def tokens(text: str) -> int:
    """An estimate of a text's tokens."""
    return -(-len(text) // _CHARS_PER_TOKEN)
