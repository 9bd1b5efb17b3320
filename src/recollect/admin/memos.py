"""The operator's verbs on memos: list, explain, add, edit, pin, share, retire, restore, merge and undo."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from recollect.admin.base import AdminBase, clamp, is_visible
from recollect.admin.log import LogEntry, describe_events
from recollect.core import outcomes
from recollect.core.changes import Candidate
from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.events import Event, EventKind
from recollect.core.ports import Tx
from recollect.core.reasons import Reason
from recollect.core.text import fold
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
)
from recollect.learning import changes
from recollect.learning import undo as undo_module
from recollect.learning.apply import write
from recollect.learning.edit_memo import MemoEdit, edit_memo
from recollect.learning.restore import restore
from recollect.policy import kinds
from recollect.policy.merge import retire
from recollect.policy.redaction import redact_tags
from recollect.policy.statement import edited_text, statement_text
from recollect.policy.visibility import VisibilityPolicy, stated_audience, with_qualified_owner
from recollect.recall import listing
from recollect.settings import wiring

_CHANGE_KINDS = (
    EventKind.MEMO_ADDED,
    EventKind.MEMO_REVISED,
    EventKind.MEMO_RETIRED,
    EventKind.MEMO_UNDONE,
    EventKind.MEMO_REDONE,
)
_MAX_CHANGES = 100
"""Newest changes among which the parts of the last one are found."""


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


@dataclass(frozen=True, slots=True)
class LastChange:
    """The change that an undo would revert, or why it can't; and what an undo has just reverted."""

    offer: outcomes.UndoOffer
    undone: tuple[LogEntry, ...]
    """Empty once something has happened since."""


