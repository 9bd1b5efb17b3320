"""Imports items into a store batch by batch, so that an interrupted import is resumed by running it again.

The second time nothing changes. A dry run makes the same decisions and only reads.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice

from recollect.core.changes import Add, Revise
from recollect.core.errors import BadInput, RecollectError
from recollect.core.events import Event, EventKind
from recollect.core.ports import Progress, Store, Tx
from recollect.core.ports.archive import SECTIONS
from recollect.core.ports.format import Entry, Item, MessageEntry, PageEntry, Problem, SummaryEntry, TombstoneEntry
from recollect.core.reasons import Reason
from recollect.core.text import clean
from recollect.core.types import Message, Status, Subject, Summary, Tombstone
from recollect.learning.apply import ChangeContext, write
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.guard.statements import gives_instructions
from recollect.policy.redaction import redact, redact_place
from recollect.transfer.importing.convert import ORDERS, ConvertedEntry, ImportOptions, contains_instructions, convert
from recollect.transfer.importing.decide import Changed, Decision, ExistingMemos, Left, New, Same, decide
from recollect.transfer.importing.dry_run import DryRunState
from recollect.transfer.importing.limits import Fresh, Limits, archive, describe_archived, preview_archived
from recollect.transfer.importing.report import Outcome, Report
from recollect.workspace import Workspace

BATCH_SIZE = 200
"""Items per transaction."""
IMPORTED = EventKind.MEMORY_IMPORTED

StoredTexts = dict[tuple[str, str], str]
"""The texts of messages in the store, by platform and id."""
Models = dict[str, int | None]
"""Models whose vectors can be taken over, with the size these have; None where there are none yet."""
StoreItem = Entry | SummaryEntry | MessageEntry | TombstoneEntry | Problem
"""What a transaction takes; pages are files."""

_COLUMNS = SECTIONS["messages"].names + SECTIONS["messages"].rest
_TEXT_COLUMN, _DELETED_COLUMN = _COLUMNS.index("text"), _COLUMNS.index("deleted")
_OTHER_WORDS = "is known here in other words"
_STILL_KNOWN = "is remembered here"
_DELETED = "was deleted or erased here"
_FOREIGN_FINGERPRINT = "only the store that it comes from knows what was forgotten"


@dataclass(frozen=True, slots=True)
class Destination:
    """The store, and the rules that hold there."""

    store: Store
    actor: str
    """Who imports."""
    limits: Limits
    model: str
    """Whose vectors are wanted."""
    workspace: Callable[[str | None], Workspace]
    """Where pages go: those of a user, or shared ones."""
    add_message: Callable[[Tx, Message], bool]
    """Adds a message to the store; False when it was deleted there."""
    max_message_chars: int
    """Maximum length of a stored message, in characters."""


async def run_import(
    destination: Destination,
    items: Iterable[Item],
    options: ImportOptions,
    *,
    dry_run: bool = False,
    total: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Import all items and report the outcomes. `total` is the number of items, if it is known."""
    report, fresh, archived = Report(options.format, dry_run), Fresh(), Counter[Subject]()
    context = ChangeContext(destination.actor, options.at, secrets.token_hex(8))
    importer = _Importer(destination, options, context, DryRunState() if dry_run else None)
    item_count = 0
    for batch in _batches(items):
        work = partial(importer.import_batch, items=batch)
        # A dry run goes through the same code in a transaction that can't write.
        result = await (destination.store.read(work) if dry_run else destination.store.write(work))
        fresh.update(result.fresh)
        archived.update(result.archived)
        # Pages are files, so they are written after the transaction, which may be run twice.
        for outcome in (*result.outcomes, *map(importer.page, _pages(batch))):
            report.add(outcome)
        item_count += len(batch)
        if progress is not None and total:
            progress(min(item_count, total), total)
    report.notes += await destination.store.read(lambda tx: _notes(tx, archived, fresh, destination.limits, dry_run))
    if not dry_run and report.new + report.changed:
        await destination.store.write(partial(_conclude, report=report, context=importer.context))
    return report


def _notes(tx: Tx, archived: Counter[Subject], fresh: Fresh, limits: Limits, dry_run: bool) -> list[str]:
    return describe_archived(
        tx, preview_archived(tx, fresh, limits) if dry_run else archived, fresh, limits, dry_run=dry_run
    )


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH_SIZE)):
        yield batch


def _pages(items: Iterable[Item]) -> list[PageEntry]:
    return [item for item in items if isinstance(item, PageEntry)]


def _conclude(tx: Tx, report: Report, context: ChangeContext) -> None:
    data = {"new": report.new, "changed": report.changed, "same": report.same, "left_out": report.left_out}
    tx.events.add(Event(IMPORTED, context.at, context.actor, reason=Reason.IMPORTED, detail=report.format, data=data))


