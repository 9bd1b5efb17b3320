"""Consolidation: tidy a user's memos while they are away, in one batch that `undo` takes back as a whole.

A model may say which memos belong together; `plan` decides. If the memos changed since they were read, everything is
retried; a plan that would lose too much is only logged.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from recollect.core.changes import Retire, Revise
from recollect.core.clock import Clock
from recollect.core.errors import ModelError, ModelTimeout, ModelUnavailable, StoreBusy
from recollect.core.events import Event, EventKind
from recollect.core.ports import ExtractionResult, Model, Progress, StaleResult, Store, Tx, UnitOfWork, Usage
from recollect.core.ports.jobs import Job
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Status, Subject
from recollect.learning.apply import ChangeContext, write
from recollect.learning.consolidate.plan import (
    ConsolidationInput,
    ConsolidationOptions,
    Plan,
    begin,
    finish,
    tally,
    tidy,
)
from recollect.learning.consolidate.proposals import accept, groups
from recollect.learning.schedule import consolidation_job
from recollect.learning.token_usage import total_usage

__all__ = [
    "ConsolidationInput",
    "ConsolidationOptions",
    "ConsolidationReport",
    "Consolidator",
    "Plan",
    "plan",
    "tally",
]

log = logging.getLogger("recollect.learning")

ACTOR = "consolidation"
_MAX_ATTEMPTS = 5
_RESTATED_REASONS = (Reason.STATED_AGAIN, Reason.REWORDED)
_DONE, _ABORTED = EventKind.CONSOLIDATION_DONE, EventKind.CONSOLIDATION_ABORTED


@dataclass(frozen=True, slots=True)
class ConsolidationReport:
    """What a consolidation changed, or would change if it was not `applied`; `abort` says why it was not."""

    subject: Subject
    changes: tuple[Revise | Retire, ...] = ()
    memos: int = 0
    """Active memos before."""
    abort: str = ""
    compared: bool = False
    """Whether there were enough memos to compare."""
    applied: bool = False
    problems: tuple[str, ...] = ()
    """What the model got wrong."""
    usage: Usage = field(default_factory=Usage)

    @property
    def description(self) -> str:
        """The outcome in a few words."""
        counts = [f"{count} {name}" for name, count in tally(self.changes).items() if count]
        return self.abort or ", ".join(counts) or "nothing to change"


class Consolidator:
    """Consolidates on demand, and handles consolidation jobs. The model is created when it is first needed."""

    def __init__(
        self, store: Store, model: Callable[[], Model] | None, options: ConsolidationOptions, clock: Clock
    ) -> None:
        self._store = store
        self._model = model
        self._options = options
        self._clock = clock

    async def __call__(self, job: Job) -> UnitOfWork:
        subject = Subject(job.payload["user"])
        snapshot = await self._store.read(lambda tx: read_input(tx, subject, compares_all=False))
        due = None if snapshot.last_run is None else snapshot.last_run + self._options.interval
        if not self._options.enabled:
            return lambda _: None
        if due is not None and due > self._clock():
            return lambda tx: self._requeue(tx, job, due)
        report = await self._propose(subject, snapshot)
        return lambda tx: self._apply(tx, snapshot, report)

    async def consolidate(self, subject: Subject, *, dry_run: bool = False) -> ConsolidationReport:
        """Consolidate now; a dry run reports what would change, and changes nothing."""
        for _ in range(_MAX_ATTEMPTS):
            snapshot = await self._store.read(lambda tx: read_input(tx, subject))
            report = await self._propose(subject, snapshot)
            if dry_run:
                return report
            try:
                await self._store.write(lambda tx, snapshot=snapshot, report=report: self._apply(tx, snapshot, report))
            except StaleResult:
                continue
            return replace(report, applied=not report.abort)
        raise StoreBusy(f"the memory of {subject.id!r} kept changing; nothing was tidied")

    async def consolidate_all(
        self, *, dry_run: bool = False, progress: Progress | None = None
    ) -> list[ConsolidationReport]:
        """Consolidate one user after the other; the reports that contain changes."""
        subjects = await self._store.read(lambda tx: _people(tx))
        reports: list[ConsolidationReport] = []
        for count, subject in enumerate(subjects, 1):
            reports.append(await self.consolidate(subject, dry_run=dry_run))
            if progress is not None:
                progress(count, len(subjects))
        return [report for report in reports if report.changes]

    async def _propose(self, subject: Subject, snapshot: ConsolidationInput) -> ConsolidationReport:
        """Plan the changes; comparing many memos takes time, so it runs in a thread."""
        memo_groups = (
            groups(snapshot, self._options) if self._model and len(snapshot.memos) >= self._options.min_memos else []
        )
        answers, problems = await self._ask(memo_groups)
        answered = list(zip(memo_groups, answers, strict=True))
        proposed = await asyncio.to_thread(plan, snapshot, self._options, self._clock(), answered)
        usage = total_usage(*(answer.usage for answer in answers))
        return ConsolidationReport(
            subject,
            proposed.changes,
            len(snapshot.memos),
            proposed.abort,
            proposed.compared,
            problems=problems,
            usage=usage,
        )

    async def _ask(self, memo_groups: Sequence[Sequence[Memo]]) -> tuple[list[ExtractionResult], tuple[str, ...]]:
        """The model's answer for each group; a group without a usable answer is compared by words alone."""
        answers: list[ExtractionResult] = []
        problems: list[str] = []
        for group in memo_groups:
            try:
                answers.append(await self._ask_about(group))
            # The job waits until the model is back; any other failure concerns one group only.
            except ModelUnavailable:
                raise
            except ModelError as error:
                answers.append(ExtractionResult())
                problems.append(str(error))
        problems += [problem for answer in answers for problem in answer.problems]
        for problem in problems:
            log.warning("the model's answer was not all usable: %s", problem)
        return answers, tuple(problems)

    async def _ask_about(self, group: Sequence[Memo]) -> ExtractionResult:
        assert self._model is not None  # noqa: S101 - without one there are no groups
        try:
            async with asyncio.timeout(self._options.timeout):
                return await self._model().consolidate(group)
        except TimeoutError as error:
            raise ModelTimeout(f"no answer within {self._options.timeout:.0f} s") from error

    def _apply(self, tx: Tx, snapshot: ConsolidationInput, report: ConsolidationReport) -> None:
        """Write all changes as one batch; raises StaleResult when the memos changed since they were read."""
        # The plan was made outside of this transaction, from an earlier state.
        if not _are_same(tx.memos.list(report.subject, [Status.ACTIVE]), snapshot.memos):
            raise StaleResult
        if not report.changes and report.memos < self._options.min_memos:
            return
        context = ChangeContext(ACTOR, self._clock(), secrets.token_hex(8))
        kind = _ABORTED if report.abort else _DONE
        if report.abort:
            log.warning("the consolidation of %s was given up: %s", report.subject.id, report.abort)
        else:
            write(tx, report.changes, context)
        usage = report.usage
        counts = {**tally(report.changes), "memos": report.memos, "input": usage.input, "output": usage.output}
        data = {"batch": context.batch, "problems": list(report.problems), "compared": report.compared, **counts}
        if usage.requests and self._model:
            data |= {"model": self._model().name, "requests": usage.requests, "seconds": round(usage.seconds, 2)}
        tx.events.add(Event(kind, context.at, ACTOR, report.subject.scope, detail=report.description, data=data))

    def _requeue(self, tx: Tx, job: Job, due: datetime) -> None:
        """Run again when the interval has passed."""
        tx.jobs.add(consolidation_job(job.payload["user"], due))


