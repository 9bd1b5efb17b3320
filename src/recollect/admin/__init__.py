"""The operator's view of a memory: everything in it regardless of visibility, and changes in the operator's name.

What people see goes through `Memory`, which applies visibility. This is for the operator, behind a token; every change
is logged under the operator's name and can be undone like any other.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from recollect.admin import names
from recollect.admin.overview import DEFAULT_DAYS, Overview, read_overview
from recollect.core import outcomes
from recollect.core.changes import Candidate
from recollect.core.clock import Clock
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.events import Event
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.text import fold, valid_memo_text
from recollect.core.types import (
    EVERYWHERE,
    Audience,
    AudienceLevel,
    Kind,
    Memo,
    Message,
    Place,
    Provenance,
    Status,
    Subject,
    Summary,
)
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
MAX_ROWS = 500
"""At most this many rows per answer."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of memos, and how many there are in total."""

    memos: tuple[Memo, ...]
    total: int


@dataclass(frozen=True, slots=True)
class MemoDetails:
    """A memo, its history, and the message that it comes from."""

    memo: Memo
    events: tuple[Event, ...]
    message: Message | None


class Admin:
    """Reads and changes everything, under its own name."""

    def __init__(self, memory: AsyncMemory, clock: Clock, name: str = OPERATOR) -> None:
        self.memory = memory
        self.name = name
        self._store, self._clock = memory.store, clock

    async def overview(self, days: int = DEFAULT_DAYS) -> Overview:
        """Counts, problems and cost at a glance."""
        return await read_overview(self.memory, self._clock(), days)

    async def people(self, part: str = "", after: str = "", limit: int = 50) -> Sequence[tuple[Subject, int]]:
        """People with memos and how many, by id; only those whose id contains `part`."""
        return await self._store.read(lambda tx: tx.memos.owners(part, after, _clamp(limit)))

    async def guilds(self, part: str = "", after: str = "", limit: int = 50) -> Sequence[tuple[Subject, int]]:
        """Guilds with lore, and how many memos of it."""
        return await self._store.read(lambda tx: tx.memos.owners(part, after, _clamp(limit), lore=True))

    async def match_name(self, typed: str) -> names.NameMatch:
        """The person that an id or a name refers to."""
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
        """A subject's memos, newest first: of these statuses and kinds, with `part` in text, tags, evidence or id."""
        folded_part = fold(part)

        def is_match(memo: Memo) -> bool:
            words = (memo.text, *memo.tags, memo.source.evidence or "", memo.id)
            return (not kinds or memo.kind in kinds) and any(folded_part in fold(word) for word in words)

        memos = [memo for memo in await self._store.read(lambda tx: tx.memos.list(subject, statuses)) if is_match(memo)]
        return Listing(tuple(memos[offset : offset + _clamp(limit)]), len(memos))

    async def memo_details(self, subject: Subject, memo_id: str) -> MemoDetails:
        """A memo with its history and source; raises UnknownMemo."""

        def work(tx: Tx) -> MemoDetails:
            memo = _get(tx, subject, memo_id)
            source = memo.source
            message = tx.messages.get(source.platform, source.message) if source.message else None
            return MemoDetails(memo, tuple(tx.events.list(scope=subject.scope, memo=memo_id)), message)

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
        """Add a memo about a person, visible only to them unless `audience` says otherwise, or lore of a guild. It is
        merged with existing memos.
        """
        wiring.require_durable(self.memory.settings)
        if subject.is_lore:
            visible_to = Audience(AudienceLevel.GUILD, subject.guild or "", subject.guild or "")
        elif audience is None:
            visible_to = stated_audience(Place(dm=subject.id), VisibilityPolicy(self.memory.settings.visibility))
        else:
            visible_to = audience
        words = redact(valid_memo_text(text)).text
        candidate = Candidate(
            subject=subject,
            kind=kinds.stated_kind(kind, words, lore=subject.is_lore),
            text=words,
            at=self._clock(),
            source=Provenance(actor=self.name, guild=subject.guild if subject.is_lore else None),
            audience=visible_to,
            tags=redact_tags(tags),
            pinned=pinned,
            happened=happened,
            expires=expires,
        )
        vector = await self.memory.vectors.embed_text(words)
        limits, context = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._context()
        context = replace(context, shared=audience == EVERYWHERE)
        return await self._store.write(lambda tx: changes.remember(tx, candidate, context, limits, vector, _is_visible))

    async def update(
        self, subject: Subject, memo_id: str, text: str | None = None, tags: Collection[str] | None = None
    ) -> Memo:
        """Change the text or tags of a memo; its audience stays the same."""
        words = None if text is None else redact(valid_memo_text(text)).text
        vector = None if words is None else await self.memory.vectors.embed_text(words)
        edit = MemoEdit(words, None if tags is None else redact_tags(tags), Provenance(actor=self.name))
        limits, context = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._context()
        memo = await self._store.write(
            lambda tx: edit_memo(tx, _get(tx, subject, memo_id), edit, context, limits, vector)
        )
        self.memory.vectors.wake()
        return memo

    async def pin(self, subject: Subject, memo_id: str, pinned: bool = True) -> Memo:
        """Pin or unpin a memo."""
        context = self._context()
        return await self._store.write(lambda tx: changes.pin(tx, subject, memo_id, pinned, context, _is_visible))

    async def share(self, subject: Subject, memo_id: str, audience: Audience) -> Memo:
        """Change the audience of a memo."""
        context = self._context()
        return await self._store.write(lambda tx: changes.share(tx, subject, memo_id, audience, context, _is_visible))

    async def retire(self, subject: Subject, memo_id: str) -> Memo:
        """Retire a memo and keep it from being learned again; raises UnknownMemo."""
        context, schedule = self._context(), wiring.schedule(self.memory.settings)

        def work(tx: Tx) -> Memo:
            memo = _get_active(tx, subject, memo_id)
            changes.forget(tx, subject, memo.id, context, _is_visible, 0.0, every=False, schedule=schedule)
            return _get(tx, subject, memo_id)

        return await self._store.write(work)

    async def merge(self, subject: Subject, keep: str, others: Collection[str], text: str | None = None) -> Memo:
        """Merge other memos into one, optionally with a new text; it is one change and is undone as one."""
        merged_ids = [memo_id for memo_id in dict.fromkeys(others) if memo_id != keep]
        if not merged_ids:
            raise BadInput("name at least one other memo to merge")
        context, limits = self._context(), wiring.memo_limits(self.memory.settings, lore=subject.is_lore)
        words = None if text is None else redact(valid_memo_text(text)).text

        def work(tx: Tx) -> Memo:
            retained = _get_active(tx, subject, keep)
            for memo_id in merged_ids:
                change = retire(
                    _get_active(tx, subject, memo_id), context.at, Reason.MERGED_BY_HAND, Status.SUPERSEDED, keep
                )
                write(tx, [replace(change, after=replace(change.after, superseded_by=keep))], context)
            return edit_memo(tx, retained, MemoEdit(words, None, Provenance(actor=context.actor)), context, limits)

        return await self._store.write(work)

    async def undoable(self, subject: Subject) -> outcomes.UndoOffer:
        """The change that `undo` would revert now."""
        return await self._store.read(lambda tx: undo_module.undoable(tx, subject, _is_visible))

    async def undo(self, subject: Subject, expected: int | None = None) -> outcomes.UndoOutcome:
        """Revert the last change of a subject's memos; with `expected`, only if it is the change of that id."""
        context, schedule = self._context(), wiring.schedule(self.memory.settings)
        outcome = await self._store.write(
            lambda tx: undo_module.undo(tx, subject, context, _is_visible, expected=expected, schedule=schedule)
        )
        self.memory.vectors.wake()
        return outcome

    async def sessions(self, part: str = "", limit: int = 200) -> list[str]:
        """Sessions that have a summary, by name."""

        def work(tx: Tx) -> list[str]:
            # A row without a summary only keeps jobs in flight from restoring one.
            matching = (name for name in sorted(tx.summaries.sessions()) if fold(part) in fold(name))
            return list(islice((name for name in matching if tx.summaries.get(name) is not None), _clamp(limit)))

        return await self._store.read(work)

    async def summaries(self, session: str, limit: int = 20) -> tuple[Summary | None, list[Summary]]:
        """The summary of a session, and the previous ones, newest first."""
        return await self._store.read(
            lambda tx: (tx.summaries.get(session), tx.summaries.history(session, _clamp(limit)))
        )

    async def reset_summary(self, session: str) -> bool:
        """Clear the summary of a session; False when it has none."""
        context = self._context()
        return await self._store.write(lambda tx: changes.reset(tx, session, context))

    async def events(
        self,
        kinds: Collection[str] = (),
        scope: str | None = None,
        limit: int = 100,
        before: int | None = None,
    ) -> list[Event]:
        """The log, newest first."""
        return await self._store.read(lambda tx: tx.events.list(scope, None, _clamp(limit), before, kinds))

    async def events_after(self, event_id: int, limit: int = 200) -> list[Event]:
        """Events after this one, oldest first."""
        return await self._store.read(lambda tx: tx.events.after(event_id, _clamp(limit)))

    def _context(self) -> ChangeContext:
        return ChangeContext(self.name, self._clock(), secrets.token_hex(8))


def _is_visible(_: Memo) -> bool:
    """The operator sees every memo."""
    return True


def _clamp(limit: int) -> int:
    return max(1, min(limit, MAX_ROWS))


def _get(tx: Tx, subject: Subject, memo_id: str) -> Memo:
    return listing.get(tx, subject, memo_id, _is_visible)


def _get_active(tx: Tx, subject: Subject, memo_id: str) -> Memo:
    memo = _get(tx, subject, memo_id)
    if not memo.active:
        raise UnknownMemo(f"memo {memo_id!r} is no longer in use")
    return memo
