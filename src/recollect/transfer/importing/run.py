"""Bring items into a store: unit by unit, so that an import that is interrupted goes on when it is run again.

The second time nothing changes. A dry run decides the same and only reads.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import islice

from recollect.core.changes import Add, Revise
from recollect.core.errors import BadInput, RecollectError
from recollect.core.events import Event
from recollect.core.ports import Progress, Store, Tx
from recollect.core.ports.archive import SECTIONS
from recollect.core.ports.format import Entry, Item, MessageEntry, PageEntry, Problem, SummaryEntry, TombstoneEntry
from recollect.core.text import clean
from recollect.core.types import Message, Status, Subject, Summary, Tombstone
from recollect.learning.apply import ChangeContext, write
from recollect.policy.guard.instructions import is_instruction
from recollect.policy.merge import fingerprint, memo_id
from recollect.policy.redaction import redact
from recollect.transfer.importing.convert import ORDERS, ConvertedEntry, ImportOptions, convert, gives_orders
from recollect.transfer.importing.decide import Changed, Decision, Known, Left, New, Same, decide
from recollect.transfer.importing.dry_run import DryRunState
from recollect.transfer.importing.limits import Fresh, Limits, archive, describe_archived, preview_archived
from recollect.transfer.importing.report import Outcome, Report
from recollect.workspace import Workspace

UNIT = 200
"""Items that are written together."""
IMPORTED = "memory.imported"

Said = dict[tuple[str, str], str]
"""The words of messages that are here, by platform and id."""
Models = dict[str, int | None]
"""Models whose vectors can be taken over, with the size these have; None where there are none yet."""
Stored = Entry | SummaryEntry | MessageEntry | TombstoneEntry | Problem
"""What a transaction takes; pages are files."""

_COLUMNS = SECTIONS["messages"].names + SECTIONS["messages"].rest
_TEXT, _GONE = _COLUMNS.index("text"), _COLUMNS.index("deleted")
_OTHER_WORDS = "is known here in other words"
_STILL_KNOWN = "is remembered here"
_DELETED = "was deleted or erased here"


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
    """Where pages go: those of a user, or of nobody in particular."""
    hear: Callable[[Tx, Message], bool]
    """Puts a message into the journal; False when it may not come back."""
    longest: int
    """Characters of a message that are kept."""


async def run_import(
    to: Destination,
    items: Iterable[Item],
    terms: ImportOptions,
    *,
    dry_run: bool = False,
    total: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Take over all items, and tell what became of them. `total` is how many there may be, if that is known."""
    report, fresh, archived = Report(terms.format, dry_run), Fresh(), Counter[Subject]()
    bringing = _Importer(
        to, terms, ChangeContext(to.actor, terms.at, secrets.token_hex(8)), DryRunState() if dry_run else None
    )
    done = 0
    for unit in _units(items):
        work = partial(bringing.unit, items=unit)
        result = await (to.store.read(work) if dry_run else to.store.write(work))
        fresh.update(result.fresh)
        archived.update(result.archived)
        for outcome in (*result.outcomes, *map(bringing.page, _pages(unit))):
            report.add(outcome)
        done += len(unit)
        if progress is not None and total:
            progress(min(done, total), total)
    report.notes += await to.store.read(lambda tx: _notes(tx, archived, fresh, to.limits, dry_run))
    if not dry_run and report.new + report.changed:
        await to.store.write(partial(_conclude, report=report, cause=bringing.cause))
    return report


def _notes(tx: Tx, archived: Counter[Subject], fresh: Fresh, limits: Limits, dry_run: bool) -> list[str]:
    return describe_archived(
        tx, preview_archived(tx, fresh, limits) if dry_run else archived, fresh, limits, dry_run=dry_run
    )


def _units(items: Iterable[Item]) -> Iterator[list[Item]]:
    waiting = iter(items)
    while unit := list(islice(waiting, UNIT)):
        yield unit


def _pages(items: Iterable[Item]) -> list[PageEntry]:
    return [item for item in items if isinstance(item, PageEntry)]


