"""What one page does to memory, as a unit of work: an edit revises its memo, a new page is remembered.

Where page and memo have both changed, the newer counts; the other stays in the memo's history.
"""

from dataclasses import dataclass, replace
from secrets import token_hex

from recollect.core.changes import Add, Candidate, Revise, Skip
from recollect.core.clock import to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Tx, Vector
from recollect.core.reasons import Reason
from recollect.core.text import clean, collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, AudienceLevel, Kind, Memo, Origin, Place, Provenance, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement, write
from recollect.learning.edit_memo import MemoEdit, edit_memo
from recollect.policy.visibility import VisibilityPolicy, limit_audience, stated_audience
from recollect.transfer.mirror.pages.compare import Edited, Fresh
from recollect.transfer.mirror.pages.markdown import Page, kind_of, revised
from recollect.transfer.mirror.pages.state import Key, Record, Records

HINT = "; without its id it is remembered anew"


@dataclass(frozen=True, slots=True)
class PageSyncOptions:
    """On whose behalf pages are taken over, and within which limits."""

    user: str
    """Whose pages lie in the folder directly, when it has no owner yet."""
    limits: MemoLimits
    lore_limits: MemoLimits
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
    actor: str = "files"

    def limits_of(self, subject: Subject) -> MemoLimits:
        return self.lore_limits if subject.is_lore else self.limits


@dataclass(frozen=True, slots=True)
class Note:
    """What became of one page: new, changed, settled, moved, aside, retired, restored, secret or broken."""

    outcome: str
    path: str
    memo: str | None = None
    detail: str = ""
    keys: tuple[Key, ...] = ()
    """Memos whose pages are to be written now."""


def preview(tx: Tx, edited: Edited) -> Note | None:
    """What would become of an edited page; nothing when it says what its memo says."""
    memo = tx.memos.get(*edited.key)
    if memo is None or not _differs(memo, edited.page):
        return _moved_note(edited)
    if not _is_older(edited, memo, edited.record) or (edited.record is None and not memo.active):
        return Note("changed" if memo.active else "new", edited.file.path, memo.id)
    return Note("settled" if memo.active else "aside", edited.file.path, memo.id, "memory has a newer version")


def edit(
    tx: Tx,
    edited: Edited,
    records: Records,
    options: PageSyncOptions,
    context: ChangeContext,
    vector: tuple[str, Vector] | None,
) -> Note | None:
    """Let a memo say what its page says."""
    # Read again: the comparison was made in an earlier transaction.
    memo, record = tx.memos.get(*edited.key), records.get(tx, edited.key)
    if memo is None:
        raise BadInput("its memo went meanwhile")
    is_older = _is_older(edited, memo, record)
    if memo.active and not _differs(memo, edited.page):
        _record_page(tx, records, memo, edited)
        return _moved_note(edited)
    # Edited after its memo was retired: the person wants it, as a statement of its own.
    if not memo.active and (record is None or not is_older):
        records.drop(tx, edited.key)
        fresh = Fresh(edited.file, edited.page, memo.subject, foreign=record is None)
        return add(tx, fresh, records, options, context, vector)
    if is_older:
        _keep_both(tx, memo, edited, context)
        return _keep_memory_version(tx, memo, edited, records)
    after = _revise(tx, memo, edited, options, context, vector)
    _record_page(tx, records, after, edited)
    return Note("changed", edited.file.path, after.id, keys=(edited.key,))


def add(
    tx: Tx,
    fresh: Fresh,
    records: Records,
    options: PageSyncOptions,
    context: ChangeContext,
    vector: tuple[str, Vector] | None,
) -> Note:
    """Remember what a new page says, merged with what is known; raises BadInput."""
    context = replace(context, shared=fresh.page.audience == EVERYWHERE)  # its front matter says so
    candidate, limits = _candidate(fresh, options, context), options.limits_of(fresh.subject)
    change = apply_statement(tx, candidate, context, limits, vector)[0]
    match change:
        case Add(memo=memo):
            memo = _with_page_date(tx, memo, fresh.page, context, vector)
        case Revise(after=memo):
            pass
        case Skip(memo=None) as skip:
            raise BadInput(f"not remembered: {skip.text}{HINT if fresh.foreign else ''}")
        case Skip(memo=Memo() as memo) as skip:
            return _keep_conflict_copy(tx, fresh, memo, skip.text, records)
        case _:
            raise BadInput("not remembered")
    if records.get(tx, (memo.subject, memo.id)) is not None:
        return _keep_conflict_copy(tx, fresh, memo, "its words went into", records)
    records.note(tx, memo, fresh.file.path, fresh.file.data or b"")
    return Note("new", fresh.file.path, memo.id, keys=((memo.subject, memo.id),))