@dataclass(frozen=True, slots=True)
class _Result:
    """The outcome of a batch."""

    outcomes: list[Outcome | Problem]
    fresh: Fresh
    archived: Counter[Subject]


@dataclass(slots=True)
class _Batch:
    """State shared by the items of one batch."""

    models: Models
    stored_texts: StoredTexts
    fresh: Fresh = field(default_factory=Fresh)
    fingerprints: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The fingerprints of memos in use, by scope."""

    def in_use(self, tx: Tx, scope: str) -> frozenset[str]:
        if scope not in self.fingerprints:
            memos = tx.memos.list(Subject.of_scope(scope), [Status.ACTIVE])
            self.fingerprints[scope] = frozenset(tx.fingerprints.of_text(memo.text) for memo in memos)
        return self.fingerprints[scope]


@dataclass(frozen=True, slots=True)
class _Importer:
    """One running import."""

    destination: Destination
    options: ImportOptions
    context: ChangeContext
    seen: DryRunState | None

    def import_batch(self, tx: Tx, items: Sequence[Item]) -> _Result:
        """Import these items, or only decide in a dry run; may be retried after a conflict."""
        batch = _Batch(_usable_models(tx, self.destination.model), _read_stored_texts(tx, items))
        outcomes = [self._item(tx, item, batch) for item in items if not isinstance(item, PageEntry)]
        subjects = () if self.seen is not None else {subject for subject, _ in batch.fresh}
        return _Result(outcomes, batch.fresh, archive(tx, subjects, self.destination.limits, self.context))

    def _item(self, tx: Tx, item: StoreItem, batch: _Batch) -> Outcome | Problem:
        match item:
            case Entry():
                return self._memo(tx, item, batch)
            case SummaryEntry():
                return self._summary(tx, item)
            case MessageEntry():
                return self._message(tx, item, batch)
            case TombstoneEntry():
                return self._tombstone(tx, item, batch)
            case Problem():
                return item

    def _memo(self, tx: Tx, entry: Entry, batch: _Batch) -> Outcome | Problem:
        converted = convert(entry, self.options)
        if isinstance(converted, Problem):
            return Outcome(converted.location, "memory", "left", converted.reason)
        decision = self._decide(tx, converted, entry.is_ours)
        match decision:
            case New(memo) | Changed(after=memo):
                self._write(tx, decision, converted, batch)
                if memo.active and not (isinstance(decision, Changed) and decision.before.active):
                    batch.fresh[memo.subject, memo.source.guild] += 1
                outcome = "new" if isinstance(decision, New) else "changed"
                return Outcome(entry.location, "memory", outcome, redacted=converted.redacted)
            case Same():
                return Outcome(entry.location, "memory", "same")
            case Left(why):
                return Outcome(entry.location, "memory", "left", why)

    def _decide(self, tx: Tx, converted: ConvertedEntry, is_own: bool) -> Decision:
        memo = converted.memo
        if self.seen is not None and (repeated := self.seen.decide(memo)) is not None:
            return repeated
        by_id = tx.memos.get(memo.subject, memo.id) if memo.id else None
        existing = ExistingMemos(
            by_id=by_id,
            same=tx.memos.same_text(memo.subject, memo.text) if by_id is None else (),
            buried=tx.memos.tombstone(memo.subject.scope, tx.fingerprints.of_text(memo.text)) is not None,
        )
        decision = decide(converted, existing, is_own)
        if isinstance(decision, New | Changed) and contains_instructions(converted):
            return Left(ORDERS)
        if isinstance(decision, New) and not memo.id:
            new_id = tx.fingerprints.memo_id(memo.kind.value, memo.text, partial(tx.memos.get, memo.subject))
            decision = New(replace(memo, id=new_id))
        return decision

    def _write(self, tx: Tx, decision: New | Changed, converted: ConvertedEntry, batch: _Batch) -> None:
        memo = decision.memo if isinstance(decision, New) else decision.after
        if self.seen is not None:
            self.seen.note(memo)
            return
        batch.fingerprints.pop(memo.subject.scope, None)
        vector = converted.vector if converted.vector is not None and _fits(converted.vector, batch.models) else None
        reason = Reason.IMPORTED, self.options.format
        change = Add(memo, *reason) if isinstance(decision, New) else Revise(decision.before, memo, *reason)
        write(tx, [change], replace(self.context, shared=converted.shared), vector)

    def _summary(self, tx: Tx, entry: SummaryEntry) -> Outcome:
        outcome = partial(Outcome, entry.location, "summary")
        text = redact(clean(entry.text)).text
        if not text.strip() or not entry.session.strip():
            return outcome("left", "is empty")
        updated = entry.updated or self.options.at
        past, last = tx.summaries.history(entry.session, 1 << 30), tx.summaries.sequence(entry.session)
        if any(summary.text == text and entry.updated in (None, summary.updated) for summary in past):
            return outcome("same")
        if last and not past:
            return outcome("left", "was cleared here")
        if past and past[0].updated >= updated:
            return outcome("left", "is older than the one here")
        if is_instruction(text):
            return outcome("left", ORDERS)
        sequence = entry.sequence if entry.sequence is not None and entry.sequence > last else last + 1
        if self.seen is None:
            tx.summaries.save(Summary(entry.session, text, sequence, updated, entry.through, entry.audience))
        return outcome("new", redacted=text != clean(entry.text))

    def _message(self, tx: Tx, entry: MessageEntry, batch: _Batch) -> Outcome:
        outcome, message = partial(Outcome, entry.location, "message"), entry.message
        name = message.place.platform, message.id
        stored_text, cleaned = batch.stored_texts.get(name), clean(message.text[: self.destination.max_message_chars])
        if stored_text is None and self.seen is not None:
            return outcome("new" if self.seen.is_first(*name) else "same")
        if stored_text == cleaned:  # stored text is redacted already
            return outcome("same")
        text = redact(cleaned).text
        if stored_text is not None:
            return outcome("same") if stored_text == text else outcome("left", _OTHER_WORDS)
        try:
            sanitized = replace(message, text=text, name=_name(message.name), place=redact_place(message.place))
            added = self.destination.add_message(tx, sanitized)
        except BadInput as error:
            return outcome("left", str(error))
        if added:
            batch.stored_texts[name] = text
            return outcome("new", redacted=text != cleaned)
        stored = tx.messages.get(*name)  # under a name that a store has shortened
        if stored is None:
            return outcome("left", _DELETED)
        return outcome("same") if stored.text == text else outcome("left", _OTHER_WORDS)

    def _tombstone(self, tx: Tx, entry: TombstoneEntry, batch: _Batch) -> Outcome:
        outcome = partial(Outcome, entry.location, "tombstone")
        fingerprint = tx.fingerprints.imported(entry.fingerprint)
        if fingerprint is None:
            return outcome("left", _FOREIGN_FINGERPRINT)
        if tx.memos.tombstone(entry.scope, fingerprint) is not None:
            return outcome("same")
        if fingerprint in batch.in_use(tx, entry.scope):
            return outcome("left", _STILL_KNOWN)
        if self.seen is None:
            tx.memos.add_tombstone(Tombstone(entry.scope, fingerprint, entry.at))
            for subject in tx.memos.namesakes(Subject.of_scope(entry.scope).id):  # earlier exports name no platform
                if fingerprint not in batch.in_use(tx, subject.scope):
                    tx.memos.add_tombstone(Tombstone(subject.scope, fingerprint, entry.at))
        return outcome("new")

    def page(self, entry: PageEntry) -> Outcome:
        """A file of the workspace; existing files are not overwritten."""
        outcome = partial(Outcome, entry.location, "page")
        text = redact(clean(entry.text)).text
        try:
            workspace = self.destination.workspace(entry.user)
            existing = workspace.read_text(entry.name)
            if existing is not None:
                return outcome("same") if existing == text else outcome("left", "another file has this name here")
            if gives_instructions(*text.splitlines()):
                return outcome("left", ORDERS)
            if self.seen is None:
                workspace.create(entry.name, text)
        except RecollectError as error:
            return outcome("left", str(error))
        return outcome("new", redacted=text != clean(entry.text))


@lru_cache(maxsize=1024)
def _name(name: str) -> str:
    """Cached: a file has few speakers, and their names rarely change."""
    return redact(clean(name)).text


def _read_stored_texts(tx: Tx, items: Iterable[Item]) -> StoredTexts:
    """The texts of those messages that the store has, in one query."""
    names = {(item.message.place.platform, item.message.id) for item in items if isinstance(item, MessageEntry)}
    records = tx.archive.find("messages", list(names)) if names else {}
    present = (record for record in records.values() if record[_DELETED_COLUMN] is None)
    return {(record[0], record[1]): record[_TEXT_COLUMN] for record in present}


def _usable_models(tx: Tx, model: str) -> Models:
    sets = tx.index.vectors("memos")
    active: Models = {vector_set.model: vector_set.dims for vector_set in sets if vector_set.active}
    return active or {model: None}


def _fits(vector: tuple[str, bytes], models: Models) -> bool:
    model, numbers = vector
    return model in models and models[model] in (None, len(numbers) // 4)