def _conclude(tx: Tx, report: Report, cause: ChangeContext) -> None:
    data = {"new": report.new, "changed": report.changed, "same": report.same, "left_out": report.left_out}
    tx.events.add(Event(IMPORTED, cause.at, cause.actor, reason=f"from {report.format}", data=data))


@dataclass(frozen=True, slots=True)
class _Result:
    """What became of a unit."""

    outcomes: list[Outcome | Problem]
    fresh: Fresh
    archived: Counter[Subject]


@dataclass(slots=True)
class _Unit:
    """What is known while a unit is brought in."""

    models: Models
    said: Said
    fresh: Fresh = field(default_factory=Fresh)
    marks: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """The fingerprints of memos in use, by scope."""

    def in_use(self, tx: Tx, scope: str) -> frozenset[str]:
        if scope not in self.marks:
            memos = tx.memos.list(Subject.of_scope(scope), [Status.ACTIVE])
            self.marks[scope] = frozenset(fingerprint(memo.text) for memo in memos)
        return self.marks[scope]


@dataclass(frozen=True, slots=True)
class _Importer:
    """One import under way."""

    to: Destination
    terms: ImportOptions
    cause: ChangeContext
    seen: DryRunState | None

    def unit(self, tx: Tx, items: Sequence[Item]) -> _Result:
        """What becomes of these items, written unless it is a dry run; may be done again after a conflict."""
        unit = _Unit(_usable(tx, self.to.model), _said(tx, items))
        outcomes = [self._item(tx, item, unit) for item in items if not isinstance(item, PageEntry)]
        subjects = () if self.seen is not None else {subject for subject, _ in unit.fresh}
        return _Result(outcomes, unit.fresh, archive(tx, subjects, self.to.limits, self.cause))

    def _item(self, tx: Tx, item: Stored, unit: _Unit) -> Outcome | Problem:
        match item:
            case Entry():
                return self._memo(tx, item, unit)
            case SummaryEntry():
                return self._summary(tx, item)
            case MessageEntry():
                return self._message(tx, item, unit)
            case TombstoneEntry():
                return self._tombstone(tx, item, unit)
            case Problem():
                return item

    def _memo(self, tx: Tx, entry: Entry, unit: _Unit) -> Outcome | Problem:
        fit = convert(entry, self.terms)
        if isinstance(fit, Problem):
            return Outcome(fit.where, "memory", "left", fit.why)
        decision = self._decided(tx, fit, entry.own)
        match decision:
            case New(memo) | Changed(after=memo):
                self._write(tx, decision, fit, unit)
                if memo.active and not (isinstance(decision, Changed) and decision.before.active):
                    unit.fresh[memo.subject, memo.source.guild] += 1
                what = "new" if isinstance(decision, New) else "changed"
                return Outcome(entry.where, "memory", what, redacted=fit.redacted)
            case Same():
                return Outcome(entry.where, "memory", "same")
            case Left(why):
                return Outcome(entry.where, "memory", "left", why)

    def _decided(self, tx: Tx, fit: ConvertedEntry, own: bool) -> Decision:
        memo = fit.memo
        if self.seen is not None and (found := self.seen.decide(memo)) is not None:
            return found
        by_id = tx.memos.get(memo.subject, memo.id) if memo.id else None
        known = Known(
            by_id=by_id,
            same=tx.memos.same_text(memo.subject, memo.text) if by_id is None else (),
            buried=tx.memos.tombstone(memo.subject.scope, fingerprint(memo.text)) is not None,
        )
        decision = decide(fit, known, own)
        if isinstance(decision, New | Changed) and gives_orders(fit):
            return Left(ORDERS)
        if isinstance(decision, New) and not memo.id:
            named = memo_id(memo.kind.value, memo.text, lambda one: tx.memos.get(memo.subject, one))
            decision = New(replace(memo, id=named))
        return decision

    def _write(self, tx: Tx, decision: New | Changed, fit: ConvertedEntry, unit: _Unit) -> None:
        memo = decision.memo if isinstance(decision, New) else decision.after
        if self.seen is not None:
            self.seen.note(memo)
            return
        unit.marks.pop(memo.subject.scope, None)
        vector = fit.vector if fit.vector is not None and _fits(fit.vector, unit.models) else None
        reason = f"imported from {self.terms.format}"
        change = Add(memo, reason) if isinstance(decision, New) else Revise(decision.before, memo, reason)
        write(tx, [change], replace(self.cause, shared=fit.shared), vector)

    def _summary(self, tx: Tx, entry: SummaryEntry) -> Outcome:
        say = partial(Outcome, entry.where, "summary")
        text = redact(clean(entry.text)).text
        if not text.strip() or not entry.session.strip():
            return say("left", "is empty")
        updated = entry.updated or self.terms.at
        past, last = tx.summaries.history(entry.session, 1 << 30), tx.summaries.sequence(entry.session)
        if any(one.text == text and entry.updated in (None, one.updated) for one in past):
            return say("same")
        if last and not past:
            return say("left", "was cleared here")
        if past and past[0].updated >= updated:
            return say("left", "is older than the one here")
        if not entry.own and is_instruction(text):
            return say("left", ORDERS)
        sequence = entry.sequence if entry.sequence is not None and entry.sequence > last else last + 1
        if self.seen is None:
            tx.summaries.save(Summary(entry.session, text, sequence, updated, entry.through))
        return say("new", redacted=text != clean(entry.text))

    def _message(self, tx: Tx, entry: MessageEntry, unit: _Unit) -> Outcome:
        say, message = partial(Outcome, entry.where, "message"), entry.message
        name = message.place.platform, message.id
        here, plain = unit.said.get(name), clean(message.text[: self.to.longest])
        if here is None and self.seen is not None:
            return say("new" if self.seen.is_first(*name) else "same")
        if here == plain:  # what is kept has no secrets, so that none need be looked for
            return say("same")
        text = redact(plain).text
        if here is not None:
            return say("same") if here == text else say("left", _OTHER_WORDS)
        try:
            heard = self.to.hear(tx, replace(message, text=text, name=_name(message.name)))
        except BadInput as error:
            return say("left", str(error))
        if heard:
            unit.said[name] = text
            return say("new", redacted=text != plain)
        there = tx.messages.get(*name)  # under a name that a store has shortened
        if there is None:
            return say("left", _DELETED)
        return say("same") if there.text == text else say("left", _OTHER_WORDS)

    def _tombstone(self, tx: Tx, entry: TombstoneEntry, unit: _Unit) -> Outcome:
        say = partial(Outcome, entry.where, "tombstone")
        if tx.memos.tombstone(entry.scope, entry.fingerprint) is not None:
            return say("same")
        if entry.fingerprint in unit.in_use(tx, entry.scope):
            return say("left", _STILL_KNOWN)
        if self.seen is None:
            tx.memos.add_tombstone(Tombstone(entry.scope, entry.fingerprint, entry.at))
        return say("new")

    def page(self, entry: PageEntry) -> Outcome:
        """A file of the workspace; none that is there is overwritten."""
        say = partial(Outcome, entry.where, "page")
        text = redact(clean(entry.text)).text
        try:
            workspace = self.to.workspace(entry.user)
            there = workspace.read_text(entry.name)
            if there is not None:
                return say("same") if there == text else say("left", "another file has this name here")
            if self.seen is None:
                workspace.create(entry.name, text)
        except RecollectError as error:
            return say("left", str(error))
        return say("new", redacted=text != clean(entry.text))


@lru_cache(maxsize=1024)
def _name(name: str) -> str:
    """The few who speak have the same names each time."""
    return redact(clean(name)).text


def _said(tx: Tx, items: Iterable[Item]) -> Said:
    """Those of these messages that are here, found in one look."""
    names = {(item.message.place.platform, item.message.id) for item in items if isinstance(item, MessageEntry)}
    found = tx.archive.find("messages", list(names)) if names else {}
    return {(record[0], record[1]): record[_TEXT] for record in found.values() if record[_GONE] is None}


def _usable(tx: Tx, wanted: str) -> Models:
    sets = tx.index.vectors("memos", counted=False)
    found: Models = {one.model: one.dims for one in sets if one.active}
    return found or {wanted: None}


def _fits(vector: tuple[str, bytes], models: Models) -> bool:
    model, numbers = vector
    return model in models and models[model] in (None, len(numbers) // 4)
