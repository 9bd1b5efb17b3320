"""The operator's office: all that a memory holds, whoever may hear it, and changes in the operator's name.

What people see goes through `Memory`, which asks who may hear it. This here is for whoever runs the store, behind a
token; every change stands in the log under the operator's name and can be undone like any other.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from recollect.admin import names
from recollect.admin.overview import DAYS, Overview, read_overview
from recollect.core import outcomes
from recollect.core.changes import Candidate
from recollect.core.clock import Clock
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.text import fold, valid_memo_text
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Place, Provenance, Status, Subject, Summary
from recollect.learning import changes
from recollect.learning import undo as undo_module
from recollect.learning.apply import ChangeContext, write
from recollect.learning.edit import MemoEdit, edit_memo
from recollect.memory import AsyncMemory
from recollect.policy import kinds
from recollect.policy.merge import retire
from recollect.policy.redaction import redact, redact_tags
from recollect.policy.visibility import VisibilityPolicy, stated_audience
from recollect.recall import listing
from recollect.settings import wiring

__all__ = ["Admin", "Listing", "MemoDetails", "Overview"]

OPERATOR = "operator"
MOST = 500
"""Rows of one answer at the most."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of memos, and how many there are in all."""

    memos: tuple[Memo, ...]
    total: int


@dataclass(frozen=True, slots=True)
class MemoDetails:
    """A memo, what happened to it, and the message that its words come from."""

    memo: Memo
    events: tuple[Event, ...]
    message: Message | None


