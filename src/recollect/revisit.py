"""A message was edited or deleted: whatever rests on its words is taken back, in the same transaction.

A memo that the message made is archived and what it had replaced counts again; one that it only reworded gets its
earlier words back. Summaries that covered the message go, and are made anew without it.
"""

import secrets
from dataclasses import replace
from datetime import datetime

from recollect import plain
from recollect.learn import Cause, write
from recollect.merge import retire
from recollect.ports import Tx
from recollect.speaking import session_of
from recollect.text import fold, squeeze
from recollect.triggers import reference, resummarise
from recollect.types import Change, Event, Memo, Message, Origin, Revise, Status

_LEARNED = (Origin.SUMMARY, Origin.DISCORD)


def revisit(tx: Tx, message: Message, text: str | None, at: datetime) -> None:
    """Take back what rests on a message that now says this, or is gone."""
    cause = Cause(message.author, at, secrets.token_hex(8), reference(message))
    why = "its message was deleted" if text is None else "its message was edited"
    for memo in tx.memos.resting_on(message.place.platform, message.id):
        if memo.source.origin in _LEARNED and not _still_says(memo, text):
            write(tx, _taken_back(tx, memo, message, at, why), cause)
    for user in (None, message.author):
        session = session_of(message.place, user)
        if tx.summaries.rewind(session, message.at, at):
            tx.events.add(Event("summary.reset", at, message.author, session, reason=why.replace("its", "a")))
            resummarise(tx, message, user, at)


def _still_says(memo: Memo, text: str | None) -> bool:
    evidence = memo.source.evidence
    return bool(text and evidence) and fold(squeeze(evidence or "")) in fold(squeeze(text or ""))


def _taken_back(tx: Tx, memo: Memo, message: Message, at: datetime, why: str) -> list[Change]:
    if memo.status is Status.SUPERSEDED:  # it must not come back when its successor goes
        return [retire(memo, at, why, Status.ARCHIVED)]
    if not memo.active:
        return []
    earlier = _before(tx, memo, message)
    if earlier is not None:
        return [Revise(memo, replace(earlier, key=memo.key, hits=memo.hits, updated=at), why)]
    changes: list[Change] = [retire(memo, at, why, Status.ARCHIVED)]
    replaced = tx.memos.get(memo.subject, memo.supersedes) if memo.supersedes else None
    if replaced is not None and replaced.status is Status.SUPERSEDED and replaced.superseded_by == memo.id:
        back = replace(replaced, status=Status.ACTIVE, superseded_by=None, updated=at)
        changes.append(Revise(replaced, back, "what took its place is gone"))
    return changes


def _before(tx: Tx, memo: Memo, message: Message) -> Memo | None:
    """The memo as it was before this message reworded it, if that still stands."""
    last = next(iter(tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=1)), None)
    if last is None or last.kind != "memo.revised" or last.data.get("message") != reference(message):
        return None
    earlier = plain.to_memo(last.data["before"])
    source = earlier.source
    if source.origin in _LEARNED and source.message and tx.journal.get(source.platform, source.message) is None:
        return None
    return earlier if earlier.active else None