class MemoAdmin(AdminBase):
    async def memos(
        self,
        subject: Subject,
        part: str = "",
        statuses: Collection[Status] = (),
        kinds: Collection[Kind] = (),
        limit: int = 50,
        offset: int = 0,
        after: tuple[datetime, int] | None = None,
    ) -> Listing:
        """A subject's memos, newest first: of these statuses and kinds, with `part` in text, tags, evidence or id; with
        `after`, those behind a memo that was updated then and has this key.
        """
        folded_part = fold(part)

        def is_match(memo: Memo) -> bool:
            words = (memo.text, *memo.tags, memo.source.evidence or "", memo.id)
            return (not kinds or memo.kind in kinds) and any(folded_part in fold(word) for word in words)

        stored = await self._read(lambda tx: tx.memos.list(subject, statuses))
        memos = [memo for memo in listing.without_pending(stored, statuses) if is_match(memo)]
        rest = memos if after is None else [memo for memo in memos if (memo.updated, memo.key) < after]
        return Listing(tuple(rest[offset : offset + clamp(limit)]), len(memos))

    async def memos_of(self, people: Sequence[Subject], statuses: Collection[Status]) -> list[Memo]:
        """The memos of several people, newest first."""
        stored = await self._read(lambda tx: [memo for person in people for memo in tx.memos.list(person, statuses)])
        return sorted(stored, key=lambda memo: memo.updated, reverse=True)

    async def active_memos(self, subject: Subject, memo_ids: Sequence[str]) -> list[Memo]:
        """Those of the named memos that are in use, each once."""

        def work(tx: Tx) -> list[Memo]:
            memos = (tx.memos.get(subject, memo_id) for memo_id in dict.fromkeys(memo_ids))
            return [memo for memo in memos if memo is not None and memo.active]

        return await self._read(work)

    async def memo_details(self, subject: Subject, memo_id: str) -> MemoDetails:
        """A memo with its history and source; raises UnknownMemo."""

        def work(tx: Tx) -> MemoDetails:
            memo = _get(tx, subject, memo_id)
            source = memo.source
            message = tx.messages.get(source.platform, source.message) if source.message else None
            return MemoDetails(memo, tuple(listing.history(tx, subject, memo_id, is_visible)), message)

        return await self._read(work)

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
        said: datetime | None = None,
    ) -> outcomes.RememberOutcome:
        """Add a memo about a person, visible only to them unless `audience` says otherwise, or lore of a guild. It is
        merged with existing memos; `said` is when it was stated, now unless given.
        """
        wiring.require_durable(self.memory.settings)
        if subject.is_lore:
            visible_to = Audience(AudienceLevel.GUILD, subject.guild or "", subject.guild or "")
        elif audience is None:
            visible_to = stated_audience(Place(dm=subject.id), VisibilityPolicy(self.memory.settings.visibility))
        else:
            visible_to = with_qualified_owner(audience, subject.id)
        words = statement_text(text)
        if isinstance(words, outcomes.Refused):
            return words
        candidate = Candidate(
            subject=subject,
            kind=kinds.stated_kind(kind, words, lore=subject.is_lore),
            text=words,
            at=said or self._clock(),
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
        return await self._write(lambda tx: changes.remember(tx, candidate, context, limits, vector, is_visible))

    async def update(
        self,
        subject: Subject,
        memo_id: str,
        text: str | None = None,
        tags: Collection[str] | None = None,
        version: int | None = None,
    ) -> Memo:
        """Change the text or tags of a memo; its audience stays the same. Here as below, raises VersionConflict if the
        memo no longer has this version.
        """
        words = None if text is None else edited_text(text)
        vector = None if words is None else await self.memory.vectors.embed_text(words)
        edit = MemoEdit(words, None if tags is None else redact_tags(tags), Provenance(actor=self.name))
        limits, context = wiring.memo_limits(self.memory.settings, lore=subject.is_lore), self._context()
        return await self._write(
            lambda tx: edit_memo(tx, _get(tx, subject, memo_id, version), edit, context, limits, vector)
        )

    async def pin(self, subject: Subject, memo_id: str, pinned: bool = True, version: int | None = None) -> Memo:
        """Pin or unpin a memo."""
        context = self._context()
        return await self._write(lambda tx: changes.pin(tx, subject, memo_id, pinned, context, is_visible, version))

    async def share(self, subject: Subject, memo_id: str, audience: Audience, version: int | None = None) -> Memo:
        """Change the audience of a person's memo; raises BadInput for lore, which is its guild's."""
        if subject.is_lore:
            raise BadInput("that audience can't be chosen for this memory: lore is its server's")
        context = self._context()
        wanted = with_qualified_owner(audience, subject.id)
        return await self._write(lambda tx: changes.share(tx, subject, memo_id, wanted, context, is_visible, version))

    async def retire(self, subject: Subject, memo_id: str, version: int | None = None) -> outcomes.Forgotten:
        """Retire a memo and keep it from being learned again; raises UnknownMemo. The outcome has it as it is now."""
        context, schedule = self._context(), self.memory.engine.schedule

        def work(tx: Tx) -> outcomes.Forgotten:
            memo = _get_active(tx, subject, memo_id, version)
            outcome = changes.forget(tx, subject, memo.id, context, is_visible, 0.0, every=False, schedule=schedule)
            retired = outcomes.Forgotten((_get(tx, subject, memo_id),))
            return replace(outcome, memos=retired.memos) if isinstance(outcome, outcomes.Forgotten) else retired

        return await self._write(work)

    async def restore(self, subject: Subject, memo_id: str, version: int | None = None) -> outcomes.RestoreOutcome:
        """Bring a retired memo back, whatever happened since; undoable. Raises UnknownMemo."""
        context, schedule = self._context(), self.memory.engine.schedule
        limits = wiring.memo_limits(self.memory.settings, lore=subject.is_lore)

        def work(tx: Tx) -> outcomes.RestoreOutcome:
            memo = _get(tx, subject, memo_id)
            return restore(tx, subject, memo.id, context, is_visible, schedule, limits, version)

        return await self._write(work)

    async def merge(
        self,
        subject: Subject,
        keep: str,
        others: Collection[str],
        text: str | None = None,
        versions: Mapping[str, int] | None = None,
    ) -> Memo:
        """Merge other memos into one, optionally with a new text; it is one change and is undone as one. Raises
        VersionConflict if one of them no longer has its version in `versions`.
        """
        merged_ids = [memo_id for memo_id in dict.fromkeys(others) if memo_id != keep]
        if not merged_ids:
            raise BadInput("name at least one other memo to merge")
        context, limits = self._context(), wiring.memo_limits(self.memory.settings, lore=subject.is_lore)
        words, seen = None if text is None else edited_text(text), versions or {}

        def work(tx: Tx) -> Memo:
            retained = _get_active(tx, subject, keep, seen.get(keep))
            for memo_id in merged_ids:
                memo = _get_active(tx, subject, memo_id, seen.get(memo_id))
                change = retire(memo, context.at, Reason.MERGED_BY_HAND, Status.SUPERSEDED, keep)
                write(tx, [replace(change, after=replace(change.after, superseded_by=keep))], context)
            return edit_memo(tx, retained, MemoEdit(words, None, Provenance(actor=context.actor)), context, limits)

        return await self._write(work)

    async def undoable(self, subject: Subject, change: int | None = None) -> outcomes.UndoOffer:
        """What `undo` would revert now: the last change, or the one with this id."""
        return await self._read(lambda tx: undo_module.undoable(tx, subject, is_visible, change))

    async def undo(self, subject: Subject, change: int | None = None) -> outcomes.UndoOutcome:
        """Revert the last change of a subject's memos, or the one with this id if its memos were not changed since."""
        context, schedule = self._context(), self.memory.engine.schedule
        return await self._write(
            lambda tx: undo_module.undo(tx, subject, context, is_visible, change=change, schedule=schedule)
        )

    async def redo(self, subject: Subject) -> outcomes.RedoOutcome:
        """Take the last undo of a subject's memos back, unless something was changed since."""
        context, schedule = self._context(), self.memory.engine.schedule
        return await self._write(lambda tx: undo_module.redo(tx, subject, context, is_visible, schedule))

    async def last_change(self, subject: Subject) -> LastChange:
        """The change that `undo` would revert now, and what it reverted last."""

        def work(tx: Tx) -> LastChange:
            events = tx.events.list(subject.scope, None, _MAX_CHANGES, None, _CHANGE_KINDS)
            is_last = events[0].kind == EventKind.MEMO_UNDONE if events else False
            undone = takewhile(lambda event: is_last and event.data.get("undoes") == events[0].data["undoes"], events)
            offer = undo_module.undoable(tx, subject, is_visible)
            return LastChange(offer, tuple(describe_events(tx, list(undone))))

        return await self._read(work)


def _get(tx: Tx, subject: Subject, memo_id: str, version: int | None = None) -> Memo:
    return listing.get(tx, subject, memo_id, is_visible, version)


def _get_active(tx: Tx, subject: Subject, memo_id: str, version: int | None = None) -> Memo:
    memo = _get(tx, subject, memo_id, version)
    if not memo.active:
        raise UnknownMemo(f"memory {memo_id!r} is no longer in use")
    return memo
