"""What one page does to memory, as a unit of work: an edit revises its memo, a new page is remembered.

Where page and memo have both changed, the newer counts; the other stays in the memo's history.
"""

from dataclasses import dataclass, replace
from secrets import token_hex

from recollect.core.changes import Add, Candidate, Revise, Skip
from recollect.core.clock import to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Tx, Vector
from recollect.core.text import clean, collapse_spaces
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Origin, Place, Provenance, Subject
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement, write
from recollect.learning.edit import MemoEdit, edit_memo
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
    caps: MemoLimits
    lore_caps: MemoLimits
    policy: VisibilityPolicy = VisibilityPolicy.BY_AUDIENCE
    actor: str = "files"

    def caps_of(self, subject: Subject) -> MemoLimits:
        return self.lore_caps if subject.is_lore else self.caps


@dataclass(frozen=True, slots=True)
class Note:
    """What became of one page: new, changed, settled, moved, aside, retired, restored, secret or broken."""

    what: str
    path: str
    memo: str | None = None
    detail: str = ""
    keys: tuple[Key, ...] = ()
    """Memos whose pages are to be written now."""


def preview(tx: Tx, one: Edited) -> Note | None:
    """What would become of an edited page; nothing when it says what its memo says."""
    memo = tx.memos.get(*one.key)
    if memo is None or not _differs(memo, one.page):
        return _where(one)
    if not _is_older(one, memo, one.record) or (one.record is None and not memo.active):
        return Note("changed" if memo.active else "new", one.seen.path, memo.id)
    return Note("settled" if memo.active else "aside", one.seen.path, memo.id, "memory has a newer version")


def edit(
    tx: Tx,
    *,
    one: Edited,
    records: Records,
    terms: PageSyncOptions,
    cause: ChangeContext,
    vector: tuple[str, Vector] | None,
) -> Note | None:
    """Let a memo say what its page says."""
    memo, record = tx.memos.get(*one.key), records.get(tx, one.key)
    if memo is None:
        raise BadInput("its memo went meanwhile")
    older = _is_older(one, memo, record)
    if memo.active and not _differs(memo, one.page):
        _note(tx, records, memo, one)
        return _where(one)
    if not memo.active and (record is None or not older):
        records.drop(tx, one.key)
        fresh = Fresh(one.seen, one.page, memo.subject, foreign=record is None)
        return add(tx, one=fresh, records=records, terms=terms, cause=cause, vector=vector)
    if older:
        _keep_both(tx, memo, one, cause)
        return _settle(tx, memo, one, records)
    after = _revise(tx, memo, one, terms, cause, vector)
    _note(tx, records, after, one)
    return Note("changed", one.seen.path, after.id, keys=(one.key,))


def add(
    tx: Tx,
    *,
    one: Fresh,
    records: Records,
    terms: PageSyncOptions,
    cause: ChangeContext,
    vector: tuple[str, Vector] | None,
) -> Note:
    """Remember what a new page says, merged with what is known; raises BadInput."""
    cause = replace(cause, shared=one.page.audience == EVERYWHERE)  # its front matter says so
    change = apply_statement(tx, _candidate(one, terms, cause), cause, terms.caps_of(one.subject), vector)[0]
    match change:
        case Add(memo=memo):
            memo = _dated(tx, memo, one.page, cause, vector)
        case Revise(after=memo):
            pass
        case Skip(reason=reason, memo=None):
            raise BadInput(f"not remembered: {reason}{HINT if one.foreign else ''}")
        case Skip(reason=reason, memo=Memo() as memo):
            return _keep_conflict_copy(tx, one, memo, reason, records)
        case _:
            raise BadInput("not remembered")
    if records.get(tx, (memo.subject, memo.id)) is not None:
        return _keep_conflict_copy(tx, one, memo, "its words went into", records)
    records.note(tx, memo, one.seen.path, one.seen.data or b"")
    return Note("new", one.seen.path, memo.id, keys=((memo.subject, memo.id),))


def _differs(memo: Memo, page: Page) -> bool:
    return collapse_spaces(page.words.text) != memo.text or revised(memo, page) != memo


