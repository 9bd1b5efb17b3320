"""Lore that the assistant notes by itself: backed by people's words, and limited per day."""

from datetime import datetime, timedelta

from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.types import Message, Status, Subject
from recollect.policy.guard.sources import Source, find_source
from recollect.policy.merge import is_automatic_lore
from recollect.recall import withheld

MAX_LINES_PER_DAY, MAX_LINES_PER_PERSON = 10, 3
"""Per guild and day; replies to one person leave room for the others, whatever that person says."""
MAX_MESSAGES = 30
"""Newest messages of the place that may back a line."""


def source_of(tx: Tx, line: str, message: Message, now: datetime) -> Source | Reason:
    """The message and words that back a line of a reply; or why it is not noted."""
    if message.place.guild_key is None:
        return Reason.NO_SUCH_MESSAGE
    noted = tx.memos.list(Subject.lore(message.place.guild_key), list(Status), limit=2 * MAX_LINES_PER_DAY)
    today = [memo for memo in noted if is_automatic_lore(memo) and memo.created > now - timedelta(days=1)]
    of_person = sum(memo.source.actor == message.person for memo in today)
    if len(today) >= MAX_LINES_PER_DAY or of_person >= MAX_LINES_PER_PERSON:
        return Reason.TOO_MANY_TODAY
    recent = tx.messages.recent(message.place, MAX_MESSAGES)
    screen = withheld.collect(tx, message.place, [message.person], recent)
    earlier = [other for other in withheld.visible_messages(tx, screen, recent) if other.id != message.id]
    return find_source(line, [*earlier, message])