def _differs(memo: Memo, page: Page) -> bool:
    return collapse_spaces(page.words.text) != memo.text or revised(memo, page) != memo


def _is_older(edited: Edited, memo: Memo, record: Record | None) -> bool:
    """Whether the memo changed after we wrote its page, and after someone edited the page."""
    changed = record is None or to_ms(memo.updated) > record.updated
    return changed and edited.file.modified < memo.updated


def _moved_note(edited: Edited) -> Note | None:
    moved = edited.record is not None and edited.record.path != edited.file.path
    return Note("moved", edited.file.path, edited.key[1]) if moved else None


def _record_page(tx: Tx, records: Records, memo: Memo, edited: Edited) -> None:
    records.note(tx, memo, edited.file.path, edited.file.data or b"")


def _revise(
    tx: Tx,
    memo: Memo,
    edited: Edited,
    options: PageSyncOptions,
    context: ChangeContext,
    vector: tuple[str, Vector] | None,
) -> Memo:
    after = revised(memo, edited.page)
    if after != memo:
        after = replace(after, created=min(after.created, context.at), updated=max(context.at, memo.updated))
        after = write(tx, [Revise(memo, after, Reason.FRONT_MATTER_EDITED)], context)[0].after
    words = collapse_spaces(edited.page.words.text)
    requested = MemoEdit(words, None, _source(edited, Origin.MANUAL))
    return edit_memo(tx, after, requested, context, options.limits_of(memo.subject), vector)


def _keep_both(tx: Tx, memo: Memo, edited: Edited, context: ChangeContext) -> None:
    """The older words pass through the memo's history; undoing the last step brings them back."""
    source = replace(_source(edited, Origin.MANUAL), metadata=memo.source.metadata)
    older = replace(revised(memo, edited.page), text=collapse_spaces(edited.page.words.text), source=source)
    older = write(tx, [Revise(memo, older, Reason.FILE_EDITED_BEFORE)], context)[0].after
    # A batch of its own, so that one undo brings the older words back.
    write(tx, [Revise(older, memo, Reason.NEWER_COUNTS)], replace(context, batch=token_hex(8)))


def _keep_memory_version(tx: Tx, memo: Memo, edited: Edited, records: Records) -> Note:
    if memo.active:
        _record_page(tx, records, memo, edited)
        return Note(
            "settled", edited.file.path, memo.id, "memory has a newer version; both are in its history", (edited.key,)
        )
    records.drop(tx, edited.key)
    return Note("aside", edited.file.path, memo.id, "its memo was retired later; 'recollect undo' may bring it back")


def _keep_conflict_copy(tx: Tx, fresh: Fresh, memo: Memo, reason: str, records: Records) -> Note:
    record = records.get(tx, (memo.subject, memo.id))
    location = record.path if record else memo.id
    return Note("aside", fresh.file.path, memo.id, f"{reason} {location}".strip(), ((memo.subject, memo.id),))


def _candidate(fresh: Fresh, options: PageSyncOptions, context: ChangeContext) -> Candidate:
    page, subject = fresh.page, fresh.subject
    kind = Kind.LORE if subject.is_lore else kind_of(page)
    return Candidate(
        subject=subject,
        kind=kind,
        label=page.category if kind == page.category else None,
        text=collapse_spaces(page.words.text),
        at=min(fresh.file.modified, context.at) if fresh.foreign else context.at,
        source=_source(fresh, Origin.IMPORT if fresh.foreign else Origin.MANUAL),
        audience=_audience(page, subject, options.policy),
        tags=page.keywords or (),
    )


def _audience(page: Page, subject: Subject, policy: VisibilityPolicy) -> Audience:
    if subject.is_lore:
        return page.audience or Audience(AudienceLevel.GUILD, subject.guild or "", subject.guild or "")
    alone = Place(dm=subject.id)
    return limit_audience(page.audience or stated_audience(alone, policy), alone, policy)


def _source(change: Edited | Fresh, origin: Origin) -> Provenance:
    subject = change.subject if isinstance(change, Fresh) else change.key[0]
    actor = "" if subject.is_lore else subject.id
    return Provenance(origin=origin, actor=actor, guild=subject.guild, trace=clean(f"file {change.file.path}"))


def _with_page_date(tx: Tx, memo: Memo, page: Page, context: ChangeContext, vector: tuple[str, Vector] | None) -> Memo:
    """A new memo has the date that its page names, never one to come."""
    if page.created is None:
        return memo
    memo = replace(memo, created=min(page.created, context.at), version=memo.version + 1)
    tx.memos.put(memo, vector)
    return memo
