"""What happens when a message is edited or deleted: what was learned from its words is reverted."""

from dataclasses import replace
from datetime import datetime, timedelta

from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.types import Message, Place
from recollect.learning.ingest import NO_JOBS
from recollect.learning.recently_removed import RecentlyRemoved, screened
from recollect.learning.rollback import rollback_message
from recollect.learning.schedule import Schedule, queue_daily_log, relearn
from recollect.policy.repetition import shares
from recollect.policy.visibility import narrower
from recollect.recall import sent_prompts

MAX_UNSEEN_DELETIONS = 1_000
"""Deletions of unseen messages that are remembered; beyond that, the older half is dropped."""
MAX_REPLIES_SCANNED = 20
"""Messages after a deleted one that are scanned for replies to it."""
_TIME_RESOLUTION = timedelta(milliseconds=1)


def edit_message(
    tx: Tx,
    platform: str,
    message_id: str,
    text: str,
    edited_at: datetime,
    schedule: Schedule = NO_JOBS,
    place: Place | None = None,
    removed: RecentlyRemoved | None = None,
) -> bool:
    """A message was edited: roll back what rested on its old text, and learn from the new one, which only those heard
    who could read the place both then and now (`place`).

    False when the message is unknown. An edit that arrives before its message is ignored: the message will arrive
    with its current text.
    """
    before = tx.messages.get(platform, message_id)
    if before is not None:
        # A reply may be edited into repeating what was removed meanwhile.
        text = screened(tx, replace(before, text=text), removed).text
    changed = tx.messages.edit(platform, message_id, text, edited_at)
    if changed and before is not None and place is not None:
        narrow = narrower(before.place, place)
        if narrow != before.place:
            tx.messages.move(platform, message_id, narrow)
    message = tx.messages.get(platform, message_id)
    if changed and before is not None and message is not None:
        _remove_quotes(tx, before)
        _roll_back(tx, before, text, edited_at, removed)
        relearn(tx, message, edited_at, schedule)
        queue_daily_log(tx, message, edited_at, schedule)
        tx.events.add(Event(EventKind.MESSAGE_EDITED, edited_at, data={"platform": platform, "message": message_id}))
    return changed


def delete_message(
    tx: Tx,
    platform: str,
    message_id: str,
    deleted_at: datetime,
    schedule: Schedule = NO_JOBS,
    removed: RecentlyRemoved | None = None,
) -> bool:
    """Delete a message's text and what rests on it; the log keeps that there was one."""
    message = tx.messages.get(platform, message_id)
    if message is None:
        _note_unseen_deletion(tx, platform, message_id, deleted_at)
        return False
    # Before the text is gone: requests that were sent are found by it.
    _remove_quotes(tx, message)
    tx.messages.delete(platform, message_id, deleted_at)
    _roll_back(tx, message, None, deleted_at, removed)
    queue_daily_log(tx, message, deleted_at, schedule)
    tx.events.add(Event(EventKind.MESSAGE_DELETED, deleted_at, data={"platform": platform, "message": message_id}))
    return True


def rescreen_reply(tx: Tx, reply: Message, now: datetime, schedule: Schedule, removed: RecentlyRemoved) -> None:
    """Remove from a stored reply what was removed while it was stored: neither transaction saw the other."""
    platform, text = reply.place.platform, screened(tx, reply, removed).text
    if not text and reply.text:
        delete_message(tx, platform, reply.id, now, schedule, removed)
    elif text != reply.text:
        edit_message(tx, platform, reply.id, text, now, schedule, removed=removed)
    if reply.reply_to is not None and reply.place.guild_key is not None and removed.includes(platform, reply.reply_to):
        tx.exchanges.remove_quoting(reply.place.guild_key, reply.reply_to)


def _roll_back(
    tx: Tx, message: Message, text: str | None, now: datetime, removed: RecentlyRemoved | None = None
) -> None:
    """Revert what was learned from an edited or deleted message, and remove the words of replies that repeat it."""
    replies = [] if message.bot else _replies(tx, message)
    for reply in replies:  # "I see." may stay
        if shares(reply.text, message.text) and not (text and shares(reply.text, text)):
            tx.messages.delete(reply.place.platform, reply.id, now)
    rollback_message(tx, message, text, now, removed)


def _replies(tx: Tx, message: Message) -> list[Message]:
    later = tx.messages.after(message.place, message.at - _TIME_RESOLUTION, MAX_REPLIES_SCANNED)
    return [reply for reply in later if reply.bot and reply.reply_to == message.id]


def _note_unseen_deletion(tx: Tx, platform: str, message_id: str, deleted_at: datetime) -> None:
    """Remember the deletion of an unseen message, so that it is not added when it arrives later."""
    reference, nobody = f"{platform}/{message_id}", Owner.nobody()  # the author of the message is not known
    tx.state.append(StateKind.UNSEEN_DELETION, reference, deleted_at.isoformat(), nobody)
    tx.state.append(StateKind.UNSEEN_DELETIONS, "", reference, nobody)
    # Half at once, so that the list is not cut at every deletion.
    if tx.state.count(StateKind.UNSEEN_DELETIONS) > MAX_UNSEEN_DELETIONS:
        oldest = tx.state.items(StateKind.UNSEEN_DELETIONS)[: MAX_UNSEEN_DELETIONS // 2]
        for old in oldest:
            tx.state.clear(StateKind.UNSEEN_DELETION, old)
        tx.state.remove(StateKind.UNSEEN_DELETIONS, "", oldest)


def _remove_quotes(tx: Tx, message: Message) -> None:
    """Remove the short-term entries that quote a message, and the requests as sent that may."""
    sent_prompts.remove_quoting(tx, message)
    if message.place.guild_key is not None:
        tx.exchanges.remove_quoting(message.place.guild_key, message.id)