def _is_older(one: Edited, memo: Memo, record: Record | None) -> bool:
    """Whether the memo changed after we wrote its page, and after somebody else did."""
    changed = record is None or to_ms(memo.updated) > record.updated
    return changed and one.seen.at < memo.updated


def _where(one: Edited) -> Note | None:
    moved = one.record is not None and one.record.path != one.seen.path
    return Note("moved", one.seen.path, one.key[1]) if moved else None


def _note(tx: Tx, records: Records, memo: Memo, one: Edited) -> None:
    records.note(tx, memo, one.seen.path, one.seen.data or b"")


def _revise(
    tx: Tx, memo: Memo, one: Edited, terms: PageSyncOptions, cause: ChangeContext, vector: tuple[str, Vector] | None
) -> Memo:
    after = revised(memo, one.page)
    if after != memo:
        after = replace(after, created=min(after.created, cause.at), updated=max(cause.at, memo.updated))
        write(tx, [Revise(memo, after, "front matter edited in its file")], cause)
    words = collapse_spaces(one.page.words.text)
    return edit_memo(
        tx, after, MemoEdit(words, None, _source(one, Origin.MANUAL)), cause, terms.caps_of(memo.subject), vector
    )


def _keep_both(tx: Tx, memo: Memo, one: Edited, cause: ChangeContext) -> None:
    """The older words pass through the memo's history; undoing the last step brings them back."""
    source = replace(_source(one, Origin.MANUAL), metadata=memo.source.metadata)
    older = replace(revised(memo, one.page), text=collapse_spaces(one.page.words.text), source=source)
    write(tx, [Revise(memo, older, "edited in its file, before memory changed")], cause)
    write(tx, [Revise(older, memo, "the newer version counts")], replace(cause, batch=token_hex(8)))


def _settle(tx: Tx, memo: Memo, one: Edited, records: Records) -> Note:
    if memo.active:
        _note(tx, records, memo, one)
        return Note(
            "settled", one.seen.path, memo.id, "memory has a newer version; both are in its history", (one.key,)
        )
    records.drop(tx, one.key)
    return Note("aside", one.seen.path, memo.id, "its memo was retired later; 'recollect undo' may bring it back")


def _keep_conflict_copy(tx: Tx, one: Fresh, memo: Memo, reason: str, records: Records) -> Note:
    record = records.get(tx, (memo.subject, memo.id))
    where = record.path if record else memo.id
    return Note("aside", one.seen.path, memo.id, f"{reason} {where}".strip(), ((memo.subject, memo.id),))


def _candidate(one: Fresh, terms: PageSyncOptions, cause: ChangeContext) -> Candidate:
    page, subject = one.page, one.subject
    kind = Kind.LORE if subject.is_lore else kind_of(page)
    return Candidate(
        subject=subject,
        kind=kind,
        label=page.category if kind == page.category else None,
        text=collapse_spaces(page.words.text),
        at=min(one.seen.at, cause.at) if one.foreign else cause.at,
        source=_source(one, Origin.IMPORT if one.foreign else Origin.MANUAL),
        audience=_audience(page, subject, terms.policy),
        tags=page.keywords or (),
    )


def _audience(page: Page, subject: Subject, policy: VisibilityPolicy) -> Audience:
    if subject.is_lore:
        return page.audience or Audience("guild", subject.guild or "", subject.guild or "")
    alone = Place(dm=subject.id)
    return limit_audience(page.audience or stated_audience(alone, policy), alone, policy)


def _source(one: Edited | Fresh, origin: Origin) -> Provenance:
    subject = one.subject if isinstance(one, Fresh) else one.key[0]
    actor = "" if subject.is_lore else subject.id
    return Provenance(origin=origin, actor=actor, guild=subject.guild, trace=clean(f"file {one.seen.path}"))


def _dated(tx: Tx, memo: Memo, page: Page, cause: ChangeContext, vector: tuple[str, Vector] | None) -> Memo:
    """A new memo has the date that its page names, never one to come."""
    if page.created is None:
        return memo
    memo = replace(memo, created=min(page.created, cause.at))
    tx.memos.put(memo, vector)
    return memo