def plan(
    snapshot: ConsolidationInput,
    options: ConsolidationOptions,
    now: datetime,
    answered: Sequence[tuple[Sequence[Memo], ExtractionResult]] = (),
) -> Plan:
    """Plan the changes: by comparing words first, then with a model's answers to groups of memos."""
    draft = begin(snapshot, now)
    compares = len(draft.live()) >= options.min_memos
    if compares:
        tidy(draft, snapshot, options)
        for memos, result in answered:
            accept(draft, memos, result, options)
        # What the model has merged may be like a third memo.
        if any(result.proposals or result.retractions for _, result in answered):
            tidy(draft, snapshot, options)
    return replace(finish(draft, snapshot.protected, options), compared=compares)


def read_input(tx: Tx, subject: Subject, *, compares_all: bool = True) -> ConsolidationInput:
    """The memos of a subject and what happened to them. Unless all are to be compared, those that have not changed
    since the last completed run are not compared with each other again.
    """
    memos, scope = tx.memos.list(subject, [Status.ACTIVE]), subject.scope
    undone = tx.changes.undone_at(scope)
    last = tx.events.list(scope=scope, kinds=(_DONE, _ABORTED), limit=1)
    done = [] if compares_all else tx.events.list(scope=scope, kinds=(_DONE,), limit=1)
    compared = frozenset[str]()
    if done and done[0].data.get("compared"):
        # by the order of events, not by time: what is imported or restored keeps its old times
        compared = frozenset(memo.id for memo in memos) - tx.changes.changed_since(scope, done[0].id)
    return ConsolidationInput(
        memos,
        tx.changes.count_causes(scope, _RESTATED_REASONS),
        frozenset(memo.id for memo in memos if memo.id in undone and memo.updated <= undone[memo.id]),
        last[0].at if last else None,
        compared,
    )


def _people(tx: Tx) -> list[Subject]:
    return [subject for subject in tx.memos.subjects() if not subject.is_lore]


def _are_same(memos: Sequence[Memo], planned: Sequence[Memo]) -> bool:
    """Whether memos are unchanged, apart from their usage counts."""
    return len(memos) == len(planned) and all(
        memo is before or memo == before or replace(memo, hits=before.hits) == before
        for memo, before in zip(memos, planned, strict=True)
    )
