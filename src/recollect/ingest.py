"""What was said enters here: one transaction a message, idempotent, no model call."""

from datetime import datetime

from recollect.ports import Tx
from recollect.types import Event, Message

LONGEST = 100_000
"""Characters of a message that are kept."""


def observe(tx: Tx, message: Message) -> bool:
    """Put a message into the journal; False when it is there already."""
    return tx.journal.add(message)


def edit(tx: Tx, platform: str, message_id: str, text: str, at: datetime) -> bool:
    """A message was edited: readers see the new text, the log says that it changed."""
    changed = tx.journal.edit(platform, message_id, text, at)
    if changed:
        tx.events.add(Event("message.edited", at, data={"platform": platform, "message": message_id}))
    return changed


def delete(tx: Tx, platform: str, message_id: str, at: datetime) -> bool:
    """A message was deleted: its text is gone, the log says that there was one."""
    changed = tx.journal.delete(platform, message_id, at)
    if changed:
        tx.events.add(Event("message.deleted", at, data={"platform": platform, "message": message_id}))
    return changed