class Admin:
    """Sees and changes everything, under a name of its own."""

    def __init__(self, memory: AsyncMemory, clock: Clock, name: str = OPERATOR) -> None:
        self.memory = memory
        self.name = name
        self._store, self._clock = memory.store, clock

    async def overview(self, days: int = DAYS) -> Overview:
        """How things stand."""
        return await read_overview(self.memory, self._clock(), days)

    async def people(self, part: str = "", after: str = "", limit: int = 50) -> Sequence[tuple[Subject, int]]:
        """Who has memos, and how many, by id; those whose id contains the part."""
        return await self._store.read(lambda tx: tx.memos.owners(part, after, _within(limit)))

    async def guilds(self, part: str = "", after: str = "", limit: int = 50) -> Sequence[tuple[Subject, int]]:
        """Which guilds have lore, and how much."""
        return await self._store.read(lambda tx: tx.memos.owners(part, after, _within(limit), lore=True))

    async def meant(self, typed: str) -> names.NameMatch:
        """Whom an id or a name means."""
        return await self._store.read(lambda tx: names.match_name(tx, typed))

    async def memos(
        self,
        subject: Subject,
        part: str = "",
        statuses: Collection[Status] = (),
        kinds: Collection[Kind] = (),
        limit: int = 50,
        offset: int = 0,
    ) -> Listing:
        """A subject's memos, newest first: of these statuses and kinds, with this part in text, tags or evidence."""
        wanted = fold(part)

        def fits(memo: Memo) -> bool:
            words = (memo.text, *memo.tags, memo.source.evidence or "", memo.id)
            return (not kinds or memo.kind in kinds) and any(wanted in fold(word) for word in words)

        found = [memo for memo in await self._store.read(lambda tx: tx.memos.list(subject, statuses)) if fits(memo)]
        return Listing(tuple(found[offset : offset + _within(limit)]), len(found))

    async def story(self, subject: Subject, memo_id: str) -> MemoDetails:
        """Why a memo is what it is; raises UnknownMemo."""

        def work(tx: Tx) -> MemoDetails:
            memo = _get(tx, subject, memo_id)
            source = memo.source
            said = tx.messages.get(source.platform, source.message) if source.message else None
            return MemoDetails(memo, tuple(tx.events.list(scope=subject.scope, memo=memo_id)), said)

        return await self._store.read(work)

    async def add(
        self,
        subject: Subject,
        text: str,
        kind: str | None = None,
        tags: Collection[str] = (),
        audience: Audience | None = None,
        pinned: bool = False,
        happened: datetime | None = None,
        expires: datetime | None = None,
    ) -> outcomes.Remembered:
        """Write down a memo for someone, which only they hear unless it is said who else; or lore of a guild. It is
        merged with what is known.
        """
        wiring.require_durable(self.memory.settings)
        heard = (
            stated_audience(Place(dm=subject.id), VisibilityPolicy(self.memory.settings.visibility))
            if audience is None
            else audience
        )
        words = redact(valid_memo_text(text)).text
        found = kinds.stated(kind, words, lore=subject.is_lore)
        candidate = Candidate(
            subject=subject,
            kind=found,
            text=words,
            at=self._clock(),
            source=Provenance(actor=self.name, guild=subject.guild if subject.is_lore else None),
            audience=Audience("guild", subject.guild or "", subject.guild or "") if subject.is_lore else heard,
            tags=redact_tags(tags),
            pinned=pinned,
            happened=happened,
            expires=expires,
        )
        vector = await self.memory.vectors.embed_text(words)
        caps, cause = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._cause()
        cause = replace(cause, shared=audience == EVERYWHERE)
        return await self._store.write(lambda tx: changes.remember(tx, candidate, cause, caps, vector, _all))

    async def update(
        self, subject: Subject, memo_id: str, text: str | None = None, tags: Collection[str] | None = None
    ) -> Memo:
        """Other words or tags for a memo, heard by the same people as before."""
        words = None if text is None else redact(valid_memo_text(text)).text
        vector = None if words is None else await self.memory.vectors.embed_text(words)
        wanted = MemoEdit(words, None if tags is None else redact_tags(tags), Provenance(actor=self.name))
        caps, cause = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._cause()
        done = await self._store.write(
            lambda tx: edit_memo(tx, _get(tx, subject, memo_id), wanted, cause, caps, vector)
        )
        self.memory.vectors.wake()
        return done

    async def pin(self, subject: Subject, memo_id: str, pinned: bool = True) -> Memo:
        cause = self._cause()
        return await self._store.write(lambda tx: changes.pin(tx, subject, memo_id, pinned, cause, _all))

    async def share(self, subject: Subject, memo_id: str, audience: Audience) -> Memo:
        """Let a memo be heard by others than before."""
        cause = self._cause()
        return await self._store.write(lambda tx: changes.share(tx, subject, memo_id, audience, cause, _all))

    async def retire(self, subject: Subject, memo_id: str) -> Memo:
        """Take a memo out of use, and keep it from being learned again; raises UnknownMemo."""
        cause, due = self._cause(), wiring.schedule(self.memory.settings)

        def work(tx: Tx) -> Memo:
            wanted = _active(tx, subject, memo_id).id
            changes.forget(tx, subject, wanted, cause, _all, 0.0, every=False, schedule=due)
            return _get(tx, subject, memo_id)

        return await self._store.write(work)

    async def merge(self, subject: Subject, keep: str, others: Collection[str], text: str | None = None) -> Memo:
        """Let one memo stand for others, in words of its own or new ones; one change, undone as one."""
        gone = [memo_id for memo_id in dict.fromkeys(others) if memo_id != keep]
        if not gone:
            raise BadInput("name at least one other memo to merge")
        cause, caps = self._cause(), wiring.memo_limits(self.memory.settings, lore=subject.is_lore)
        words = None if text is None else redact(valid_memo_text(text)).text

        def work(tx: Tx) -> Memo:
            kept = _active(tx, subject, keep)
            for memo_id in gone:
                change = retire(_active(tx, subject, memo_id), cause.at, f"merged into {keep}", Status.SUPERSEDED)
                write(tx, [replace(change, after=replace(change.after, superseded_by=keep))], cause)
            return edit_memo(tx, kept, MemoEdit(words, None, Provenance(actor=cause.actor)), cause, caps)

        return await self._store.write(work)

    async def undoable(self, subject: Subject) -> outcomes.UndoOffer:
        """The change of someone's memory that `undo` would take back now."""
        return await self._store.read(lambda tx: undo_module.undoable(tx, subject, _all))

    async def undo(self, subject: Subject, expected: int | None = None) -> outcomes.UndoOutcome:
        """Take back the last change of someone's memory; with `expected`, only if that is the change of that id."""
        cause, due = self._cause(), wiring.schedule(self.memory.settings)
        undone = await self._store.write(
            lambda tx: undo_module.undo(tx, subject, cause, _all, expected=expected, schedule=due)
        )
        self.memory.vectors.wake()
        return undone

    async def sessions(self, part: str = "", limit: int = 200) -> list[str]:
        """Conversations that have a summary, by name."""

        def work(tx: Tx) -> list[str]:
            # A row without a summary only keeps work in flight from bringing one back.
            named = (name for name in sorted(tx.summaries.sessions()) if fold(part) in fold(name))
            return list(islice((name for name in named if tx.summaries.get(name) is not None), _within(limit)))

        return await self._store.read(work)

    async def summaries(self, session: str, limit: int = 20) -> tuple[Summary | None, list[Summary]]:
        """The summary of a conversation, and those before it, newest first."""
        return await self._store.read(
            lambda tx: (tx.summaries.get(session), tx.summaries.history(session, _within(limit)))
        )

    async def reset(self, session: str) -> bool:
        """Clear the summary of a conversation; False when it has none."""
        cause = self._cause()
        return await self._store.write(lambda tx: changes.reset(tx, session, cause))

    async def events(
        self,
        kinds: Collection[str] = (),
        scope: str | None = None,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Event]:
        """The log, newest first."""
        return await self._store.read(lambda tx: tx.events.list(scope, None, _within(limit), before, kinds))

    async def newer(self, event_id: int, limit: int = 200) -> list[Event]:
        """What was written to the log after this event, oldest first."""
        return await self._store.read(lambda tx: tx.events.after(event_id, _within(limit)))

    def _cause(self) -> ChangeContext:
        return ChangeContext(self.name, self._clock(), secrets.token_hex(8))


def _all(_: Memo) -> bool:
    return True


def _within(limit: int) -> int:
    return max(1, min(limit, MOST))


def _get(tx: Tx, subject: Subject, memo_id: str) -> Memo:
    return listing.get(tx, subject, memo_id, _all)


def _active(tx: Tx, subject: Subject, memo_id: str) -> Memo:
    memo = _get(tx, subject, memo_id)
    if not memo.active:
        raise UnknownMemo(f"memo {memo_id!r} is no longer in use")
    return memo
