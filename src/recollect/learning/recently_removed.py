"""Recently removed texts: a reply that was in progress meanwhile may still repeat them.

They are held in memory only, and for a short time, as nothing on disk may reveal what was deleted.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from recollect.core.clock import Clock, now
from recollect.core.ports import Tx
from recollect.core.types import Message, Subject
from recollect.policy.repetition import shares
from recollect.recall import withheld
from recollect.recall.withheld import Retired

LIFETIME = timedelta(minutes=15)
"""Longer than a model may take to answer."""
_CLOCK_SKEW = timedelta(seconds=10)
"""Platforms stamp messages with a clock of their own."""
MAX_REMOVALS = 500
MAX_CHARS = 4_000
"""Characters of a message that are compared."""
MAX_RECENT = 60
"""Messages before a reply that are read for its question and for those who take part."""


@dataclass(frozen=True, slots=True)
class _Removal:
    """Texts that were removed together, and the message that contained them, unless it was a memo."""

    at: datetime
    statements: Sequence[Retired]
    message: Message | None
    erased: bool

    def removes_reply(self, reply: Message, question: Message | None) -> bool:
        """Whether a reply to the message is removed with it, as if it had been stored before: "I see." may stay."""
        message = self.message
        if message is None or (message.place.platform, message.id) != (reply.place.platform, reply.reply_to):
            return False
        is_new = question is not None and shares(reply.text, question.text)  # it was edited
        return self.erased or (shares(reply.text, message.text) and not is_new)


class RecentlyRemoved:
    """Texts of messages that were deleted, edited or erased, and of erased memos, newest last."""

    def __init__(self, clock: Clock = now) -> None:
        self._clock = clock
        self._removals: deque[_Removal] = deque(maxlen=MAX_REMOVALS)
        self.count = 0
        """The number of removals so far."""

    def note(self, statements: Sequence[Retired], message: Message | None = None, *, erased: bool = False) -> None:
        """Call this before searching for repetitions: a reply stored after the search is screened against it."""
        self._drop_old()
        self.count += 1
        # Clipped: up to `MAX_REMOVALS` of these stay in memory.
        excerpt = message and replace(message, text=message.text[:MAX_CHARS])
        self._removals.append(_Removal(self._clock(), statements, excerpt, erased))

    def without_removed(self, tx: Tx, reply: Message) -> str:
        """The assistant's text without the sentences that repeat what was removed since it was asked for."""
        self._drop_old()
        if not self._removals:
            return reply.text
        recent = tx.messages.recent(reply.place, MAX_RECENT)
        question = withheld.question(tx, reply)
        # A reply without a reference answers the last person who spoke.
        answered = question or next((row for row in reversed(recent) if not row.bot and reply.reply_to is None), None)
        removals = [
            removal for removal in self._removals if answered is None or removal.at >= answered.at - _CLOCK_SKEW
        ]
        if any(removal.removes_reply(reply, question) for removal in removals):
            return ""
        items = [statement for removal in removals for statement in removal.statements]
        owners = {item.scope for item in items}
        names = {row.name for row in recent if not row.bot and row.name and Subject(row.person).scope not in owners}
        return withheld.screen(items, names).without(reply.text, question)

    def includes(self, platform: str, message_id: str) -> bool:
        """Whether this message was edited, deleted or erased."""
        messages = (removal.message for removal in self._removals)
        return any(message and (message.place.platform, message.id) == (platform, message_id) for message in messages)

    def _drop_old(self) -> None:
        while self._removals and self._clock() - self._removals[0].at > LIFETIME:
            self._removals.popleft()


def screened(tx: Tx, message: Message, removed: RecentlyRemoved | None) -> Message:
    """A message as it may be stored."""
    text = removed.without_removed(tx, message) if removed is not None and message.bot else message.text
    return message if text == message.text else replace(message, text=text)
